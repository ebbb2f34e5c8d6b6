"""A small network that reads the words of a text in order: it hears phrases, where n-grams know only exact wordings.

The token vectors of a text pass through one layer, then through filters over one, two and three neighbours. For each
filter the strongest and the mean answer count. One network serves all questions about a text alone and all listed
targets, so that each question gains from the lines of the others. It is trained in `order_training.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from polyclinic.reading.vectors import DIMENSIONS, token_rows

Singles = NDArray[np.float32]
WIDTHS = (1, 2, 3)
LAYER, FILTERS = 64, 96
LONGEST = 160
"""Tokens after this one are not read."""
_TEXTS = 256


def shapes(heads: int) -> list[tuple[int, ...]]:
    """The shapes of the weights in their order: the layer, the filters of each width, and a column for each head."""
    found: list[tuple[int, ...]] = [(DIMENSIONS, LAYER), (LAYER,)]
    for width in WIDTHS:
        found += [(width * LAYER, FILTERS), (FILTERS,)]
    return [*found, (2 * len(WIDTHS) * FILTERS, heads), (heads,)]


@dataclass(frozen=True, eq=False)
class OrderNetwork:
    """The trained network: the name of each head, and the weights as `shapes` lists them."""

    heads: tuple[str, ...]
    weights: tuple[Singles, ...]

    def score(self, text: str, head: str) -> float | None:
        """The score of a text for one head: above 0 means yes. None if the network has no such head."""
        place = self._places.get(head)
        return None if place is None else float(self._scores(text)[place])

    def without(self, heads: Collection[str]) -> OrderNetwork:
        """The same network without these heads."""
        kept = [place for place, head in enumerate(self.heads) if head not in heads]
        columns, offsets = self.weights[-2][:, kept], self.weights[-1][kept]
        return OrderNetwork(tuple(self.heads[place] for place in kept), (*self.weights[:-2], columns, offsets))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {head: place for place, head in enumerate(self.heads)}

    @cached_property
    def _scores(self) -> Callable[[str], Singles]:
        return lru_cache(_TEXTS)(self._read)

    def _read(self, text: str) -> Singles:
        rows = token_rows(text)[:LONGEST]
        hidden = np.tanh(rows @ self.weights[0] + self.weights[1])
        found: list[Singles] = []
        for number, width in enumerate(WIDTHS):
            filters, offset = self.weights[2 + 2 * number], self.weights[3 + 2 * number]
            answers = np.maximum(neighbours(hidden[None], width)[0] @ filters + offset, 0.0)
            found += [answers.max(axis=0, initial=0.0), answers.sum(axis=0) / max(len(rows), 1)]
        scores: Singles = np.concatenate(found) @ self.weights[-2] + self.weights[-1]
        return scores


def neighbours(hidden: Singles, width: int) -> Singles:
    """Each run of `width` neighbours as one row, also those that begin before the text or end after it."""
    edge = width - 1
    wide = np.pad(hidden, ((0, 0), (edge, edge), (0, 0)))
    size = hidden.shape[1] + edge
    return np.concatenate([wide[:, start : start + size] for start in range(width)], axis=2)


def packed_order(order: OrderNetwork) -> bytes:
    """The weights as bytes, in half precision."""
    return b"".join(part.astype(np.float16).tobytes() for part in order.weights)


def unpacked_order(content: bytes, heads: tuple[str, ...]) -> OrderNetwork:
    """The reverse of `packed_order`."""
    flat = np.frombuffer(content, np.float16).astype(np.float32)
    wanted = shapes(len(heads))
    ends = np.cumsum([int(np.prod(shape)) for shape in wanted])
    if ends[-1] != len(flat):
        raise ValueError("the network has another size")
    parts = np.split(flat, ends[:-1])
    return OrderNetwork(heads, tuple(part.reshape(shape) for part, shape in zip(parts, wanted, strict=True)))
