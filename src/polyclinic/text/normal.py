"""Text in a form that can be compared: case, spaces, quotation marks and Unicode composition make no difference."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal

Lang = Literal["en", "ko"]
_SAME = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‑": "-", "…": "..."})
_SPACE = re.compile(r"\s+")
HANGUL = re.compile(r"[가-힣]")
_LATIN = re.compile(r"[a-zA-Z]")
_NO_LETTER = re.compile(r"[\W_]+")
_KEPT = 2_048


@lru_cache(_KEPT)
def normalise(text: str) -> str:
    """Text with uniform whitespace, quotation marks, dashes, case and Unicode composition."""
    if text.isascii():
        return " ".join(text.split()).lower()
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text.translate(_SAME)).translate(_SAME)).strip().casefold()


@lru_cache(_KEPT)
def without_accents(text: str) -> str:
    """Text in lower case, without accents and with single spaces."""
    if text.isascii():
        return " ".join(text.lower().split())
    decomposed = unicodedata.normalize("NFKD", text)
    bare = "".join(c for c in decomposed if not unicodedata.combining(c))
    return " ".join(unicodedata.normalize("NFC", bare).casefold().split())


@lru_cache(_KEPT)
def letters(text: str) -> str:
    """Only the letters and digits of a name, in one case, so that spaces and marks make no difference."""
    return _NO_LETTER.sub("", text.casefold())


def language_of(text: str, hangul_weight: int) -> Lang | None:
    """The language, recognised by the letters; None without Hangul and Latin letters. Each Hangul letter counts
    `hangul_weight` times, because it says more.
    """
    hangul, latin = len(HANGUL.findall(text)), len(_LATIN.findall(text))
    if not hangul and not latin:
        return None
    return "ko" if hangul_weight * hangul >= latin else "en"


def straight(text: str) -> str:
    """Text with straight apostrophes, like those in word lists."""
    return text.replace("’", "'")
