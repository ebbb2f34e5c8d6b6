"""Age and sex as a clinical vignette states them."""

from __future__ import annotations

import re

from polyclinic.people.locales import Sex

_AGE = re.compile(
    r"\b(\d{1,3})[\s-]*(?:(?:year|yr)s?[\s-]*old|y\.?/?o)\b|\b(\d{1,2})[\s-]*(month|week|day)s?[\s-]*old\b",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"\bage[ds]?:? (\d{1,3})\b", re.IGNORECASE)
_A_MONTH = {"month": 1.0, "week": 12 / 52, "day": 12 / 365}
AGED_PERSON = (
    r"(?:this|the|an?)(?: \w+)? \d+[- ](?:year|month|week|day)s?[- ]old(?: \w+)?"
    r" (?:male|female|man|woman|boy|girl|gentleman|lady|infant|baby|child|patient|person)"
)
"""A pattern for "a 45-year-old man" as the subject of a sentence."""
_NOUN = re.compile(r"\b(?:(female|woman|girl|lady)|male|man|boy|gentleman)\b", re.IGNORECASE)
_SHE = re.compile(r"\b(?:she|hers?)\b", re.IGNORECASE)
_HE = re.compile(r"\b(?:he|his|him)\b", re.IGNORECASE)


def stated_ages(text: str) -> list[int]:
    """Every age in whole years, in the order they are stated."""
    return [
        int(years) if years else int(number) // 12 if unit.lower() == "month" else 0
        for years, number, unit in _AGE.findall(text)
    ]


def stated_age(text: str) -> int | None:
    """The first age in whole years; None when the text states no age."""
    return next(iter(stated_ages(text)), None)


def labelled_age(text: str) -> int | None:
    """The age that stands beside that word ("age 58"). Only for texts about one person's age, as "since age 12" is
    none.
    """
    found = _LABELLED.search(text)
    return int(found[1]) if found else None


def stated_months(text: str) -> int | None:
    """The first age in whole months; None when it is stated in years, or not at all."""
    found = _AGE.search(text)
    return int(int(found[2]) * _A_MONTH[found[3].lower()]) if found is not None and found[2] else None


def stated_sex(text: str) -> Sex | None:
    """The sex, from the first noun that says it (a woman, a boy), else from the more frequent pronoun; None if the text
    does not say.
    """
    noun = _NOUN.search(text)
    if noun is not None:
        return "female" if noun[1] else "male"
    she, he = len(_SHE.findall(text)), len(_HE.findall(text))
    return None if she == he else "female" if she > he else "male"
