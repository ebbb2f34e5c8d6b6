"""A text and a question as numbers: n-grams, blanked n-grams, and nearness.

n-grams of the text show negation, hedging and manner. Nearness shows which fact, step or rule (the target of the
question) is meant. Blanked n-grams, in which the target is blanked out, show what is said about it.
"""

from __future__ import annotations

import re
import zlib
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyclinic.core.reading import ReadingKind
from polyclinic.reading.pitfalls import pitfall_features
from polyclinic.reading.reply import reply_features
from polyclinic.reading.targets import Target, blanked, compares, standing
from polyclinic.reading.vectors import NOTHING, nearness, whole
from polyclinic.reading.words import NEGATIONS, STOP, content, opposed, words
from polyclinic.text.sentences import clauses

BUCKETS = 1 << 18
_HEDGE = re.compile(
    r"\b(maybe|perhaps|might|could|may|possibly|probably|think|guess|wonder|suppose|unsure|either|if)\b", re.IGNORECASE
)
_FIRST_PERSON = re.compile(r"\b(i|i'm|i've|me|my|mine|we|our)\b", re.IGNORECASE)
_BLANKS = frozenset("=~%")
_KNOTS = (0.2, 0.35, 0.5, 0.65, 0.8)

Row = NDArray[np.uint32]
Values = NDArray[np.float32]


class Features(NamedTuple):
    """One reading as numbers: indices and values in a hashed table, and a short row of plain features."""

    places: Row
    values: Values
    dense: Values

    def recalling(self, said: float) -> Features:
        """The same features and one more plain feature: the answer recalled from similar readings."""
        return self._replace(dense=np.append(self.dense, np.float32(said)))


class TextGrams(NamedTuple):
    """Hashes and values of a text's n-grams, before they are given a scope."""

    hashes: Row
    values: Values


def text_hash(text: str) -> int:
    """A number for a text, the same in every process."""
    return zlib.crc32(text.encode())


@lru_cache(maxsize=2048)
def text_grams(text: str) -> TextGrams:
    """Words, pairs of words, and sequences of three to five characters."""
    row = words(text)
    counted: dict[int, float] = {}
    for gram in [*row, *map(" ".join, pairwise(row))]:
        key = text_hash(gram)
        counted[key] = counted.get(key, 0.0) + 1.0
    flat = f" {' '.join(text.lower().split())} "
    for size in (3, 4, 5):
        for start in range(len(flat) - size + 1):
            key = text_hash("c" + flat[start : start + size])
            counted[key] = counted.get(key, 0.0) + 0.5
    for gram in (f"^{row[0] if row else ''}", f"^{' '.join(row[:2])}", f"${flat.strip()[-1:]}"):
        counted[text_hash(gram)] = 1.0
    return _unit(counted)


def _unit(counted: dict[int, float]) -> TextGrams:
    values = np.fromiter(counted.values(), np.float32, len(counted))
    return TextGrams(np.fromiter(counted.keys(), np.uint32, len(counted)), values / (np.sqrt(values @ values) + 1e-9))


def scoped(grams: TextGrams, scope: str) -> Row:
    """The indices of the n-grams in the table, for one scope."""
    mixed = (grams.hashes ^ np.uint32(text_hash(scope))) * np.uint32(2654435761)
    return (mixed >> np.uint32(7)) % np.uint32(BUCKETS)


def blanked_grams(text: str, target: Target) -> TextGrams:
    """Sequences of two to four words in which a word of the target or of a rival is blanked out."""
    row = ["^", *blanked(text, target), "$"]
    blank = [word in _BLANKS for word in row]
    counted: dict[int, float] = {}
    for size in (2, 3, 4):
        for start in range(len(row) - size + 1):
            if True in blank[start : start + size]:
                key = text_hash("b" + " ".join(row[start : start + size]))
                counted[key] = counted.get(key, 0.0) + 1.0
    return _unit(counted)


def _knots(value: float) -> list[float]:
    return [value, *[value - knot if value > knot else 0.0 for knot in _KNOTS]]


@lru_cache(maxsize=2048)
def _numbers(text: str) -> frozenset[str]:
    return frozenset(word for word in words(text) if word[0].isdigit())


