"""Find phrases in a text as whole words: "shivering" does not name HIV."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

ACRONYM_LETTERS = 5


def is_acronym(phrase: str) -> bool:
    """Whether a phrase is short and in capitals. Then it must be matched exactly as written: 'PE' is not 'pe'."""
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
    """A pattern that matches any of the phrases as whole words, in any case; those named first are tried first.

    `loose`: in place of these characters, any spaces and hyphens are accepted. `acronyms`: short names in capitals must
    be in capitals in the text too. `possessive`: an s or 's may follow. `open_end`: any ending may follow (confus-ed).
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
    """A pattern of many alternatives without groups, grouped by their first letter.

    It finds the same matches, but most positions are rejected after one comparison.
    """
    groups: dict[str, list[str]] = {}
    for word in alternatives.split("|"):
        groups.setdefault(word[0], []).append(word)
    return "|".join(
        f"{letter}(?:{'|'.join(word[1:] for word in words)})" if letter.isalpha() else "|".join(words)
        for letter, words in groups.items()
    )


def word_begins(words: Iterable[str]) -> str:
    """A pattern of words or phrases that start at the beginning of a word.

    It checks the character before a match only after it has found one. So a search can jump from one first letter to
    the next.
    """
    return "|".join(rf"{word}(?<!\w{word})" for word in words)


def contains_phrase(text: str, phrase: str) -> bool:
    """Whether the phrase occurs in the text as whole words, in any case."""
    return stands_in(phrase.casefold(), text.casefold())


def stands_in(phrase: str, text: str, *, hyphens: bool = False) -> bool:
    """Whether the text contains the phrase exactly as written, as whole words.

    It does not use a pattern, because compiling one would be slow. `hyphens`: as in `phrase_pattern`.
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
    """A pattern for a name with any spacing or hyphens. An s may follow; acronyms are matched as written."""
    return phrase_pattern(name, loose=" \t\n-", acronyms=True, possessive=True)


def mentioned(text: str, names: Iterable[str]) -> list[str]:
    """The names that occur in the text, in the order given."""
    folded = text.casefold()
    return [name for name in names if name and _first_piece(name) in folded and name_pattern(name).search(text)]


@lru_cache(maxsize=16_384)
def _first_piece(name: str) -> str:
    """The first word of a name. A text that does not contain it, in any case, cannot mention the name.

    Looking for it is faster than using a pattern.
    """
    return re.split(r"[\s-]+", name.strip())[0].casefold()


def last_place(pattern: re.Pattern[str], text: str) -> int:
    """The last position at which a pattern is found; -1 if it is not found."""
    return max((match.start() for match in pattern.finditer(text)), default=-1)


def holds_one(line: str, pieces: Iterable[str]) -> bool:
    """Whether one of a few pieces is in the line."""
    return True in [piece in line for piece in pieces]  # `any` with a generator takes twice as long


class Pieces:
    """Many pieces of text, to find out quickly that a line holds none of them.

    A space at the start or the end of a piece means that a word begins or ends there. The longest word of a piece
    must be in a word of the line. Words that belong to no piece are remembered and not searched again.
    """

    def __init__(self, *pieces: str) -> None:
        self._pieces = [(piece, _longest_word(piece)) for piece in pieces]
        self._harmless: set[str] = set()

    def in_line(self, line: str) -> bool:
        """Whether the line, a text with single spaces, holds one of the pieces."""
        words = _split(line)
        if self._harmless.issuperset(words):
            return False
        new = [word for word in words if word not in self._harmless]
        searched = f" {' '.join(new)} "
        found = [piece for piece, longest in self._pieces if longest in searched]
        if found:
            return holds_one(f" {line} ", found)
        if len(self._harmless) > _KNOWN_WORDS:
            self._harmless.clear()
        self._harmless.update(new)
        return False


_KNOWN_WORDS = 20_000
_split = lru_cache(maxsize=64)(str.split)


def _longest_word(piece: str) -> str:
    """The longest word of a piece, with a space on each side where the piece shows that the word begins or ends."""
    found = [piece[max(word.start() - 1, 0) : word.end() + 1] for word in re.finditer(r"\S+", piece)]
    return max(found, key=len)
