"""Whether quoted words really occur in a text. Judges must quote; code checks that they invented nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable

from polyclinic.text.normal import normalise

_ELLIPSIS = re.compile(r"\s*\.{3,}\s*")


def missing_quotes(quotes: Iterable[str], text: str) -> list[str]:
    """The quotes that do not occur in the text, in order; empty quotes count as missing."""
    plain = normalise(text)
    return [quote for quote in quotes if not _occurs(normalise(quote), plain)]


def _occurs(quote: str, text: str) -> bool:
    """Whether a quote occurs in a text. With an ellipsis, all its parts must occur in their order."""
    bare = quote.strip("\"' ")
    parts = [part for part in _ELLIPSIS.split(bare) if part]
    if not parts:
        return False
    if bare in text:
        return True
    at = 0
    for part in parts:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True
