"""One typed class for each pair of templates in this folder: every prompt exists in English and in Korean.

Speech is plain text. Decisions are small and flat, and what can be chosen is closed by the prompt's own data.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, cast

from pydantic import Field, create_model, field_validator

from polyclinic.clinics.counsel.rules.lexicon import Label
from polyclinic.clinics.counsel.rules.stages import stage_named
from polyclinic.clinics.counsel.scenario import Lang, Persona
from polyclinic.clinics.counsel.state import SUBJECTS, Action, canonical_subject
from polyclinic.core.message import Frozen
from polyclinic.core.prompt import Facts, Prompt
from polyclinic.core.reply import ReplyModel

NONE = "none"
NOTHING = "nothing"
Fault = Literal["none", "accuracy", "choice", "feelings"]


class Cue(Facts):
    """What steers an offline player and is never printed: its voice, and the name of the stage."""

    voice: str = "first"
    stage: str = ""


class SourceShown(Frozen):
    """A passage as a prompt shows it: one sentence fit to be said, and the whole."""

    id: str
    title: str
    text: str
    say: str = ""


class GuardVerdict(ReplyModel):
    """The guard's word: the reason first, then the patient's words it rests on, then the label."""

    reason: str
    words: str = Field(description="the patient's own words that decide, or empty")
    label: Label


class Plan(ReplyModel):
    """The patient's words that call for a step, the signal they are, and the stage to be in."""

    words: str = Field(description="the patient's own words, exactly, or empty when nothing moves")
    signal: str = Field(description="the signal that was heard, or none")
    to: str = Field(description="the stage to be in")

    @field_validator("to", mode="before")
    @classmethod
    def _stage(cls, value: object) -> object:
        """`Disease Awareness` is a stage, however it is written."""
        return stage_named(value) or value if isinstance(value, str) else value


class Cited(ReplyModel):
    """Which source a reply's facts are from."""

    reason: str = Field(description="what of the reply stands in that source, in a few words")
    source: str = Field(description="the id of the source, or none")


class Criticism(ReplyModel):
    """The critic's verdict: the reason first, then the fault, the draft's words, and what to change."""

    reason: str
    fault: Fault
    words: str = Field(description="the draft's own words that are at fault, or empty")
    feedback: str = Field(description="what to change; empty where there is no fault")


class Remembers(ReplyModel):
    """The one thing of a turn that is worth keeping."""

    action: Action
    subject: str = Field(description="what it is about, or nothing")
    value: str = Field(description="a few words, or empty")

    @field_validator("subject", mode="before")
    @classmethod
    def _subject(cls, value: object) -> object:
        """One spelling for one subject."""
        return canonical_subject(value) if isinstance(value, str) else value


class DeskSays(ReplyModel):
    """What happens next in a live conversation."""

    kind: Literal["patient", "person", "take_over", "hand_back", "hand_over", "close"]
    text: str = Field("", max_length=4_000)
    by: str = Field("", max_length=200)


class GuardChecks(Prompt[GuardVerdict]):
    """Is there danger in what the patient says?"""

    template = "guard.{lang}.md"
    words = 50
    lang: Lang
    summary: str
    recent: tuple[str, ...]
    utterance: str


class PlannerPlans(Prompt[Plan]):
    """Which stage does the patient's answer call for? `allowed` are the stages that the order lets it choose."""

    template = "plan.{lang}.md"
    words = 30
    lang: Lang
    stage: str
    allowed: tuple[str, ...]
    signals: tuple[str, ...]
    asked: str
    utterance: str
    feedback: str
    cue: Cue = Cue()

    def reply_form(self) -> type[Plan]:
        """Only what this very prompt offers."""
        return _plan_form((*self.signals, NONE), self.allowed)


class CounsellorReplies(Prompt[str]):
    """The counsellor's next words. What was said before goes with it as the history of both sides."""

    template = "reply.{lang}.md"
    words = 90
    lang: Lang
    goal: str
    facts: tuple[str, ...]
    summary: str
    sources: tuple[SourceShown, ...]
    gentle: str
    utterance: str
    refused: str
    feedback: str
    cue: Cue = Cue()


