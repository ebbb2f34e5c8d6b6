"""Cuts a text into the word pieces of a vocabulary, as the networks that read whole sentences learned them.

Korean syllables are split into their letters (jamo) first, as Unicode defines them. So a vocabulary needs few pieces
for the many endings of Korean words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

_SPACE = "\u2581"
_UNKNOWN, _UNKNOWN_SCORE = 0, -20.0
_NOWHERE = float("-inf")
INSIDE = "##"
"""In the second vocabulary, a piece that does not begin a word begins with this."""
_FIRST, _LAST = 1, 2
_JAMO = re.compile("[\u1100-\u11ff]")
_LONGEST_WORD, _LONGEST_IN_JAMO = 60, 200
_LETTERS_EACH = 24
"""A text is cut off at so many letters for each piece that is wanted: what comes after them is never read."""
_WORD = re.compile(r"[^\W_]+|[^\s]")


class WordPieces(Protocol):
    """A vocabulary that can cut a text."""

    @property
    def pieces(self) -> Sequence[str]:
        """The pieces, by their numbers."""

    def cut(self, text: str, most: int) -> list[int]:
        """The numbers of the pieces of a text, at most `most`."""


@dataclass(frozen=True, eq=False)
class LikeliestPieces:
    """Of all ways to cut a text, the likeliest one. Each piece has a score: the logarithm of how often it occurs. The
    first piece stands for what is unknown, and pieces without letters are never found.
    """

    pieces: Sequence[str]
    scores: Sequence[float]

    @cached_property
    def _numbers(self) -> dict[str, tuple[float, int]]:
        known = zip(self.pieces, self.scores, strict=True)
        return {piece: (score, number) for number, (piece, score) in enumerate(known) if piece and number}

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._numbers))

    def cut(self, text: str, most: int) -> list[int]:
        """The numbers of the pieces of a text, at most `most`. Unknown letters in a row become one piece."""
        text = _SPACE + unicodedata.normalize("NFKC", text)[: most * self._longest].replace(" ", _SPACE)
        size, longest, numbers = len(text), self._longest, self._numbers
        best = [0.0] + [_NOWHERE] * size
        begins, chosen = [0] * (size + 1), [_UNKNOWN] * (size + 1)
        for start in range(size):
            here = best[start]
            for end in range(start + 1, min(size, start + longest) + 1):
                found = numbers.get(text[start:end])
                if found is None and end == start + 1:
                    found = (_UNKNOWN_SCORE, _UNKNOWN)
                if found is not None and here + found[0] >= best[end]:
                    best[end], begins[end], chosen[end] = here + found[0], start, found[1]
        cut: list[int] = []
        end = size
        while end:
            if chosen[end] != _UNKNOWN or not cut or cut[-1] != _UNKNOWN:
                cut.append(chosen[end])
            end = begins[end]
        return cut[::-1][:most]


@dataclass(frozen=True, eq=False)
class LongestPieces:
    """Words are cut from the left, each time at the longest piece. The first piece stands for what is unknown, the next
    two for the beginning and the end of a text.
    """

    pieces: Sequence[str]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {piece: number for number, piece in enumerate(self.pieces) if number > _LAST}

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self.pieces))

    def cut(self, text: str, most: int) -> list[int]:
        """The numbers of the pieces of a text between the signs for its beginning and its end, at most `most` in all.

        Letters are made small and lose their accents; marks are words of their own. A word of which a part is unknown
        is unknown as a whole.
        """
        found: list[int] = []
        for word in words_of(text[: most * _LETTERS_EACH]):
            found += self._word(word)
            if len(found) >= most:
                break
        return [_FIRST, *found[: most - 2], _LAST]

    def _word(self, word: str) -> list[int]:
        numbers, found, start = self._numbers, list[int](), 0
        if len(word) > (_LONGEST_IN_JAMO if _JAMO.search(word) else _LONGEST_WORD):
            return [_UNKNOWN]
        while start < len(word):
            begin = INSIDE if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                number = numbers.get(begin + word[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                return [_UNKNOWN]
        return found


def has_korean(pieces: Iterable[str]) -> bool:
    """Whether a vocabulary has pieces of Korean words."""
    return any(_JAMO.search(piece) for piece in pieces)


def words_of(text: str) -> list[str]:
    """Words, numbers and marks as a vocabulary of the second sort cuts them: in small letters, without accents, and
    Korean letter by letter.
    """
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text.lower()) if unicodedata.category(sign) != "Mn")
    return _WORD.findall(plain)
