"""Identity drift: the distance between how somebody speaks and who they are, smoothed over a window of episodes.

The default distance is the largest deviation of one trait. L2 and cosine are there too, but in both, eight stable
traits hide one drifting trait (benchmarks/results/duty.md has the numbers).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Literal

from pydantic import Field

from polyclinic.core.message import Frozen

Distance = Literal["max", "l2", "cosine"]


class DriftSettings(Frozen):
    """When a deviation counts as drift, and how far a trait may follow it."""

    distance: Distance = "max"
    threshold: float = Field(default=0.23, gt=0)
    window: int = Field(default=3, ge=1)
    top: int = Field(default=3, ge=1)
    rate: float = Field(default=0.3, gt=0, le=1)
    max_step: float = Field(default=0.05, gt=0)
    sustained: int = Field(default=3, ge=2)


class DriftReport(Frozen):
    """The result for the last episodes: the distance, whether it is drift, and the traits that moved most (signed)."""

    distance: float
    drift: bool
    top: tuple[tuple[str, float], ...]


def smoothed(history: Sequence[Mapping[str, float]], target: Mapping[str, float], window: int) -> dict[str, float]:
    """The mean deviation of each trait over its last `window` observations; missing observations count as zero.

    The sum is always divided by `window`, so a single odd episode counts only 1/`window` of its deviation.
    """
    deviations: dict[str, float] = {}
    for name, value in target.items():
        seen = [estimates[name] - value for estimates in history if name in estimates][-window:]
        if seen:
            deviations[name] = sum(seen) / window
    return deviations


def distance(deviation: Mapping[str, float], target: Mapping[str, float], kind: Distance) -> float:
    """The size of a deviation from the target."""
    if not deviation:
        return 0.0
    if kind == "max":
        return max(abs(value) for value in deviation.values())
    if kind == "l2":
        return sqrt(sum(value**2 for value in deviation.values()))
    names = list(deviation)
    here = [target[name] for name in names]
    there = [target[name] + deviation[name] for name in names]
    norms = sqrt(sum(x * x for x in here)) * sqrt(sum(y * y for y in there))
    return 1 - sum(x * y for x, y in zip(here, there, strict=True)) / norms if norms else 0.0


def detect(history: Sequence[Mapping[str, float]], target: Mapping[str, float], settings: DriftSettings) -> DriftReport:
    """Whether the last episodes have drifted from the target, and where."""
    deviation = smoothed(history, target, settings.window)
    size = distance(deviation, target, settings.distance)
    ranked = sorted(deviation.items(), key=lambda item: (-abs(item[1]), item[0]))[: settings.top]
    return DriftReport(
        distance=round(size, 6),
        drift=size > settings.threshold,
        top=tuple((name, round(value, 6)) for name, value in ranked),
    )


def conservative_step(
    mean: float, variance: float, observed: Sequence[float], noise: float, settings: DriftSettings
) -> float:
    """How far a trait may move towards what was observed: zero unless the deviation is sustained, and never more than
    `max_step`.

    It is an exponential moving average whose gain shrinks with certainty: a trait of small variance moves little.
    Sustained means that the last `sustained` observations all deviate to the same side, each by more than chance
    explains.
    """
    recent = [value - mean for value in observed[-settings.sustained :]]
    if len(recent) < settings.sustained:
        return 0.0
    chance = sqrt(variance + noise)
    if not (all(value > chance / 2 for value in recent) or all(value < -chance / 2 for value in recent)):
        return 0.0
    gain = settings.rate * variance / (variance + noise)
    step = gain * sum(recent) / len(recent)
    return max(-settings.max_step, min(settings.max_step, step))