class CounsellorCites(Prompt[Cited]):
    """Where the facts in the counsellor's words are from."""

    template = "cite.{lang}.md"
    words = 25
    lang: Lang
    said: str
    sources: tuple[SourceShown, ...]

    def reply_form(self) -> type[Cited]:
        """One of the sources that were shown, or none."""
        return _cited_form((*(source.id for source in self.sources), NONE))

    @classmethod
    def from_human(cls, text: str) -> Cited:
        """A person writes the id of a source, or nothing."""
        return Cited(reason="", source=text.strip() or NONE)


class CriticJudges(Prompt[Criticism]):
    """Does a draft break a constraint?"""

    template = "critic.{lang}.md"
    words = 60
    lang: Lang
    sources: tuple[SourceShown, ...]
    asked: str
    utterance: str
    draft: str

    @classmethod
    def from_human(cls, text: str) -> Criticism:
        """A person writes ``none``, or ``choice: what to change``."""
        fault, _, feedback = text.strip().partition(":")
        return Criticism.model_validate(
            {
                "reason": feedback.strip(),
                "fault": fault.strip().casefold() or NONE,
                "words": "",
                "feedback": feedback.strip(),
            }
        )


class KeeperRemembers(Prompt[Remembers]):
    """What of this turn belongs into long-term memory?"""

    template = "remember.{lang}.md"
    words = 30
    lang: Lang
    facts: tuple[str, ...]
    stage: str
    asked: str
    utterance: str
    subjects: tuple[str, ...] = SUBJECTS

    def reply_form(self) -> type[Remembers]:
        """Only subjects that memory keeps."""
        return _remembers_form((*self.subjects, NOTHING))


class KeeperSummarises(Prompt[str]):
    """Older turns in at most 200 characters."""

    template = "summarise.{lang}.md"
    words = 40
    lang: Lang
    limit: int
    summary: str
    turns: tuple[str, ...]


class SingleReplies(Prompt[str]):
    """The baseline: one model, one prompt, no plan, no sources, no critic."""

    template = "single.{lang}.md"
    words = 90
    lang: Lang
    utterance: str
    cue: Cue = Cue()


class PatientSpeaks(Prompt[str]):
    """The patient's next words. What was said before goes with it as the history of both sides."""

    template = "patient.{lang}.md"
    words = 50
    lang: Lang
    persona: Persona
    voices: str = Field(description="what the person says in this turn; empty for anything")
    last: bool
    said: str = Field(description="the counsellor's last words; empty at the beginning")
    cue: Cue = Cue()


class DeskWaits(Prompt[DeskSays]):
    """A live conversation waits for the next person to act."""

    template = "desk.{lang}.md"
    lang: Lang
    step: int
    control: str


PROMPTS: tuple[type[Prompt[Any]], ...] = (
    GuardChecks,
    PlannerPlans,
    CounsellorReplies,
    CounsellorCites,
    CriticJudges,
    KeeperRemembers,
    KeeperSummarises,
    SingleReplies,
    PatientSpeaks,
    DeskWaits,
)


@lru_cache(maxsize=256)
def _plan_form(signals: tuple[str, ...], stages: tuple[str, ...]) -> type[Plan]:
    fields: dict[str, Any] = {"signal": (Literal[signals], ...), "to": (Literal[stages], ...)}
    return cast("type[Plan]", create_model("Plan", __base__=Plan, **fields))


@lru_cache(maxsize=1_024)
def _cited_form(ids: tuple[str, ...]) -> type[Cited]:
    fields: dict[str, Any] = {"source": (Literal[ids], ...)}
    return cast("type[Cited]", create_model("Cited", __base__=Cited, **fields))


@lru_cache(maxsize=4)
def _remembers_form(subjects: tuple[str, ...]) -> type[Remembers]:
    fields: dict[str, Any] = {"subject": (Literal[subjects], ...)}
    return cast("type[Remembers]", create_model("Remembers", __base__=Remembers, **fields))
