"""Agreement between raters: judges with judges, judges with people, people with people.

Ratings are a table of units × raters, with NaN for a missing rating. Every coefficient comes with a bootstrap interval
over units. If it is not defined, it is None, and `note` says why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import krippendorff
import numpy as np
import numpy.typing as npt

from polyclinic.core.seed import array_stream
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.intervals import FEW, Floats, tails_of

_Level = Literal["nominal", "ordinal", "interval", "ratio"]
KappaWeights = Literal["none", "linear", "quadratic"]
IccForm = Literal["1", "1k", "2,1", "2,k", "3,1", "3,k"]
RESAMPLES = 1000


@dataclass(frozen=True)
class Agreement:
    """A coefficient with its interval over `units` rated units."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    units: int
    note: str = ""

    def shown(self) -> Estimate | None:
        """The coefficient as a cell of a table."""
        return None if self.value is None else Estimate(self.value, self.low, self.high, self.units)


def krippendorff_alpha(ratings: npt.ArrayLike, level: _Level = "ordinal", *, resamples: int = RESAMPLES) -> Agreement:
    """Krippendorff's alpha for any number of raters and missing ratings."""
    table = _table(ratings)
    table = table[(~np.isnan(table)).sum(axis=1) >= 2]
    domain = np.unique(table[~np.isnan(table)])
    if len(domain) < 2:
        note = "every rating is the same" if len(domain) else "no unit has two ratings"
        return Agreement(f"alpha ({level})", None, None, None, len(table), note)
    if level == "interval":
        return _with_interval("alpha (interval)", len(table), _interval_alpha(table), resamples)
    counts = np.stack([(table == value).sum(axis=1) for value in domain], axis=1)
    resamples = min(resamples, max(100, 6_000 // len(domain)))

    def alpha(rows: npt.NDArray[np.intp]) -> float:
        part = counts[rows]
        present = part.sum(axis=0) > 0
        if present.sum() < 2:
            return float("nan")
        return float(
            krippendorff.alpha(
                value_counts=part[:, present], value_domain=domain[present].tolist(), level_of_measurement=level
            )
        )

    return _with_interval(f"alpha ({level})", len(table), alpha, resamples)


def _interval_alpha(table: Floats) -> Callable[[npt.NDArray[np.intp]], float]:
    """Alpha with squared differences, from each unit's count, mean and sum of squares: no table of values is needed.

    The package's general form costs units × values × values, which is very slow for continuous scores.
    """
    given = (~np.isnan(table)).sum(axis=1).astype(np.float64)
    means = np.nanmean(table, axis=1)
    within = np.nansum((table - means[:, None]) ** 2, axis=1)
    observed = given * within / (given - 1)

    def alpha(rows: npt.NDArray[np.intp]) -> float:
        n = float(given[rows].sum())
        centre = float((given[rows] * means[rows]).sum()) / n
        total = float((within[rows] + given[rows] * (means[rows] - centre) ** 2).sum())
        return 1.0 - (n - 1) * float(observed[rows].sum()) / (n * total) if total > 0 else float("nan")

    return alpha


def _pairs(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """The ratings of the units that both raters have rated."""
    table = _table(np.column_stack([np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)]))
    return table[~np.isnan(table).any(axis=1)]


def cohen_kappa(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    weights: KappaWeights = "none",
    *,
    categories: Sequence[float] | None = None,
    resamples: int = RESAMPLES,
) -> Agreement:
    """Cohen's kappa of two raters. For weighted kappa give all `categories` of the scale, in order."""
    table = _pairs(first, second)
    levels = np.unique(table) if categories is None else np.asarray(categories, dtype=np.float64)
    if not np.isin(table, levels).all():
        raise ValueError("a rating is not among the categories")
    places = np.searchsorted(levels, table)
    distance = np.abs(np.subtract.outer(np.arange(len(levels)), np.arange(len(levels)))).astype(np.float64)
    cost = {"none": (distance > 0).astype(np.float64), "linear": distance, "quadratic": distance**2}[weights]

    def kappa(rows: npt.NDArray[np.intp]) -> float:
        counts = np.zeros((len(levels), len(levels)))
        np.add.at(counts, (places[rows, 0], places[rows, 1]), 1.0)
        expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / len(rows)
        chance = float((cost * expected).sum())
        return float("nan") if chance == 0 else 1.0 - float((cost * counts).sum()) / chance

    name = "kappa" if weights == "none" else f"kappa ({weights})"
    return _with_interval(name, len(table), kappa, resamples)


def icc(ratings: npt.ArrayLike, form: IccForm = "2,1", *, resamples: int = RESAMPLES) -> Agreement:
    """Intraclass correlation after Shrout and Fleiss (1979): one-way (1), two-way random (2) or mixed (3), single or k.

    Units with a missing rating are left out, and `note` says how many.
    """
    table = _table(ratings)
    whole = table[~np.isnan(table).any(axis=1)]
    dropped = len(table) - len(whole)
    note = f"{dropped} incompletely rated units left out" if dropped else ""
    if whole.shape[1] < 2:
        return Agreement(f"ICC({form})", None, None, None, len(whole), "needs two raters")
    return _with_interval(f"ICC({form})", len(whole), lambda rows: _icc(whole[rows], form), resamples, note)


def _icc(table: Floats, form: IccForm) -> float:
    n, k = table.shape
    if n < 2:
        return float("nan")
    centre = table.mean()
    between = k * float(((table.mean(axis=1) - centre) ** 2).sum())
    raters = n * float(((table.mean(axis=0) - centre) ** 2).sum())
    total = float(((table - centre) ** 2).sum())
    bms, jms = between / (n - 1), raters / (k - 1)
    wms = (total - between) / (n * (k - 1))
    ems = max(0.0, total - between - raters) / ((n - 1) * (k - 1))
    top, bottom = {
        "1": (bms - wms, bms + (k - 1) * wms),
        "1k": (bms - wms, bms),
        "2,1": (bms - ems, bms + (k - 1) * ems + k * (jms - ems) / n),
        "2,k": (bms - ems, bms + (jms - ems) / n),
        "3,1": (bms - ems, bms + (k - 1) * ems),
        "3,k": (bms - ems, bms),
    }[form]
    return top / bottom if bottom > 0 else float("nan")


def spearman(first: npt.ArrayLike, second: npt.ArrayLike, *, resamples: int = RESAMPLES) -> Agreement:
    """Spearman's rank correlation; equal values share their mean rank."""
    table = _pairs(first, second)

    def rho(rows: npt.NDArray[np.intp]) -> float:
        a, b = ranks(table[rows, 0]), ranks(table[rows, 1])
        a, b = a - a.mean(), b - b.mean()
        scale = float(np.sqrt((a**2).sum() * (b**2).sum()))
        return float((a * b).sum()) / scale if scale > 0 else float("nan")

    return _with_interval("Spearman", len(table), rho, resamples)


def ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    shared: Floats = (last - (counts - 1) / 2.0)[inverse]
    return shared


def _table(ratings: npt.ArrayLike) -> Floats:
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError("ratings are a table of units by raters")
    return table


def _with_interval(
    name: str, units: int, statistic: Callable[[npt.NDArray[np.intp]], float], resamples: int, note: str = ""
) -> Agreement:
    if units < 2:
        return Agreement(name, None, None, None, units, note or "fewer than two units")
    value = statistic(np.arange(units))
    if not np.isfinite(value):
        return Agreement(name, None, None, None, units, note or "not defined: a rater's ratings do not vary")
    if units < FEW:
        return Agreement(name, value, None, None, units, note or "too few units for an interval")
    picks = array_stream("agreement", name, units).integers(0, units, size=(resamples, units))
    draws = np.array([statistic(row) for row in picks])
    draws = draws[np.isfinite(draws)]
    if len(draws) < resamples / 2:
        return Agreement(name, value, None, None, units, note or "too few units for an interval")
    low, high = np.quantile(draws, tails_of(units))
    if high - low <= 1e-12:  # a width of zero would claim certainty
        return Agreement(name, value, None, None, units, note or "no interval: these units all say the same")
    return Agreement(name, value, float(low), float(high), units, note)
