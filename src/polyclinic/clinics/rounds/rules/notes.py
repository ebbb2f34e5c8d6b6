"""What a session notes for its judges, its report and its training data, besides the words that were said."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.core.note import InRound, Note
from polyclinic.people.students import Student

When = Literal["first", "final", "transfer"]
LISTENERS = ("specialist", "judge", "reader")
"""Who hears every line. A patient does not hear the tutor, and a student not what others ask the expert: a person in a
role knows what a model in that role knows.
"""


class Seated(Student):
    """A student and the role that plays it (``student-2``)."""

    seat: str

    @model_serializer(mode="wrap")
    def _seat_first(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Writes the seat as the first field, as older transcripts have it."""
        return {"seat": self.seat, **handler(self)}


class ToSome(InRound):
    """A line that only some roles hear."""

    heard_by: tuple[str, ...]


class ExpertSaid(InRound):
    """Whether the expert answered the question. A question that is not about general knowledge gets no answer."""

    answered: bool
    heard_by: tuple[str, ...] | None = None


class Guidance(InRound):
    """How many drafts the tutor's words took."""

    drafts: int
    heard_by: tuple[str, ...] | None = None


class TaughtCase(TeachingCase):
    """A case as it is taught. It does not say where its images are: the same case is noted alike on every machine."""

    image_folder: str = Field(default="", exclude=True)

    @classmethod
    def from_case(cls, case: TeachingCase) -> TaughtCase:
        """The case of a session."""
        return cls.model_validate(dict(case))


class RoomOpened(Note):
    """Who is in the room, and the case with the steps and the script that this session uses."""

    topic = "room"
    students: tuple[Seated, ...]
    persona: str
    case: TaughtCase


class Chose(Note):
    """A student's private answer, before or after the teaching, or to an unseen case."""

    topic = "choice"
    when: When
    case: str
    student: str
    choice: str
    reason: str
    right: bool


class Analysed(Note):
    """What a student reported in a round, which steps the reader found in it, and whether it has something of their
    own.
    """

    topic = "analysis"
    round: int
    student: str
    text: str
    held: tuple[int, ...] = ()
    takes_part: bool = True


class Thought(Note):
    """What the tutor thought in a round, every draft of its words, whether the last was approved, and the steps that it
    asks for.
    """

    topic = "thinking"
    round: int
    monologue: str
    drafts: tuple[str, ...]
    approved: bool
    asked: tuple[int, ...] = ()


class Withheld(Note):
    """No draft of a round was approved; `objections` are the codes of the objections that remained."""

    topic = "withheld"
    round: int
    objections: tuple[str, ...]
