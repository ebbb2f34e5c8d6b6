"""Words that a speaker quotes: they are somebody else's."""

from __future__ import annotations

import re
from functools import lru_cache

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
