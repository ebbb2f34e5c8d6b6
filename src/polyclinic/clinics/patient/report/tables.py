"""Tables of a run: seconds per answer, and one metric by disease and variant."""

from __future__ import annotations

from polyclinic.clinics.patient.rules.notes import AnswerGiven
from polyclinic.core.transcript import Called
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.intervals import estimate
from polyclinic.eval.results import EpisodeRow, RunResults
from polyclinic.eval.sections import Cell, Table

ANSWERING = frozenset(
    {"AnswersAttended", "AnswersOverall", "AnswersStepwise", "Thinks", "PicksAnswer", "Aligns", "Attends", "Merges"}
)


def seconds_table(results: RunResults) -> Table | None:
    """How long the calls behind one answer took, added up (the duration of table 3).

    There is no table for offline players, because they answer at once.
    """
    if all(member.kind == "understudy" for member in results.cast if member.role == "patient"):
        return None
    rows: list[list[Cell]] = []
    for variant in results.variant_names():
        found = [
            (value, row.scenario) for row in results.of(variant=variant) for value in [seconds_per_answer(row)] if value
        ]
        spent = estimate([value for value, _ in found], clusters=[scenario for _, scenario in found])
        if spent is not None:
            rows.append([variant, spent])
    return Table("Seconds per answer (table 3)", ["variant", "seconds"], rows) if rows else None


def seconds_per_answer(row: EpisodeRow) -> float | None:
    """The mean over an episode's answers; None when nothing was answered or timed."""
    if not row.has_transcript or not row.timings:
        return None
    transcript = row.transcript
    answers = sum(said.get(AnswerGiven) is not None for said in transcript.said("patient"))
    spent = sum(
        row.timings.get((call.key, call.occurrence), 0) for call in transcript.of(Called) if call.prompt in ANSWERING
    )
    return spent / 1000 / answers if answers else None


def by_disease(results: RunResults, metric: str) -> Table | None:
    """A metric by disease and variant (figure 3): what was learned on one disease is tested on others."""
    names = {id: scenario.tags[1] for id, scenario in results.scenarios.items() if len(scenario.tags) > 1}
    diseases = sorted(set(names.values()))
    variants = results.variant_names()
    if len(diseases) < 2:
        return None
    rows: list[list[Cell]] = [
        [disease, *(_of_disease(results, variant, disease, names, metric) for variant in variants)]
        for disease in diseases
    ]
    return Table(f"{metric.capitalize()} by disease", ["disease", *variants], rows)


def _of_disease(results: RunResults, variant: str, disease: str, names: dict[str, str], metric: str) -> Estimate | None:
    rows = [row for row in results.of(variant=variant) if names.get(row.scenario) == disease]
    found = [(value, row.scenario) for row in rows for value in [row.value(metric)] if value is not None]
    meaning = results.metric(metric)
    clusters = [scenario for _, scenario in found]
    return estimate([value for value, _ in found], clusters=clusters, bounds=(meaning.low, meaning.high))
