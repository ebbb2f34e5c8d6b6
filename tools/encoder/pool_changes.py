"""Statements with one word changed, for `pool`: another number, a negation, or another word, in English and Korean.

What is done says something about the answer. If a source supports a statement, it does not support the same statement
with another number or with its opposite. With another word ("may" for "will"), nobody knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from polyclinic.text.normal import HANGUL


class Change(NamedTuple):
    """A changed text. `contradicts` says that it cannot be true where the text is."""

    text: str
    contradicts: bool


_SWAPS = (
    ("may", "will"),
    ("can", "cannot"),
    ("some", "all"),
    ("many", "few"),
    ("most", "all"),
    ("usually", "always"),
    ("often", "rarely"),
    ("before", "after"),
    ("more", "less"),
    ("never", "always"),
    ("must", "may"),
    ("should", "need not"),
    ("is", "is not"),
    ("are", "are not"),
    ("does", "does not"),
    ("with", "without"),
    ("first", "last"),
    ("day", "week"),
    ("days", "hours"),
    ("weeks", "months"),
    ("morning", "evening"),
    ("doctor", "family"),
    ("nurse", "doctor"),
    ("increase", "lower"),
    ("start", "stop"),
    ("early", "late"),
    ("good", "bad"),
    ("only", "also"),
    ("and", "or"),
)
_OPPOSITES = frozenset({("can", "cannot"), ("is", "is not"), ("are", "are not"), ("does", "does not")})
_KOREAN_SWAPS = (
    ("먼저", "나중에"),
    ("아침", "저녁"),
    ("의사", "간호사"),
    ("가족", "의료진"),
    ("늘리", "줄이"),
    ("시작", "중단"),
    ("모든", "일부"),
    ("항상", "가끔"),
    ("자주", "드물게"),
    ("매일", "매주"),
    ("이상", "이하"),
    ("오른쪽", "왼쪽"),
    ("많은", "적은"),
    ("높", "낮"),
    ("빨리", "천천히"),
    ("반드시", "원하면"),
)
_KOREAN_OPPOSITES = (
    ("있습니다", "없습니다"),
    ("있어요", "없어요"),
    ("수 있", "수 없"),
    ("가능", "불가능"),
    ("됩니다", "되지 않습니다"),
    ("돼요", "되지 않아요"),
    ("합니다", "하지 않습니다"),
    ("해요", "하지 않아요"),
    ("필요합니다", "필요하지 않습니다"),
)
_NUMBER = re.compile(
    r"(?<![\w.])\d+(?![\w.]*\d)|\b(?:one|two|three|four|five|six|seven|eight|ten|twelve|half|twice)\b", re.IGNORECASE
)
_NUMBERS = ("two", "three", "four", "six", "eight", "ten", "twenty")
_KOREAN_NUMBER = re.compile(
    r"\b(한|두|세|네|다섯|여섯|일곱|여덟|아홉|열)(?=\s(?:번|달|주|시간|알|가지|명|분|사람|개|살|날|잔|끼|곳))|\d+"
)
_KOREAN_NUMBERS = ("두", "세", "네", "다섯", "일곱", "열")
_NO_NUMBERS = frozenset({"one", "half", "한"})
"""These words mean something else too often ("this one", "한 번 보세요")."""
_DIGITS = ("2", "3", "5", "8", "12", "40")


def changes(text: str) -> Iterator[Change]:
    """The text with one word changed, in each way that it allows."""
    yield from _korean(text) if HANGUL.search(text) else _english(text)


def _english(text: str) -> Iterator[Change]:
    for one, other in _SWAPS:
        for here, there in ((one, other), (other, one)):
            changed = re.sub(rf"\b{here}\b(?! not)" if there == f"{here} not" else rf"\b{here}\b", there, text, count=1)
            if changed != text:
                yield Change(changed, (one, other) in _OPPOSITES)
    yield from _numbers(text, _NUMBER, _NUMBERS)


def _korean(text: str) -> Iterator[Change]:
    for pairs, contradicts in ((_KOREAN_SWAPS, False), (_KOREAN_OPPOSITES, True)):
        for one, other in pairs:
            here, there = (other, one) if other in text else (one, other)
            if here in text:
                yield Change(text.replace(here, there, 1), contradicts)
    yield from _numbers(text, _KOREAN_NUMBER, _KOREAN_NUMBERS)


def _numbers(text: str, pattern: re.Pattern[str], spelled: tuple[str, ...]) -> Iterator[Change]:
    for found in pattern.finditer(text):
        for number in _DIGITS if found.group().isdigit() else spelled:
            if number != found.group().lower():
                changed = text[: found.start()] + number + text[found.end() :]
                yield Change(changed, found.group().lower() not in _NO_NUMBERS)
