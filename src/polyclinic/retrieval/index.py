"""Vector indexes: exact in NumPy while small; a coarse scan with faiss and exact re-ranking when large.

The large index keeps, beside the vectors, one bit per dimension (the sign after centring). A query counts differing
bits over all rows (3 ms for a million rows on one core), takes the nearest two thousand, and ranks these by similarity.
There is no training and no rebuild: a row is searchable as soon as it is added, and the same additions always give the
same answers.
"""

from __future__ import annotations

import importlib
import logging
from typing import Any

import numpy as np
import numpy.typing as npt

from polyclinic.core.embedding import VectorIndex, Vectors

EXACT_ROWS = 8_192
CANDIDATES = 2_000
_DECIMALS = 6


class _Rows:
    """Vectors in one growing array, with a mark for each removed row."""

    def __init__(self, dimensions: int) -> None:
        self.count = 0
        self.removed = 0
        self._block: Vectors = np.zeros((64, dimensions), dtype=np.float32)
        self._gone: npt.NDArray[np.bool_] = np.zeros(64, dtype=np.bool_)

    @property
    def vectors(self) -> Vectors:
        return self._block[: self.count]

    @property
    def gone(self) -> npt.NDArray[np.bool_]:
        return self._gone[: self.count]

    def add(self, vectors: Vectors) -> None:
        needed = self.count + len(vectors)
        if needed > len(self._block):
            size = max(needed, 2 * len(self._block))
            block = np.zeros((size, self._block.shape[1]), dtype=np.float32)
            block[: self.count] = self.vectors
            gone = np.zeros(size, dtype=np.bool_)
            gone[: self.count] = self.gone
            self._block, self._gone = block, gone
        self._block[self.count : needed] = vectors
        self.count = needed

    def remove(self, row: int) -> None:
        if not 0 <= row < self.count:
            raise IndexError(f"there is no row {row}: the index has {self.count}")
        if not self._gone[row]:
            self._gone[row] = True
            self.removed += 1


def _best(similarities: Vectors, rows: npt.NDArray[np.intp], k: int) -> list[tuple[int, float]]:
    """The k best of these rows.

    Similarities are rounded, so that the last bits never decide; ties go to the lower row.
    """
    rounded = np.round(similarities.astype(np.float64), _DECIMALS)
    if k < len(rounded):
        least = np.partition(rounded, len(rounded) - k)[len(rounded) - k]
        kept = np.flatnonzero(rounded >= least)
        rounded, rows = rounded[kept], rows[kept]
    order = np.lexsort((rows, -rounded))[:k]
    return [(int(rows[at]), float(rounded[at])) for at in order]


class ExactIndex:
    """Compares the query with every row."""

    def __init__(self, dimensions: int) -> None:
        self.rows = _Rows(dimensions)

    def __len__(self) -> int:
        return self.rows.count - self.rows.removed

    def add(self, vectors: Vectors) -> None:
        """Append rows."""
        self.rows.add(vectors)

    def remove(self, row: int) -> None:
        """Remove one row from all later results."""
        self.rows.remove(row)

    def nearest(self, vector: Vectors, k: int) -> list[tuple[int, float]]:
        """Up to k (row, similarity), best first; equal similarities go to the lower row."""
        if k < 1 or not len(self):
            return []
        similarities = self.rows.vectors @ np.asarray(vector, dtype=np.float32)
        rows = np.flatnonzero(~self.rows.gone)
        return _best(similarities[rows], rows, k)


class FaissIndex(ExactIndex):
    """Counts differing sign bits over all rows, then ranks the nearest by true similarity.

    The centre is the mean of the first `EXACT_ROWS` rows (or of the first addition, if that is smaller), so the batches
    of later rows make no difference.
    """

    def __init__(self, dimensions: int, candidates: int = CANDIDATES) -> None:
        super().__init__(dimensions)
        self._pad = -dimensions % 8
        self._candidates = candidates
        self._centre: Vectors | None = None
        self._faiss = _faiss()
        self._bits = self._faiss.IndexBinaryFlat(dimensions + self._pad)
        self._bits.use_heap = False

    def add(self, vectors: Vectors) -> None:
        """Append rows."""
        if not len(vectors):
            return
        if self._centre is None:
            self._centre = np.asarray(np.mean(vectors[:EXACT_ROWS], axis=0, dtype=np.float64), dtype=np.float32)
        self.rows.add(vectors)
        self._bits.add(self._signs(vectors))

    def nearest(self, vector: Vectors, k: int) -> list[tuple[int, float]]:
        """Up to k (row, similarity), best first; equal similarities go to the lower row."""
        if k < 1 or not len(self):
            return []
        query = np.asarray(vector, dtype=np.float32)
        wanted = min(max(self._candidates, 10 * k), self.rows.count)
        while True:
            _, found = self._bits.search(self._signs(query[None, :]), wanted)
            rows = np.sort(found[0].astype(np.intp))
            rows = rows[rows >= 0]
            rows = rows[~self.rows.gone[rows]]
            if len(rows) >= min(k, len(self)) or wanted >= self.rows.count:
                break
            wanted = min(4 * wanted, self.rows.count)
        return _best(self.rows.vectors[rows] @ query, rows, k)

    def _signs(self, vectors: Vectors) -> npt.NDArray[np.uint8]:
        bits = vectors > (0.0 if self._centre is None else self._centre)
        return np.packbits(np.pad(bits, ((0, 0), (0, self._pad))), axis=1)


class GrowingIndex:
    """Exact up to `EXACT_ROWS` rows, then faiss. Libraries use this index."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._now: ExactIndex = ExactIndex(dimensions)

    def __len__(self) -> int:
        return len(self._now)

    def add(self, vectors: Vectors) -> None:
        """Append rows."""
        self._now.add(vectors)
        if not isinstance(self._now, FaissIndex) and self._now.rows.count > EXACT_ROWS:
            rows = self._now.rows
            self._now = FaissIndex(self._dimensions)
            self._now.add(rows.vectors)
            for row in np.flatnonzero(rows.gone):
                self._now.remove(int(row))

    def remove(self, row: int) -> None:
        """Remove one row from all later results."""
        self._now.remove(row)

    def nearest(self, vector: Vectors, k: int) -> list[tuple[int, float]]:
        """Up to k (row, similarity), best first; equal similarities go to the lower row."""
        return self._now.nearest(vector, k)


def new_index(dimensions: int) -> VectorIndex:
    """The index that libraries use: small and exact first, large and fast when it has grown."""
    return GrowingIndex(dimensions)


def _faiss() -> Any:
    """faiss, imported late (the import takes 0.3 s), without its loader's messages, and on one thread.

    A query here is one vector: on busy cores, a second thread that waits actively made it four times slower.
    """
    logger = logging.getLogger("faiss.loader")
    before = logger.level
    logger.setLevel(logging.WARNING)
    try:
        faiss = importlib.import_module("faiss")
    finally:
        logger.setLevel(before)
    faiss.omp_set_num_threads(1)
    return faiss
