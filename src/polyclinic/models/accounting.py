"""What calls cost, and a budget that is never exceeded: each call's worst case is reserved before it is made."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import NamedTuple

from polyclinic.core.model import NANO, Request, Usage, estimate_tokens
from polyclinic.errors import LimitReached
from polyclinic.models.prices import Price


class Held(NamedTuple):
    """What is reserved for one attempt."""

    nano_usd: int
    tokens: int = 0


@dataclass
class Budget:
    """Money (billionths of a US dollar) and tokens for a run; None means no limit. Many models may share one budget."""

    limit_nano_usd: int | None
    limit_tokens: int | None = None
    spent_nano_usd: int = 0
    spent_tokens: int = 0
    held_nano_usd: int = 0
    held_tokens: int = 0
    _settled: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    def from_usd(cls, usd: float | None, tokens: int | None = None) -> Budget:
        """A budget in US dollars and tokens."""
        return cls(None if usd is None else round(usd * NANO), tokens)

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


@dataclass(frozen=True)
class CallCharges:
    """Charges one model's calls to a budget: reserves the worst case before an attempt, and counts the cost after it.

    The worst case is the reply at the token limit that is sent, and the most tokens that the request may have.
    """

    price: Price
    budget: Budget

    async def hold(self, request: Request, limit: int) -> Held:
        """Reserve the worst case, or raise `LimitReached`."""
        read = _worst_input(request)
        worst = Held(self.price.cost_nano_usd(read, limit), read + limit)
        await self.budget.hold(worst)
        return worst

    def settle(self, held: Held, usage: Usage) -> None:
        """Count what the attempt cost."""
        self.budget.settle(held, usage)


def _worst_input(request: Request) -> int:
    """The most tokens that a request may have: its text, its pictures, its tools and the form of its reply."""
    words = sum(estimate_tokens(message.content) for message in request.messages)
    pictures = sum(len(message.images) for message in request.messages)
    more = sum(estimate_tokens(str(tool.parameters)) + 20 for tool in request.tools)
    if request.reply_schema is not None:
        more += estimate_tokens(str(request.reply_schema))
    return words + 1_500 * pictures + more + 8 * len(request.messages)
