"""Voices, topics and diaries, which several prompts show."""

from __future__ import annotations

from datetime import date
from typing import Literal

from polyclinic.core.message import Frozen
from polyclinic.core.prompt import Facts

VoiceName = Literal["first", "second"]
VOICES: tuple[VoiceName, ...] = ("first", "second")
Topic = Literal["particulars", "diagnosis", "complaint"]


class Voice(Facts):
    """Which set of sentences an understudy uses. A language model uses its own words."""

    name: VoiceName = "first"


FIRST_VOICE = Voice()


class DayDiary(Frozen):
    """The taken periods of one day, each as ``HH:MM-HH:MM``. A day without a clinic is taken as a whole."""

    date: date
    occupied: tuple[str, ...]


class PhysicianDiary(Frozen):
    """One physician's diary as the staff reads it."""

    name: str
    visit_minutes: int
    workload_percent: int
    days: tuple[DayDiary, ...]
