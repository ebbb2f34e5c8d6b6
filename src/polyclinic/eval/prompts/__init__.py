"""What judges are asked: one typed prompt for rubrics, one for preferences."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from polyclinic.core.prompt import Facts, Prompt
from polyclinic.core.reply import ReplyModel
from polyclinic.eval.criteria import Criterion, Flag
from polyclinic.eval.sheet import RubricSheet, sheet_form


class JudgesRubric(Prompt[RubricSheet]):
    """Score a transcript on the criteria of one rubric. `fault` says what was wrong with the answer before.

    `facts` says what `view` says, as typed data for offline judges.
    """

    template: ClassVar[str] = "judges_rubric.md"
    words: ClassVar[int] = 70
    rubric: str
    title: str
    instructions: str
    criteria: tuple[Criterion, ...]
    flags: tuple[Flag, ...]
    view: str
    facts: Facts = Facts()
    fault: str = ""

    def reply_form(self) -> type[RubricSheet]:
        """One required field for each answer, closed by each criterion's scale."""
        scales = tuple((item.id, item.low, item.high) for item in self.criteria)
        return sheet_form(scales, tuple(flag.id for flag in self.flags))

    def most_words(self) -> int:
        """`words` for each criterion and each critical question."""
        return self.words * (len(self.criteria) + len(self.flags))


class Preferred(ReplyModel):
    """Which of two is better, reason first."""

    reason: str = Field(min_length=1, description="what decides it, before you choose")
    better: Literal["first", "second", "neither"]


class JudgesPair(Prompt[Preferred]):
    """Say which of two texts answers a question of quality better. Asked twice, in both orders."""

    template: ClassVar[str] = "judges_pair.md"
    words: ClassVar[int] = 80
    judge: str
    question: str
    context: str
    first: str
    second: str
    first_facts: Facts = Facts()
    second_facts: Facts = Facts()


PROMPTS = (JudgesRubric, JudgesPair)
