"""One typed class for each pair of templates in this folder: every prompt exists in English and in Korean.

Speech is plain text. Decisions are small and flat, and what can be chosen is closed by the prompt's own data.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator

from polyclinic.clinics.counsel.rules.stages import stage_named
from polyclinic.clinics.counsel.rules.trained import GUARD_LABELS, GuardLabel
from polyclinic.clinics.counsel.scenario import Lang, Persona
from polyclinic.clinics.counsel.state import SUBJECTS, Action, canonical_subject
from polyclinic.core.message import Frozen
from polyclinic.core.prompt import Facts, Prompt
from polyclinic.core.reply import ReplyModel, with_choices
from polyclinic.text.layout import blocks, listed

NONE = "none"
NOTHING = "nothing"
Fault = Literal["none", "accuracy", "choice", "feelings"]


class Cue(Facts):
    """What steers an offline player and is never printed: its voice, the name of the stage, and whether the other is a
    real person.
    """

    voice: str = "first"
    stage: str = ""
    live: bool = False


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
    label: GuardLabel


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
    """Is there danger in what the patient says? What is not in its form is no verdict, and goes to a person."""

    template = "guard.{lang}.md"
    words = 50
    in_words = False
    lang: Lang
    summary: str
    recent: tuple[str, ...]
    utterance: str

    @property
    def for_human(self) -> str:
        """What a person on guard is shown."""
        return blocks(
            f"“{self.utterance}”",
            "Is there danger in these words? Write the label, then the words it rests on: "
            f"LABEL: words. Labels: {', '.join(GUARD_LABELS)}.",
        )

    @classmethod
    def from_human(cls, text: str) -> GuardVerdict:
        """A person writes ``active: I will end it tonight``."""
        label, _, words = text.strip().partition(":")
        return GuardVerdict.model_validate(
            {"reason": "a person's verdict", "words": words.strip(), "label": label.strip().casefold()}
        )


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

    @property
    def for_human(self) -> str:
        """What a person who plans is shown."""
        return blocks(
            f"Stage: {self.stage}. They were asked: “{self.asked}”",
            f"They say: “{self.utterance}”",
            f"Which stage now? Write STAGE: SIGNAL. Stages: {', '.join(self.allowed)}. Signals: "
            f"{', '.join((*self.signals, NONE))}.",
        )

    @classmethod
    def from_human(cls, text: str) -> Plan:
        """A person writes ``stage: signal``; the signal may be left out."""
        stage, _, signal = text.strip().partition(":")
        return Plan(words="", signal=signal.strip() or NONE, to=stage.strip())

    def reply_form(self) -> type[Plan]:
        """Only what this very prompt offers."""
        return with_choices(Plan, signal=(*self.signals, NONE), to=self.allowed)


class CounsellorReplies(Prompt[str]):
    """The counsellor's next words. What was said before goes with it as the history of both sides.

    `last_draft`: if this one is refused too, a set answer is said instead of it.
    """

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
    last_draft: bool
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What a person who counsels has at hand, in the language of the talk."""
        if self.lang == "ko":
            told = "당신은 상담자입니다. 듣고 알려 드리며, 결정은 그분이 하십니다. 약속하거나 재촉하지 않습니다."
            head, gist, again, ask = (
                "쓸 수 있는 출처:",
                "지금 이야기의 목적",
                "비평가가 초안을 돌려보냈습니다",
                "무슨 말을 하시겠어요?",
            )
        else:
            told = "You are the counsellor. You listen and inform; the person decides. Promise nothing, urge nothing."
            head, gist = "Sources you may use:", "What this part is for"
            again, ask = "The critic sent your draft back", "What do you say?"
        return blocks(
            told,
            f"{gist}: {self.goal}",
            listed(head, [f"{each.title}: {each.say}" for each in self.sources]),
            f"{again}: “{self.refused}”. {self.feedback}" if self.feedback else "",
            ask,
        )


