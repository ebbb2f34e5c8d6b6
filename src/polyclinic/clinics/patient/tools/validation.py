"""Multi-step validation: the reader and exact rules answer small yes/no questions, and the decision trees turn them
into scores.

Both evolution (what may enter a library) and evaluation (how good an answer was) use it.
"""

from __future__ import annotations

from typing import Any

from polyclinic.clinics.patient.rules.nodes import NODES, Material
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
    return {name: walk(trees()[name], lambda node: NODES[node](it)) for name in names}


def judge_answer(it: Material) -> AnswerVerdict:
    """Validate an answer that was read."""
    return AnswerVerdict(**_verdict(walked(it, ANSWER_TREES)))


def judge_question(it: Material) -> QuestionVerdict:
    """Validate a question, together with its answer."""
    return QuestionVerdict(**_verdict(walked(it, QUESTION_TREES)))


def _verdict(walks: dict[str, Walk]) -> dict[str, Any]:
    """The score of each tree, and the path to it."""
    path = tuple(f"{name}:{'yes' if yes else 'no'}" for found in walks.values() for name, yes in found.steps)
    return {**{name: found.score for name, found in walks.items()}, "path": path}
