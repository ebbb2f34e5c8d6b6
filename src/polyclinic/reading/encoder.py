"""A small network that reads whole sentences: layers of attention over word pieces.

There are two of them (see `layers`). Each began as a network that has read far more English than our sets hold, and was
trained further on the lines of our training authors (`tools/encoder`). They read English only. The layers read each
text once. A question about the text alone has a column of its own. A question that compares the text with something
(a fact, a step, a source, what was said before) matches the pieces of both, in both directions.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import orjson

from polyclinic.core.files import bad_file, package_file
from polyclinic.reading.layers import LONGEST, Singles, states
from polyclinic.reading.pieces import LikeliestPieces, LongestPieces, WordPieces
from polyclinic.reading.text_labels import shares, zipped
from polyclinic.text.normal import HANGUL

ENCODER, SECOND = "encoder.npz", "second_encoder.npz"
GUARD = "guard"
"""The columns of the second network for the labels of the counsel guard begin with this."""
_TEXTS = 4_096
_STRONGEST = np.float32(0.3)
"""How much the strongest state counts beside the mean."""


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
        pooled = np.concatenate([rows.mean(axis=0), rows.max(axis=0) * _STRONGEST])
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


def packed_encoder(encoder: SentenceEncoder) -> bytes:
    """The network as one compact file: large weights in one byte each, with a scale for each row."""
    names = sorted(encoder.weights)
    head: dict[str, Any] = {
        "pieces": encoder.pieces.pieces,
        "columns": encoder.columns,
        "kinds": encoder.kinds,
        "shapes": {name: encoder.weights[name].shape for name in names},
    }
    if isinstance(encoder.pieces, LikeliestPieces):
        head["scores"] = [round(score, 4) for score in encoder.pieces.scores]
    parts = {"head.json": orjson.dumps(head)}
    for name in names:
        weights = encoder.weights[name]
        if weights.ndim < 2:
            parts[f"{name}.f32"] = weights.astype(np.float32).tobytes()
            continue
        scale = np.maximum(np.abs(weights).max(axis=1), 1e-9).astype(np.float32) / 127
        parts[f"{name}.scale"] = scale.tobytes()
        parts[f"{name}.i8"] = np.rint(weights / scale[:, None]).astype(np.int8).tobytes()
    return zipped(parts)


def load_encoder(content: bytes, file_name: str = ENCODER) -> SentenceEncoder:
    """The reverse of `packed_encoder`."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            head = orjson.loads(file.read("head.json"))
            weights: dict[str, Singles] = {}
            for name, shape in head["shapes"].items():
                if len(shape) < 2:
                    weights[name] = np.frombuffer(file.read(f"{name}.f32"), np.float32).reshape(shape)
                    continue
                scale = np.frombuffer(file.read(f"{name}.scale"), np.float32)[:, None]
                weights[name] = np.frombuffer(file.read(f"{name}.i8"), np.int8).reshape(shape) * scale
        for names, rows in (("columns", "heads.weight"), ("kinds", "kind")):
            if len(head[names]) != len(weights[rows]):
                raise ValueError(f"{len(head[names])} {names}, but weights for {len(weights[rows])}")
    except (KeyError, ValueError, zipfile.BadZipFile) as error:
        raise bad_file(file_name, f"not the weights of a sentence encoder: {error}") from None
    pieces: WordPieces = LongestPieces(head["pieces"])
    if "scores" in head:
        pieces = LikeliestPieces(head["pieces"], head["scores"])
    return SentenceEncoder(pieces, tuple(head["columns"]), tuple(head["kinds"]), weights)


@cache
def shipped_encoder(name: str = ENCODER) -> SentenceEncoder:
    """A network in the package; loaded at first use."""
    return load_encoder(package_file("polyclinic.reading", f"data/{name}").read_bytes(), name)
