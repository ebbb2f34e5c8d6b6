"""Dates and times of day as text: the one place that writes and reads them."""

from __future__ import annotations

import re
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
    """A date with a time of day, as prompts tell the time; a ValueError for anything else."""
    return datetime.fromisoformat(text)


@lru_cache(maxsize=16)
def zone_of(offset: str) -> tzinfo | None:
    """The zone of ``+09:00``."""
    return datetime.strptime(offset, "%z").tzinfo


@lru_cache(maxsize=1024)
def read_minute(text: str) -> int | None:
    """Minutes since midnight of ``HH:MM``, up to ``24:00``; None for anything else."""
    hours, colon, minutes = text.strip().partition(":")
    if not colon or not (hours.isdecimal() and minutes.isdecimal() and len(minutes) == 2):
        return None
    total = int(hours) * 60 + int(minutes)
    return total if int(minutes) < 60 and total <= MINUTES_A_DAY else None


_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth",
    "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth",
)  # fmt: skip
_DAYS_IN_WORDS = {
    **{word: number for number, word in enumerate(_ORDINALS, start=1)},
    **{f"twenty {word}": 20 + number for number, word in enumerate(_ORDINALS[:9], start=1)},
    "thirtieth": 30,
    "thirty first": 31,
}
_MONTH = "|".join(f"{month}|{month[:3]}" for month in _MONTHS) + "|sept"
_DAY = rf"(?P<day>\d{{1,2}}|{'|'.join(sorted(_DAYS_IN_WORDS, key=len, reverse=True))})(?:st|nd|rd|th)?"
_SPOKEN_DATES = tuple(
    re.compile(rf"(?<![\w/-]){form}(?![\w/-])")
    for form in (
        rf"(?:the )?{_DAY} (?:of )?(?P<month>{_MONTH})(?: (?P<year>\d{{4}}))?",
        rf"(?:(?P<early>\d{{4}}) )?(?P<month>{_MONTH}) (?:the )?{_DAY}(?: (?:in )?(?P<year>\d{{4}}))?",
    )
)
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})(?:[-/.]|년 ?)(\d{1,2})(?:[-/.]|월 ?)(\d{1,2})(?!\d)")
_YEAR_LAST = re.compile(r"(?<![\d/.-])(\d{1,2})[-/. ](\d{1,2})[-/. ](?:'|’)?(\d{4}|\d{2})(?![\d/-])")
_SHORT_YEAR = re.compile(r"['’](\d{2})\b")
_SLASHED = re.compile(r"(?<![\d/.-])(\d{1,2})/(\d{1,2})(?![\d/])")
_CENTURY = 2000
_PAUSES = re.compile(r"[\s,.-]+")


def dates_in(text: str, year: int | None = None) -> list[date]:
    """The dates that a text names, in the order of writing within each form: 2025-09-05, 09/05/2025 (both ways round
    where both are dates), September the 5th, 2025, 5 Sept. A day and a month alone are a date of `year`, if one is
    given.
    """
    found = [_date(*map(int, parts)) for parts in _YEAR_FIRST.findall(text)]
    for one, two, last in _YEAR_LAST.findall(text):
        full = int(last) if len(last) == 4 else _CENTURY + int(last)
        found += [_date(full, int(one), int(two)), _date(full, int(two), int(one))]
    if year is not None:
        for one, two in _SLASHED.findall(text):
            found += [_date(year, int(one), int(two)), _date(year, int(two), int(one))]
    words = _PAUSES.sub(" ", _SHORT_YEAR.sub(rf"{_CENTURY // 100}\1", text.lower()))
    for pattern in _SPOKEN_DATES:
        for match in pattern.finditer(words):
            parts = match.groupdict()
            named = parts.get("year") or parts.get("early") or year
            if named is not None:
                day = parts["day"]
                number = int(day) if day.isdecimal() else _DAYS_IN_WORDS[day]
                found.append(_date(int(named), _month(parts["month"]), number))
    return list(dict.fromkeys(day for day in found if day is not None))


_DAY_ALONE = re.compile(
    rf"(?<![\w/-])(?:the )?(?P<day>\d{{1,2}}(?=st|nd|rd|th)|{'|'.join(sorted(_DAYS_IN_WORDS, key=len, reverse=True))})"
    rf"(?:st|nd|rd|th)?(?![\w/-])(?! (?:of )?(?:{_MONTH})\b)"
)


def days_alone(text: str) -> set[int]:
    """The days of a month that a text names without a month: "the 5th", "on the fifth"."""
    words = _PAUSES.sub(" ", text.lower())
    found = [
        match
        for match in _DAY_ALONE.finditer(words)
        if not re.search(rf"(?:{_MONTH})(?: the)? ?$", words[: match.start()])
    ]
    return {int(day) if (day := match["day"]).isdecimal() else _DAYS_IN_WORDS[day] for match in found}


def _month(word: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, start=1) if month.startswith(word[:3]))


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
