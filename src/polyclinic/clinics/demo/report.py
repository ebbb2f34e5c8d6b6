"""This clinic's own part of a report, and what a person who played the nurse is told afterwards."""

from __future__ import annotations

from polyclinic.clinics.demo.rules import is_right, spoken
from polyclinic.clinics.demo.scenario import Call
from polyclinic.clinics.demo.state import DoseTold
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Violated
from polyclinic.eval.charts import Bars
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Block, Cell, Figure, Paragraph, Section, Table

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


def feedback(case: Case[Call]) -> list[Section]:
    """What was said, whether it was right, what the leaflet says, and what would be understood."""
    leaflet, transcript = case.scenario.leaflet, case.transcript
    right = spoken(leaflet.tablets, leaflet.times_a_day, case.scenario.style)
    rows: list[list[Cell]] = [
        [said.text, is_right(leaflet, told.tablets, told.times_a_day)]
        for said in transcript.said("nurse")
        if (told := said.get(DoseTold)) is not None
    ]
    blocks: list[Block] = [Paragraph(f"The call ended as: {transcript.outcome().replace('_', ' ')}.")]
    if rows:
        blocks.append(Table("What you told the caller", ["your words", "right dose"], rows))
    blocks += [Paragraph(f"Held back: “{held.words}” ({held.rationale}).") for held in transcript.of(Violated)]
    blocks.append(Paragraph(f"The leaflet of {leaflet.medicine} says, in words this caller understands: {right}."))
    return [Section("How it went", blocks)]
