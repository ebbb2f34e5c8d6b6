"""A number with its interval: the only form in which a mean leaves the evaluation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

LEVEL = 0.95
_NORMAL = NormalDist()


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


def ratio(part: float, whole: float) -> float | None:
    """A part of a whole; None where the whole is nothing."""
    return part / whole if whole else None


def share_interval(part: int, whole: int, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's interval of a share; all of 0 to 1 when nothing was counted."""
    if not whole:
        return 0.0, 1.0
    z = _NORMAL.inv_cdf((1 + level) / 2)
    middle = (part + z * z / 2) / (whole + z * z)
    half = z / (whole + z * z) * math.sqrt(part * (whole - part) / whole + z * z / 4)
    return max(0.0, middle - half), min(1.0, middle + half)