def dense_features(text: str, target: Target, context: str) -> Values:
    """Plain features: how near the text is to the target, which part of the target is missing, and the wording."""
    parts = clauses(text)
    near = [nearness(part, target.whole) for part in parts] if target.whole else [NOTHING]
    best = max(range(len(near)), key=lambda index: near[index].cosine + near[index].covered)
    there, top = nearness(text, target.whole) if target.whole else NOTHING, near[best]
    first, second = (nearness(text, part) if part else NOTHING for part in (target.first, target.second))
    mine, wanted, said = content(text), content(target.whole), content(parts[best])
    shared = len(mine & wanted)
    negated = sum(word in NEGATIONS for word in words(parts[best]))
    goal = sum(word in NEGATIONS for word in words(target.whole))
    numbers, figures = _numbers(text), _numbers(target.whole)
    asks, hedges = float("?" in parts[best]), float(_HEDGE.search(parts[best]) is not None)
    turned = float((negated > 0) != (goal > 0))
    overlap = shared / max(1, len(wanted))
    around = nearness(text, context[:500]).cosine if context else 0.0
    rival = max((nearness(text, other).covered for other in target.rivals), default=0.0)
    contrary = min(opposed(mine, wanted), 3) / 3
    row = [
        *_knots(there.cosine), *_knots(there.covered), *_knots(overlap),
        *_knots(first.covered), *_knots(second.covered), top.cosine, top.covered,
        top.well_covered, top.worst, top.used, top.well_used,
        there.well_covered, there.worst, there.used, there.well_used, first.cosine, second.cosine,
        shared / max(1, len(mine)), len(said & wanted) / max(1, len(said)), len(said & wanted) / max(1, len(wanted)),
        float(bool(figures)), len(numbers & figures) / max(1, len(figures)),
        float(bool(figures) and bool(numbers - figures)),
        float(bool(figures) and not numbers & figures), contrary, contrary * overlap, rival, there.covered - rival,
        min(negated, 2) / 2, turned, turned * top.covered, turned * overlap, asks, asks * top.covered, hedges,
        hedges * overlap, float(text.strip().endswith("?")), float(_FIRST_PERSON.search(text) is not None),
        around, there.cosine - around,
        min(len(text), 400) / 400, min(len(target.whole), 300) / 300, len(parts) / 6, *standing(text, target),
    ]  # fmt: skip
    return np.asarray(row, dtype=np.float32)


def scope_of(kind: ReadingKind, target: Target) -> str:
    """The scope of a text's own n-grams. For kinds with a fixed list of targets, each target has its own scope."""
    return f"{kind.name}|{target.whole}" if kind.listed else kind.name


def manner_features(text: str) -> Values:
    """Plain features of a text alone, for questions about its manner only."""
    row = words(text)
    size = max(len(row), 1)
    return np.asarray(
        [
            min(len(text), 400) / 400,
            float("?" in text),
            float(text.strip().endswith("?")),
            text.count("?") / 3,
            float(_FIRST_PERSON.search(text) is not None),
            float(_HEDGE.search(text) is not None),
            min(sum(word in NEGATIONS for word in row), 3) / 3,
            len(clauses(text)) / 6,
            sum(word in STOP for word in row) / size,
        ],
        dtype=np.float32,
    )


@lru_cache(maxsize=1024)
def _vector_places(scope: str, size: int) -> Row:
    """The indices of a text's vector in the table, for one scope."""
    spread = np.uint32(text_hash(f"{scope}|vector")) + np.arange(size, dtype=np.uint32)
    return ((spread * np.uint32(2654435761)) >> np.uint32(7)) % np.uint32(BUCKETS)


def features(kind: ReadingKind, target: Target, context: str, text: str) -> Features:
    """One reading as numbers."""
    scope = scope_of(kind, target)
    own, vector = text_grams(text), whole(text)
    about = compares(kind)
    places, values = [scoped(own, scope)], [own.values * (0.4 if about else 2.0)]
    if target.whole:
        pattern = blanked_grams(text, target)
        places.append(scoped(pattern, f"{kind.name}|blanked"))
        values.append(pattern.values * (0.7 if kind.bound else 1.5))
    places.append(_vector_places(scope, len(vector)))
    values.append(vector * (0.5 if about else 2.0 if kind.listed else 1.0))
    dense = dense_features(text, target, context) if target.whole else manner_features(text)
    if "pitfalls" in kind.open:
        dense = np.concatenate([dense, pitfall_features(text, target.pitfalls)])
    if kind.in_reply:
        dense = np.concatenate([dense, reply_features(text, context)])
    return Features(np.concatenate(places), np.concatenate(values), dense)
