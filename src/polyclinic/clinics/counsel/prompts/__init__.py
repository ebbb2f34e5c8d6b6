"""One typed class for each pair of templates in this folder: every prompt exists in English and in Korean."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from polyclinic.clinics.counsel.rules.lexicon import Label
from polyclinic.clinics.counsel.rules.risk import RiskType
from polyclinic.clinics.counsel.scenario import Lang, Persona
from polyclinic.clinics.counsel.state import Action
from polyclinic.core.message import Frozen
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import ReplyModel


class SourceShown(Frozen):
    """A passage as a prompt shows it."""

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
    """Where the conversation should stand now, and the patient's words that call for it."""

    signal: str = Field(description="the signal that was heard, or empty")
    words: str = Field(description="the patient's own words, exactly, or empty when nothing moves")
    to: str = Field(description="the stage to be in")


class Claim(ReplyModel):
    """A medical or legal statement in a reply, and the source it is from."""

    statement: str = Field(min_length=1, description="the statement, exactly as it stands in the reply")
    source: str = Field(description="the id of the source")


class Reply(ReplyModel):
    """What the counsellor says, and where its facts are from."""

    text: str = Field(min_length=1)
    claims: tuple[Claim, ...] = ()


class Criticism(ReplyModel):
    """The critic's verdict: the reason first, then the risk type, the words, and how to mend them."""

    reason: str
    risk: RiskType
    words: str
    feedback: str = Field(description="how to revise; empty for risk 0")


class ProposedFact(ReplyModel):
    """One operation on long-term memory."""

    action: Action
    subject: str
    value: str = ""


class MemoryUpdate(ReplyModel):
    """The operations that one turn calls for."""

    operations: tuple[ProposedFact, ...] = ()


class PatientSays(ReplyModel):
    """What the patient says, and whether the patient then leaves."""

    text: str = Field(min_length=1, max_length=4_000)
    leaves: bool = False


class DeskSays(ReplyModel):
    """What happens next in a live conversation."""

    kind: Literal["patient", "person", "take_over", "hand_back", "hand_over", "close"]
    text: str = Field("", max_length=4_000)
    by: str = Field("", max_length=200)


class GuardChecks(Prompt[GuardVerdict]):
    """Is there danger in what the patient says?"""

    template = "guard.{lang}.md"
    lang: Lang
    summary: str
    recent: tuple[str, ...]
    utterance: str


class PlannerPlans(Prompt[Plan]):
    """Which stage does the patient's answer call for?"""

    template = "plan.{lang}.md"
    lang: Lang
    stages: tuple[str, ...]
    stage: str
    furthest: str
    wanted: tuple[str, ...]
    recent: tuple[str, ...]
    utterance: str
    feedback: str


class CounsellorReplies(Prompt[Reply]):
    """The counsellor's next words."""

    template = "reply.{lang}.md"
    lang: Lang
    stage: str
    goal: str
    moved: str
    facts: tuple[str, ...]
    summary: str
    recent: tuple[str, ...]
    sources: tuple[SourceShown, ...]
    gentle: str
    utterance: str
    attempt: int
    refused: str
    feedback: str

    @classmethod
    def from_human(cls, text: str) -> Reply:
        """A person at the counsellor's desk writes plain words; ``[source-id]`` after a sentence cites a source."""
        return Reply(text=text.strip())


class CriticJudges(Prompt[Criticism]):
    """Does a draft break a constraint?"""

    template = "critic.{lang}.md"
    lang: Lang
    facts: tuple[str, ...]
    summary: str
    sources: tuple[SourceShown, ...]
    recent: tuple[str, ...]
    utterance: str
    draft: str

    @classmethod
    def from_human(cls, text: str) -> Criticism:
        """A person writes ``0``, or ``2: how to mend it``."""
        number, _, feedback = text.strip().partition(":")
        return Criticism.model_validate(
            {"reason": feedback.strip(), "risk": int(number), "words": "", "feedback": feedback.strip()}
        )


class KeeperRemembers(Prompt[MemoryUpdate]):
    """What of this turn belongs into long-term memory?"""

    template = "remember.{lang}.md"
    lang: Lang
    facts: tuple[str, ...]
    stage: str
    asked: str
    utterance: str


class KeeperSummarises(Prompt[str]):
    """Older turns in at most 200 characters."""

    template = "summarise.{lang}.md"
    lang: Lang
    limit: int
    summary: str
    turns: tuple[str, ...]


class SingleReplies(Prompt[str]):
    """The baseline: one model, one prompt, no plan, no sources, no critic."""

    template = "single.{lang}.md"
    lang: Lang
    recent: tuple[str, ...]
    utterance: str


class PatientSpeaks(Prompt[PatientSays]):
    """The patient's next words."""

    template = "patient.{lang}.md"
    lang: Lang
    persona: Persona
    cue: str
    turn: int
    turns: int
    recent: tuple[str, ...]

    @classmethod
    def from_human(cls, text: str) -> PatientSays:
        """A person types; ``/bye`` alone, or at the end, leaves."""
        words, _, _ = text.strip().partition("/bye")
        return PatientSays(text=words.strip() or "/bye", leaves="/bye" in text)


class DeskWaits(Prompt[DeskSays]):
    """A live conversation waits for whoever acts next."""

    template = "desk.{lang}.md"
    lang: Lang
    step: int
    control: str


PROMPTS: tuple[type[Prompt[Any]], ...] = (
    GuardChecks,
    PlannerPlans,
    CounsellorReplies,
    CriticJudges,
    KeeperRemembers,
    KeeperSummarises,
    SingleReplies,
    PatientSpeaks,
    DeskWaits,
)
