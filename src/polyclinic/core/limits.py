"""Limits on turns, tokens, money and time; when a limit is reached, the run stops cleanly and nothing is lost."""

from __future__ import annotations

import time
from typing import Literal

from polyclinic.core.message import Frozen
from polyclinic.core.model import NANO, Usage
from polyclinic.errors import LimitReached


class Limits(Frozen):
    """Limits; None means no limit.

    Users give money in US dollars, as text or number. Internally, it is counted in integer billionths of a dollar.
    """

    turns: int | None = None
    tokens: int | None = None
    cost_nano_usd: int | None = None
    seconds: float | None = None

    @classmethod
    def in_units(
        cls,
        turns: int | None = None,
        tokens: int | None = None,
        cost_usd: float | None = None,
        seconds: float | None = None,
    ) -> Limits:
        """Limits from the units that people use."""
        nano = None if cost_usd is None else max(1, round(cost_usd * NANO))
        return cls(turns=turns, tokens=tokens, cost_nano_usd=nano, seconds=seconds)


class Meter:
    """Counts what has been used against limits. One per episode, and one for the whole run."""

    def __init__(self, limits: Limits, scope: Literal["episode", "run"]) -> None:
        self.limits, self.scope = limits, scope
        self.turns = self.tokens = self.cost_nano_usd = 0
        self._started = time.monotonic()
        self.spending = any(limit is not None for limit in (limits.tokens, limits.cost_nano_usd, limits.seconds))

    def count_turn(self) -> None:
        """Count one turn. Raises before a turn that would exceed the limit."""
        if self.limits.turns is not None and self.turns >= self.limits.turns:
            raise self._reached("turns", f"{self.limits.turns} turns")
        self.turns += 1

    def check(self) -> None:
        """Raise if nothing more may be spent."""
        if not self.spending:
            return
        limits = self.limits
        if limits.tokens is not None and self.tokens >= limits.tokens:
            raise self._reached("tokens", f"{limits.tokens:,} tokens")
        if limits.cost_nano_usd is not None and self.cost_nano_usd >= limits.cost_nano_usd:
            raise self._reached("cost", f"${limits.cost_nano_usd / NANO:.2f}")
        if self.seconds_left is not None and self.seconds_left <= 0:
            raise self.time_is_up()

    @property
    def seconds_left(self) -> float | None:
        """How many seconds are left; None without a time limit."""
        return None if self.limits.seconds is None else self._started + self.limits.seconds - time.monotonic()

    def time_is_up(self) -> LimitReached:
        """The error for a reached time limit."""
        return self._reached("time", f"{self.limits.seconds:g} seconds")

    def _reached(self, limit: str, amount: str) -> LimitReached:
        return LimitReached(limit, f"the {self.scope}'s limit of {amount} is reached", self.scope)

    def spend(self, usage: Usage) -> None:
        """Count what an answer cost."""
        self.tokens += usage.input_tokens + usage.output_tokens
        self.cost_nano_usd += usage.cost_nano_usd
