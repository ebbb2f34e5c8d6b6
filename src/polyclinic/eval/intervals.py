"""Bootstrap confidence intervals: clustered by scenario, weighted, seeded, vectorised.

A run is a sample of all possible scenarios, so scenarios are resampled. Trials of one scenario are averaged first,
because they are not independent evidence. Percentile and BCa (bias-corrected and accelerated, Efron 1987).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import Literal

import numpy as np
import numpy.typing as npt

from polyclinic.core.seed import array_stream
from polyclinic.eval.estimate import LEVEL, Estimate

Floats = npt.NDArray[np.float64]
Picks = npt.NDArray[np.int32]
IntervalMethod = Literal["bca", "percentile"]
RESAMPLES = 2000
_NORMAL = NormalDist()
_KEPT_CELLS = 4_000_000
_BLOCK_CELLS = 50_000


def estimate(
    values: Sequence[float],
    *,
    clusters: Sequence[Hashable] | None = None,
    weights: Sequence[float] | None = None,
    bounds: tuple[float, float] | None = None,
    method: IntervalMethod = "bca",
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate | None:
    """The weighted mean with its interval; None when there are no values.

    Values of one cluster are averaged first; the cluster gets the mean weight of its members. With a single cluster,
    its members are resampled instead. With a single value, there is no interval. `bounds` are the metric's range; they
    are used if all clusters got the same value. Without them there is no interval in that case: a width of zero would
    claim certainty.
    """
    if len(values) == 0:
        return None
    means, masses = fold_clusters(values, clusters, weights)
    if len(means) == 1 and len(values) > 1:
        means, masses = fold_clusters(values, None, weights)
    mean = float((means * masses).sum() / masses.sum())
    if len(means) < 2:
        return Estimate(mean, None, None, len(values))
    alike = float(np.ptp(means)) <= 1e-12 * max(1.0, abs(mean))
    if alike and bounds is not None and all(map(math.isfinite, bounds)):
        return Estimate(mean, *_all_alike(mean, len(means), bounds, level), len(values))
    if alike:
        return Estimate(mean, None, None, len(values))
    draws = resampled_means(means, masses, resamples, seed)
    low, high = interval(draws, mean, lambda: _jackknife(means, masses), method, level)
    return Estimate(mean, low, high, len(values))


def _all_alike(mean: float, count: int, bounds: tuple[float, float], level: float) -> tuple[float, float]:
    """The interval when all clusters got the same value; a bootstrap would then give an interval of width zero.

    At the given level, at least a share p of all possible clusters gives this value: p ** count = (1 - level) / 2. The
    rest may lie anywhere within the metric's bounds. For shares this is the exact binomial interval of "all" and
    "none".
    """
    share = ((1 - level) / 2) ** (1 / count)
    low, high = (share * mean + (1 - share) * end for end in bounds)
    return min(low, mean), max(high, mean)


def fold_clusters(
    values: Sequence[float], clusters: Sequence[Hashable] | None, weights: Sequence[float] | None
) -> tuple[Floats, Floats]:
    """(mean, weight) of each cluster, in order of appearance. Zero weight everywhere counts as equal weight."""
    data = np.asarray(values, dtype=np.float64)
    mass = np.ones(len(data)) if weights is None else np.asarray(weights, dtype=np.float64)
    if len(mass) != len(data) or (clusters is not None and len(clusters) != len(data)):
        raise ValueError("values, clusters and weights must have the same length")
    if not mass.sum() > 0:
        mass = np.ones(len(data))
    if clusters is None:
        return data, mass
    numbers: dict[Hashable, int] = {}
    where = np.fromiter((numbers.setdefault(name, len(numbers)) for name in clusters), dtype=np.intp, count=len(data))
    sizes = np.bincount(where)
    masses = np.bincount(where, weights=mass)
    sums = np.bincount(where, weights=mass * data)
    plain = np.bincount(where, weights=data) / sizes
    means = np.where(masses > 0, sums / np.where(masses > 0, masses, 1.0), plain)
    return means, masses / sizes


def resampled_means(means: Floats, masses: Floats, resamples: int = RESAMPLES, seed: int = 0) -> Floats:
    """The weighted means of `resamples` draws of clusters with replacement."""
    even = bool(np.all(masses == masses[0]))
    products = means if even else means * masses
    found = []
    for picks in _draws(len(means), resamples, seed):
        total = products.take(picks).sum(axis=1)
        mass = np.full(len(picks), float(len(means))) if even else masses.take(picks).sum(axis=1)
        found.append(np.where(mass > 0, total / np.where(mass > 0, mass, 1.0), np.nan))
    draws = np.concatenate(found)
    kept: Floats = draws[~np.isnan(draws)]
    return kept


def interval(
    draws: Floats, point: float, jackknife: Callable[[], Floats], method: IntervalMethod = "bca", level: float = LEVEL
) -> tuple[float, float]:
    """The interval of bootstrap draws around the point estimate. BCa falls back to percentiles if undefined."""
    tail = (1 - level) / 2
    tails = (tail, 1 - tail)
    if np.ptp(draws) <= 1e-12 * max(1.0, abs(point)):
        return point, point
    if method == "bca":
        tails = _bca_tails(draws, point, jackknife(), tails)
    low, high = np.quantile(draws, tails)
    return min(float(low), point), max(float(high), point)


def _bca_tails(draws: Floats, point: float, jackknife: Floats, tails: tuple[float, float]) -> tuple[float, float]:
    near = 1e-12 * max(1.0, abs(point))
    below = float(np.mean(draws < point - near) + np.mean(np.abs(draws - point) <= near) / 2)
    spread = jackknife.mean() - jackknife
    scale = float(np.sum(spread**2)) ** 1.5
    if not 0 < below < 1 or scale <= 0:
        return tails
    bias, acceleration = _NORMAL.inv_cdf(below), float(np.sum(spread**3)) / (6 * scale)

    shifted = [bias + _NORMAL.inv_cdf(tail) for tail in tails]
    if any(acceleration * shift >= 1 for shift in shifted):
        return tails
    low, high = (_NORMAL.cdf(bias + shift / (1 - acceleration * shift)) for shift in shifted)
    return low, high


def _jackknife(means: Floats, masses: Floats) -> Floats:
    products = means * masses
    rest = masses.sum() - masses
    left_out: Floats = np.where(rest > 0, (products.sum() - products) / np.where(rest > 0, rest, 1.0), means.mean())
    return left_out


def _draws(size: int, resamples: int, seed: int) -> Iterator[Picks]:
    """Which clusters each resample takes, in blocks that fit into the processor's cache."""
    block = max(1, _BLOCK_CELLS // size)
    if size * resamples <= _KEPT_CELLS:
        kept = _kept_draws(size, resamples, seed)
        yield from (kept[start : start + block] for start in range(0, resamples, block))
        return
    generator = array_stream("bootstrap", seed, size, resamples)
    for start in range(0, resamples, block):
        yield generator.integers(0, size, size=(min(block, resamples - start), size), dtype=np.int32)


@lru_cache(maxsize=4)
def _kept_draws(size: int, resamples: int, seed: int) -> Picks:
    """The draws of the last few sizes, cached: a report needs the same draws for every metric."""
    return array_stream("bootstrap", seed, size, resamples).integers(0, size, size=(resamples, size), dtype=np.int32)
