"""Turn numbers in words into figures: "nineteen seventy-eight", "double oh seven", 공일공."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.phrases import by_first_letter

_UNITS = {
    "zero": 0, "oh": 0, "nought": 0, "nil": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15,
    "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30,
}  # fmt: skip
_UNITS_TENS = {*_UNITS, *_TENS} - {"oh"}
_SCALES = {"hundred": 100, "thousand": 1000}
_TIMES = {"double": 2, "triple": 3, "treble": 3}
_WORD = "|".join(sorted({*_UNITS, *_TENS, *_ORDINALS, *_SCALES, *_TIMES}, key=len, reverse=True))
_RUN = lazy_pattern(rf"\b(?:{_WORD})(?:(?:[\s-]+(?:and[\s-]+)?|, )(?:{_WORD}|\d)\b)*(?![\w])", re.IGNORECASE)
_SAID = lazy_pattern(rf"\b(?:{by_first_letter(_WORD)})")
_A_HUNDRED = lazy_pattern(r"\ba (?=(?:hundred|thousand)\b)", re.IGNORECASE)
_FEW_DIGITS = lazy_pattern(r"[ ,-]+\d{1,3}\b")
_A_WORD = lazy_pattern(r" [^\W\d_]{2,}")
_SPLIT = lazy_pattern(r"(?:[\s-]+and[\s-]+|[\s-]+)")
_CENTURIES = ("18", "19", "20")
_KOREAN = dict(zip("공영일이삼사오육륙칠팔구", "001234566789", strict=True))
_KOREAN_RUN = lazy_pattern(rf"(?<![가-힣])[{''.join(_KOREAN)}](?:[ -]?[{''.join(_KOREAN)}]){{2,}}")


@lru_cache(4096)
def figures(text: str) -> str:
    """The text with its spoken numbers as figures. A comma ends a number, as a pause does."""
    if text.isascii() and _SAID.search(text.lower()) is None:
        return text
    spoken = _RUN.sub(_run, _A_HUNDRED.sub("one ", text))
    return _KOREAN_RUN.sub(lambda run: "".join(_KOREAN.get(sign, sign) for sign in run[0]), spoken)


def _run(run: re.Match[str]) -> str:
    """Write a sequence of number words in figures.

    An "oh" without a digit next to it is not a number: "oh dear", Columbus, OH.
    """
    if run[0].lower() == "oh":
        before, after = run.string[: run.start()].rstrip(" ,-"), run.string[run.end() :]
        if not _FEW_DIGITS.match(after) and (not before[-1:].isdecimal() or _A_WORD.match(after)):
            return run[0]
    parts = run[0].split(", ")
    if len(parts) > 1 and parts[-1].lower() == "oh" and parts[-2].lower().endswith(tuple(_ORDINALS)):
        return ", ".join([*map(_said, parts[:-1]), parts[-1]])
    return ", ".join(map(_said, parts))


def _said(run: str) -> str:
    words, groups = _SPLIT.split(run.lower()), list[str]()
    at = 0
    while at < len(words):
        group, at = _group(words, at)
        if groups and groups[-1] in _CENTURIES and len(group) == 2 and group.isdecimal():
            groups[-1] += group
        else:
            groups.append(group)
    return " ".join(groups)


def _group(words: Sequence[str], at: int) -> tuple[str, int]:
    """The number that begins at a word, and the position after it."""
    word = words[at]
    after = words[at + 1] if at + 1 < len(words) else ""
    if word in _TIMES:
        digit = str(_UNITS.get(after, after))
        return (digit * _TIMES[word], at + 2) if len(digit) == 1 else (word, at + 1)
    if word in _ORDINALS:
        return _ordinal(_ORDINALS[word]), at + 1
    if word in ("oh", "zero", "nought") and 0 < _UNITS.get(after, 0) < 10:
        return f"0{_UNITS[after]}", at + 2
    value, at = _small(words, at)
    if value is None:
        return word, at
    return _scaled(words, at, value)


def _small(words: Sequence[str], at: int) -> tuple[int | None, int]:
    """A number under a hundred, and the position after it."""
    word = words[at]
    if word not in _TENS:
        return _UNITS.get(word), at + 1
    after = words[at + 1] if at + 1 < len(words) else ""
    unit = _UNITS.get(after, 0)
    return (_TENS[word] + unit, at + 2) if 0 < unit < 10 else (_TENS[word], at + 1)


def _scaled(words: Sequence[str], at: int, value: int) -> tuple[str, int]:
    """A number with its hundreds or thousands, as an ordinal if it ends with one; and the position after it."""
    scaled = False
    while at < len(words) and words[at] in _SCALES:
        value, at, scaled = value * _SCALES[words[at]], at + 1, True
        if at < len(words) and words[at] not in _SCALES and words[at] not in _ORDINALS and words[at] != "oh":
            rest, next_ = _small(words, at)
            if rest is not None and value >= _SCALES["thousand"] and words[next_ : next_ + 1] == ["hundred"]:
                rest, next_ = rest * _SCALES["hundred"], next_ + 1
                tens, after = _small(words, next_) if next_ < len(words) and words[next_] in _UNITS_TENS else (0, next_)
                rest, next_ = rest + (tens or 0), after
            if rest is not None:
                value, at = value + rest, next_
    last = words[at] if at < len(words) else ""
    if last in _ORDINALS and _ORDINALS[last] < 10 and (value % 10 == 0 and 20 <= value < 100):
        return _ordinal(value + _ORDINALS[last]), at + 1
    return (str(value) if scaled or value else "0"), at


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number // 10 != 1 else 0, "th")
    return f"{number}{ending}"
