"""What models answer with, where plain words are not enough. Reasons come before verdicts."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from polyclinic.core.reply import ReplyModel

Cause = Literal[
    "missing_information", "scope_confusion", "premature_closure", "overconfidence", "forgetting", "time_pressure"
]
CorrectionKind = Literal["check", "trigger", "phrase"]


class PatientSays(ReplyModel):
    """What the patient says, and whether something is still unclear or unanswered."""

    text: str = Field(min_length=1)
    asks_more: bool = Field(description="true if a worry or question is still open")


class Diagnosed(ReplyModel):
    """One broken norm with its likely cause."""

    norm: str
    severity: int = Field(ge=1, le=5)
    cause: Cause
    why: str = Field(min_length=1)


class Correction(ReplyModel):
    """One line that should stand in the role's prompt from now on."""

    norm: str
    kind: CorrectionKind = Field(description="check: a mandatory check; trigger: when to escalate; phrase: a wording")
    text: str = Field(min_length=1, max_length=200)


class ShiftDiagnosis(ReplyModel):
    """R01: what was broken, why, and what would prevent it."""

    violations: tuple[Diagnosed, ...]
    corrections: tuple[Correction, ...]


class TraitHeard(ReplyModel):
    """How one trait sounded in the messages."""

    dimension: str
    reason: str
    value: float = Field(ge=0, le=1)
    seen: int = Field(ge=1, description="in how many places it showed")


class TraitsHeard(ReplyModel):
    """The traits that could be heard; a trait that did not show is left out."""

    traits: tuple[TraitHeard, ...]


class Preferred(ReplyModel):
    """Which of two ways of being the same person serves better, reason first."""

    reason: str = Field(min_length=1)
    better: Literal["first", "second", "neither"]


class NormJudged(ReplyModel):
    """One action that breaks one norm, in the judge's eyes."""

    number: int = Field(description="the number of the message")
    norm: str
    rationale: str = Field(min_length=1)
    words: str = Field(description="the words it rests on, copied exactly")
    severity: int = Field(ge=1, le=5)


class NormsJudged(ReplyModel):
    """All violations of one role in one episode; empty when there is none."""

    violations: tuple[NormJudged, ...]


class IdentityJudged(ReplyModel):
    """How far the person in the transcript is from the persona, from 0 (the same) to 1 (another)."""

    reason: str = Field(min_length=1)
    distance: float = Field(ge=0, le=1)
