"""The first network that reads whole sentences: layers of attention over word pieces.

It began as a network that has read far more English than our sets hold, and was trained further on the lines of our
training authors (`tools/encoder`). It reads English only. The layers read each text once. A question about the text
alone has a column of its own. A question that compares the text with something (a fact, a step, a source, what was
said before) matches the pieces of both, in both directions. The second network (see `together`) does that otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from polyclinic.reading.layers import LONGEST, STRONGEST, Singles, states
from polyclinic.reading.pieces import WordPieces
from polyclinic.reading.text_labels import shares
from polyclinic.text.normal import HANGUL, Lang

_TEXTS = 4_096


class TextStates(NamedTuple):
    """One text as the layers read it: the states of its pieces, projected for matching, and the answer of each
    column.
    """

    matched: Singles
    columns: Singles


@dataclass(frozen=True, eq=False)
class SentenceEncoder:
    """The trained network: its vocabulary, the names of its columns and kinds, and its weights by name.

    A column or kind without a name was not good enough, and is not asked.
    """

    pieces: WordPieces
    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    weights: Mapping[str, Singles]

    @property
    def languages(self) -> tuple[Lang, ...]:
        """English only."""
        return ("en",)

    def reads(self, text: str) -> bool:
        """Whether the text is in a language that the network knows."""
        return not HANGUL.search(text)

    def alone(self, text: str, column: str, kind: str, said: str) -> float | None:
        """The score of a question about the text alone, or as an answer to what was `said`. None if it was not learned.

        Above 0 means yes.
        """
        place = self._columns.get(column)
        if place is None:
            return None
        score = float(self._states(text).columns[place])
        if said:
            score += float(self._match(text, said, kind) @ self.weights["ctx.weight"][place])
            score += float(self.weights["ctx.bias"][place])
        return score

    def compared(self, text: str, target: str, kind: str) -> float | None:
        """The score of a question that compares the text with a target. None if the kind was not learned."""
        place = self._kinds.get(kind)
        if place is None or not target:
            return None
        found = self._match(text, target, kind)
        return float(found @ self.weights["kind"][place] + self.weights["kb"][place])

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.columns)}

    @cached_property
    def _kinds(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.kinds)}

    def _states(self, text: str) -> TextStates:
        return self._cached(text)

    @cached_property
    def _cached(self) -> Callable[[str], TextStates]:
        return lru_cache(_TEXTS)(self._read)

    def _read(self, text: str) -> TextStates:
        weights, rows = self.weights, states(self.weights, self.pieces.cut(text, LONGEST))
        pooled = np.concatenate([rows.mean(axis=0), rows.max(axis=0) * STRONGEST])
        return TextStates(
            rows @ weights["P.weight"].T + weights["P.bias"],
            pooled @ weights["heads.weight"].T + weights["heads.bias"],
        )

    def _match(self, text: str, other: str, kind: str) -> Singles:
        """What the pieces of two texts say about each other."""
        weights, mine, theirs = self.weights, self._states(text).matched, self._states(other).matched
        likeness = mine @ theirs.T / np.sqrt(np.float32(mine.shape[1]))
        pooled: list[Singles] = []
        for rows, met in ((mine, shares(likeness) @ theirs), (theirs, shares(likeness.T) @ mine)):
            beside = np.concatenate([rows, met, np.abs(rows - met), rows * met], axis=1)
            found = np.maximum(beside @ weights["cmp.weight"].T + weights["cmp.bias"], 0)
            pooled += [found.mean(axis=0), found.max(axis=0)]
        one, other_one = mine.mean(axis=0), theirs.mean(axis=0)
        pooled += [one, other_one, np.abs(one - other_one), one * other_one]
        hidden = np.maximum(np.concatenate(pooled) @ weights["trunk.weight"].T + weights["trunk.bias"], 0)
        scaled: Singles = hidden * weights["kmod.weight"][self._kinds[kind]]
        return scaled
