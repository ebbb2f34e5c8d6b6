"""Exams with pictures: how often the tutor's model, asked as itself, gives the right answer (``polyclinic eval vqa``).

Teaching well must not cost knowledge: a model is asked before and after training. A question that stays unanswered
counts as wrong.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyclinic.clinics.rounds.prompts.exam import AnswersExam
from polyclinic.clinics.rounds.scenario.exams import ExamQuestion, load_exam
from polyclinic.core.judge import Bench
from polyclinic.errors import ConfigError, OwnedError
from polyclinic.eval.estimate import share_interval
from polyclinic.eval.evaluation import Evaluate
from polyclinic.eval.sections import Section, Table

AT_ONCE = 64


@dataclass(frozen=True)
class ExamResult:
    """What `polyclinic eval vqa` prints."""

    data: dict[str, Any]
    sections: Sequence[Section]


async def vqa(bench: Bench, file: str) -> ExamResult:
    """Every question of the file, put to the tutor's model."""
    if not file:
        raise ConfigError("eval vqa needs --file: a file of MedXpertQA, MMMU or PMC-VQA, as it is published")
    questions, gate = load_exam(Path(file)), asyncio.Semaphore(AT_ONCE)

    async def one(question: ExamQuestion) -> str:
        prompt = AnswersExam(question=question.question, options=question.options, pictures=question.pictures)
        async with gate:
            try:
                return prompt.letter(await bench.agent("tutor").ask(prompt))
            except OwnedError:
                return ""

    said = await asyncio.gather(*(one(question) for question in questions))
    return _result(questions, said)


def _result(questions: Sequence[ExamQuestion], said: Sequence[str]) -> ExamResult:
    groups = sorted({question.source for question in questions})
    pairs = list(zip(questions, said, strict=True))
    figures = {group: _figures([pair for pair in pairs if pair[0].source == group]) for group in groups}
    answers = [{"id": question.id, "said": letter, "right": question.answer} for question, letter in pairs]
    columns = ("collection", "questions", "with pictures", "right", "95 % from", "to", "unanswered", "by chance")
    lines: list[list[str | float]] = [[group, *figures[group].values()] for group in groups]
    table = Table("right answers", columns, lines, note="Unanswered counts as wrong.", digits=3)
    return ExamResult({"collections": figures, "answers": answers}, [Section("Exam", [table])])


def _figures(pairs: Sequence[tuple[ExamQuestion, str]]) -> Mapping[str, float]:
    right = sum(letter == question.answer for question, letter in pairs)
    low, high = share_interval(right, len(pairs))
    return {
        "questions": len(pairs),
        "with_pictures": sum(bool(question.pictures) for question, _ in pairs),
        "right": right / len(pairs),
        "low": low,
        "high": high,
        "unanswered": sum(not letter for _, letter in pairs),
        "chance": sum(1 / len(question.options) for question, _ in pairs) / len(pairs),
    }


evaluations: dict[str, Evaluate] = {"vqa": vqa}
