"""The questions that people and judges answer about an episode, by the name of a rubric."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.errors import ConfigError, UnknownName
from polyclinic.eval.criteria import Criterion
from polyclinic.eval.rubric import RubricJudge, load_rubric
from polyclinic.runner.registry import load_clinic


def rubric_names(clinic: str) -> list[str]:
    """The rubric judges of a clinic."""
    return [judge.name for judge in load_clinic(clinic).judges() if isinstance(judge, RubricJudge)]


def rubric_questions(clinic: str, rubric: str, *, files: bool = True) -> Sequence[Criterion]:
    """The criteria of one named rubric judge, of a rubric file, or of all the clinic's rubric judges."""
    judges = [judge for judge in load_clinic(clinic).judges() if isinstance(judge, RubricJudge)]
    named = [judge.rubric for judge in judges if judge.name == rubric]
    if rubric and not named and not files:
        raise UnknownName("rubric", rubric, rubric_names(clinic))
    if rubric:
        return (named[0] if named else load_rubric(rubric)).criteria
    if not judges:
        raise ConfigError(f"{clinic} has no rubric judge to take questions from: give a rubric file with --rubric FILE")
    return [criterion for judge in judges for criterion in judge.rubric.criteria]
