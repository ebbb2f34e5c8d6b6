"""Age and sex as a clinical vignette states them."""

from __future__ import annotations

import re

from polyclinic.people.locales import Sex

_AGE = re.compile(
    r"\b(\d{1,3})[\s-]*(?:(?:year|yr)s?[\s-]*old|y\.?/?o)\b|\b(\d{1,2})[\s-]*(month|week|day)s?[\s-]*old\b",
    re.IGNORECASE,
)
_BRIEF = re.compile(
    r"(?<![\w/])(?:(?P<sex>[남여]|[MF](?=/))\s*[/,(·]?\s*(?:만 ?)?(?P<age>\d{1,3})(?![\d/])"
    r"|(?:만 ?)?(?P<age_first>\d{1,3})(?: ?세)?\s*[/,(·]?\s*(?P<sex_last>[남여]|(?<=/)[MF])(?![가-힣A-Za-z]))"
)
"""Age and sex as forms and Korean notes have them: "남/42세", "42세 (여)", "M/42", "35/F"."""
_YEARS_OLD_SEX = re.compile(r"\b\d{1,3}\s*(?:y\.?/?o\.?|yrs?)[\s,-]*([MF])\b", re.IGNORECASE)
_KOREAN_AGE = re.compile(r"(?:만 ?)?(\d{1,3}) ?세(?! ?(?:때|에|부터|이후|무렵|쯤))")
_KOREAN_MONTHS = re.compile(r"생후 ?(\d{1,2}) ?(개월|주|일)|(\d{1,2}) ?(개월) ?(?:된 ?)?(?:남아|여아|아기)")
_KOREAN_UNITS = {"개월": "month", "주": "week", "일": "day"}
_KOREAN_NOUN = re.compile(r"(?<![가-힣])(?:남(?:자|성|아|환)|(여(?:자|성|아|환)))(?! ?(?:친구|동생|형제))")
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
    """Every age in whole years, in the order they are stated; the English ones first."""
    return [*_english_ages(text), *_korean_ages(text)]


def _english_ages(text: str) -> list[int]:
    return [
        int(years) if years else int(number) // 12 if unit.lower() == "month" else 0
        for years, number, unit in _AGE.findall(text)
    ]


def _korean_ages(text: str) -> list[int]:
    brief = [int(found["age"] or found["age_first"]) for found in _BRIEF.finditer(text)]
    months = [0 if unit != "개월" else int(number) // 12 for number, unit in _korean_months(text)]
    return [*months, *brief, *(int(found[1]) for found in _KOREAN_AGE.finditer(text))]


def _korean_months(text: str) -> list[tuple[str, str]]:
    return [(found[1] or found[3], found[2] or found[4]) for found in _KOREAN_MONTHS.finditer(text)]


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
    for number, unit in _korean_months(text)[:1]:
        return int(int(number) * _A_MONTH[_KOREAN_UNITS[unit]])
    found = _AGE.search(text)
    return int(int(found[2]) * _A_MONTH[found[3].lower()]) if found is not None and found[2] else None


def stated_sex(text: str) -> Sex | None:
    """The sex, from the first noun that says it (a woman, a boy), else from the more frequent pronoun; None if the text
    does not say.
    """
    noun = _NOUN.search(text) or _KOREAN_NOUN.search(text)
    if noun is not None:
        return "female" if noun[1] else "male"
    letter = _YEARS_OLD_SEX.search(text)
    if letter is not None:
        return "female" if letter[1].upper() == "F" else "male"
    brief = _BRIEF.search(text)
    if brief is not None:
        return "female" if (brief["sex"] or brief["sex_last"]) in ("여", "F") else "male"
    she, he = len(_SHE.findall(text)), len(_HE.findall(text))
    return None if she == he else "female" if she > he else "male"
