"""Dates and times of day as text: the one place that writes and reads them."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Any, Self

from pydantic_core import CoreSchema, core_schema

from polyclinic.text.dates import one_date
from polyclinic.text.lazily import lazy_pattern

MINUTES_A_DAY = 24 * 60


@lru_cache(maxsize=1440)
def clock_text(minute: int) -> str:
    """``HH:MM`` of a minute of the day."""
    return f"{minute // 60:02d}:{minute % 60:02d}"


class ClockTime(int):
    """A time of day in minutes since midnight, up to 24:00. It is printed and stored as ``HH:MM``."""

    def __str__(self) -> str:
        return clock_text(self)

    @classmethod
    def of_moment(cls, moment: datetime) -> Self:
        """The time of day of a moment."""
        return cls(60 * moment.hour + moment.minute)

    def on(self, day: date) -> datetime:
        """The moment at which this time is reached on a day."""
        return datetime(day.year, day.month, day.day) + timedelta(minutes=self)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> CoreSchema:
        return core_schema.is_instance_schema(cls, serialization=core_schema.to_string_ser_schema())


def read_date(text: str, first: date | None = None, days: int = 0) -> date | None:
    """The date that somebody wrote: ``YYYY-MM-DD``, or any other way in which a text can name one date.

    `first` and `days` are the period that decides between the two dates of 04/02/2025 (see `one_date`).
    """
    try:
        return iso_date(text)
    except ValueError:
        period = [first + timedelta(days=day) for day in range(days)] if first is not None else []
        return one_date(text, period)


def iso_date(text: str) -> date:
    """The date that ``YYYY-MM-DD`` names; a ValueError for anything else."""
    return date.fromisoformat(text.strip())


@lru_cache(maxsize=16)
def zone_of(offset: str) -> tzinfo | None:
    """The time zone of an offset such as ``+09:00``."""
    return datetime.strptime(offset, "%z").tzinfo


_CLOCK = lazy_pattern(
    r"(?P<half>오전|오후)? ?(?P<hour>\d{1,2})(?:시(?: ?(?P<minutes>\d{1,2})분)?|:(?P<minute>\d\d)(?::00)?)?"
    r" ?(?P<of>[ap]\.? ?m\.?)?",
    re.IGNORECASE,
)


@lru_cache(maxsize=1024)
def read_minute(text: str) -> ClockTime | None:
    """The time of day that somebody wrote: ``HH:MM`` up to ``24:00``, ``9:00 AM``, ``2 p.m.`` or ``오후 2시``.

    None for anything else.
    """
    found = _CLOCK.fullmatch(text.strip())
    if found is None:
        return None
    half = {"오전": "a", "오후": "p"}.get(found["half"], (found["of"] or "")[:1].lower())
    minutes = found["minute"] or found["minutes"]
    if not (half or minutes or "시" in text) or int(minutes or 0) > 59:
        return None
    hour = int(found["hour"])
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (half == "p")
    total = hour * 60 + int(minutes or 0)
    return ClockTime(total) if total <= MINUTES_A_DAY else None
