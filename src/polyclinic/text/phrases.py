"""Finding phrases in running text as words of their own: "shivering" does not name HIV."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

ACRONYM_LETTERS = 5


def is_acronym(phrase: str) -> bool:
    """Whether it is written in capitals and short, and so must be met as it is written: 'PE' is not the word 'pe'."""
    return phrase.isupper() and len(phrase) <= ACRONYM_LETTERS


@lru_cache(maxsize=16_384)
def phrase_pattern(
    *phrases: str,
    loose: str = "",
    acronyms: bool = False,
    possessive: bool = False,
    open_end: bool = False,
    hyphens: bool = False,
) -> re.Pattern[str]:
    """Matches any of the phrases as whole words, whatever their case; those named first are tried first.

    `loose`: at these characters any run of spaces and hyphens will do. `acronyms`: short names in capitals must be
    written so. `possessive`: an s or 's may follow. `open_end`: any ending may follow (confus-ed).
    `hyphens`: a hyphen belongs to the word, so that "well" is not in "well-known".
    """
    plain = [phrase for phrase in phrases if not (acronyms and is_acronym(phrase))]
    exact = [re.escape(phrase) for phrase in phrases if acronyms and is_acronym(phrase)]
    parts = [f"(?i:{'|'.join(_body(phrase, loose) for phrase in plain)})"] if plain else []
    tail = "(?:'?s)?" if possessive else ""
    letter = r"[\w-]" if hyphens else r"\w"
    return re.compile(rf"(?<!{letter})(?:{'|'.join([*parts, *exact])}){tail}" + ("" if open_end else rf"(?!{letter})"))


def _body(phrase: str, loose: str) -> str:
    if not loose:
        return re.escape(phrase)
    pieces = re.split(f"[{re.escape(loose)}]+", phrase.strip())
    return r"[\s\-]+".join(re.escape(piece) for piece in pieces if piece)


def contains_phrase(text: str, phrase: str) -> bool:
    """Whether the phrase occurs in the text as whole words, in any case."""
    folded, wanted = text.casefold(), phrase.casefold()
    return wanted in folded and phrase_pattern(wanted).search(folded) is not None


def name_pattern(name: str) -> re.Pattern[str]:
    """Matches a name however it is spaced or hyphenated; an s may follow, and acronyms are met as they are written."""
    return phrase_pattern(name, loose=" \t\n-", acronyms=True, possessive=True)


def mentioned(text: str, names: Iterable[str]) -> list[str]:
    """The names that occur in the text, in the order given."""
    return [name for name in names if name and name_pattern(name).search(text)]


def last_place(pattern: re.Pattern[str], text: str) -> int:
    """Where a pattern is found last; -1 where it is not."""
    return max((match.start() for match in pattern.finditer(text)), default=-1)
