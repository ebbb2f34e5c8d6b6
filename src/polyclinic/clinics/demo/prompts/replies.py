"""Structured replies."""

from __future__ import annotations

from pydantic import Field

from polyclinic.core.reply import ReplyModel


class Advice(ReplyModel):
    """What the nurse says, and the dose it amounts to."""

    text: str = Field(min_length=1, description="what the nurse says to the caller")
    tablets: int = Field(ge=1, le=50, description="tablets each time")
    times_a_day: int = Field(ge=1, le=24, description="how often a day")


class Reaction(ReplyModel):
    """What the caller says back, and whether the caller has understood."""

    says: str = Field(min_length=1, description="what you say back to the nurse")
    understood: bool = Field(description="whether you now know what to do")
