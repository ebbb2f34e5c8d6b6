"""Voices, topics and diaries, which several prompts show."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

from polyclinic.clinics.frontdesk.scenario.times import ClockTime
from polyclinic.core.message import Frozen
from polyclinic.core.prompt import Facts
from polyclinic.core.value import Value

VoiceName = Literal["first", "second"]
VOICES: tuple[VoiceName, ...] = ("first", "second")
Topic = Literal["particulars", "diagnosis", "complaint"]


class Voice(Facts):
    """Which set of sentences an understudy uses. A language model uses its own words."""

    name: VoiceName = "first"


FIRST_VOICE = Voice()


class DeskClock(Facts):
    """The current moment. A language model reads it as text."""

    now: datetime


class TakenPeriod(Value):
    """A period of a day that is taken. It is printed as ``HH:MM-HH:MM``."""

    begins: ClockTime
    ends: ClockTime

    def __str__(self) -> str:
        return f"{self.begins}-{self.ends}"


class DayDiary(Frozen):
    """The taken periods of one day. A day without a clinic is taken as a whole."""

    date: date
    occupied: tuple[TakenPeriod, ...]


class PhysicianDiary(Frozen):
    """One physician's diary as the staff reads it."""

    name: str
    visit_minutes: int
    workload_percent: int
    days: tuple[DayDiary, ...]
