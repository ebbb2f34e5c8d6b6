"""Training of text labels: ridge regression on hashed n-grams, with each author left out in turn, then calibrated.

All of it is closed form or plain descent in NumPy, so the same lines give the same weights. Leaving an author out needs
no second training: the prediction for a left-out block follows from the inverse of the whole (the block form of
leave-one-out). So reports and calibration always use authors that the weights had not seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from polyclinic.reading.text_labels import BUCKETS, CountedGrams, Floats, counted, unit

_DECAY = 0.3
_OFTEN = 400
_AT_ONCE = 1_024
_CALIBRATION_DECAY = 3e-4
_STEPS = 600


class LabelledText(NamedTuple):
    """A text with its label. `weight` is how much it counts among the texts of its label."""

    text: str
    lang: str
    label: str
    author: str
    weight: float = 1.0


class Fitted(NamedTuple):
    """Rarities of the buckets, the table of weights, and each row's scores with weights that never saw its author."""

    rarity: np.ndarray[tuple[int], np.dtype[np.float32]]
    table: np.ndarray[tuple[int, int], np.dtype[np.float32]]
    unseen: Floats


def fit_labels(rows: Sequence[LabelledText], labels: Sequence[str]) -> Fitted:
    """Train on all rows. Every label has the same weight, however many rows it has."""
    grams = [counted(row.text) for row in rows]
    rarity = _rarity(grams)
    values = [unit(row, rarity) for row in grams]
    number = np.array([labels.index(row.label) for row in rows])
    targets = np.where(number[:, None] == np.arange(len(labels)), 1.0, -1.0)
    share = np.array([row.weight for row in rows]) / np.bincount(number, minlength=len(labels))[number]
    weights = share / share.mean()
    inverse = np.linalg.inv(_likeness(grams, values) + np.diag(_DECAY / weights))
    dual: Floats = (inverse @ targets).astype(np.float64)
    unseen = np.empty_like(targets)
    authors = np.array([row.author for row in rows])
    for author in sorted(set(authors.tolist())):
        block = np.flatnonzero(authors == author)
        unseen[block] = targets[block] - np.linalg.solve(inverse[np.ix_(block, block)], dual[block])
    return Fitted(rarity, _table(grams, values, dual), unseen)


def _rarity(grams: Sequence[CountedGrams]) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """The square of the logarithm of how rare a bucket is."""
    seen = np.bincount(np.concatenate([row.buckets for row in grams]), minlength=BUCKETS)
    return (np.log((len(grams) + 1) / (seen + 1)) ** 2).astype(np.float32)


def _likeness(grams: Sequence[CountedGrams], values: Sequence[Floats]) -> Floats:
    """How similar each pair of rows is.

    Frequent buckets are computed as one dense product; the many rare buckets are added one by one.
    """
    buckets = np.concatenate([row.buckets for row in grams])
    owners = np.repeat(np.arange(len(grams)), [len(row.buckets) for row in grams])
    worth = np.concatenate(values)
    order = np.argsort(buckets, kind="stable")
    owners, worth = owners[order], worth[order]
    counts = np.bincount(buckets, minlength=BUCKETS)
    ends = np.cumsum(counts)
    often = np.flatnonzero(counts > _OFTEN)
    dense = np.zeros((len(grams), len(often)))
    for column, bucket in enumerate(often.tolist()):
        part = slice(ends[bucket] - counts[bucket], ends[bucket])
        dense[owners[part], column] = worth[part]
    found: Floats = np.empty((len(grams), len(grams)))
    for start in range(0, len(grams), _AT_ONCE):  # the whole product at once crashes OpenBLAS from about 20,000 rows on
        found[start : start + _AT_ONCE] = dense[start : start + _AT_ONCE] @ dense.T
    for bucket in np.flatnonzero((counts > 0) & (counts <= _OFTEN)).tolist():
        part = slice(ends[bucket] - counts[bucket], ends[bucket])
        mine, value = owners[part], worth[part]
        found[mine[:, None], mine] += value[:, None] * value
    return found


def _table(
    grams: Sequence[CountedGrams], values: Sequence[Floats], dual: Floats
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    buckets = np.concatenate([row.buckets for row in grams])
    owners = np.repeat(np.arange(len(grams)), [len(row.buckets) for row in grams])
    worth = np.concatenate(values)
    columns = [np.bincount(buckets, worth * dual[owners, label], BUCKETS) for label in range(dual.shape[1])]
    return np.stack(columns, axis=1).astype(np.float32)


def calibrate(scores: Floats, number: np.ndarray[tuple[int], np.dtype[np.int64]], labels: int) -> Floats:
    """A table that turns scores and a constant 1 into logits whose probabilities fit the labels (multinomial
    regression).
    """
    rows = np.concatenate([scores, np.ones((len(scores), 1))], axis=1)
    wanted = np.eye(labels)[number]
    table = np.zeros((rows.shape[1], labels))
    momentum, square = np.zeros_like(table), np.zeros_like(table)
    for step in range(1, _STEPS + 1):
        logits = rows @ table
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        gradient = rows.T @ (odds / odds.sum(axis=1, keepdims=True) - wanted) / len(rows)
        gradient += 2 * _CALIBRATION_DECAY / 9 * table
        momentum = 0.9 * momentum + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        rate = 0.3 * (1 - (step - 1) / _STEPS)
        table -= rate * (momentum / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return table
