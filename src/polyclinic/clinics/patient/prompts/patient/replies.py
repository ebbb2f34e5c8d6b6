"""What a patient decides on the way to an answer."""

from __future__ import annotations

from pydantic import Field

from polyclinic.core.reply import ASIDE, ReplyModel

NONE = "none"


class Thought(ReplyModel):
    """What the patient says, after thinking it through."""

    thoughts: str = Field(json_schema_extra={"maxLength": 400})
    answer: str = Field(min_length=1, max_length=1000, description="the words you say to the doctor")


class Plans(ReplyModel):
    """Three ways in which the question could be answered."""

    first: str = Field(min_length=1, max_length=200)
    second: str = Field(min_length=1, max_length=200)
    third: str = Field(min_length=1, max_length=200)

    @property
    def all(self) -> tuple[str, ...]:
        """The plans, each once."""
        return tuple(dict.fromkeys((self.first, self.second, self.third)))


class Picked(ReplyModel):
    """Which of several candidates is best."""

    reason: str = Field(json_schema_extra=ASIDE)
    number: int = Field(ge=1)


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a reply, without list marks and numbers before the words, and without the word "none"."""
    found = (line.strip().lstrip("-*•0123456789.) ").strip() for line in text.splitlines())
    return tuple(dict.fromkeys(line for line in found if line and line.strip(".").casefold() != NONE))
