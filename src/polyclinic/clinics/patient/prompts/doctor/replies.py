"""What a doctor decides, and the signs for a decision."""

from __future__ import annotations

import re

from pydantic import Field

from polyclinic.clinics.patient.rules.questions import QuestionType
from polyclinic.core.reply import ASIDE, ReplyModel
from polyclinic.text.normal import normalise
from polyclinic.text.sentences import is_question

CONCLUDE = "/conclude"
CONCLUDES = "CONCLUDE"
NOBODY = "none"
_SENDS = re.compile(r"\b(?:please|tests?|scan|x-ray|order|let us|let's|i (?:would|'d) like)\b")
QUESTION_TYPES: tuple[str, ...] = tuple(member.value for member in QuestionType)


def wants_to_conclude(text: str) -> bool:
    """Whether a doctor gave the sign to end the talk instead of a question."""
    return normalise(text).strip("\"'*. !:/").removesuffix("d") == CONCLUDES.casefold()


def speaks_to_patient(text: str) -> bool:
    """Whether a doctor asks something or sends for a test, and does not talk about the patient as somebody else."""
    words = normalise(text)
    return "the patient" not in words and (is_question(text) or _SENDS.search(words) is not None)


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
