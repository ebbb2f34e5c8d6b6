"""Exams with pictures: how often the tutor's model gives the right answer (``polyclinic eval vqa``).

Training to teach must not cost knowledge, so a model is tested before and after training. An unanswered question counts
as wrong.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from polyclinic.clinics.rounds.prompts.exam import AnswersExam
from polyclinic.clinics.rounds.scenario.exams import ExamQuestion, load_exam
from polyclinic.core.judge import Bench
from polyclinic.core.value import Value
from polyclinic.errors import ConfigError, OwnedError
from polyclinic.eval.estimate import share_interval
from polyclinic.eval.evaluation import Evaluate, Evaluation
from polyclinic.eval.sections import Cell, Section, Table

AT_ONCE = 64


class CollectionFigures(Value):
    """One collection of questions: how many were answered correctly, with the 95 % interval."""

    questions: int
    with_pictures: int
    right: float
    low: float
    high: float
    unanswered: int
    chance: float


class ExamAnswer(Value):
    """What the model said to one question, and what is right."""

    id: str
    said: str
    right: str


class ExamFigures(Value):
    """The figures of each collection, and every answer."""

    collections: dict[str, CollectionFigures]
    answers: tuple[ExamAnswer, ...]


async def vqa(bench: Bench, file: str) -> Evaluation[ExamFigures]:
    """Ask the tutor's model every question of the file: one of MedXpertQA, MMMU or PMC-VQA, as it is published."""
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


def _result(questions: Sequence[ExamQuestion], said: Sequence[str]) -> Evaluation[ExamFigures]:
    groups = sorted({question.source for question in questions})
    pairs = list(zip(questions, said, strict=True))
    collections = {group: _figures([pair for pair in pairs if pair[0].source == group]) for group in groups}
    answers = tuple(ExamAnswer(id=question.id, said=letter, right=question.answer) for question, letter in pairs)
    columns = ("collection", "questions", "with pictures", "right", "95 % from", "to", "unanswered", "by chance")
    lines: list[list[Cell]] = [
        [group, one.questions, one.with_pictures, one.right, one.low, one.high, one.unanswered, one.chance]
        for group, one in collections.items()
    ]
    table = Table("right answers", columns, lines, note="Unanswered counts as wrong.", digits=3)
    return Evaluation(ExamFigures(collections=collections, answers=answers), [Section("Exam", [table])])


def _figures(pairs: Sequence[tuple[ExamQuestion, str]]) -> CollectionFigures:
    right = sum(letter == question.answer for question, letter in pairs)
    low, high = share_interval(right, len(pairs))
    return CollectionFigures(
        questions=len(pairs),
        with_pictures=sum(bool(question.pictures) for question, _ in pairs),
        right=right / len(pairs),
        low=low,
        high=high,
        unanswered=sum(not letter for _, letter in pairs),
        chance=sum(1 / len(question.options) for question, _ in pairs) / len(pairs),
    )


evaluations: dict[str, Evaluate] = {"vqa": vqa}
