"""What a doctor says to the patient: questions, tricks that test the patient, help in a crisis."""

from __future__ import annotations

import re
from typing import ClassVar

from pydantic import BaseModel

from polyclinic.clinics.patient.prompts.doctor.replies import CONCLUDE, CONCLUDES
from polyclinic.clinics.patient.prompts.patient.facts import Player, TalkSoFar
from polyclinic.core.form import FormHints, TextButton
from polyclinic.core.prompt import Facts, Prompt
from polyclinic.core.reply import Unreadable

_ABOUT_THE_QUESTION = re.compile(r"\bhere(?:'s| is) (?:the|a|one|my) question\b|\bthe trick\b", re.IGNORECASE)
_ORDER = TextButton(label="Order a test", text="Please have a {} test done.", asks="Which test?")


class Interviewing(BaseModel):
    """What every interviewing doctor has: a discipline, what was said, and questions for reference."""

    discipline: str
    profile: str
    complaint: str
    earlier: str
    heard: str
    asked: tuple[str, ...]
    pool: tuple[str, ...]
    recommended: tuple[str, ...]
    last: bool
    memory: TalkSoFar
    player: Player


class Turns(Facts):
    """How many turns are left, so that an offline doctor can plan the talk."""

    left: int


class AsksQuestion(Prompt[str], Interviewing):
    """The doctor asks the next question; or, once enough was asked, gives the sign to conclude."""

    template = "asks_question.md"
    words: ClassVar[int] = 40
    commands = (CONCLUDE,)
    may_conclude: bool
    turns: Turns

    @property
    def for_human(self) -> str:
        """What a person who plays the doctor may do."""
        due = " This is your last question: after it you must decide." if self.last else ""
        return (
            "You are the doctor. Ask one question at a time, or name a test. "
            f"Type {CONCLUDE} when you know enough.{due}"
        )

    def form_hints(self) -> FormHints:
        """The form for a person, with buttons to order a test and to conclude."""
        due = " This is your last question: after it you must decide." if self.last else ""
        return FormHints(
            ask=f"You are the doctor. Ask one question at a time, or order a test.{due}",
            moves=(_ORDER, TextButton(label="I know enough", text=CONCLUDE)),
        )

    @classmethod
    def from_human(cls, text: str) -> str:
        """Read the question that a person typed; ``/conclude`` ends the interview."""
        words = text.strip()
        if words.lower().startswith(CONCLUDE):
            return CONCLUDES
        if not words:
            raise ValueError(f"type a question for the patient, or {CONCLUDE} when you know enough")
        return words


class Consults(Prompt[str], Interviewing):
    """A doctor who was called in asks a question, or has none."""

    template = "consults.md"
    words: ClassVar[int] = 40
    commands = (CONCLUDE,)
    called_by: str
    reason: str
    notes: tuple[str, ...]

    @property
    def _asked(self) -> str:
        why = f", because: {self.reason.rstrip('.')}" if self.reason else ""
        return f"{self.called_by} called you in for {self.discipline}{why}. Ask one question"

    @property
    def for_human(self) -> str:
        """Why a person was called in, and what they may do."""
        return f"{self._asked}, or type {CONCLUDE}."

    def form_hints(self) -> FormHints:
        """The form for a person, with a button for a colleague who has no question."""
        return FormHints(ask=f"{self._asked}.", moves=(_ORDER, TextButton(label="I have no question", text=CONCLUDE)))

    @classmethod
    def from_human(cls, text: str) -> str:
        """Read what a person typed, as for the first doctor."""
        return AsksQuestion.from_human(text)


class TrickSetting(Facts):
    """Whether the offline cheater may use the wordings that are reserved for tests."""

    exam: bool


class Cheats(Prompt[str]):
    """A question that tries to get from the patient what no patient should give."""

    template = "cheats.md"
    words: ClassVar[int] = 40
    trick: str
    complaint: str
    tests: tuple[str, ...]
    earlier: tuple[str, ...]
    setting: TrickSetting
    player: Player

    def check(self, reply: str) -> None:
        """Refuse a reply that talks about the question instead of asking it."""
        if _ABOUT_THE_QUESTION.search(reply):
            raise Unreadable("write only the words that the doctor says to the patient, with nothing before them")

    @property
    def for_human(self) -> str:
        """What a person who plays the cheater is asked."""
        return f"Try to get from the patient what no patient should give. This time: {self.trick}. What do you ask?"


class Soothes(Prompt[str]):
    """The doctor deals with a crisis at once."""

    template = "soothes.md"
    words: ClassVar[int] = 60
    for_human: ClassVar[str] = "The patient is in distress. Say what you do about it."
    discipline: str
    profile: str
    complaint: str
    patient_says: str
    player: Player
