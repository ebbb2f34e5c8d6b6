"""What judges are asked: one typed prompt for rubrics, one for preferences."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from polyclinic.core.prompt import Facts, Prompt
from polyclinic.core.reply import ReplyModel
from polyclinic.eval.criteria import Criterion, Flag


class CriterionJudged(ReplyModel):
    """One criterion's judgement. The reason and the words it rests on come before the number."""

    criterion: str = Field(description="the criterion's id")
    reason: str = Field(min_length=1, description="why, in a sentence or two, before you choose the score")
    quotes: tuple[str, ...] = Field(description="words copied exactly from the transcript that the reason rests on")
    score: int = Field(description="a whole number on the criterion's scale")


class FlagJudged(ReplyModel):
    """One yes/no question's answer, reason first."""

    flag: str = Field(description="the flag's id")
    reason: str = Field(min_length=1)
    quotes: tuple[str, ...] = Field(description="words copied exactly from the transcript; empty when not raised")
    raised: bool


class RubricJudged(ReplyModel):
    """A judge's whole answer to one rubric."""

    criteria: tuple[CriterionJudged, ...]
    flags: tuple[FlagJudged, ...] = ()


class JudgesRubric(Prompt[RubricJudged]):
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
