"""What a reader recalls: texts that it learned from, their targets, and the answers. N-grams and nearness say how a
text is worded and how near it is to a target. They do not know that "what brings you in?" is answered by a cough. A
reader that has read such a question with such a fact knows it: a reading gets the answer of a similar labelled reading.
Two readings are similar if both their texts and their targets are similar, so the similarity is a product (kernel ridge
regression). Recall helps with cases that occur in the labelled lines. For other cases it changes almost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyclinic.reading.features import text_hash
from polyclinic.reading.vectors import whole

Floats = NDArray[np.float64]
Likeness = NDArray[np.float32]
_DECAY = 0.3
_TEXTS, _TARGETS = 64, 512
"""How many texts and targets are cached: one text is asked about many targets, and many texts about the same target."""


@dataclass(frozen=True, eq=False)
class Recall:
    """Labelled readings of one kind: unit vectors of texts and targets, and how much each pair of them counts."""

    texts: NDArray[np.float32]
    targets: NDArray[np.float32]
    names: NDArray[np.uint32]
    text_of: NDArray[np.uint16]
    target_of: NDArray[np.uint16]
    counts: NDArray[np.float32]

    def says(self, text: str, target: str) -> float:
        """The answer of similar readings: about 1 for yes, about -1 for no, near 0 if there was no similar reading."""
        return float(self.counts @ (self._near(text) * self._about(target)[self.target_of]))

    @cached_property
    def _near(self) -> Callable[[str], Likeness]:
        return lru_cache(_TEXTS)(lambda text: _texts_alike(self.texts, text)[self.text_of])

    @cached_property
    def _about(self) -> Callable[[str], Likeness]:
        return lru_cache(_TARGETS)(lambda target: _targets_alike(self.targets, self.names, target))


class Sample(NamedTuple):
    """One labelled reading to learn from."""

    text: str
    target: str
    label: bool
    author: str


def _texts_alike(known: NDArray[np.float32], text: str) -> Likeness:
    likeness: Likeness = np.maximum(known @ whole(text), 0.0) ** 2
    return likeness


def _targets_alike(known: NDArray[np.float32], names: NDArray[np.uint32], target: str) -> Likeness:
    likeness = np.maximum(known @ whole(target), 0.0) ** 2
    same: Likeness = (likeness + (names == np.uint32(text_hash(target)))).astype(np.float32) / 2
    return same


def learn(samples: Sequence[Sample]) -> tuple[Recall, dict[str, Recall]]:
    """The recall from all samples, and for each author the recall from all other authors. The weight of recall is
    learned on the latter, because a reader meets people whose texts it has not learned.
    """
    texts = sorted({sample.text for sample in samples})
    targets = sorted({sample.target for sample in samples})
    text_place = {text: place for place, text in enumerate(texts)}
    target_place = {target: place for place, target in enumerate(targets)}
    of_text = np.array([text_place[sample.text] for sample in samples])
    of_target = np.array([target_place[sample.target] for sample in samples])
    known = np.stack([whole(text) for text in texts])
    about = np.stack([whole(target) for target in targets])
    names = np.array([text_hash(target) for target in targets], dtype=np.uint32)
    near = np.maximum(known @ known.T, 0.0).astype(np.float64) ** 2
    alike = (np.maximum(about @ about.T, 0.0).astype(np.float64) ** 2 + np.eye(len(targets))) / 2
    likeness = near[np.ix_(of_text, of_text)] * alike[np.ix_(of_target, of_target)]
    labels = np.array([1.0 if sample.label else -1.0 for sample in samples])
    shares = np.where(labels > 0, 0.5 / (labels > 0).sum(), 0.5 / (labels < 0).sum()) * len(labels)
    inverse = np.linalg.inv(likeness + np.diag(_DECAY / shares))
    counts = inverse @ labels

    def made(values: Floats) -> Recall:
        places = (of_text.astype(np.uint16), of_target.astype(np.uint16))
        return Recall(known, about, names, *places, np.round(values, 4).astype(np.float32))

    without: dict[str, Recall] = {}
    authors = np.array([sample.author for sample in samples])
    for author in sorted(set(authors)):
        own = np.flatnonzero(authors == author)
        others = counts - inverse[:, own] @ np.linalg.solve(inverse[np.ix_(own, own)], counts[own])
        others[own] = 0.0
        without[author] = made(others)
    return made(counts), without


def packed(recall: Recall) -> bytes:
    """The recall as bytes: vectors in steps of 1/512, since a unit vector's parts are small."""
    sizes = np.array([len(recall.texts), len(recall.targets), len(recall.counts)], dtype=np.uint32)
    vectors = [np.clip(np.round(table * 512), -127, 127).astype(np.int8) for table in (recall.texts, recall.targets)]
    parts = (sizes, *vectors, recall.names, recall.text_of, recall.target_of, recall.counts)
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts)


def unpacked(content: bytes, dimensions: int) -> Recall:
    """The reverse of `packed`."""
    texts, targets, rows = np.frombuffer(content[:12], np.uint32).tolist()
    sizes = (12, texts * dimensions, targets * dimensions, targets * 4, rows * 2, rows * 2, rows * 4)
    ends = np.cumsum(sizes).tolist()
    cuts = [content[start:end] for start, end in pairwise(ends)]
    known, about = (_units(np.frombuffer(cut, np.int8).reshape(-1, dimensions)) for cut in cuts[:2])
    return Recall(
        known,
        about,
        np.frombuffer(cuts[2], np.uint32),
        np.frombuffer(cuts[3], np.uint16),
        np.frombuffer(cuts[4], np.uint16),
        np.frombuffer(cuts[5], np.float32),
    )


def _units(table: NDArray[np.int8]) -> NDArray[np.float32]:
    values = table.astype(np.float32)
    units: NDArray[np.float32] = values / (np.sqrt(np.einsum("ij,ij->i", values, values))[:, None] + np.float32(1e-9))
    return units
