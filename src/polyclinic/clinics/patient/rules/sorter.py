"""Computes the share of each topic in a text, learned from examples: kernel ridge regression on vectors of their
meaning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polyclinic.reading.vectors import tokens

Floats = NDArray[np.float64]
_DECAY, _SHARP = 0.1, 12.0
_BY_OTHERS = 0.3


class Sorter:
    """A model that learned from texts of each topic, and from `others`.

    These are texts with known shares of the topics, and they count less.
    """

    def __init__(self, topics: Sequence[Sequence[str]], others: Sequence[tuple[str, Floats]] = ()) -> None:
        texts = [(place, text) for place, group in enumerate(topics) for text in group]
        own = np.zeros((len(texts), len(topics)))
        own[np.arange(len(texts)), [place for place, _ in texts]] = 1.0
        self._known = np.stack(
            [_vector(text) for text in (*(text for _, text in texts), *(text for text, _ in others))]
        )
        wanted = np.concatenate([own, *(shares[None] for _, shares in others)])
        decay = np.array([_DECAY] * len(texts) + [_DECAY / _BY_OTHERS] * len(others))
        self._counts = np.linalg.solve(_alike(self._known, self._known) + np.diag(decay), wanted)

    def __call__(self, text: str) -> Floats:
        """The shares of the topics in a text; they add up to 1."""
        scores = (_alike(_vector(text)[None], self._known) @ self._counts)[0]
        shares = np.exp((scores - scores.max()) * _SHARP)
        return np.asarray(np.round(shares / shares.sum(), 6))


def _vector(text: str) -> Floats:
    return tokens(text).whole.astype(np.float64)


def _alike(some: Floats, others: Floats) -> Floats:
    return np.asarray(np.maximum(some @ others.T, 0.0) ** 2)
