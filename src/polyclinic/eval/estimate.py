"""A number with its interval: every mean is reported in this form."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

LEVEL = 0.95
_NORMAL = NormalDist()
_STUDENT = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10)


@dataclass(frozen=True)
class Estimate:
    """A mean, its 95 % interval, and from how many episodes it was computed.

    `low` and `high` are None if there can be no interval (a single episode): a width of zero would claim certainty.
    """

    mean: float
    low: float | None
    high: float | None
    n: int

    def to_plain(self) -> dict[str, float | int | None]:
        """The estimate as in the report's JSON."""
        return {"mean": self.mean, "low": self.low, "high": self.high, "n": self.n}

    def text(self, digits: int = 3) -> str:
        """The estimate as text: ``0.713 [0.655, 0.768]``."""
        if self.low is None or self.high is None:
            return f"{self.mean:.{digits}f}"
        return f"{self.mean:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"


def ratio(part: float, whole: float) -> float | None:
    """The share of a part in a whole; None if the whole is zero."""
    return part / whole if whole else None


def student_t(freedom: int) -> float:
    """How many standard errors a 95 % interval of a mean extends to each side.

    With fewer values the number is larger.
    """
    return _STUDENT[freedom - 1] if freedom <= len(_STUDENT) else 1.96 + 2.4 / freedom


def share_interval(part: int, whole: int, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's interval of a share; 0 to 1 if nothing was counted."""
    if not whole:
        return 0.0, 1.0
    z = _NORMAL.inv_cdf((1 + level) / 2)
    middle = (part + z * z / 2) / (whole + z * z)
    half = z / (whole + z * z) * math.sqrt(part * (whole - part) / whole + z * z / 4)
    return max(0.0, middle - half), min(1.0, middle + half)
