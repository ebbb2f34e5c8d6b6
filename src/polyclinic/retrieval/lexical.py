"""Finding text by its words: BM25 over words and, for scripts without clear word boundaries, character n-grams.

Korean has no fixed word forms (particles and endings stick to the stem), so a Hangul, Han or Kana word is also indexed
by its pairs of characters. English words lose a few plain endings. The same text always gives the same scores.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

from polyclinic.text.words import FUNCTION_WORDS, search_stem, words

_GLUED = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af]")


def _words(text: str) -> list[str]:
    """The words of a text; an underscore separates two words."""
    return words(text.replace("_", " "))


def tokens(text: str) -> list[str]:
    """The terms of a text for BM25, in order, with repeats."""
    found: list[str] = []
    for word in _words(unicodedata.normalize("NFC", text)):
        if _GLUED.search(word):
            found.append(word)
            found += [word[at : at + 2] for at in range(len(word) - 1)] if len(word) > 2 else []
        elif word not in FUNCTION_WORDS:
            found.append(search_stem(word))
    return found


class Bm25:
    """BM25 over documents that are numbered in the order they were added."""

    def __init__(self, documents: Iterable[str] = (), k1: float = 1.2, b: float = 0.75) -> None:
        self._k1, self._b = k1, b
        self._lengths: list[int] = []
        self._total = 0
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for document in documents:
            self.add(document)

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, document: str) -> int:
        """Append one document. Returns its number."""
        terms = tokens(document)
        number = len(self._lengths)
        self._lengths.append(len(terms))
        self._total += len(terms)
        for term, count in Counter(terms).items():
            self._postings.setdefault(term, []).append((number, count))
        return number

    def scores(self, query: str) -> dict[int, float]:
        """A score for each document that shares a term with the query."""
        found: dict[int, float] = {}
        mean = self._total / len(self._lengths) if self._total else 1.0
        for term in sorted(set(tokens(query))):
            postings = self._postings.get(term, ())
            rarity = math.log(1 + (len(self) - len(postings) + 0.5) / (len(postings) + 0.5))
            for number, count in postings:
                norm = self._k1 * (1 - self._b + self._b * self._lengths[number] / mean)
                found[number] = found.get(number, 0.0) + rarity * count * (self._k1 + 1) / (count + norm)
        return found

    def nearest(self, query: str, k: int) -> list[tuple[int, float]]:
        """Up to k (document, score), best first; equal scores go to the lower number."""
        return ranked(self.scores(query).items(), k)


def ranked(scored: Iterable[tuple[int, float]], k: int) -> list[tuple[int, float]]:
    """The k best, best first; equal scores go to the lower number."""
    rounded = [(number, round(score, 9)) for number, score in scored]
    return sorted(rounded, key=lambda item: (-item[1], item[0]))[: max(k, 0)]
