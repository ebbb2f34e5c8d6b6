"""This clinic's own part of a report, and what a person who played the nurse is told afterwards."""

from __future__ import annotations

from polyclinic.clinics.demo.rules import is_right, spoken
from polyclinic.clinics.demo.scenario import Call
from polyclinic.clinics.demo.state import DoseTold
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Violated
from polyclinic.eval.charts import Bars
from polyclinic.eval.in_short import in_short, quoted
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Figure, Paragraph, Section

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
    """What was dangerous, good and missing, and what this caller would understand; then how the call ended."""
    leaflet, transcript = case.scenario.leaflet, case.transcript
    told = [(said.text, dose) for said in transcript.said("nurse") if (dose := said.get(DoseTold)) is not None]
    right = [quoted(words) for words, dose in told if is_right(leaflet, dose.tablets, dose.times_a_day)]
    wrong = [quoted(words) for words, dose in told if not is_right(leaflet, dose.tablets, dose.times_a_day)]
    understood = transcript.outcome() == "understood"
    plain = spoken(leaflet.tablets, leaflet.times_a_day, case.scenario.style)
    short = in_short(
        danger=[f"{quoted(held.words)} was held back: {held.rationale}." for held in transcript.of(Violated)],
        good=[f"{words} has the leaflet's dose." for words in right[:1]],
        missing=[
            *(f"{words} is not the leaflet's dose." for words in wrong[:1]),
            *([] if understood else ["the caller did not understand how to take it."]),
        ],
        next_step="" if understood and not wrong else f"say it as this caller would understand it: {plain}.",
    )
    ended = Paragraph(f"The call ended as: {transcript.outcome().replace('_', ' ')}.")
    return [short, Section("How it went", [ended])]
