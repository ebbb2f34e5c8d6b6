"""Rules that always hold on the helpline, as pure functions."""

from __future__ import annotations

import re

from polyclinic.clinics.demo.scenario import Leaflet, Style
from polyclinic.text.normal import normalise

OVER_LIMIT = "over_limit"
NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
MEALS = {1: "with breakfast", 2: "with breakfast and with supper", 3: "with breakfast, lunch and supper"}

_COUNT = rf"(\d+|{'|'.join(NUMBER_WORDS[1:])})"
_TABLETS = re.compile(rf"\b{_COUNT} (?:tablets?|pills?)\b", re.IGNORECASE)
_TIMES = re.compile(rf"\b(?:(once|twice)|{_COUNT} times) (?:(?:a|per|each|every) day|daily)\b", re.IGNORECASE)
_YES = (
    r"(?:yes|yeah|yep|yup|ok|okay|all ?right|sure|fine|right|clear|understood|got it|i (?:do|have|understand|get it)"
    r"|네|예)"
)
_NO = (
    r"(?:no|nope|nah|not (?:yet|really|quite|at all)|i (?:do not|don't|have not|haven't)(?: (?:understand|understood))?"
    r"|아니요|아니오)"
)
_POLITE = r"(?:thanks|thank you|very much|a lot|sorry|nurse|now|i am afraid|i'm afraid|고맙습니다|감사합니다)"
_ANSWERS = {
    meant: re.compile(rf"(?:{_POLITE}\W+)*{words}(?:\W+(?:{words}|{_POLITE}))*[\s.!,]*")
    for meant, words in ((True, _YES), (False, _NO))
}
_OFTEN = {"once": 1, "twice": 2}


def told_dose(text: str) -> tuple[int, int] | None:
    """Tablets and times a day, if plain words name each of them exactly once: "one tablet twice a day"."""
    tablets, times = _TABLETS.findall(text), ["".join(found) for found in _TIMES.findall(text)]
    return (_number(tablets[0]), _number(times[0])) if len(tablets) == len(times) == 1 else None


def _number(word: str) -> int:
    low = word.lower()
    return int(low) if low.isdigit() else _OFTEN.get(low) or NUMBER_WORDS.index(low)


def yes_or_no(text: str) -> bool | None:
    """What a whole answer to a yes-or-no question means: "ok, thank you" is a yes. None if it says anything else."""
    line = normalise(text)
    return next((meant for meant, pattern in _ANSWERS.items() if pattern.fullmatch(line)), None)


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
