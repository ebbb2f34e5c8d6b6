"""Who somebody is, compared by value: the same name, number or address however it is written.

Spaces, hyphens, commas and case do not change a value; a country code may stand before a phone number or be left out;
"Female", "F" and "woman" are one sex. Everything else is another value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from polyclinic.people.demographics import Person
from polyclinic.text.normal import letters

FIELDS = ("name", "sex", "phone", "identifier", "address")
_NO_DIGIT = re.compile(r"\D+")
_NUMBER = re.compile(r"\+?\d(?:[\d()./ -]*\d)?")
_AS_ONESELF = r"(?:i['’]m|i am|being|as) (?:an? |the |his |her |their |your )?(?:\w+ ){0,2}"
_SEXES = {
    "female": re.compile(
        r"\b(?:female|woman|lady|girl|gal|lass|mrs|ms|miss|madam|여자|여성|my (?:\w+ )?daughter"
        rf"|{_AS_ONESELF}(?:mother|mum|mom|wife|grandmother|daughter|sister|widow))\b",
        re.IGNORECASE,
    ),
    "male": re.compile(
        r"\b(?:male|man|gentleman|gent|guy|bloke|chap|lad|fella|dude|boy|mr|남자|남성|my (?:\w+ )?son"
        rf"|{_AS_ONESELF}(?:father|dad|husband|grandfather|son|brother|widower))\b",
        re.IGNORECASE,
    ),
}
_TITLES = re.compile(r"^\s*(?:mr|mrs|ms|miss|dr|prof)\b\.?\s*", re.IGNORECASE)
_STREETS = {"st": "street", "rd": "road", "ave": "avenue", "ln": "lane", "dr": "drive", "pl": "place", "sq": "square"}
_SHORT_STREET = re.compile(rf"\b({'|'.join(_STREETS)})\b\.?(?=\s*(?:,|$))", re.IGNORECASE)
_DIGITS = {
    "zero": "0", "oh": "0", "nought": "0", "one": "1", "two": "2", "three": "3", "four": "4",
    "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
}  # fmt: skip
_DIGIT_WORD = re.compile(rf"\b(?:(double|triple) )?({'|'.join(_DIGITS)}|\d)\b", re.IGNORECASE)
_TIMES = {"": 1, "double": 2, "triple": 3}
_LETTERS_FOR_SEX = {"f": "female", "m": "male"}
_COUNTRY_CODE = 3
_TELLING = 9
"""So many last digits tell a phone number even where it runs into another number."""
_WHOLE_NUMBER = 7
"""Fewer digits or letters than this are found in any text, and prove nothing."""


def same(field: str, written: str, person: Person) -> bool:
    """Whether what was written down is this person's."""
    told: str = getattr(person, field)
    if written == told:
        return True
    if field == "sex":
        return sex_of(written) == told
    if field == "phone":
        return same_number(written, told)
    if field == "identifier":
        return digits(written) == digits(told) and letters(written) == letters(told)
    if field == "name":
        plain = letters(_TITLES.sub("", written))
        return plain in (letters(told), letters(f"{person.given}{person.family}"))
    return letters(_streets(written)) == letters(_streets(told))


def was_said(field: str, person: Person, text: str) -> bool:
    """Whether a person's words hold this particular of theirs."""
    told: str = getattr(person, field)
    if field == "sex":
        return _SEXES[told].search(text) is not None
    if field == "name" and letters(f"{person.given}{person.family}") in letters(text):
        return True
    return stands(field, told, (text,))


def stands(field: str, value: str, heard: Sequence[str]) -> bool:
    """Whether a value that was written down stands in what was heard: nobody made it up."""
    if field == "sex":
        pattern = _SEXES.get(sex_of(value))
        return pattern is not None and any(pattern.search(text) for text in heard)
    if field == "phone":
        if any(same_number(value, number) for text in heard for number in _NUMBER.findall(text)):
            return True
        end = digits(value)[-_TELLING:]
        return len(end) == _TELLING and any(end in digits(said) for text in heard for said in _as_digits(text))
    if field == "identifier":
        wanted = digits(value)
        return len(wanted) >= _WHOLE_NUMBER and any(
            wanted in digits(said) for text in heard for said in _as_digits(text)
        )
    if any(_whole(value, text) for text in heard):
        return True
    wanted = letters(_streets(value))
    return len(wanted) >= _WHOLE_NUMBER and any(wanted in letters(_streets(text)) for text in heard)


def _as_digits(text: str) -> tuple[str, ...]:
    """A text, and the same with its spoken digits as figures: "oh one oh, double five"."""
    spoken = _DIGIT_WORD.sub(
        lambda found: _DIGITS.get(found[2].lower(), found[2]) * _TIMES[(found[1] or "").lower()], text
    )
    return (text,) if spoken == text else (text, spoken)


def _streets(text: str) -> str:
    """An address with its short words written out."""
    return _SHORT_STREET.sub(lambda found: _STREETS[found[1].lower()], text)


def _whole(value: str, text: str) -> bool:
    """Whether a value stands in a text as words of its own."""
    begins = text.find(value) if value else -1
    if begins < 0:
        return False
    before, after = text[:begins][-1:], text[begins + len(value) :][:1]
    return not before.isalnum() and not after.isalnum()


def sex_of(written: str) -> str:
    """``female`` or ``male``; empty where it is neither, or both."""
    word = written.strip().lower()
    if word in _LETTERS_FOR_SEX:
        return _LETTERS_FOR_SEX[word]
    found = [sex for sex, pattern in _SEXES.items() if pattern.search(word)]
    return found[0] if len(found) == 1 else ""


def same_number(one: str, other: str) -> bool:
    """Whether two phone numbers are one: ``010 1234 5678`` and ``+82 10 1234 5678`` are."""
    short, long = sorted((digits(one).lstrip("0"), digits(other).lstrip("0")), key=len)
    if len(short) < _WHOLE_NUMBER:
        return bool(short) and short == long
    return long.endswith(short) and len(long) - len(short) <= _COUNTRY_CODE


@lru_cache(maxsize=256)
def digits(value: str) -> str:
    """Only the digits."""
    return _NO_DIGIT.sub("", value)
