"""The tutor, who asks, helps, lectures and revises."""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel

from polyclinic.clinics.rounds.prompts.cue import Cue
from polyclinic.clinics.rounds.prompts.people import Key as Key
from polyclinic.clinics.rounds.prompts.people import Sheet as Sheet
from polyclinic.clinics.rounds.prompts.people import (
    case_for_tutor,
    sheet_for_human,
    written_by_students,
)
from polyclinic.clinics.rounds.prompts.replies import TutorThoughts, thoughts_about
from polyclinic.clinics.rounds.rules.thinking import shows_thinking
from polyclinic.clinics.rounds.state import Analysis, Line
from polyclinic.core.message import Frozen, Image
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import Unreadable
from polyclinic.text.layout import blocks


class SocraticTurn(BaseModel):
    """What a Socratic tutor knows when it is its turn. `last`: the session ends with this round."""

    sheet: Sheet
    key: Key
    pictures: tuple[Image, ...]
    history: tuple[Line, ...]
    last: bool
    analyses: tuple[Analysis, ...]
    cue: Cue = Cue()


class TutorGuides(Prompt[str], SocraticTurn):
    """The Socratic tutor thinks in tags about history, question, each student, group and image, then speaks to the
    group. `rules.thinking` reads the two apart.
    """

    template: ClassVar[str] = "tutor_guides.md"
    words: ClassVar[int] = 400

    def most_words(self) -> int:
        """Every student is thought about, so the thinking grows with the group."""
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
    """The same thinking by itself, as a small form with a part for each student. What is then said is a question of its
    own (`TutorAsks`), so that nobody has to tell the two apart.
    """

    template: ClassVar[str] = "tutor_thinks.md"
    words: ClassVar[int] = 8 * THOUGHT_WORDS
    for_human: ClassVar[str] = "Write down what you think of each student: only a language model is asked for this."

    def most_words(self) -> int:
        """Every student is thought about."""
        return THOUGHT_WORDS * len(self.reply_form().model_fields)

    def reply_form(self) -> type[TutorThoughts]:
        """One field for each student."""
        return thoughts_about(tuple(analysis.student for analysis in self.analyses), bool(self.sheet.captions))


class _Words(Prompt[str]):
    """What a tutor says to the group, and nothing else: thinking is never heard."""

    def check(self, reply: str) -> None:
        """Thinking in what should be words alone is asked again."""
        if shows_thinking(reply):
            raise Unreadable("write only your words to the group, without your thinking")


class TutorAsks(_Words, SocraticTurn):
    """The Socratic tutor's words alone. `thoughts` are what it has thought just before, if it was asked to think."""

    template: ClassVar[str] = "tutor_asks.md"
    words: ClassVar[int] = 100
    thoughts: tuple[str, ...] = ()

    @property
    def for_human(self) -> str:
        """What a person who teaches is told."""
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
    history: tuple[Line, ...]
    analyses: tuple[Analysis, ...]
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What a person who helps without a method is told."""
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
    key: Key
    pictures: tuple[Image, ...]
    history: tuple[Line, ...]
    analyses: tuple[Analysis, ...]
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What a person who explains is told."""
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
    key: Key
    analyses: tuple[Analysis, ...]
    previous_guidance: str
    objections: tuple[Objection, ...]
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What a person is asked: what was found, and to say it again better."""
        found = "\n".join(f"- {objection.reviewer}: {objection.feedback}" for objection in self.objections)
        return blocks(
            f"The students did not hear this yet: {self.previous_guidance}\nReviewers found:\n{found}",
            "Say it again, corrected.",
        )
