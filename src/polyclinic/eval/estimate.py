"""A number with its interval: every mean is reported in this form."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, fmean, stdev

from polyclinic.core.value import unchanging

LEVEL = 0.95
_NORMAL = NormalDist()
_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
"""Student's t for a 95 % interval, for 1 to 10 degrees of freedom."""


def decimals(value: float, digits: int = 3) -> int:
    """How many decimals a number of this size needs: three digits in total are enough for a reader."""
    size = abs(round(value, digits))
    return max(0, min(digits, 3 - len(str(int(size))))) if size >= 1 else digits


def rounded(value: float, places: int) -> str:
    """A number with so many decimals; zero has no sign."""
    return f"{round(value, places) + 0.0:,.{places}f}"


def number_text(value: float, digits: int = 3) -> str:
    """A number that stands alone: without decimals if it is whole, else with three digits; a dash if not finite."""
    if not math.isfinite(value):
        return "–"
    return rounded(value, 0 if float(value).is_integer() else decimals(value, digits))


@unchanging
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
        mean, *ends = self.parts(digits)
        return f"{mean} [{', '.join(ends)}]" if ends else mean

    def parts(self, digits: int = 3) -> list[str]:
        """A mean and the ends of its interval, if it has one, as text.

        Equal ends would claim certainty: they are left out, and ends that only look the same are rounded outwards.
        """
        shown = decimals(self.mean, digits)
        mean = rounded(self.mean, shown)
        if self.low is None or self.high is None or self.low >= self.high:
            return [mean]
        low, high = rounded(self.low, shown), rounded(self.high, shown)
        if low == high:
            step = 10**shown
            low = rounded(math.floor(self.low * step) / step, shown)
            high = rounded(math.ceil(self.high * step) / step, shown)
        return [mean, low, high]


def ratio(part: float, whole: float) -> float | None:
    """The share of a part in a whole; None if the whole is zero."""
    return part / whole if whole else None


def student_t(freedom: int) -> float:
    """How many standard errors a 95 % interval of a mean extends to each side.

    With fewer values the number is larger. Above ten degrees of freedom it is computed from the normal quantile (the
    first terms of the Cornish-Fisher expansion), which is then right to three decimals.
    """
    if freedom <= len(_STUDENT):
        return _STUDENT[freedom - 1]
    z = _NORMAL.inv_cdf((1 + LEVEL) / 2)
    return z * (
        1
        + (z**2 + 1) / (4 * freedom)
        + (5 * z**4 + 16 * z**2 + 3) / (96 * freedom**2)
        + (3 * z**6 + 19 * z**4 + 17 * z**2 - 15) / (384 * freedom**3)
    )


def mean_with_interval(values: Sequence[float]) -> Estimate:
    """The mean of values that cannot be negative, with its Student's t interval.

    There is no interval if all values are equal: a width of zero would claim certainty.
    """
    count, mean = len(values), fmean(values)
    spread = stdev(values) if count > 1 else 0.0
    if spread <= 1e-9 * max(1.0, abs(mean)):
        return Estimate(mean, None, None, count)
    half = student_t(count - 1) * spread / math.sqrt(count)
    return Estimate(mean, max(0.0, mean - half), mean + half, count)


def share_interval(part: int, whole: int) -> tuple[float, float]:
    """Wilson's interval of a share; 0 to 1 if nothing was counted."""
    if not whole:
        return 0.0, 1.0
    z = _NORMAL.inv_cdf((1 + LEVEL) / 2)
    middle = (part + z * z / 2) / (whole + z * z)
    half = z / (whole + z * z) * math.sqrt(part * (whole - part) / whole + z * z / 4)
    return max(0.0, middle - half), min(1.0, middle + half)
