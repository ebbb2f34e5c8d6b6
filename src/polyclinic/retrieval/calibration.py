"""Translating a published similarity threshold to another embedder, at the same rate of false matches.

"0.9" means nothing by itself: two different questions have the similarity 0.75 with one embedder, and 0.2 with another.
What can be compared is how many pairs of *different* questions a threshold lets through. `data/published.json` holds
that rate for published thresholds (an assumption, stated there). `data/pairs.jsonl` holds pairs of doctors' questions
that ask the same or different things, in English and Korean. The translated threshold is the similarity that lets the
same share of different pairs through.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from polyclinic.core.embedding import Vectors
from polyclinic.core.files import package_data, package_lines

Floats = npt.NDArray[np.float64]
LANGUAGES = ("en", "ko")


@dataclass(frozen=True)
class QuestionPair:
    """Two questions, and whether they ask the same thing."""

    a: str
    b: str
    same: bool
    lang: str


@lru_cache(maxsize=1)
def pairs() -> tuple[QuestionPair, ...]:
    """The shipped pairs."""
    return tuple(QuestionPair(**row) for row in package_lines("polyclinic.retrieval", "data/pairs.jsonl"))


@lru_cache(maxsize=1)
def _published() -> tuple[Floats, Floats]:
    rates = package_data("polyclinic.retrieval", "data/published.json")["rates"]
    return np.array([row[0] for row in rates], dtype=float), np.array([row[1] for row in rates], dtype=float)


def false_match_rate(published: float) -> float:
    """The share of different pairs that a published threshold is assumed to let through."""
    thresholds, rates = _published()
    return float(np.interp(published, thresholds, rates))


@dataclass(frozen=True)
class Calibration:
    """An embedder's similarities of the shipped pairs: paraphrases and different questions, each sorted."""

    same: Floats
    different: Floats

    def threshold(self, published: float) -> float:
        """The similarity that lets the same share of different pairs through as the published one did."""
        top = float(self.different[-1])
        passing = false_match_rate(published)
        smallest = 1.0 / len(self.different)
        if passing < smallest:
            return round(top + (1.0 - top) * (1.0 - passing / smallest), 4)
        return round(float(np.quantile(self.different, 1.0 - passing)), 4)

    def recall(self, threshold: float) -> float:
        """The share of paraphrases at or above a threshold."""
        return float(np.mean(self.same >= threshold))

    def separation(self) -> float:
        """How often a paraphrase is nearer than a different question (area under the curve)."""
        below = np.searchsorted(self.different, self.same, side="left")
        upto = np.searchsorted(self.different, self.same, side="right")
        return float(np.mean((below + upto) / 2) / len(self.different))


def calibrate(embed: Callable[[Sequence[str]], Vectors], languages: Sequence[str] = LANGUAGES) -> Calibration:
    """Measure an embedder.

    Different pairs are those in the file, and any two questions from different pairs of paraphrases.
    """
    chosen = [pair for pair in pairs() if pair.lang in languages]
    texts = list(dict.fromkeys(text for pair in chosen for text in (pair.a, pair.b)))
    vectors = embed(texts).astype(np.float64)
    row = {text: index for index, text in enumerate(texts)}

    def near(group: list[tuple[str, str]]) -> list[float]:
        return [float(vectors[row[a]] @ vectors[row[b]]) for a, b in group]

    same = [(pair.a, pair.b) for pair in chosen if pair.same]
    different = [(pair.a, pair.b) for pair in chosen if not pair.same]
    for language in languages:
        firsts = [pair.a for pair in chosen if pair.same and pair.lang == language]
        different += [(a, b) for index, a in enumerate(firsts) for b in firsts[index + 1 :]]
    return Calibration(np.sort(np.array(near(same))), np.sort(np.array(near(different))))
