"""Multi-step validation: a validator fills in a sheet of yes/no questions, and the decision trees turn it into scores.

The same walk serves evolution (what may enter a library) and evaluation (how good an answer was); only who fills in the
sheet differs: a language model, a person, or rules.
"""

from __future__ import annotations

from functools import lru_cache

from polyclinic.clinics.patient.prompts.checks import ChecksAnswer, ChecksQuestion, Item, Sheet
from polyclinic.clinics.patient.rules.probes import Exchange
from polyclinic.clinics.patient.rules.trees import ANSWER_TREES, QUESTION_TREES, TreeName, trees, walk_sheet
from polyclinic.clinics.patient.scenario.record import Record
from polyclinic.core.agent import Agent
from polyclinic.core.message import Frozen


class AnswerVerdict(Frozen):
    """Scores of an answer, and the path that led to each."""

    faithfulness: int
    robustness: int
    path: tuple[str, ...] = ()

    @property
    def qualified(self) -> bool:
        """Fit for the library: faithful and robust."""
        return self.faithfulness == 1 and self.robustness == 1


class QuestionVerdict(Frozen):
    """Scores of a question, and the path that led to each."""

    specificity: int
    targetedness: int
    professionalism: int
    path: tuple[str, ...] = ()

    @property
    def qualified(self) -> bool:
        """Fit for a trajectory: specific and professional."""
        return self.specificity == 1 and self.professionalism == 1


@lru_cache(maxsize=4)
def sheet_items(names: tuple[TreeName, ...]) -> tuple[Item, ...]:
    """All questions of some trees, as a sheet to fill in."""
    return tuple(Item(node=node, ask=body.ask) for name in names for node, body in trees()[name].nodes.items())


async def check_answer(validator: Agent, record: Record, exchange: Exchange) -> AnswerVerdict:
    """Validate an answer."""
    sheet = await validator.ask(
        ChecksAnswer(
            record=record,
            items=sheet_items(ANSWER_TREES),
            asked_before=exchange.asked_before,
            question=exchange.question,
            answer=exchange.answer,
        )
    )
    scores, path = _scores(sheet, ANSWER_TREES)
    return AnswerVerdict(faithfulness=scores["faithfulness"], robustness=scores["robustness"], path=path)


async def check_question(validator: Agent, record: Record, exchange: Exchange) -> QuestionVerdict:
    """Validate a question, in the light of its answer."""
    sheet = await validator.ask(
        ChecksQuestion(
            record=record,
            items=sheet_items(QUESTION_TREES),
            asked_before=exchange.asked_before,
            question=exchange.question,
            answer=exchange.answer,
        )
    )
    scores, path = _scores(sheet, QUESTION_TREES)
    return QuestionVerdict(
        specificity=scores["specificity"],
        targetedness=scores["targetedness"],
        professionalism=scores["professionalism"],
        path=path,
    )


def _scores(sheet: Sheet, names: tuple[TreeName, ...]) -> tuple[dict[str, int], tuple[str, ...]]:
    answers = sheet.answers()
    walks = [walk_sheet(trees()[name], answers) for name in names]
    steps = tuple(f"{node}:{'yes' if yes else 'no'}" for walked in walks for node, yes in walked.steps)
    return {walked.tree: walked.score for walked in walks}, steps