class CounsellorCites(Prompt[Cited]):
    """Where the facts in the counsellor's words are from."""

    template = "cite.{lang}.md"
    words = 25
    lang: Lang
    said: str
    sources: tuple[SourceShown, ...]

    def reply_form(self) -> type[Cited]:
        """One of the sources that were shown, or none."""
        return with_choices(Cited, source=(*(source.id for source in self.sources), NONE))

    @property
    def for_human(self) -> str:
        """What a person is asked about the sources of their own words."""
        ids = ", ".join(source.id for source in self.sources) or "-"
        if self.lang == "ko":
            return f"방금 한 말의 사실은 어느 출처에서 왔습니까? 출처의 이름을 쓰거나 none이라고 쓰세요: {ids}"
        return f"Which source are the facts in your words from? Write its id, or none: {ids}"

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

    @property
    def for_human(self) -> str:
        """What a person who criticises drafts is shown."""
        if self.lang == "ko":
            return blocks(
                f"그분의 말: “{self.utterance}”",
                f"상담자의 초안: “{self.draft}”",
                "문제가 있습니까? none, 또는 accuracy(사실), choice(압박), feelings(마음)와 고칠 점을 쓰세요.",
            )
        return blocks(
            f"The person said: “{self.utterance}”",
            f"The counsellor's draft: “{self.draft}”",
            "Is anything wrong? Write none, or accuracy, choice or feelings, then : and what to change.",
        )

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

    @property
    def for_human(self) -> str:
        """What a person who keeps the memory is shown."""
        return blocks(
            listed("Remembered so far:", self.facts),
            f"They were asked: “{self.asked}”",
            f"They say: “{self.utterance}”",
            f"What is worth keeping? Write SUBJECT: a few words, or nothing. Subjects: {', '.join(self.subjects)}.",
        )

    @classmethod
    def from_human(cls, text: str) -> Remembers:
        """A person writes ``subject: words``, or ``nothing``."""
        subject, colon, value = text.strip().partition(":")
        kept = bool(colon and value.strip())
        action = "add" if kept else "keep"
        return Remembers.model_validate(
            {"action": action, "subject": subject.strip() if kept else NOTHING, "value": value.strip()}
        )

    def reply_form(self) -> type[Remembers]:
        """Only subjects that memory keeps."""
        return with_choices(Remembers, subject=(*self.subjects, NOTHING))


class KeeperSummarises(Prompt[str]):
    """Older turns in at most 200 characters."""

    template = "summarise.{lang}.md"
    words = 40
    lang: Lang
    limit: int
    summary: str
    turns: tuple[str, ...]

    @property
    def for_human(self) -> str:
        """What a person who sums up is shown."""
        return blocks(self.summary, listed("Since then:", self.turns), f"Sum it up in at most {self.limit} characters.")


class SingleReplies(Prompt[str]):
    """The baseline: one model, one prompt, no plan, no sources, no critic."""

    template = "single.{lang}.md"
    words = 90
    lang: Lang
    utterance: str
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What a person who counsels alone is asked."""
        return "무슨 말을 하시겠어요?" if self.lang == "ko" else "What do you say?"


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

    @property
    def for_human(self) -> str:
        """Who a person is in this talk, in its language."""
        who, ko = self.persona, self.lang == "ko"
        if ko:
            you = f"당신은 {who.name}, {who.age}세입니다. 병: {who.diagnosis}."
            life = f"가족: {who.family}. 소중한 것: {who.values}."
            worry = f"마음에 걸리는 것: {who.burden} 병에 대해 믿고 있는 것: {who.misunderstanding}"
        else:
            you = f"You are {who.name}, {who.age}. Illness: {who.diagnosis}."
            life = f"Family: {who.family}. What matters: {who.values}."
            worry = f"What weighs on you: {who.burden} What you believe about the illness: {who.misunderstanding}"
        voice = (
            (f"이번에는 이 마음을 꺼내세요: {self.voices}" if ko else f"This time, bring this up: {self.voices}")
            if self.voices
            else ""
        )
        first = (
            "상담자가 곁에 앉아 있습니다. 먼저 말을 꺼내 보세요."
            if ko
            else "The counsellor sits beside you. You begin."
        )
        ask = ("뭐라고 하시겠어요?" if ko else "What do you say?") if self.said else first
        return blocks(you, life, worry, voice, ask)


class DeskWaits(Prompt[DeskSays]):
    """A live conversation waits for the next person to act."""

    template = "desk.{lang}.md"
    lang: Lang
    step: int
    control: str

    @property
    def for_human(self) -> str:
        """What the person in a live talk is asked."""
        return "말씀하세요." if self.lang == "ko" else "Type what you say."

    @classmethod
    def from_human(cls, text: str) -> DeskSays:
        """A person's own words."""
        return DeskSays(kind="patient", text=text.strip())


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
