"""From scores to numbers: one estimate for each variant and metric, and the spread of the judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polyclinic.core.judge import weighted_value
from polyclinic.core.transcript import Score
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.intervals import Floats, estimate
from polyclinic.eval.results import EpisodeRow, RunResults
from polyclinic.eval.sections import Cell, Table


@dataclass(frozen=True)
class MetricValue:
    """One episode's number for one metric."""

    episode: EpisodeRow
    value: float
    weight: float


def observations(results: RunResults, variant: str, metric: str) -> list[MetricValue]:
    """The scored episodes of a variant for a metric, in run order.

    Episodes without a score are left out, never counted as zero.
    """
    found = []
    for episode in results.of(variant):
        value = weighted_value(episode.by_metric.get(metric, ()))
        if value is not None:
            found.append(MetricValue(episode, *value))
    return found


def metric_estimate(results: RunResults, variant: str, metric: str) -> Estimate | None:
    """The variant's mean for the metric with its interval, clustered by scenario; None when nothing was scored."""
    found = observations(results, variant, metric)
    meaning = results.metric(metric)
    return estimate(
        [item.value for item in found],
        clusters=[results.written(item.episode) for item in found],
        weights=[item.weight for item in found],
        bounds=(meaning.low, meaning.high),
    )


def metric_table(
    results: RunResults, caption: str, metrics: Sequence[str], heads: Sequence[str] = (), note: str = ""
) -> Table | None:
    """One row for each variant that has any of these metrics; None if no variant has any."""
    rows: list[list[Cell]] = []
    for variant in results.variant_names():
        cells: list[Cell] = [metric_estimate(results, variant, metric) for metric in metrics]
        if any(cell is not None for cell in cells):
            rows.append([variant, *cells])
    columns = ["variant", *(heads or [metric.replace("_", " ") for metric in metrics])]
    return Table(caption, columns, rows, note=note) if rows else None


def estimates(results: RunResults) -> dict[str, dict[str, Estimate]]:
    """The estimates of every scored metric for every variant, in the run's order."""
    table: dict[str, dict[str, Estimate]] = {}
    for variant in results.variant_names():
        found = ((metric, metric_estimate(results, variant, metric)) for metric in results.metric_names())
        table[variant] = {metric: value for metric, value in found if value is not None}
    return table


def sample_values(episode: EpisodeRow, metric: str) -> dict[tuple[str, int], float]:
    """An episode's value by (judge, sample), with subjects averaged by their weight."""
    groups: dict[tuple[str, int], list[Score]] = {}
    for score in episode.by_metric.get(metric, ()):
        groups.setdefault((score.judge, score.sample), []).append(score)
    values = {key: weighted_value(group) for key, group in groups.items()}
    return {key: found[0] for key, found in values.items() if found is not None}


def judge_table(results: RunResults, metric: str) -> tuple[list[str], Floats]:
    """Judges' scores as a table for agreement: one row for each episode, one column for each sample, NaN if missing."""
    readings = [sample_values(episode, metric) for episode in results.episodes]
    readings = [found for found in readings if found]
    keys = sorted({key for found in readings for key in found})
    table = np.array([[found.get(key, np.nan) for key in keys] for found in readings]).reshape(len(readings), len(keys))
    return [f"{judge} (sample {sample + 1})" for judge, sample in keys], table
