"""Phone numbers by value: written or spoken, with or without a country code, put right in the same breath."""

from __future__ import annotations

import re
from functools import lru_cache

from polyclinic.text.numbers import figures

_NO_DIGIT = re.compile(r"\D+")
_NUMBER = re.compile(r"\+?[(\[]?\d(?:[\d()\[\]./·•_ ,-]*\d)?")
_LETTER_O = re.compile(r"(?<=[\d+ -])[oO](?=[\doO -])|\b[oO](?=\d)")
_PUT_RIGHT = re.compile(
    r"(?:\b(?:no|sorry|mean|meant|correction|make that|wait|actually|rather|oops|not)\b[^\d]{0,30}"
    r"|\b(?:ends?|ending|last \w+)\b[^\d]{0,15})$",
    re.IGNORECASE,
)
_DEAD_BEFORE = re.compile(
    r"\b(?:old|previous|former|used to be|was|not|instead of|no longer|don['’]?t use|wrong|work|office"
    r"|husband['’]?s|wife['’]?s)\b[^\d.;]{0,20}$",
    re.IGNORECASE,
)
_DEAD_AFTER = re.compile(
    r"^[^\d;]{0,12}\b(?:dead|old|gone|wrong|no longer|disconnected|doesn['’]?t work|does not work|cut off"
    r"|the old|(?:is|was) (?:my |his |her )?(?:ex|a passenger|wrong)|not (?:mine|in use))\b",
    re.IGNORECASE,
)
_COUNTRY_CODE = 3
_TELLING = 9
"""So many last digits tell a phone number even where it runs into another number."""
_AROUND = 60
WHOLE_NUMBER = 7
"""Fewer digits or letters than this are found in any text, and prove nothing."""


@lru_cache(maxsize=256)
def digits(value: str) -> str:
    """Only the digits."""
    return _NO_DIGIT.sub("", value)


def same_number(one: str, other: str) -> bool:
    """Whether two phone numbers are one: ``010 1234 5678`` and ``+82 (0)10 1234 5678`` are."""
    short, long = sorted((_local(one), _local(other)), key=len)
    if _is_national(one) and _is_national(other):
        return short == long
    if len(short) < WHOLE_NUMBER:
        return bool(short) and short == long
    return long.endswith(short) and len(long) - len(short) <= _COUNTRY_CODE


def _is_national(number: str) -> bool:
    """Whether a number begins with the zero of its own country: what precedes the rest is then its area code."""
    figures_ = digits(number)
    return figures_.startswith("0") and not figures_.startswith("00")


def _local(number: str) -> str:
    """The digits, without the zero that is dropped after a country code."""
    return digits(number.replace("(0)", "")).lstrip("0")


def as_figures(text: str) -> str:
    """A text with its spoken digits as figures: "oh one oh, double five", "O1O"."""
    return _LETTER_O.sub("0", figures(text))


_DOUBT = re.compile(
    r"\b(?:no|not|make|sorry|mean|meant|correction|wait|actually|rather|oops|old|previous|former|was|used|instead"
    r"|longer"
    r"|wrong|dead|gone|disconnected|work|works|office)\b|['’]",
    re.IGNORECASE,
)


def says_number(value: str, text: str) -> bool:
    """Whether a text tells this number as one that can be called."""
    begins = text.find(value)
    ends = begins + len(value)
    if begins >= 0 and not text[ends : ends + 1].isdecimal():
        around = text[max(0, begins - _AROUND) : begins] + text[ends : ends + _AROUND]
        if _DOUBT.search(around) is None:
            return True
    said = as_figures(text)
    live, dead = _numbers(said)
    if any(same_number(value, number) for number in live):
        return True
    if any(same_number(value, number) for number in dead):
        return not live
    end = digits(value)[-_TELLING:]
    return len(end) == _TELLING and end in digits(said)


def _numbers(text: str) -> tuple[list[str], list[str]]:
    """The numbers that hold, and those that were given up or put right."""
    live, dead = list[str](), list[str]()
    ends = 0
    for match in _NUMBER.finditer(text):
        number, before = digits(match[0]), text[ends : match.start()]
        last = live[-1] if live else ""
        if len(number) < WHOLE_NUMBER and len(last) >= WHOLE_NUMBER and _PUT_RIGHT.search(before):
            dead.append(live.pop())
            live.append(last[: -len(number)] + number)
        elif len(number) < WHOLE_NUMBER and last and len(last) < WHOLE_NUMBER and len(before) < 30:
            live[-1] = last + number
        elif _DEAD_BEFORE.search(before[-40:]) or _DEAD_AFTER.search(text[match.end() :]):
            dead.append(number)
        else:
            live.append(number)
        ends = match.end()
    return live, dead
