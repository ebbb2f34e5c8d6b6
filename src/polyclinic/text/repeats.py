"""Whether somebody says again what was said before: the same words, or nearly."""

from __future__ import annotations

from collections.abc import Iterable

from polyclinic.text.words import FUNCTION_WORDS, ContentWords, words

_NEARLY = 0.8
_MEANT = ContentWords(FUNCTION_WORDS, digits=True)
"""Words like "when" and "where" count: "When did it start?" and "How did it start?" are two questions."""


def nearly_same(line: str, other: str) -> bool:
    """Whether two lines share nearly all their words that have meaning."""
    mine, theirs = _MEANT(line), _MEANT(other)
    if not mine or not theirs:
        return words(line) == words(other)
    return 2 * len(mine & theirs) >= _NEARLY * (len(mine) + len(theirs))


def said_before(line: str, earlier: Iterable[str]) -> str:
    """The first earlier line that is nearly the same; empty if there is none."""
    return next((other for other in earlier if nearly_same(line, other)), "")


def without_repeats(lines: Iterable[str]) -> list[str]:
    """The lines that say something new, in order."""
    kept: list[str] = []
    for line in lines:
        if not said_before(line, kept):
            kept.append(line)
    return kept
