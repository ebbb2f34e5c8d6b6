"""Dates and times of day as text: the one place that writes and reads them."""

from __future__ import annotations

from datetime import date, datetime, tzinfo
from functools import lru_cache

MINUTES_A_DAY = 24 * 60


@lru_cache(maxsize=1440)
def clock_text(minute: int) -> str:
    """``HH:MM`` of a minute of the day."""
    return f"{minute // 60:02d}:{minute % 60:02d}"


def read_date(text: str) -> date | None:
    """The date that ``YYYY-MM-DD`` names; None for anything else."""
    try:
        return date_of(text)
    except ValueError:
        return None


def date_of(text: str) -> date:
    """The date that ``YYYY-MM-DD`` names; a ValueError for anything else."""
    return date.fromisoformat(text.strip())


@lru_cache(maxsize=1024)
def moment_of(text: str) -> datetime:
    """A date with a time of day, in the format that prompts use; a ValueError for anything else."""
    return datetime.fromisoformat(text)


@lru_cache(maxsize=16)
def zone_of(offset: str) -> tzinfo | None:
    """The time zone of an offset such as ``+09:00``."""
    return datetime.strptime(offset, "%z").tzinfo


@lru_cache(maxsize=1024)
def read_minute(text: str) -> int | None:
    """Minutes since midnight of ``HH:MM``, up to ``24:00``; None for anything else."""
    hours, colon, minutes = text.strip().partition(":")
    if not colon or not (hours.isdecimal() and minutes.isdecimal() and len(minutes) == 2):
        return None
    total = int(hours) * 60 + int(minutes)
    return total if int(minutes) < 60 and total <= MINUTES_A_DAY else None
