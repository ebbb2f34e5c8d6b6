"""This clinic's own part of a report: the paper's tables and figures for which the run has data."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.patient.report.before_after import before_and_after
from polyclinic.clinics.patient.report.figures import accumulation, question_types, types_by_round
from polyclinic.clinics.patient.report.tables import by_disease, seconds_table
from polyclinic.eval.metrics import metric_table
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Block, Section

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
    answers = [
        metric_table(results, "Answers by variant (tables 1 and 5 of the paper)", _ANSWERS),
        metric_table(results, "Tricks and refusals", _TRICKS, note="Lower is better for the first two."),
    ]
    duels = [
        metric_table(results, "Evolved against a rival, standard questions (table 2)", _shares("standard")),
        metric_table(results, "Evolved against a rival, cheat questions (table 2)", _shares("cheat")),
    ]
    costs = [metric_table(results, "What one answer costs (table 3)", _COSTS), seconds_table(results)]
    questions = [
        metric_table(results, "Questions by variant (table 4)", _QUESTIONS),
        metric_table(results, "Where the interviews led", _OUTCOME),
    ]
    sections = [
        _section("The patient's answers", answers),
        _section("Duels", duels),
        _section("Cost of an answer", costs),
        _section("The doctors' questions", [*questions, question_types(results), types_by_round(results)]),
        _section("What was learned, case by case", [accumulation(results)]),
        _section("Before and after evolution", before_and_after(results)),
        _section("From disease to disease", [by_disease(results, "ability")]),
    ]
    return [section for section in sections if section.body]


def _shares(part: str) -> tuple[str, ...]:
    return tuple(f"{name}_{part}" for name in ("wins", "draws", "losses"))


def _section(title: str, blocks: Sequence[Block | None]) -> Section:
    return Section(title, [block for block in blocks if block is not None])
