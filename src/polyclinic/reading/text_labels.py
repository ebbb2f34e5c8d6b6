"""Gives a text one of several labels: calibrated weights over hashed n-grams, with the words that decided. Rare
sequences of letters and words hold most of the meaning in short messages, so n-grams count by the square of their
rarity. A text's vector has length one, so a long text does not count more than a short one.
"""

from __future__ import annotations

import hashlib
import io
import re
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
import orjson
from numpy.typing import NDArray

from polyclinic.core.files import bad_file
from polyclinic.text.normal import HANGUL, straight
from polyclinic.text.sentences import sentences
from polyclinic.text.words import words_and_marks

BUCKETS = 1 << 18
LONGEST = 2_000
_DATE = (1980, 1, 1, 0, 0, 0)

Floats = NDArray[np.float64]
F = TypeVar("F", bound=np.floating[Any])


class CountedGrams(NamedTuple):
    """One text's buckets, and the logarithm of how often it has each."""

    buckets: NDArray[np.int64]
    counts: Floats


def n_grams(text: str) -> Iterator[tuple[str, float]]:
    """Words, pairs of words, sequences of two to five letters, and sequences of Korean letters (jamo).

    The words of the first and the last sentence also count separately.
    """
    plain = straight(text[:LONGEST]).lower()
    row = words_and_marks(plain)
    for word in row:
        yield f"w{word}", 1.0
    for one, other in pairwise(row):
        yield f"b{one} {other}", 1.0
    flat = f" {' '.join(plain.split())} "
    for size in (2, 3, 4, 5):
        for start in range(len(flat) - size + 1):
            yield f"c{flat[start : start + size]}", 0.5
    if HANGUL.search(flat):
        letters = unicodedata.normalize("NFD", flat)
        for size in (3, 5, 7):
            for start in range(len(letters) - size + 1):
                yield f"j{letters[start : start + size]}", 0.4
    parts = sentences(plain)
    for mark, part in (("F", parts[0]), ("Z", parts[-1])) if parts else ():
        edge = words_and_marks(part)
        for word in edge:
            yield f"{mark}{word}", 1.0
        for one, other in pairwise(edge):
            yield f"{mark}{one} {other}", 1.0


@lru_cache(maxsize=256)
def counted(text: str) -> CountedGrams:
    """A text's n-grams in their buckets."""
    found: dict[int, float] = {}
    for gram, weight in n_grams(text):
        bucket = zlib.crc32(gram.encode()) % BUCKETS
        found[bucket] = found.get(bucket, 0.0) + weight
    counts = np.log1p(np.fromiter(found.values(), np.float64, len(found)))
    return CountedGrams(np.fromiter(found.keys(), np.int64, len(found)), counts)


def shares(scores: NDArray[F]) -> NDArray[F]:
    """Scores as shares that add up to 1 in each row."""
    odds = np.exp(scores - scores.max(axis=-1, keepdims=True))
    found: NDArray[F] = odds / odds.sum(axis=-1, keepdims=True)
    return found


def unit(row: CountedGrams, rarity: NDArray[np.float32]) -> Floats:
    """A row's values by rarity, at unit length."""
    values: Floats = row.counts * rarity[row.buckets]
    length = float(np.sqrt(np.sum(values * values)))
    return values / (length + 1e-9)


@dataclass(frozen=True)
class TextLabels:
    """The result of training.

    `calibration` has one table for each language, which turns scores and a constant 1 into logits.
    """

    labels: tuple[str, ...]
    rarity: NDArray[np.float32]
    table: NDArray[np.float32]
    calibration: Mapping[str, Floats]
    settings: Mapping[str, Mapping[str, float]]
    digest: str = ""

    def scores(self, text: str) -> Floats:
        """The raw score of each label."""
        row = counted(text)
        found: Floats = unit(row, self.rarity) @ self.table[row.buckets].astype(np.float64)
        return found

    def read(self, text: str, lang: str) -> dict[str, float]:
        """The probability of each label, calibrated on authors that the weights had not seen."""
        logits: Floats = np.append(self.scores(text), 1.0) @ self.calibration[lang]
        return dict(zip(self.labels, shares(logits).tolist(), strict=True))

    def words(self, text: str, towards: frozenset[str], against: frozenset[str], most: int = 6) -> str:
        """The words of the text that counted most for some labels and against others, in their order."""
        row = counted(text)
        sides = [[self.labels.index(label) for label in sorted(side)] for side in (towards, against)]
        table = self.table[row.buckets]
        gain = unit(row, self.rarity) * (table[:, sides[0]].max(axis=1) - table[:, sides[1]].max(axis=1))
        by_bucket = dict(zip(row.buckets.tolist(), gain.tolist(), strict=True))
        tokens = list(re.finditer(r"\S+", text[:LONGEST]))
        worth = [sum(by_bucket.get(bucket, 0.0) for bucket in _buckets_of(token.group())) for token in tokens]
        best = sorted(sorted(range(len(tokens)), key=lambda place: -worth[place])[:most])
        return " … ".join(tokens[place].group() for place in best if worth[place] > 0)


@lru_cache(maxsize=512)
def _buckets_of(token: str) -> set[int]:
    """The buckets of one word and of the letter sequences inside it."""
    return {zlib.crc32(gram.encode()) % BUCKETS for gram, _ in n_grams(token) if gram[0] in "wcj"}


def save(model: TextLabels) -> bytes:
    """The model as one compact file: weights in one byte each. The same model gives the same bytes."""
    scale = np.maximum(np.abs(model.table).max(axis=0), 1e-9) / 127
    head = {
        "labels": model.labels,
        "scale": [float(f"{value:.6g}") for value in scale],
        "rarest": float(f"{model.rarity.max():.6g}"),
        "calibration": {
            lang: [[round(cell, 5) for cell in row] for row in table.tolist()]
            for lang, table in sorted(model.calibration.items())
        },
        "settings": model.settings,
    }
    steps = np.asarray(head["scale"], np.float32)
    parts = {
        "head.json": orjson.dumps(head, option=orjson.OPT_SORT_KEYS),
        "table.i8": np.rint(model.table / steps).clip(-127, 127).astype(np.int8).tobytes(),
        "rarity.u8": np.rint(model.rarity / model.rarity.max() * 255).astype(np.uint8).tobytes(),
    }
    return zipped(parts)


def zipped(parts: Mapping[str, bytes]) -> bytes:
    """Files as one compressed archive. The same files give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name, content in parts.items():
            file.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_DEFLATED, 9)
    return out.getvalue()


def load(content: bytes, file_name: str = "weights") -> TextLabels:
    """A model from a file's bytes."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            head = orjson.loads(file.read("head.json"))
            table = np.frombuffer(file.read("table.i8"), np.int8).reshape(BUCKETS, -1)
            rarity = np.frombuffer(file.read("rarity.u8"), np.uint8)
    except (KeyError, ValueError, zipfile.BadZipFile) as error:
        raise bad_file(file_name, f"this file does not hold weights for text labels: {error}") from None
    return TextLabels(
        tuple(head["labels"]),
        rarity.astype(np.float32) * np.float32(head["rarest"] / 255),
        table.astype(np.float32) * np.asarray(head["scale"], np.float32),
        {lang: np.asarray(rows) for lang, rows in head["calibration"].items()},
        head["settings"],
        hashlib.sha256(content).hexdigest()[:12],
    )
