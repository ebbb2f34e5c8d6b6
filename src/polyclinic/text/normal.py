"""Text in a form in which it can be compared, whatever its case, spaces, quotation marks and composition."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_SAME = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‑": "-", "…": "..."})
_SPACE = re.compile(r"\s+")
HANGUL = re.compile(r"[가-힣]")
_NO_LETTER = re.compile(r"[\W_]+")
_KEPT = 2_048


@lru_cache(_KEPT)
def normalise(text: str) -> str:
    """Text with whitespace, quotation marks, dashes, case and Unicode composition made alike."""
    if text.isascii():
        return " ".join(text.split()).lower()
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text.translate(_SAME)).translate(_SAME)).strip().casefold()


@lru_cache(_KEPT)
def without_accents(text: str) -> str:
    """Text without case, accents and runs of space."""
    if text.isascii():
        return " ".join(text.lower().split())
    decomposed = unicodedata.normalize("NFKD", text)
    bare = "".join(c for c in decomposed if not unicodedata.combining(c))
    return " ".join(unicodedata.normalize("NFC", bare).casefold().split())


@lru_cache(_KEPT)
def letters(text: str) -> str:
    """Only the letters and digits of a name, without case, so that spaces and marks make no difference."""
    return _NO_LETTER.sub("", text.casefold())


def straight(text: str) -> str:
    """Text with straight apostrophes, as word lists are written."""
    return text.replace("’", "'")
