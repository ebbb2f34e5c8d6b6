"""This clinic's own part of a report: how calls ended, by variant."""

from __future__ import annotations

from polyclinic.eval.charts import Bars
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Figure, Section

ENDINGS = ("understood", "not_understood", "handed_over")


def report(results: RunResults) -> list[Section]:
    """One picture."""
    variants = results.variant_names()
    shares = {ending: [_share(results, variant, ending) for variant in variants] for ending in ENDINGS}
    figure = Figure(
        "How calls ended, by variant", Bars(variants, shares, y_label="share of calls", low=0, high=1, stacked=True)
    )
    return [Section("Endings", [figure])]


def _share(results: RunResults, variant: str, ending: str) -> float:
    outcomes = [episode.outcome for episode in results.of(variant=variant) if episode.status == "done"]
    return outcomes.count(ending) / len(outcomes) if outcomes else 0.0
