"""The second network that reads whole sentences: it reads a text together with what the text is compared with (a fact,
a step, a source), or with what was said before it.

Both are cut into word pieces and read as one row, the second text first. So each piece of one can take over what a
piece of the other says. A question about the text has a column of its own; all questions of a kind that compares share
one. The network began as all-MiniLM-L6-v2 (see `layers`) and was trained further on the lines of our training
authors, and on pairs of sentences of which one follows from the other or not (`tools/encoder`). It reads English, and
Korean if its vocabulary has Korean pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from polyclinic.reading.layers import STRONGEST, Singles, even, later_layers
from polyclinic.reading.pieces import WordPieces, has_korean
from polyclinic.text.normal import HANGUL, Lang

LONGEST_TOGETHER = 256
"""Pieces of either text after this one are not read."""
TURN = "turn"
"""Only this network has weights of this name: they mark the pieces of the text where it follows a second text."""
_PAIRS = 8_192


@dataclass(frozen=True, eq=False)
class JoinedEncoder:
    """The trained network: its vocabulary, the names of its columns, and its weights by name. A column without a name
    was not good enough, and is not asked.
    """

    pieces: WordPieces
    columns: tuple[str, ...]
    weights: Mapping[str, Singles]

    @property
    def kinds(self) -> tuple[str, ...]:
        """None apart from the columns: a kind that compares has a column with its name."""
        return ()

    @cached_property
    def languages(self) -> tuple[Lang, ...]:
        """English, and Korean if the vocabulary has pieces of Korean words."""
        return ("en", "ko") if has_korean(self.pieces.pieces) else ("en",)

    def reads(self, text: str) -> bool:
        """Whether the text is in a language that the network knows."""
        return "ko" in self.languages or not HANGUL.search(text)

    def alone(self, text: str, column: str, kind: str, said: str) -> float | None:
        """The score of a question about the text, or about an answer to what was `said`. None if it was not learned.

        Above 0 means yes. The `kind` is not needed here.
        """
        place = self._columns.get(column)
        return None if place is None else float(self._read(text, said)[place])

    def compared(self, text: str, target: str, kind: str) -> float | None:
        """The score of a question that compares the text with a target. None if the kind was not learned."""
        return self.alone(text, kind, kind, target) if target else None

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.columns) if name}

    @cached_property
    def _read(self) -> Callable[[str, str], Singles]:
        return lru_cache(_PAIRS)(self._work_out)

    def _work_out(self, text: str, second: str) -> Singles:
        """The answer of each column."""
        weights, mine = self.weights, self.pieces.cut(text, LONGEST_TOGETHER)
        before = self.pieces.cut(second, LONGEST_TOGETHER) if second else mine[:1]
        row = [*before, *mine[1:]]
        rows = weights["E"][row] + weights["places"][: len(row)]
        if second:
            rows[len(before) :] += weights[TURN]
        rows = later_layers(even(rows, weights, "first", 1e-12), weights)
        own = rows[len(before) :]
        pooled = np.concatenate([own.mean(axis=0), own.max(axis=0) * STRONGEST, rows[0]])
        found: Singles = pooled @ weights["heads.weight"].T + weights["heads.bias"]
        return found
