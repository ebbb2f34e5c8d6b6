"""Multi-step validation: the reader and exact rules answer small yes/no questions, and the decision trees turn them
into scores.

Both evolution (what may enter a library) and evaluation (how good an answer was) use it.
"""

from __future__ import annotations

from functools import partial

from polyclinic.clinics.patient.rules.nodes import Material, node
from polyclinic.clinics.patient.rules.trees import ANSWER_TREES, QUESTION_TREES, TreeName, Walk, trees, walk
from polyclinic.core.message import Frozen


class AnswerVerdict(Frozen):
    """Scores of an answer, and the path that led to each."""

    faithfulness: int
    robustness: int
    path: tuple[str, ...] = ()

    @property
    def qualified(self) -> bool:
        """Whether the answer is fit for the library: faithful and robust."""
        return self.faithfulness == 1 and self.robustness == 1


class QuestionVerdict(Frozen):
    """Scores of a question, and the path that led to each."""

    specificity: int
    targetedness: int
    professionalism: int
    path: tuple[str, ...] = ()

    @property
    def qualified(self) -> bool:
        """Whether the question is fit for a trajectory: specific and professional."""
        return self.specificity == 1 and self.professionalism == 1


def walked(it: Material, names: tuple[TreeName, ...]) -> dict[str, Walk]:
    """The walk through each of these trees."""
    return {name: walk(trees()[name], partial(_answer, it)) for name in names}


def judge_answer(it: Material) -> AnswerVerdict:
    """Validate an answer that was read."""
    walks = walked(it, ANSWER_TREES)
    return AnswerVerdict(
        faithfulness=walks["faithfulness"].score, robustness=walks["robustness"].score, path=_path(walks)
    )


def judge_question(it: Material) -> QuestionVerdict:
    """Validate a question, together with its answer."""
    walks = walked(it, QUESTION_TREES)
    return QuestionVerdict(
        specificity=walks["specificity"].score,
        targetedness=walks["targetedness"].score,
        professionalism=walks["professionalism"].score,
        path=_path(walks),
    )


def _answer(it: Material, name: str) -> bool:
    return node(name, it)


def _path(walks: dict[str, Walk]) -> tuple[str, ...]:
    return tuple(f"{name}:{'yes' if yes else 'no'}" for found in walks.values() for name, yes in found.steps)
