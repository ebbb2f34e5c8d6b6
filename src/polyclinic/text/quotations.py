"""Quotations: words that a speaker quotes are somebody else's, and quoted words must stand in their text."""

from __future__ import annotations

import re
from functools import lru_cache

from polyclinic.text.normal import HANGUL, normalise

_QUOTATION = re.compile(
    r"\"[^\"]{2,}\"|“[^”]{2,}”|(?<!\w)['‘](?=\w)(?:[^'‘’]|(?<=\w)['’](?=\w)){2,}(?<!\s)['’](?!\w)"  # not "don't"
)
_MARKS = frozenset("\"“'‘")
_LEAST = 3
"""A speaker who only quotes has at least this many words of their own; with fewer, the marks are around the line."""


@lru_cache(2_048)
def without_quotations(text: str) -> str:
    """The speaker's own words; the whole text if there are hardly any others than those in quotation marks."""
    if _MARKS.isdisjoint(text):
        return text
    own = _QUOTATION.sub(" ", text)
    return own if len(own.split()) >= _LEAST else text


def without_echo(text: str, heard: str) -> str:
    """The text without quotations of what its speaker just heard: to quote a question is not to state it.

    If nothing else was said, the whole text is returned.
    """
    if _MARKS.isdisjoint(text):
        return text
    own = _QUOTATION.sub(lambda match: " " if stands_in(match[0][1:-1].strip(" ….,:;!?"), heard) else match[0], text)
    return " ".join(own.split()) if any(map(str.isalnum, own)) and own != text else text


def stands_in(words: str, text: str, *, cut: bool = False) -> bool:
    """Whether quoted words are in a text, as whole words: "he smokes" is not in "she smokes". The last word may go on
    if it is Korean, or if the quotation was `cut`.
    """
    quoted, whole = normalise(words), normalise(text)
    if quoted not in whole or not any(map(str.isalnum, quoted)):
        return False
    goes_on = cut or not quoted[-1].isalnum() or HANGUL.match(quoted[-1]) is not None
    before, after = r"(?<![^\W_])" if quoted[0].isalnum() else "", "" if goes_on else r"(?![^\W_])"
    return re.search(before + re.escape(quoted) + after, whole) is not None
