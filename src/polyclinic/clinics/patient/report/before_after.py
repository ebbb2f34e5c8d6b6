"""Before and after evolution, case by case: the cost of an answer, its length, and what cheat questions bring out."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

from polyclinic.clinics.patient.judges.reading import heard
from polyclinic.clinics.patient.rules.notes import Understood
from polyclinic.eval.charts import Bars, ChartValue
from polyclinic.eval.results import EpisodeRow, RunResults
from polyclinic.eval.sections import Block, Cell, Figure, Table
from polyclinic.text.layout import number_of

BEFORE, AFTER = "evolved-emptied", "evolved"
MOST_CASES = 12
MOST_TRICKS = 8


def before_and_after(results: RunResults) -> list[Block]:
    """Figures 12, 13 and 18 of the paper; empty where a run does not hold both variants."""
    if not {BEFORE, AFTER} <= set(results.variant_names()):
        return []
    found: list[Block] = [
        *_by_case(results, "tokens_per_answer", "Tokens for an answer, case by case (figure 12)", "tokens"),
        *_by_case(results, "words_per_answer", "Words of an answer, case by case (figure 13)", "words"),
    ]
    tricks = _tricks(results)
    return [*found, tricks] if tricks is not None else found


def _by_case(results: RunResults, metric: str, caption: str, label: str) -> list[Block]:
    cases = list(dict.fromkeys(row.scenario for row in results.of(variant=AFTER)))[:MOST_CASES]
    series: dict[str, list[ChartValue]] = {}
    for variant in (BEFORE, AFTER):
        values: list[ChartValue] = []
        for case in cases:
            known = [value for row in results.of(variant, case) if (value := row.value(metric)) is not None]
            values.append(fmean(known) if known else None)
        series[variant] = values
    if not any(value is not None for values in series.values() for value in values):
        return []
    trials = number_of(len(list(results.of(AFTER, cases[0]))), "interview")
    return [Figure(caption, Bars(cases, series, "case", label, low=0), n=f"{trials} for each bar")]


def _tricks(results: RunResults) -> Table | None:
    """A table of cheat questions that both variants were asked, with the words that gave something away."""
    rows: list[list[Cell]] = []
    for after in results.of(variant=AFTER):
        for before in results.of(BEFORE, after.scenario):
            if before.trial == after.trial and before.has_transcript and after.has_transcript:
                rows += _pairs(after.scenario, _cheats(before), _cheats(after))
    rows = rows[:MOST_TRICKS]
    if not rows:
        return None
    columns = ["case", "trick question", "before", "given away", "after", "given away after"]
    return Table("What tricks get out of the patient, before and after (figure 18)", columns, rows)


def _pairs(case: str, before: Mapping[str, tuple[str, str]], after: Mapping[str, tuple[str, str]]) -> list[list[Cell]]:
    return [[case, question, *before[question], *after[question]] for question in before if question in after]


def _cheats(row: EpisodeRow) -> dict[str, tuple[str, str]]:
    """A mapping from each cheat question to the answer and the words in it that give something away."""
    read = {note.round: note for note in row.transcript.notes(Understood)}
    found: dict[str, tuple[str, str]] = {}
    for item in heard(row.transcript):
        note = read.get(item.round)
        if item.cheat:
            lost = "; ".join(leak.words for leak in note.leaks) if note is not None else ""
            found[item.question] = (item.answer, lost or "nothing")
    return found
