"""Exact words: what a user's own word rule looks for, and the sentences it looks in."""

from __future__ import annotations

import re
from collections.abc import Iterable

from polyclinic.text.phrases import phrase_pattern
from polyclinic.text.sentences import sentences as text_sentences

SHORT = 3


def sentences(text: str) -> tuple[str, ...]:
    """The sentences as the checker reads them: a semicolon ends a sentence, a line break does not."""
    return text_sentences(text, semicolons=True, lines=False)


def find_word(text: str, words: Iterable[str]) -> re.Match[str] | None:
    """The first of the words that the text has. Longer ones may take an ending (confus-ed), short names may not."""
    for word in words:
        match = phrase_pattern(word, open_end=len(word) > SHORT).search(text)
        if match is not None:
            return match
    return None


def mentions(text: str, words: Iterable[str]) -> bool:
    """Whether the text has one of the words."""
    return find_word(text, words) is not None
