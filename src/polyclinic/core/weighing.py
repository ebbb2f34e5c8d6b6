"""Combine several scores of one metric into one number, in the same way everywhere."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.core.transcript import Score


def weighted_value(scores: Sequence[Score]) -> tuple[float, float] | None:
    """(value, weight) of one episode from one metric's scores; None when nobody scored it.

    Samples of a judge are averaged first, then judges, then subjects by their weight. The weight is the sum of the
    subjects' weights.
    """
    if len(scores) == 1:  # nearly always the case, and this runs at the end of every episode
        (only,) = scores
        return (only.value * only.weight / only.weight, only.weight) if only.weight > 0 else (only.value, 0.0)
    cells: dict[str, dict[str, list[Score]]] = {}
    for score in scores:
        cells.setdefault(score.subject, {}).setdefault(score.judge, []).append(score)
    total = weight = plain = 0.0
    for judges in cells.values():
        means = [sum(score.value for score in samples) / len(samples) for samples in judges.values()]
        weights = [sum(score.weight for score in samples) / len(samples) for samples in judges.values()]
        value, subject_weight = sum(means) / len(means), sum(weights) / len(weights)
        total, weight, plain = total + value * subject_weight, weight + subject_weight, plain + value
    if not cells:
        return None
    return (total / weight, weight) if weight > 0 else (plain / len(cells), 0.0)


def values_of(scores: Sequence[Score]) -> dict[str, float]:
    """The combined value of each metric that was scored."""
    found: dict[str, list[Score]] = {}
    for score in scores:
        found.setdefault(score.metric, []).append(score)
    valued = {metric: weighted_value(mine) for metric, mine in found.items()}
    return {metric: value[0] for metric, value in valued.items() if value is not None}
