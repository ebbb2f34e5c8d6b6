"""The tutor, who asks, helps, lectures and revises."""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel

from polyclinic.clinics.rounds.prompts.cue import Cue
from polyclinic.clinics.rounds.prompts.people import (
    CaseKey,
    Sheet,
    case_for_tutor,
    sheet_for_human,
    written_by_students,
)
from polyclinic.clinics.rounds.prompts.replies import TutorThoughts, thoughts_about
from polyclinic.clinics.rounds.rules.thinking import shows_thinking
from polyclinic.clinics.rounds.state import Analysis, RoomLine
from polyclinic.core.message import Frozen, Image
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import Unreadable
from polyclinic.text.layout import blocks


class SocraticTurn(BaseModel):
    """What a Socratic tutor knows when its turn comes. `last`: the session ends with this round."""

    sheet: Sheet
    key: CaseKey
    pictures: tuple[Image, ...]
    history: tuple[RoomLine, ...]
    last: bool
    analyses: tuple[Analysis, ...]
    cue: Cue = Cue()


class TutorGuides(Prompt[str], SocraticTurn):
    """The Socratic tutor thinks in tags about history, question, each student, group and image, then speaks to the
    group. `rules.thinking` separates the two.
    """

    template: ClassVar[str] = "tutor_guides.md"
    words: ClassVar[int] = 400

    def most_words(self) -> int:
        """The tutor thinks about every student, so the limit grows with the group."""
        return 120 + 20 * len(self.analyses)

    @property
    def for_human(self) -> str:
        """What a person is asked: all that the tutor knows, without the form of a model's thinking."""
        return blocks(
            *case_for_tutor(self.sheet, self.key, self.analyses, self.last),
            "Say one thing to the whole group. Reviewers read it before the students hear it.",
        )


THOUGHT_WORDS = 12


class TutorThinks(Prompt[TutorThoughts], SocraticTurn):
    """Only the thinking, as a small form with a part for each student. The words to the group come from a second prompt
    (`TutorAsks`), so that the two need not be separated.
    """

    template: ClassVar[str] = "tutor_thinks.md"
    words: ClassVar[int] = 8 * THOUGHT_WORDS
    for_human: ClassVar[str] = "Write down what you think of each student: only a language model is asked for this."

    def most_words(self) -> int:
        """The limit grows with the number of students."""
        return THOUGHT_WORDS * len(self.reply_form().model_fields)

    def reply_form(self) -> type[TutorThoughts]:
        """One field for each student."""
        return thoughts_about(tuple(analysis.student for analysis in self.analyses), bool(self.sheet.captions))


class _Words(Prompt[str]):
    """What a tutor says to the group, without its thinking, which the group must never hear."""

    def check(self, reply: str) -> None:
        """Refuses words that contain thinking, so that they are asked for again."""
        if shows_thinking(reply):
            raise Unreadable("write only your words to the group, without your thinking")


class TutorAsks(_Words, SocraticTurn):
    """The Socratic tutor's words alone. `thoughts` are what it has thought just before, if it was asked to think."""

    template: ClassVar[str] = "tutor_asks.md"
    words: ClassVar[int] = 100
    thoughts: tuple[str, ...] = ()

    @property
    def for_human(self) -> str:
        """What is shown to a person who teaches."""
        return blocks(
            *case_for_tutor(self.sheet, self.key, self.analyses, self.last), "Say one thing to the whole group."
        )


class TutorHelps(Prompt[str]):
    """A plain tutor: the case and the students, no method."""

    template: ClassVar[str] = "tutor_helps.md"
    words: ClassVar[int] = 120
    sheet: Sheet
    answer: str
    pictures: tuple[Image, ...]
    history: tuple[RoomLine, ...]
    analyses: tuple[Analysis, ...]
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What is shown to a person who helps without a method."""
        return blocks(
            *sheet_for_human(self.sheet),
            f"The answer: {self.answer}",
            *written_by_students(self.analyses),
            "Say one thing to the whole group.",
        )


class TutorLectures(Prompt[str]):
    """A tutor who explains."""

    template: ClassVar[str] = "tutor_lectures.md"
    words: ClassVar[int] = 150
    sheet: Sheet
    key: CaseKey
    pictures: tuple[Image, ...]
    history: tuple[RoomLine, ...]
    analyses: tuple[Analysis, ...]
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What is shown to a person who explains."""
        return blocks(*case_for_tutor(self.sheet, self.key, self.analyses, False), "Explain it to the whole group.")


class Objection(Frozen):
    """What a reviewer found wrong with a draft."""

    reviewer: str
    category: str
    feedback: str


class TutorRevises(_Words):
    """The tutor corrects a refused draft, keeping its aim."""

    template: ClassVar[str] = "tutor_revises.md"
    words: ClassVar[int] = 120
    sheet: Sheet
    key: CaseKey
    analyses: tuple[Analysis, ...]
    previous_guidance: str
    objections: tuple[Objection, ...]
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What is shown to a person: what reviewers found, and the request to correct it."""
        found = "\n".join(f"- {objection.reviewer}: {objection.feedback}" for objection in self.objections)
        return blocks(
            f"The students did not hear this yet: {self.previous_guidance}\nReviewers found:\n{found}",
            "Say it again, corrected.",
        )
