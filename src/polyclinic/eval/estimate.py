"""A number with its interval: the only form in which a mean leaves the evaluation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """A mean, its 95 % interval and how many episodes it rests on.

    `low` and `high` are None where no interval can be had (a single episode): a width of zero would claim certainty.
    """

    mean: float
    low: float | None
    high: float | None
    n: int

    def to_plain(self) -> dict[str, float | int | None]:
        """As in the report's JSON."""
        return {"mean": self.mean, "low": self.low, "high": self.high, "n": self.n}

    def text(self, digits: int = 3) -> str:
        """``0.713 [0.655, 0.768]``."""
        if self.low is None or self.high is None:
            return f"{self.mean:.{digits}f}"
        return f"{self.mean:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"
