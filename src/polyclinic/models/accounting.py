"""What calls cost, and a budget that is never exceeded: each call's worst case is reserved before it is made."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from polyclinic.core.model import NANO, Request, Usage, estimate_tokens
from polyclinic.core.reply import schema_of
from polyclinic.core.value import once_a_type
from polyclinic.errors import LimitReached
from polyclinic.models.prices import Price


class Held(NamedTuple):
    """What is reserved for one attempt."""

    nano_usd: int
    tokens: int = 0
    times: float = 1.0
    """How many times the worst case by our own count this is."""


@dataclass
class Budget:
    """Money (billionths of a US dollar) and tokens for a run; None means no limit. Many models may share one budget."""

    limit_nano_usd: int | None
    limit_tokens: int | None = None
    spent_nano_usd: int = 0
    spent_tokens: int = 0
    held_nano_usd: int = 0
    held_tokens: int = 0
    on_loss: Callable[[Usage], object] | None = None
    """Told what calls have cost that got no answer, so that it can be kept: the journal holds answers alone."""
    _settled: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    def from_usd(cls, usd: float | None, tokens: int | None = None) -> Budget:
        """A budget in US dollars and tokens."""
        return cls(None if usd is None else round(usd * NANO), tokens)

    @property
    def limited(self) -> bool:
        """Whether there is a limit at all."""
        return self.limit_nano_usd is not None or self.limit_tokens is not None

    async def hold(self, held: Held) -> None:
        """Reserve money and tokens for an attempt; raises if the attempt could exceed the budget.

        Running calls rarely cost all that was reserved for them. So a call that cannot start only because of these
        reservations waits.
        """
        while not self._fits(held, self.held_nano_usd, self.held_tokens):
            if not self._fits(held, 0, 0):
                raise self._used(held)
            self._settled.clear()
            await self._settled.wait()
        self.held_nano_usd += held.nano_usd
        self.held_tokens += held.tokens

    def _fits(self, held: Held, nano_usd: int, tokens: int) -> bool:
        if self.limit_nano_usd is not None and self.spent_nano_usd + nano_usd + held.nano_usd > self.limit_nano_usd:
            return False
        return self.limit_tokens is None or self.spent_tokens + tokens + held.tokens <= self.limit_tokens

    def _used(self, held: Held) -> LimitReached:
        if self.limit_nano_usd is not None and self.spent_nano_usd + held.nano_usd > self.limit_nano_usd:
            return LimitReached(
                "cost",
                f"the budget of ${self.limit_nano_usd / NANO:.2f} is used: ${self.spent_nano_usd / NANO:.4f} spent,"
                f" and the next call may cost up to ${held.nano_usd / NANO:.4f}",
            )
        return LimitReached(
            "tokens",
            f"the limit of {self.limit_tokens or 0:,} tokens is used: {self.spent_tokens:,} spent, and the next call"
            f" may take up to {held.tokens:,}",
        )

    def settle(self, held: Held, usage: Usage) -> None:
        """Release what was reserved, and count the real cost."""
        self.held_nano_usd -= held.nano_usd
        self.held_tokens -= held.tokens
        self.spent_nano_usd += usage.cost_nano_usd
        self.spent_tokens += usage.input_tokens + usage.output_tokens
        self._settled.set()

    def lose(self, usage: Usage) -> None:
        """What a call cost that got no answer. It was counted already; `on_loss` is told."""
        if self.on_loss is not None and usage != Usage():
            self.on_loss(usage)


_NOTHING = Held(0)
_UNBILLED_FIRST = 3


class CallCharges:
    """Charges one model's calls to a budget: reserves the worst case before an attempt, and counts the cost after it.

    The worst case is the reply at the token limit that is sent, and the most tokens that the request may have. An
    endpoint may bill more: it counts tokens in its own way, or does not keep to the limit. So with a limit the first
    attempt goes alone, and if one cost more than was reserved for it, later ones reserve that many times as much.
    """

    def __init__(self, price: Price, budget: Budget) -> None:
        self.price, self.budget = price, budget
        self._times = 1.0
        self._unbilled = 0
        self._first: asyncio.Lock | None = asyncio.Lock()

    async def hold(self, request: Request, limit: int) -> Held:
        """Reserve the worst case, or raise `LimitReached`."""
        if not self.budget.limited:
            return _NOTHING
        first = self._first
        if first is not None:
            await first.acquire()
            if self._first is None:
                first.release()
        try:
            read = request_tokens(request)
            times = self._times
            worst = Held(round(self.price.cost_nano_usd(read, limit) * times), round((read + limit) * times), times)
            await self.budget.hold(worst)
        except BaseException:
            if self._first is not None:
                self._first.release()
            raise
        return worst

    def settle(self, held: Held, usage: Usage) -> None:
        """Count what the attempt cost."""
        self.budget.settle(held, usage)
        if held is _NOTHING:
            return
        used = usage.input_tokens + usage.output_tokens
        over = max(used / max(1, held.tokens), usage.cost_nano_usd / max(1, held.nano_usd) if held.nano_usd else 0.0)
        self._times = max(self._times, held.times * over)
        if self._first is not None:
            first = self._first
            self._unbilled += not used
            if used or self._unbilled >= _UNBILLED_FIRST:
                self._first = None
            first.release()

    def lose(self, usage: Usage) -> None:
        """What a call cost that got no answer."""
        self.budget.lose(usage)


def request_tokens(request: Request) -> int:
    """The most tokens that a request may have: its text, its pictures, its tools and the form of its reply."""
    words = sum(estimate_tokens(message.content) for message in request.messages)
    pictures = sum(len(message.images) for message in request.messages)
    more = sum(estimate_tokens(str(tool.parameters)) + 20 for tool in request.tools)
    return words + 1_500 * pictures + more + _form_tokens(request.reply_type) + 8 * len(request.messages)


@once_a_type
def _form_tokens(reply_type: type[Any]) -> int:
    schema = schema_of(reply_type)
    return 0 if schema is None else estimate_tokens(str(schema))
