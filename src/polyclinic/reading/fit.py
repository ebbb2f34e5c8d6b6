"""Training: one logistic model for each kind, by plain gradient descent in NumPy, the same bytes each time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyclinic.reading.features import BUCKETS, Features

Floats = NDArray[np.float64]


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
        self.rows = np.repeat(np.arange(len(rows)), sizes)
        places = np.concatenate([row.places for row in rows])
        self.used, self.columns = np.unique(places, return_inverse=True)
        self.values = np.concatenate([row.values for row in rows]).astype(np.float64)

    def times(self, weights: Floats) -> Floats:
        return np.add.reduceat(self.values * weights[self.columns], self.starts)

    def back(self, errors: Floats) -> Floats:
        return np.bincount(self.columns, self.values * errors[self.rows], minlength=len(self.used)).astype(np.float64)


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
    plain = (plain - mean) / spread * 0.3
    wanted = np.asarray(labels, dtype=np.float64)
    weight = _balanced(wanted, targets)
    parameters = np.zeros(len(table.used) + plain.shape[1] + 1)
    decay = np.concatenate([np.full(len(table.used), sparse_decay), np.full(plain.shape[1], dense_decay), [0.0]])
    momentum, square = np.zeros_like(parameters), np.zeros_like(parameters)
    cut = len(table.used)
    for step in range(1, steps + 1):
        score = table.times(parameters[:cut]) + np.einsum("ij,j->i", plain, parameters[cut:-1]) + parameters[-1]
        errors = (1 / (1 + np.exp(-np.clip(score, -30, 30))) - wanted) * weight
        gradient = np.concatenate([table.back(errors), np.einsum("ij,i->j", plain, errors), [errors.sum()]])
        gradient += decay * parameters
        momentum = 0.9 * momentum + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        rate = 0.08 * (1 - (step - 1) / steps)
        parameters -= rate * (momentum / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-6)
    dense = parameters[cut:-1] * 0.3 / spread
    return Linear(table.used.astype(np.uint32), parameters[:cut], dense, float(parameters[-1] - dense @ mean))


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


def whole_table(models: Sequence[Linear]) -> Floats:
    """One table of weights for all kinds. Because of the scopes, kinds use different indices, except for rare hash
    collisions.
    """
    table = np.zeros(BUCKETS)
    for model in models:
        table[model.places] += model.weights
    return table
