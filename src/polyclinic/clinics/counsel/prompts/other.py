"""The simulated patient, or the desk of a live conversation."""

from __future__ import annotations

from pydantic import Field

from polyclinic.clinics.counsel.prompts.replies import Cue, DeskSays
from polyclinic.clinics.counsel.scenario import InventedPerson, Lang
from polyclinic.core.prompt import Prompt
from polyclinic.text.layout import blocks

OPENING: dict[Lang, str] = {
    "en": 'The counsellor sits down beside you and waits. Greet them, and say in one sentence, with "I", what is on'
    " your mind.",
    "ko": "요즘 무엇이 가장 걱정되세요?",
}
LEAVES = "/bye"
"""What a person who plays the patient types to end the talk."""


class PatientSpeaks(Prompt[str]):
    """The patient's next words. Earlier messages of both sides are sent along as chat history."""

    template = "patient.{lang}.md"
    words = 50
    commands = (LEAVES,)
    lang: Lang
    persona: InventedPerson
    voices: str = Field(description="what the person must bring up in this turn; empty if they may say anything")
    last: bool
    said: str = Field(description="the counsellor's last words; empty at the beginning")
    opening: str = Field(description="how the talk begins, before the counsellor has said anything")
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """Which patient a person plays in this talk, in its language."""
        who, ko = self.persona, self.lang == "ko"
        if ko:
            you = f"당신은 {who.name}, {who.age}세입니다. 병: {who.diagnosis}."
            life = f"당신의 이야기: {who.family} {who.values}"
            worry = f"당신의 걱정: {who.burden} {who.misunderstanding}"
        else:
            you = f"You are {who.name}, {who.age}. Illness: {who.diagnosis}."
            life = f"Family: {who.family}. What matters: {who.values}."
            worry = f"What weighs on you: {who.burden}. What you believe about the illness: {who.misunderstanding}."
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
