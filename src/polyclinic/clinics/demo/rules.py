"""Rules that always hold on the helpline, as pure functions."""

from __future__ import annotations

import re

from polyclinic.clinics.demo.scenario import Leaflet, Style

OVER_LIMIT = "over_limit"
NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
MEALS = {1: "with breakfast", 2: "with breakfast and with supper", 3: "with breakfast, lunch and supper"}

_COUNT = rf"(\d+|{'|'.join(NUMBER_WORDS[1:])})"
_TABLETS = re.compile(rf"\b{_COUNT} (?:tablets?|pills?)\b", re.IGNORECASE)
_TIMES = re.compile(rf"\b(?:(once|twice)|{_COUNT} times) (?:(?:a|per|each|every) day|daily)\b", re.IGNORECASE)
_OFTEN = {"once": 1, "twice": 2}


def told_dose(text: str) -> tuple[int, int] | None:
    """Tablets and times a day, if plain words name each of them exactly once: "one tablet twice a day"."""
    tablets, times = _TABLETS.findall(text), ["".join(found) for found in _TIMES.findall(text)]
    return (_number(tablets[0]), _number(times[0])) if len(tablets) == len(times) == 1 else None


def _number(word: str) -> int:
    low = word.lower()
    return int(low) if low.isdigit() else _OFTEN.get(low) or NUMBER_WORDS.index(low)


def over_limit(leaflet: Leaflet, tablets: int, times_a_day: int) -> bool:
    """Whether the advice exceeds the daily maximum."""
    return tablets * times_a_day > leaflet.most_a_day


def is_right(leaflet: Leaflet, tablets: int, times_a_day: int) -> bool:
    """Whether the advice is the leaflet's dose."""
    return (tablets, times_a_day) == (leaflet.tablets, leaflet.times_a_day)


def spoken(tablets: int, times_a_day: int, style: Style) -> str:
    """The dose in words, as a person of this style understands it."""
    count = NUMBER_WORDS[min(tablets, 9)] if style == "mealtimes" else str(tablets)
    noun = "tablet" if tablets == 1 else "tablets"
    if style == "mealtimes":
        return f"{count} {noun} {MEALS.get(times_a_day, f'{times_a_day} times a day with food')}"
    return f"{count} {noun}, {times_a_day} times a day"


def style_of(text: str) -> Style:
    """Which style an explanation is in."""
    return "mealtimes" if any(meal in text for meal in ("breakfast", "lunch", "supper")) else "numbers"
