"""Training: one logistic model for each kind, by plain gradient descent in NumPy, the same bytes each time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyclinic.reading.features import BUCKETS, Features

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]


class Linear(NamedTuple):
    """A trained model of one kind: weights in the hashed table, weights of the plain features, and its offset."""

    places: NDArray[np.uint32]
    weights: Floats
    dense: Floats
    offset: float


class _Table:
    """Rows of features as one sparse table over the indices that occur."""

    def __init__(self, rows: Sequence[Features]) -> None:
        sizes = np.array([len(row.places) for row in rows])
        self.starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self.rows = np.repeat(np.arange(len(rows), dtype=np.int32), sizes)
        places = np.concatenate([row.places for row in rows])
        self.used, self.columns, counts = np.unique(places, return_inverse=True, return_counts=True)
        self.values = np.concatenate([row.values for row in rows])
        order = np.argsort(self.columns, kind="stable")
        self.row_of, self.by_column = self.rows[order], self.values[order]
        self.column_starts = np.concatenate([[0], np.cumsum(counts)[:-1]])

    def times(self, weights: Singles) -> Singles:
        return np.add.reduceat(self.values * weights[self.columns], self.starts)

    def back(self, errors: Singles) -> Singles:
        return np.add.reduceat(self.by_column * errors[self.row_of], self.column_starts)


def fit(
    rows: Sequence[Features],
    labels: Sequence[float],
    *,
    targets: Sequence[str] = (),
    sparse_decay: float = 2e-4,
    dense_decay: float = 2e-3,
    steps: int = 220,
) -> Linear:
    """Logistic regression with weight decay. Yes and no have the same total weight, however many there are of each:
    over all rows, or within each target where `targets` names one for each row.
    """
    table = _Table(rows)
    plain = np.stack([row.dense for row in rows]).astype(np.float64)
    mean, spread = plain.mean(axis=0), plain.std(axis=0) + 1e-3
    scaled = ((plain - mean) / spread * 0.3).astype(np.float32)
    wanted = np.asarray(labels, dtype=np.float64)
    answer, weight = wanted.astype(np.float32), _balanced(wanted, targets).astype(np.float32)
    cut, size = len(table.used), len(table.used) + plain.shape[1] + 1
    decay = np.concatenate([np.full(cut, sparse_decay), np.full(plain.shape[1], dense_decay), [0.0]]).astype(np.float32)
    parameters, momentum, square, gradient, change = np.zeros((5, size), dtype=np.float32)
    for step in range(1, steps + 1):
        score = table.times(parameters[:cut]) + np.einsum("ij,j->i", scaled, parameters[cut:-1]) + parameters[-1]
        errors = (1 / (1 + np.exp(-np.clip(score, -30, 30))) - answer) * weight
        gradient[:cut], gradient[cut:-1] = table.back(errors), np.einsum("ij,i->j", scaled, errors)
        gradient[-1] = errors.sum()
        gradient += np.multiply(decay, parameters, out=change)
        momentum *= 0.9
        momentum += np.multiply(gradient, 0.1, out=change)
        square *= 0.999
        square += np.multiply(np.square(gradient, out=change), 0.001, out=change)
        np.sqrt(np.divide(square, 1 - 0.999**step, out=change), out=change)
        change += 1e-6
        np.divide(momentum, change, out=change)
        parameters -= np.multiply(change, 0.08 * (1 - (step - 1) / steps) / (1 - 0.9**step), out=change)
    learned = parameters.astype(np.float64)
    dense = learned[cut:-1] * 0.3 / spread
    return Linear(table.used.astype(np.uint32), learned[:cut], dense, float(learned[-1] - dense @ mean))


def _balanced(wanted: Floats, targets: Sequence[str]) -> Floats:
    """How much each row counts. A target that has only yes or only no rows counts by the shares of all rows."""
    weight = _halves(wanted)
    names = np.asarray(targets)
    for name in sorted(set(targets)):
        own = names == name
        if len(set(wanted[own])) > 1:
            weight[own] = _halves(wanted[own]) * own.mean()
    return weight


def _halves(wanted: Floats) -> Floats:
    """Weights with which yes rows and no rows each sum to a half."""
    yes = max(wanted.sum(), 1e-9)
    halves: Floats = np.where(wanted > 0.5, 0.5 / yes, 0.5 / max(len(wanted) - yes, 1e-9))
    return halves


def whole_table(model: Linear) -> Floats:
    """The weights of one kind at their indices. Each kind has a table of its own, so that kinds do not collide."""
    table = np.zeros(BUCKETS)
    table[model.places] = model.weights
    return table
