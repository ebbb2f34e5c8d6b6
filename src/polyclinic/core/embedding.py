"""What the engine asks of an embedder and of a vector index; implementations are in `polyclinic.retrieval`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]
else:
    Vectors = object  # only for the type checker: NumPy is imported where vectors are made


class Embedder(Protocol):
    """Turns texts into unit vectors, always the same for the same text."""

    @property
    def name(self) -> str:
        """Names the embedder in libraries: vectors of two embedders are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """The vectors' length."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row for each text."""
        ...

    def threshold(self, published: float) -> float:
        """A paper's similarity threshold, translated to this embedder at the same rate of false matches."""
        ...


class VectorIndex(Protocol):
    """Nearest rows by inner product. Rows are numbered in the order they were added; removed rows never match."""

    def __len__(self) -> int: ...

    def add(self, vectors: Vectors) -> None:
        """Append rows."""
        ...

    def remove(self, row: int) -> None:
        """Remove one row from all later results."""
        ...

    def nearest(self, vector: Vectors, k: int) -> list[tuple[int, float]]:
        """Up to k (row, similarity), best first; equal similarities go to the lower row."""
        ...
