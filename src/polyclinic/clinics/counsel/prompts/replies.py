"""Decisions as small forms with fixed choices, and the data that steer offline players."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue, field_validator

from polyclinic.clinics.counsel.rules.stages import stage_named
from polyclinic.clinics.counsel.rules.trained import GuardLabel
from polyclinic.clinics.counsel.state import NoteAction, canonical_subject
from polyclinic.core.message import Frozen
from polyclinic.core.prompt import Facts
from polyclinic.core.reply import ASIDE, ReplyModel
from polyclinic.text.normal import letters

NONE = "none"
NOTHING = "nothing"
_FEW_WORDS: dict[str, JsonValue] = {"maxLength": 80}
_NO = frozenset({"no", "none", "nothing", "없음", "없어요", "없습니다", "없다", "아니요", "아니오", "아뇨"})
DraftFault = Literal["none", "accuracy", "choice", "feelings"]


def means_no(typed: str) -> bool:
    """Whether a person's whole answer to "is there anything?" is no, in English or Korean."""
    return letters(typed) in _NO


class Cue(Facts):
    """What steers an offline player and is never printed: its voice, the name of the stage, whether the other side is a
    real person, whether a language model speaks to one, whether these are the person's first words, and their kind
    (`rules.meant`), if they have one.
    """

    voice: str = "first"
    stage: str = ""
    live: bool = False
    model: bool = False
    opening: bool = False
    kind: str = ""


class SourceShown(Frozen):
    """A passage as a prompt shows it: one sentence that can be said aloud, and the whole text."""

    id: str
    title: str
    text: str
    say: str = ""


class GuardVerdict(ReplyModel):
    """The guard's word: the reason first, then the patient's words it rests on, then the label."""

    reason: str = Field(json_schema_extra=ASIDE)
    words: str = Field(description="the patient's own words that decide, or empty", json_schema_extra=ASIDE)
    label: GuardLabel


class Plan(ReplyModel):
    """The patient's words that call for a step, the signal they are, and the stage to be in."""

    words: str = Field(
        description="the patient's own words, exactly, or empty when nothing moves", json_schema_extra=ASIDE
    )
    signal: str = Field(description="the signal that was heard, or none")
    to: str = Field(description="the stage to be in")

    @field_validator("to", mode="before")
    @classmethod
    def _stage(cls, value: object) -> object:
        """Accepts any spelling of a stage, such as `Disease Awareness`."""
        return stage_named(value) or value if isinstance(value, str) else value


class Cited(ReplyModel):
    """Which source a reply's facts are from."""

    reason: str = Field(description="what of the reply stands in that source, in a few words", json_schema_extra=ASIDE)
    source: str = Field(description="the id of the source, or none")


class Criticism(ReplyModel):
    """The critic's verdict: the reason first, then the fault, the draft's words, and what to change."""

    reason: str = Field(json_schema_extra=ASIDE)
    fault: DraftFault
    words: str = Field(description="the draft's own words that are at fault, or empty", json_schema_extra=ASIDE)
    feedback: str = Field(description="what to change; empty where there is no fault", json_schema_extra=ASIDE)


class Remembers(ReplyModel):
    """The one thing of a turn that is worth keeping, after the words that say it."""

    words: str = Field(
        description="the person's own words that are worth a note, or empty", json_schema_extra=_FEW_WORDS
    )
    action: NoteAction = Field(description="what is done with the note")
    subject: str = Field(description="what it is about, or nothing")
    value: str = Field(description="a few words, or empty", json_schema_extra=ASIDE)

    @field_validator("subject", mode="before")
    @classmethod
    def _subject(cls, value: object) -> object:
        """The standard spelling of a subject."""
        return canonical_subject(value) if isinstance(value, str) else value


class DeskSays(ReplyModel):
    """What happens next in a live conversation."""

    kind: Literal["patient", "person", "take_over", "hand_back", "hand_over", "close"]
    text: str = Field("", max_length=4_000)
    by: str = Field("", max_length=200)
