"""Cuts a text into the word pieces of a vocabulary: of all ways to cut it, the likeliest one."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

_SPACE = "\u2581"
_UNKNOWN, _UNKNOWN_SCORE = 0, -20.0
_NOWHERE = float("-inf")


@dataclass(frozen=True, eq=False)
class WordPieces:
    """A vocabulary. Each piece has a score: the logarithm of how often it occurs. The first piece stands for what is
    unknown, and pieces without letters are never found.
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
