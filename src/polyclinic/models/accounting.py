"""What calls cost, and a budget that is never passed: each call's worst case is set aside before it is made."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from polyclinic.core.model import NANO, Completion, Model, ModelKind, Request, estimate_tokens
from polyclinic.errors import LimitReached
from polyclinic.models.prices import Price
from polyclinic.models.spec import Options


@dataclass
class Budget:
    """Money for a run, in billionths of a US dollar. One budget may serve many models."""

    limit_nano_usd: int
    spent_nano_usd: int = 0
    held_nano_usd: int = 0
    _settled: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    def from_usd(cls, usd: float) -> Budget:
        """A budget in US dollars."""
        return cls(round(usd * NANO))

    async def hold(self, nano_usd: int) -> None:
        """Set money aside for a call; raises when it could take the budget past its limit.

        Calls under way rarely cost what was set aside for them, so a call that only these keep from starting waits.
        """
        while self.spent_nano_usd + self.held_nano_usd + nano_usd > self.limit_nano_usd:
            if self.spent_nano_usd + nano_usd > self.limit_nano_usd:
                raise LimitReached(
                    "cost",
                    f"the budget of ${self.limit_nano_usd / NANO:.2f} is used: ${self.spent_nano_usd / NANO:.4f} spent,"
                    f" and the next call may cost up to ${nano_usd / NANO:.4f}",
                )
            self._settled.clear()
            await self._settled.wait()
        self.held_nano_usd += nano_usd

    def settle(self, held_nano_usd: int, cost_nano_usd: int) -> None:
        """Give back what was set aside, and count what it did cost."""
        self.held_nano_usd -= held_nano_usd
        self.spent_nano_usd += cost_nano_usd
        self._settled.set()


class Budgeted:
    """A model that stops before it would pass the budget."""

    def __init__(self, model: Model, price: Price, budget: Budget, options: Options) -> None:
        self._model, self._price, self._budget, self._options = model, price, budget, options

    @property
    def name(self) -> str:
        """As in the cast."""
        return self._model.name

    @property
    def kind(self) -> ModelKind:
        """As the model it wraps."""
        return self._model.kind

    async def answer(self, request: Request) -> Completion:
        """The answer, if it can be afforded."""
        worst = self._price.cost_nano_usd(
            sum(estimate_tokens(message.content) for message in request.messages),
            self._options.limit(request),
        )
        await self._budget.hold(worst)
        cost = 0
        try:
            completion = await self._model.answer(request)
            cost = completion.usage.cost_nano_usd
        finally:
            self._budget.settle(worst, cost)
        return completion
