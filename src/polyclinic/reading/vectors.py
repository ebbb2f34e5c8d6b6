"""Token vectors for the reader: how near two texts are, word by word."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyclinic.retrieval.embedders import WordLlamaEmbedder

Vector = NDArray[np.float32]
DIMENSIONS = 256
_NEAR = 0.6
_LONG = 1_000
"""The tokens of texts with more characters are not cached. A token takes a kilobyte, and the cache must stay small."""


class Tokens(NamedTuple):
    """A text's tokens: their unit vectors, each token's share of the text (rare tokens have long vectors), and the unit
    vector of the whole text.
    """

    units: Vector
    shares: Vector
    whole: Vector


class Nearness(NamedTuple):
    """How well a text covers a target: the mean best match, the share that is well matched, the worst quarter. It has
    the same figures for how well the target covers the text.
    """

    cosine: float
    covered: float
    well_covered: float
    worst: float
    used: float
    well_used: float


@cache
def _table() -> tuple[WordLlamaEmbedder, Vector, Vector]:
    embedder = WordLlamaEmbedder()
    table = np.asarray(embedder.token_vectors, dtype=np.float32)
    norms = np.sqrt(np.einsum("ij,ij->i", table, table)) + 1e-9
    return embedder, table, norms


def tokens(text: str) -> Tokens:
    """The tokens of a text, in lower case."""
    return _kept(text) if len(text) <= _LONG else _tokens(text)


@lru_cache(maxsize=4_096)
def whole(text: str) -> Vector:
    """The unit vector of a whole text."""
    return tokens(text).whole


def _token_ids(text: str) -> NDArray[np.intp]:
    embedder, table, _ = _table()
    return np.clip(np.asarray(embedder.token_ids(text.lower()), dtype=np.intp), 0, len(table) - 1)


def token_rows(text: str) -> Vector:
    """The vectors of a text's tokens in order; rare tokens have long vectors."""
    _, table, _ = _table()
    rows: Vector = table[_token_ids(text)]
    return rows


def _tokens(text: str) -> Tokens:
    _, table, norms = _table()
    ids = _token_ids(text)
    if not len(ids):
        return Tokens(np.zeros((0, DIMENSIONS), np.float32), np.zeros(0, np.float32), np.zeros(DIMENSIONS, np.float32))
    units = table[ids] / norms[ids][:, None]
    mean = units.mean(axis=0)
    lengths = norms[ids]
    return Tokens(units, lengths / lengths.sum(), mean / (np.sqrt(mean @ mean) + 1e-9))


_kept = lru_cache(maxsize=512)(_tokens)


NOTHING = Nearness(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@lru_cache(maxsize=16_384)
def nearness(text: str, target: str) -> Nearness:
    """How near a text is to a target."""
    mine, theirs = tokens(text), tokens(target)
    if not len(mine.units) or not len(theirs.units):
        return NOTHING
    table = theirs.units @ mine.units.T
    best, back = np.maximum.reduce(table, axis=1), np.maximum.reduce(table, axis=0)
    weight, own = theirs.shares, mine.shares
    lowest = max(1, len(best) // 4)
    worst = np.add.reduce(np.sort(best)[:lowest]) / lowest
    return Nearness(
        float(mine.whole @ theirs.whole),
        float(best @ weight),
        float(np.add.reduce(weight[best > _NEAR])),
        float(worst),
        float(back @ own),
        float(np.add.reduce(own[back > _NEAR])),
    )
