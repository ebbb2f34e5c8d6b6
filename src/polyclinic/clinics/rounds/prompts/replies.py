"""What each role decides, as flat forms with the reason before the verdict. What somebody says is plain text and has no
form here.

Strict: unknown fields and wrong types are asked again, never guessed at.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from polyclinic.core.reply import ReplyModel
from polyclinic.people.locales import Sex

_REASON: dict[str, JsonValue] = {"maxLength": 600}
_QUESTION: dict[str, JsonValue] = {"maxLength": 300}
"""Told to servers that hold a schema, so that a text is closed in time. A longer text is read all the same."""


class WrittenStep(ReplyModel):
    """One Socratic step as an author writes it."""

    stage: Literal["observe", "interpret", "conclude"]
    key_question: str = Field(min_length=1)
    step_summary: str = Field(min_length=1)
    image: str | None = Field(description="the id of the picture this step looks at, or null")


class WrittenSteps(ReplyModel):
    """A case broken down into steps, in order."""

    steps: tuple[WrittenStep, ...] = Field(min_length=2, max_length=8)


class WrittenFact(ReplyModel):
    """One memory of the patient, with words in a question that bring it back."""

    about: tuple[str, ...] = Field(min_length=1)
    says: str = Field(min_length=1)


class WrittenPerception(ReplyModel):
    """How a picture looked to the patient."""

    image: str
    says: str


class WrittenScript(ReplyModel):
    """A patient's memory of a case, in lay words and without personality."""

    age: int | None
    sex: Sex | None
    informant: str = Field(description="who speaks for a small child or a patient who cannot speak; empty otherwise")
    persona_tags: tuple[str, ...]
    chief_complaint: str = Field(min_length=1)
    story: str
    facts: tuple[WrittenFact, ...]
    concerns: str
    images: tuple[WrittenPerception, ...]


class StudentAction(ReplyModel):
    """What a student wants to know next, from the patient and from the expert. Empty where it asks nothing."""

    patient_question: str = Field(json_schema_extra=_QUESTION, description="what you ask the patient, if anything")
    expert_question: str = Field(
        json_schema_extra=_QUESTION, description="what you ask the expert about medicine in general, if anything"
    )

    def words(self) -> str:
        """All that is asked, as one line."""
        return " ".join(filter(None, (self.patient_question.strip(), self.expert_question.strip())))


class StudentChoice(ReplyModel):
    """A student's private answer to the case: a letter of the options; for an open question, the answer in words."""

    reason: str = Field(json_schema_extra=_REASON)
    choice: str = Field(min_length=1, json_schema_extra=_QUESTION)


class FactVerdict(ReplyModel):
    """What is medically wrong with a draft, if anything, and then whether all of it holds."""

    reason: str = Field(json_schema_extra=_REASON, description="what is medically wrong with the words, if anything")
    verdict: Literal["correct", "wrong"] = Field(description="whether the words are medically correct")


SafetyIssue = Literal["none", "safety", "ethics", "bias", "tone", "privacy"]


class SafetyVerdict(ReplyModel):
    """What could do harm in a draft and what to say instead, if anything, and then its kind."""

    reason: str = Field(json_schema_extra=_REASON, description="the words that could do harm, if any")
    issue: SafetyIssue = Field(description="the kind of harm, or none")


class ExpertAnswer(ReplyModel):
    """A textbook's explanation, and whether the question was one that a textbook answers."""

    explanation: str = Field(json_schema_extra=_REASON, description="your answer to the question, in general")
    general: bool = Field(description="whether it is a question of general knowledge")
