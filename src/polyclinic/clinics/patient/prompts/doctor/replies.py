"""What a doctor decides, and the signs for a decision."""

from __future__ import annotations

from pydantic import Field

from polyclinic.clinics.patient.rules.questions import QuestionType
from polyclinic.core.reply import ASIDE, ReplyModel
from polyclinic.text.normal import normalise

CONCLUDE = "/conclude"
CONCLUDES = "CONCLUDE"
NOBODY = "none"
QUESTION_TYPES: tuple[str, ...] = tuple(member.value for member in QuestionType)


def wants_to_conclude(text: str) -> bool:
    """Whether a doctor gave the sign to end the talk instead of a question."""
    return normalise(text).strip("\"'*. !:/").removesuffix("d") == CONCLUDES.casefold()


class Sent(ReplyModel):
    """Where the patient is sent."""

    reason: str = Field(json_schema_extra=ASIDE)
    discipline: str


class Colleagues(ReplyModel):
    """Which colleagues are wanted, if any."""

    reason: str = Field(json_schema_extra=ASIDE)
    first: str
    second: str

    @property
    def disciplines(self) -> tuple[str, ...]:
        """Those who are wanted, each once."""
        return tuple(dict.fromkeys(name for name in (self.first, self.second) if name != NOBODY))


class Conclusion(ReplyModel):
    """The doctor's verdict."""

    reasoning: str = Field(json_schema_extra={"maxLength": 600})
    diagnosis: str = Field(min_length=1, max_length=160)
