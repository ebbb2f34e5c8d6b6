"""Search by vectors and by words over documents that know their source.

Two rankings are fused by reciprocal rank: a passage counts ``weight / (60 + rank)`` in each. Ranks need no common
scale, so a weak embedder (wordllama on Korean) cannot outweigh the words, and the words cannot outweigh the meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from polyclinic.core.embedding import Embedder, VectorIndex
from polyclinic.retrieval.chunking import Chunk, by_paragraph
from polyclinic.retrieval.index import new_index
from polyclinic.retrieval.lexical import Bm25, ranked

_RANK_CONSTANT = 60


@dataclass(frozen=True)
class Document:
    """A text with its source (a title or citation that can be shown) and any other data."""

    id: str
    text: str
    source: str = ""
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Passage:
    """A piece of a document that was found, its scores, and its position in the document."""

    document: Document
    chunk: Chunk
    score: float
    similarity: float
    words: float

    @property
    def text(self) -> str:
        """The piece's text."""
        return self.chunk.text.strip()

    @property
    def source(self) -> str:
        """The source to cite."""
        return self.document.source or self.document.id


class HybridIndex:
    """Searches chunked documents by meaning and by words."""

    def __init__(
        self,
        embedder: Embedder,
        documents: Iterable[Document] = (),
        *,
        chunk: Callable[[str], list[Chunk]] = by_paragraph,
        vector_weight: float = 1.0,
        lexical_weight: float = 1.0,
        index: Callable[[int], VectorIndex] = new_index,
    ) -> None:
        self._embedder, self._chunk = embedder, chunk
        self._weights = (vector_weight, lexical_weight)
        self._pieces: list[tuple[Document, Chunk]] = []
        self._vectors = index(embedder.dimensions)
        self._words = Bm25()
        self.add(documents)

    def __len__(self) -> int:
        return len(self._pieces)

    def add(self, documents: Iterable[Document]) -> None:
        """Chunk and index documents; blank pieces are left out."""
        fresh = [
            (document, chunk) for document in documents for chunk in self._chunk(document.text) if chunk.text.strip()
        ]
        if not fresh:
            return
        self._vectors.add(self._embedder.embed([chunk.text for _, chunk in fresh]))
        for _, chunk in fresh:
            self._words.add(chunk.text)
        self._pieces += fresh

    def search(self, query: str, k: int = 5, *, min_similarity: float = -1.0, pool: int = 50) -> list[Passage]:
        """Up to k passages, best first.

        `min_similarity` drops passages that neither share a word with the query nor are this near in meaning: a
        threshold can reject passages that are off topic, but not choose among the others.
        """
        if k < 1 or not self._pieces:
            return []
        near = self._vectors.nearest(self._embedder.embed([query])[0], max(pool, k))
        words = self._words.nearest(query, max(pool, k))
        fused = fuse([[row for row, _ in near], [row for row, _ in words]], self._weights)
        similarity, word_score = dict(near), dict(words)
        found = [
            Passage(*self._pieces[row], score, similarity.get(row, 0.0), word_score.get(row, 0.0))
            for row, score in fused
            if row in word_score or similarity.get(row, -1.0) >= min_similarity
        ]
        return found[:k]


def fuse(rankings: Sequence[Sequence[int]], weights: Sequence[float] = ()) -> list[tuple[int, float]]:
    """Reciprocal rank fusion: (item, score), best first; with equal scores, the lower item first."""
    scores: dict[int, float] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for rank, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + weight / (_RANK_CONSTANT + rank)
    return ranked(scores.items(), len(scores))
