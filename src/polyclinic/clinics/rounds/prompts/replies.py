"""What each role replies with. Strict: unknown fields and wrong types are asked again, never guessed at."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from polyclinic.core.reply import ReplyModel


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
    sex: Literal["female", "male"] | None
    informant: str = Field(description="who speaks for a small child or a patient who cannot speak; empty otherwise")
    persona_tags: tuple[str, ...]
    chief_complaint: str = Field(min_length=1)
    story: str
    facts: tuple[WrittenFact, ...]
    concerns: str
    images: tuple[WrittenPerception, ...]


class PatientSays(ReplyModel):
    """The patient's words."""

    response: str = Field(min_length=1)


class StudentReport(ReplyModel):
    """A student's clinical reasoning, for the tutor."""

    analysis: str = Field(min_length=1)


class StudentAction(ReplyModel):
    """What a student wants to know next: from the patient, from the expert, from both or from nobody."""

    query_for_patient: str | None
    query_for_expert: str | None


class StudentChoice(ReplyModel):
    """A student's private answer to the case."""

    reason: str
    choice: str = Field(min_length=1, description="the letter of one option; for an open question, the answer in words")


class TutorTurn(ReplyModel):
    """The tutor's thinking and its words to the group."""

    internal_monologue: str
    guidance: str = Field(min_length=1)


class TutorWords(ReplyModel):
    """The tutor's words to the group, from a tutor that does not write down its thinking."""

    guidance: str = Field(min_length=1)


class Revision(ReplyModel):
    """The tutor's words, mended."""

    revised_guidance: str = Field(min_length=1)


class FactVerdict(ReplyModel):
    """Whether every medical statement holds; what is wrong when not."""

    is_correct: bool
    feedback: str


class SafetyVerdict(ReplyModel):
    """Whether the words are safe, ethical, fair and kind; what to change when not."""

    is_safe: bool
    issue_category: str
    feedback_and_suggestion: str


class ExpertAnswer(ReplyModel):
    """A textbook answer, or none."""

    answer_provided: bool
    explanation: str
