"""This clinic's own part of a report: the paper's tables and figures for which the run has data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from statistics import fmean

from polyclinic.clinics.patient.judges.reading import heard
from polyclinic.clinics.patient.report.figures import accumulation, question_types, types_by_round
from polyclinic.clinics.patient.rules.notes import AnswerGiven, Understood
from polyclinic.clinics.patient.scenario import PatientScenario
from polyclinic.clinics.patient.variants import DOCTORS, DUELS, LEARNERS, METHODS
from polyclinic.core.transcript import Called
from polyclinic.eval.charts import Bars, ChartValue
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.intervals import estimate
from polyclinic.eval.metrics import metric_table
from polyclinic.eval.overview import model_of_learning
from polyclinic.eval.papers import as_in_paper
from polyclinic.eval.results import EpisodeRow, RunResults
from polyclinic.eval.sections import Block, Cell, Figure, Section, Table
from polyclinic.text.layout import number_of

BEFORE, AFTER = "evolved-emptied", "evolved"
EXAM = (
    "The patient of each variant learned from that variant's doctors. Then the same plain doctor tested every patient. "
    "Only the test is counted."
)
MOST_CASES = 12
MOST_TRICKS = 8
ANSWERING = frozenset(
    {"AnswersAttended", "AnswersOverall", "AnswersStepwise", "Thinks", "PicksAnswer", "Aligns", "Attends", "Merges"}
)
_ANSWERS = ("relevance", "faithfulness", "robustness", "ability")
_TRICKS = ("cheats_answered", "fair_refused", "leak_free")
_COSTS = ("tokens_per_answer", "words_per_answer", "calls_per_answer", "context_chars")
_QUESTIONS = ("specificity", "targetedness", "professionalism", "quality")
_OUTCOME = (
    "right_diagnosis",
    "right_discipline",
    "elicited",
    "red_flags",
    "rounds",
    "different_questions",
    "repeated_questions",
)


def report(results: RunResults) -> list[Section]:
    """All sections that have something to show."""
    variants = results.variant_names()
    answers = [
        metric_table(results, _of_answers(variants), _ANSWERS, note=_exam(results)),
        metric_table(results, "Tricks and refusals", _TRICKS, note="Lower is better for the first two."),
    ]
    against = "Evolved against a rival, {kind} questions"
    duels = [
        metric_table(results, as_in_paper(against.format(kind=kind), "table 2", DUELS, variants), _shares(kind))
        for kind in ("standard", "cheat")
    ]
    cost = as_in_paper("What one answer costs", "table 3", METHODS, variants)
    costs = [metric_table(results, cost, _COSTS), seconds_table(results)]
    questions = [
        metric_table(results, as_in_paper("Questions by variant", "table 4", DOCTORS, variants), _QUESTIONS),
        metric_table(results, "Where the interviews led", _OUTCOME),
    ]
    sections = [
        _section("The patient's answers", answers),
        _section("Duels", duels),
        _section("Cost of an answer", costs),
        _section("The doctors' questions", [*questions, question_types(results), types_by_round(results)]),
        _section("What was learned, case by case", _with_note(results, [accumulation(results)])),
        _section("Before and after evolution", _with_note(results, before_and_after(results))),
        _section("From disease to disease", [by_disease(results, "ability")]),
    ]
    return [section for section in sections if section.body]


def _with_note(results: RunResults, blocks: Sequence[Block | None]) -> list[Block]:
    """The blocks that there are, and what the learning of understudies is worth."""
    found = [block for block in blocks if block is not None]
    return [*found, *model_of_learning(results, ("patient", "doctor"), "uptake")] if found else []


def _of_answers(variants: Sequence[str]) -> str:
    """The caption of the table of answers: the paper has one for ways of answering and one for ways of learning."""
    place = "table 1" if set(METHODS) <= set(variants) else "table 5"
    return as_in_paper("Answers by variant", place, METHODS if place == "table 1" else LEARNERS, variants)


def _exam(results: RunResults) -> str:
    """What the figures of a campaign with an exam come from; empty for other runs."""
    tested = any(isinstance(case, PatientScenario) and case.exam for case in results.scenarios.values())
    return EXAM if tested else ""


def _shares(part: str) -> tuple[str, ...]:
    return tuple(f"{name}_{part}" for name in ("wins", "draws", "losses"))


def _section(title: str, blocks: Sequence[Block | None]) -> Section:
    return Section(title, [block for block in blocks if block is not None])


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
        spent = estimate([value for value, _ in found], clusters=[scenario for _, scenario in found], bounds=(0.0, inf))
        if spent is not None:
            rows.append([variant, spent])
    caption = as_in_paper("Seconds per answer", "table 3", METHODS, results.variant_names())
    return Table(caption, ["variant", "seconds"], rows) if rows else None


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
    rows = [row for row in rows if any(cell is not None for cell in row[1:])]
    return Table(f"{metric.capitalize()} by disease", ["disease", *variants], rows)


def _of_disease(results: RunResults, variant: str, disease: str, names: dict[str, str], metric: str) -> Estimate | None:
    rows = [row for row in results.of(variant=variant) if names.get(row.scenario) == disease]
    found = [(value, row.scenario) for row in rows for value in [row.value(metric)] if value is not None]
    meaning = results.metric(metric)
    clusters = [scenario for _, scenario in found]
    return estimate([value for value, _ in found], clusters=clusters, bounds=(meaning.low, meaning.high))


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
