"""Paired comparison: two variants (or two runs) on the same scenarios, so that easy and hard scenarios cancel out.

The p-value comes from flipping the signs of the scenarios' differences: all flips for few pairs, a seeded sample of
flips for many. Holm's step-down method corrects for testing several metrics at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from polyclinic.core.seed import array_stream
from polyclinic.errors import UnknownName, UserError
from polyclinic.eval.intervals import Floats, difference_bounds, fold_clusters, mean_interval
from polyclinic.eval.metrics import observations
from polyclinic.eval.results import RunResults
from polyclinic.eval.validity import valid_metrics

_EXACT_UP_TO = 16
_FLIPS = 9_999
_TIE = 1e-9
_KEPT_CELLS = 20_000_000
_BLOCK_CELLS = 100_000


@dataclass(frozen=True)
class Arm:
    """One side of a comparison: a variant of a run."""

    results: RunResults
    variant: str

    def label(self, other: Arm) -> str:
        """A name that distinguishes this side from the other."""
        return self.variant if self.variant != other.variant else f"{self.variant} ({self.results.run})"


@dataclass(frozen=True)
class Comparison:
    """One metric of two arms. `difference` is right minus left. Wins and losses are those of the right arm."""

    metric: str
    left: str
    right: str
    left_mean: float
    right_mean: float
    difference: float
    low: float | None
    high: float | None
    p_value: float
    p_holm: float
    wins: int
    ties: int
    losses: int
    pairs: int
    unpaired: int

    @property
    def significant(self) -> bool:
        """Whether the difference is significant at the 5 % level after Holm's correction."""
        return self.p_holm < 0.05


def compare(left: Arm, right: Arm, metrics: Sequence[str] | None = None) -> list[Comparison]:
    """Every shared metric of two arms, over the scenarios both were scored on."""
    for arm in (left, right):
        if arm.variant not in arm.results.variant_names():
            raise UserError(
                f"run {arm.results.run} has no variant '{arm.variant}': it has {', '.join(arm.results.variant_names())}"
            )
    theirs = set(valid_metrics(right.results))
    both = [name for name in valid_metrics(left.results) if name in theirs]
    for name in metrics or ():
        if name not in both:
            titles = {each: title for each in both if (title := left.results.metric(each).title)}
            in_words = {each: f"{each} ({title})" for each, title in titles.items()}
            raise UnknownName("metric of both runs", name, both, in_words=in_words)
    metrics = both if metrics is None else metrics
    found = [item for item in (_compare_metric(left, right, metric) for metric in metrics) if item is not None]
    corrected = holm([item.p_value for item in found])
    return [replace(item, p_holm=p_value) for item, p_value in zip(found, corrected, strict=True)]


def compare_variants(results: RunResults, baseline: str = "") -> dict[str, list[Comparison]]:
    """Every variant of a run against its baseline (the named one, the run's own, or the first)."""
    names = results.variant_names()
    base = baseline or results.baseline or (names[0] if names else "")
    return {name: compare(Arm(results, base), Arm(results, name)) for name in names if name != base}


def _by_scenario(arm: Arm, metric: str) -> dict[str, tuple[float, float]]:
    found = observations(arm.results, arm.variant, metric)
    if not found:
        return {}
    scenarios = [arm.results.written(item.episode) for item in found]
    means, masses = fold_clusters([item.value for item in found], scenarios, [item.weight for item in found])
    pairs = zip(means.tolist(), masses.tolist(), strict=True)
    return dict(zip(dict.fromkeys(scenarios), pairs, strict=True))


def _compare_metric(left: Arm, right: Arm, metric: str) -> Comparison | None:
    ours, theirs = _by_scenario(left, metric), _by_scenario(right, metric)
    shared = [scenario for scenario in ours if scenario in theirs]
    if not shared:
        return None
    a = np.array([ours[scenario][0] for scenario in shared])
    b = np.array([theirs[scenario][0] for scenario in shared])
    mass = np.array([(ours[scenario][1] + theirs[scenario][1]) / 2 for scenario in shared])
    mass = mass if mass.sum() > 0 else np.ones(len(shared))
    difference = b - a
    mean = float((difference * mass).sum() / mass.sum())
    meaning = left.results.metric(metric)
    low, high = (
        mean_interval(difference, mass, difference_bounds(meaning.low, meaning.high), "percentile") or (None,) * 2
    )
    better = 1 if meaning.higher_is_better else -1
    signs = np.where(np.abs(difference) <= _TIE, 0, np.sign(difference)) * better
    return Comparison(
        metric=metric,
        left=left.label(right),
        right=right.label(left),
        left_mean=float((a * mass).sum() / mass.sum()),
        right_mean=float((b * mass).sum() / mass.sum()),
        difference=mean,
        low=low,
        high=high,
        p_value=sign_flip_p(difference, mass),
        p_holm=1.0,
        wins=int((signs > 0).sum()),
        ties=int((signs == 0).sum()),
        losses=int((signs < 0).sum()),
        pairs=len(shared),
        unpaired=len(ours) + len(theirs) - 2 * len(shared),
    )


def sign_flip_p(differences: Floats, weights: Floats | None = None, *, seed: int = 0) -> float:
    """Two-sided permutation p-value for a mean difference of zero; exact for up to 16 pairs that differ."""
    mass = np.ones(len(differences)) if weights is None else weights
    pulls = np.where(np.abs(differences) > _TIE, differences * mass, 0.0)
    moved = pulls[pulls != 0]
    if len(moved) == 0:
        return 1.0
    total = float(moved.sum())
    edge = abs(total) * (1 - 1e-12)
    if len(moved) <= _EXACT_UP_TO:
        bits = (np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved))) & 1
        return float(np.mean(np.abs(total - 2 * (bits @ moved)) >= edge))
    reached = sum(int((np.abs(total - 2 * (flips @ pulls)) >= edge).sum()) for flips in _flips(len(pulls), seed))
    return (reached + 1) / (_FLIPS + 1)


def _flips(size: int, seed: int) -> Iterator[Floats]:
    """Which signs each permutation flips, in blocks. They are cached for the next metric if they are not too many."""
    block = max(1, _BLOCK_CELLS // size)
    if size * _FLIPS <= _KEPT_CELLS:
        kept = _kept_flips(size, seed)
        yield from (kept[start : start + block].astype(np.float64) for start in range(0, _FLIPS, block))
        return
    generator = array_stream("sign-flip", seed, size)
    for start in range(0, _FLIPS, block):
        yield generator.integers(0, 2, size=(min(block, _FLIPS - start), size), dtype=np.int8).astype(np.float64)


@lru_cache(maxsize=2)
def _kept_flips(size: int, seed: int) -> npt.NDArray[np.int8]:
    return array_stream("sign-flip", seed, size).integers(0, 2, size=(_FLIPS, size), dtype=np.int8)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values, in the order given."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [1.0] * len(p_values)
    running = 0.0
    for rank, index in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = running
    return adjusted
