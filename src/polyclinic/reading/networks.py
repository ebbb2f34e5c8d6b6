"""The files of the networks that read whole sentences: large weights in one byte each, with a scale for each row."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np
import orjson

from polyclinic.core.files import bad_file, package_file
from polyclinic.reading.encoder import SentenceEncoder
from polyclinic.reading.layers import Singles
from polyclinic.reading.pieces import LikeliestPieces, LongestPieces, WordPieces
from polyclinic.reading.text_labels import zipped
from polyclinic.reading.together import TURN, JoinedEncoder
from polyclinic.text.normal import Lang

ENCODER, SECOND = "encoder.npz", "second_encoder.npz"
GUARD = "guard"
"""The columns of the second network for the labels of the counsel guard begin with this."""


class SentenceNetwork(Protocol):
    """A network that answers questions about a text."""

    @property
    def pieces(self) -> WordPieces:
        """Its vocabulary."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns; a column without a name is not asked."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The names of the kinds that compare, if they are no columns."""

    @property
    def weights(self) -> Mapping[str, Singles]:
        """Its weights by name."""

    @property
    def languages(self) -> tuple[Lang, ...]:
        """The languages that it knows."""

    def reads(self, text: str) -> bool:
        """Whether the text is in a language that the network knows."""

    def alone(self, text: str, column: str, kind: str, said: str) -> float | None:
        """The score of a question about the text, or about an answer to what was `said`. None if it was not learned.

        Above 0 means yes.
        """

    def compared(self, text: str, target: str, kind: str) -> float | None:
        """The score of a question that compares the text with a target. None if the kind was not learned."""


def packed_encoder(encoder: SentenceNetwork) -> bytes:
    """The network as one compact file."""
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


def load_encoder(content: bytes, file_name: str = ENCODER) -> SentenceNetwork:
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
        _weights_for(head, weights)
    except (KeyError, ValueError, zipfile.BadZipFile) as error:
        raise bad_file(file_name, f"not the weights of a sentence encoder: {error}") from None
    pieces: WordPieces = LongestPieces(head["pieces"])
    if "scores" in head:
        pieces = LikeliestPieces(head["pieces"], head["scores"])
    if TURN in weights:
        return JoinedEncoder(pieces, tuple(head["columns"]), weights)
    return SentenceEncoder(pieces, tuple(head["columns"]), tuple(head["kinds"]), weights)


def _weights_for(head: Mapping[str, Sequence[str]], weights: Mapping[str, Singles]) -> None:
    """A value error unless there is one row of weights for each name."""
    for names, rows in (("columns", "heads.weight"), ("kinds", "kind")):
        count = len(weights[rows]) if names == "columns" or TURN not in weights else 0
        if len(head[names]) != count:
            raise ValueError(f"{len(head[names])} {names}, but weights for {count}")


@cache
def shipped_encoder(name: str = ENCODER) -> SentenceNetwork:
    """A network in the package; loaded at first use."""
    return load_encoder(package_file("polyclinic.reading", f"data/{name}").read_bytes(), name)
