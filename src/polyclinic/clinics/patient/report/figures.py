"""Pictures of a run: which questions are asked, when, and how the libraries grow."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate

from polyclinic.clinics.patient.rules.notes import QuestionAsked, Taught
from polyclinic.clinics.patient.rules.questions import QuestionType
from polyclinic.clinics.patient.variants import DOCTORS, LEARNERS
from polyclinic.eval.charts import Bars, HeatMap, Lines
from polyclinic.eval.papers import as_in_paper
from polyclinic.eval.results import EpisodeRow, RunResults
from polyclinic.eval.sections import Figure, Grid
from polyclinic.text.layout import number_of

TOP_TYPES = 5
MOST_ROUNDS = 12


def _asked(row: EpisodeRow) -> list[tuple[int, str]]:
    """(round, type) of each fair question."""
    return [
        (asked.round, asked.type)
        for said in row.transcript.said("doctor")
        if (asked := said.get(QuestionAsked)) is not None and not asked.cheat
    ]


def _types(results: RunResults, variant: str) -> Counter[str]:
    rows = [row for row in results.of(variant=variant) if row.has_transcript]
    return Counter(kind for row in rows for _, kind in _asked(row))


def question_types(results: RunResults) -> Figure | None:
    """The share of each question type by variant (figure 4): the five that are most frequent overall, and the rest."""
    counts = {variant: _types(results, variant) for variant in results.variant_names()}
    counts = {variant: found for variant, found in counts.items() if found}
    if not counts:
        return None
    overall: Counter[str] = sum(counts.values(), Counter())
    top = [kind for kind, _ in sorted(overall.items(), key=lambda pair: (-pair[1], pair[0]))[:TOP_TYPES]]
    series = {kind: [found[kind] / found.total() for found in counts.values()] for kind in top}
    series["all others"] = [
        sum(count for kind, count in found.items() if kind not in top) / found.total() for found in counts.values()
    ]
    bars = Bars(list(counts), series, y_label="share of questions", low=0, high=1, stacked=True)
    asked = ", ".join(f"{variant} {number_of(found.total(), 'question')}" for variant, found in counts.items())
    caption = as_in_paper("Types of fair questions, by variant", "figure 4", DOCTORS, results.variant_names())
    return Figure(caption, bars, n=asked)


def types_by_round(results: RunResults) -> Grid | None:
    """How often each type is asked in each round (figure 5), one picture for each variant."""
    figures: list[Figure] = []
    types = [kind.value for kind in QuestionType]
    for variant in results.variant_names():
        rows = [row for row in results.of(variant=variant) if row.has_transcript]
        counts = Counter(pair for row in rows for pair in _asked(row))
        rounds = sorted({number for number, _ in counts})[:MOST_ROUNDS]
        if rounds:
            values = [[float(counts[number, kind]) for number in rounds] for kind in types]
            chart = HeatMap(types, [str(number) for number in rounds], values, x_label="round", digits=0)
            asked = number_of(counts.total(), "question")
            caption = as_in_paper(f"Questions by round, {variant}", "figure 5", DOCTORS, results.variant_names())
            figures.append(Figure(caption, chart, n=asked))
    return Grid(figures) if figures else None


def accumulation(results: RunResults) -> Figure | None:
    """The number of new entries, added up over the cases (figure 6)."""
    curves: dict[str, list[float]] = {}
    longest = 0
    for variant in results.variant_names():
        rows = sorted((row for row in results.of(variant=variant) if row.has_transcript), key=lambda row: row.position)
        notes = [note for row in rows for note in row.transcript.notes(Taught)]
        for library, new in (
            ("attention", [note.attention for note in notes]),
            ("trajectories", [note.trajectories for note in notes]),
        ):
            if notes:
                curves[f"{variant}, {library}"] = [float(n) for n in accumulate(new)]
        longest = max(longest, len(notes))
    if not curves:
        return None
    series = {name: [*curve, *[curve[-1]] * (longest - len(curve))] for name, curve in curves.items()}
    chart = Lines(
        [float(case) for case in range(1, longest + 1)], series, x_label="cases", y_label="new entries", low=0
    )
    caption = as_in_paper("How the libraries grew", "figure 6", LEARNERS, results.variant_names())
    return Figure(caption, chart, n=number_of(longest, "case"))
