"""Finding phrases in running text as words of their own: "shivering" does not name HIV."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

ACRONYM_LETTERS = 5


def is_acronym(phrase: str) -> bool:
    """Whether it is short and in capitals, and so must be matched exactly as written: 'PE' is not the word 'pe'."""
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


def by_first_letter(alternatives: str) -> str:
    """A pattern of many alternatives without groups, sorted so that words with the same first letter are together. It
    finds the same matches, and rejects a place after one look at its letter.
    """
    groups: dict[str, list[str]] = {}
    for word in alternatives.split("|"):
        groups.setdefault(word[0], []).append(word)
    return "|".join(
        f"{letter}(?:{'|'.join(word[1:] for word in words)})" if letter.isalpha() else "|".join(words)
        for letter, words in groups.items()
    )


def word_begins(words: Iterable[str]) -> str:
    """A pattern of words or phrases that begin where a word begins. It looks back only after it has found one, so a
    search goes from one of their first letters to the next.
    """
    return "|".join(rf"{word}(?<!\w{word})" for word in words)


def contains_phrase(text: str, phrase: str) -> bool:
    """Whether the phrase occurs in the text as whole words, in any case."""
    return stands_in(phrase.casefold(), text.casefold())


def stands_in(phrase: str, text: str, *, hyphens: bool = False) -> bool:
    """Whether the text contains the phrase exactly as written, as whole words. It needs no pattern, which would be slow
    to compile. `hyphens`: as in `phrase_pattern`.
    """
    begins = text.find(phrase)
    while begins >= 0:
        ends = begins + len(phrase)
        if not _in_word(text[begins - 1 : begins], hyphens) and not _in_word(text[ends : ends + 1], hyphens):
            return True
        begins = text.find(phrase, begins + 1)
    return False


def _in_word(letter: str, hyphens: bool) -> bool:
    return letter.isalnum() or letter == "_" or (hyphens and letter == "-")


def name_pattern(name: str) -> re.Pattern[str]:
    """Matches a name however it is spaced or hyphenated; an s may follow, and acronyms are matched as written."""
    return phrase_pattern(name, loose=" \t\n-", acronyms=True, possessive=True)


def mentioned(text: str, names: Iterable[str]) -> list[str]:
    """The names that occur in the text, in the order given."""
    folded = text.casefold()
    return [name for name in names if name and _first_piece(name) in folded and name_pattern(name).search(text)]


@lru_cache(maxsize=16_384)
def _first_piece(name: str) -> str:
    """What a text must contain, in upper or lower case, to mention the name at all: this is faster to look for than a
    pattern.
    """
    return re.split(r"[\s-]+", name.strip())[0].casefold()


def last_place(pattern: re.Pattern[str], text: str) -> int:
    """Where a pattern is found last; -1 where it is not."""
    return max((match.start() for match in pattern.finditer(text)), default=-1)
