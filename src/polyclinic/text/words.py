"""The words of a text that have meaning, cut to plain stems: "hurts" matches "hurt", and "가슴이" matches "가슴".

The stems are crude on purpose: they must be the same on every machine and need no dictionary.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from polyclinic.text.lazily import lazy_pattern

_FUNCTION = """
a an and are as at be been but by can could did do does for from had has have i if in is it its me my of on or so that
the their them there they this to was we were which will with would you your
"""
_SUBJECTLESS = """
about after all also any because before being both down each few he her him his how just like more most no not now only
other our out over own same she some such than then these those through too under up us very well what when while who
그 그리고 그런데 그래서 이 저 것 수 등 및 네 예
"""
FUNCTION_WORDS = frozenset(_FUNCTION.split())
"""Words with hardly any meaning, for search."""
STOP_WORDS = FUNCTION_WORDS | frozenset(_SUBJECTLESS.split())
"""Words that say nothing about the subject, for comparing what two texts are about."""

_ENDINGS = ("ing", "ies", "ed", "es", "s")
_SEARCH_ENDINGS = ("ingly", "edly", "ings", "ies", "ing", "ed", "es", "s")
_PARTICLES = ("에서는", "에서", "에게", "으로", "까지", "부터", "이나", "하고", *"은는이가을를에의와과도로만")
_ANY_WORD = lazy_pattern(r"\w+")
_SPOKEN_WORD = lazy_pattern(r"[\w']+")
_ASCII = [chr(code) for code in range(128)]
_ASCII_WORDS = "".join(sign if sign.isalnum() or sign == "_" else " " for sign in _ASCII)
_ASCII_SPOKEN = "".join(sign if sign.isalnum() or sign in "_'" else " " for sign in _ASCII)
"""Tables that replace each mark by a space: in ASCII text, words are found ten times faster than with a pattern."""
_WORD_OR_NUMBER = lazy_pattern(r"[a-z]+(?:'[a-z]+)?|\d+(?:[.,]\d+)?|[가-힣]+")
_WORD_OR_MARK = lazy_pattern(r"[a-z]+(?:'[a-z]+)?|\d+|[가-힣]+|[?!]")
_WORD = lazy_pattern(r"[a-z0-9]+|[가-힣]+")
_WITH_DECIMALS = lazy_pattern(r"[a-z0-9]+(?:\.[0-9]+)?|[가-힣]+")
_LONG = 300
"""For texts longer than this (in characters), a smaller cache is used."""


def words(text: str) -> list[str]:
    """All words of a text in order, in lower case and without marks, in any script."""
    if text.isascii():
        return text.lower().translate(_ASCII_WORDS).split()
    return _ANY_WORD.findall(text.casefold())


def spoken_words(text: str) -> list[str]:
    """All words of a text, but with apostrophes, so that "don't" is one word."""
    return list(_spoken_words(text))


@lru_cache(maxsize=1_024)
def _spoken_words(text: str) -> tuple[str, ...]:
    """Cached, because each line is compared with several lists of words."""
    if text.isascii():
        return tuple(text.lower().translate(_ASCII_SPOKEN).split())
    return tuple(_SPOKEN_WORD.findall(text.casefold()))


def words_and_numbers(text: str) -> list[str]:
    """English words with their apostrophes, numbers with their decimals, Korean words; lower case, in order."""
    return _WORD_OR_NUMBER.findall(text.replace("’", "'").lower())


def words_and_marks(text: str) -> list[str]:
    """English and Korean words, whole numbers, question marks and exclamation marks of a text in lower case."""
    return _WORD_OR_MARK.findall(text)


def cut_ending(word: str, endings: tuple[str, ...], least: int) -> tuple[str, str]:
    """The word without the first ending that fits, and that ending. At least `least` letters stay."""
    if not word.endswith(endings):
        return word, ""
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return word[: -len(ending)], ending
    return word, ""


def stem(word: str, least: int = 3) -> str:
    """A word without its simple ending: a Korean particle, or an English plural or verb ending. Numbers stay whole."""
    if word[:1].isdigit():
        return word
    if "가" <= word[:1] <= "힣":
        return cut_ending(word, _PARTICLES, 2)[0]
    return cut_ending(word, _ENDINGS, least)[0]


def stemmed(text: str) -> tuple[str, ...]:
    """The stems of all words of a text, in order."""
    return tuple([stem(word) for word in words(text)])


def search_stem(word: str) -> str:
    """The form of a word in searches: more endings are removed, also a silent e."""
    if not word.isascii() or len(word) < 5 or word.endswith("ss"):
        return word
    cut, ending = cut_ending(word, _SEARCH_ENDINGS, 3)
    return f"{cut}y" if ending == "ies" else cut.rstrip("e")


class ContentWords:
    """Finds the words of a text that have meaning, always in the same way.

    `stop` are words to leave out, `least` is the number of letters that a stem keeps, `same` maps words to others.
    `decimals` keeps 38.5 as one word; `digits` keeps single digits, which are otherwise left out like single letters.
    """

    def __init__(
        self,
        stop: frozenset[str] = STOP_WORDS,
        *,
        least: int = 3,
        same: Mapping[str, str] | None = None,
        decimals: bool = False,
        digits: bool = False,
    ) -> None:
        self._stop, self._least, self._same, self._digits = stop, least, dict(same or {}), digits
        self._word = _WITH_DECIMALS if decimals else _WORD
        self._remembered = lru_cache(maxsize=4_096)(self._read)
        self._remembered_long = lru_cache(maxsize=64)(self._read)

    def __call__(self, text: str) -> frozenset[str]:
        """The words that have meaning, each cut to its stem."""
        return self._remembered(text) if len(text) <= _LONG else self._remembered_long(text)

    def overlap(self, part: str, whole: str) -> float:
        """The share of the first text's content words that the second text has too; 0 if the first has none."""
        words = self(part)
        return len(words & self(whole)) / len(words) if words else 0.0

    def _read(self, text: str) -> frozenset[str]:
        found = self._word.findall(text.casefold())
        return frozenset(
            stem(self._same.get(word, word), self._least)
            for word in found
            if word not in self._stop and (len(word) > 1 or (self._digits and word.isdigit()))
        )
