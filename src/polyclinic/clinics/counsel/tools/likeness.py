"""Which of many example sentences a message is most like: by stems, runs of letters, and vectors.

An example belongs to a label, such as a document. Rare words count more than common ones, and words that only ask count
little. Of two labels whose examples are equally like the message, the one wins that has more of its words anywhere: in
its other examples or in the text about it. A question is less like a statement than like another question.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from polyclinic.clinics.counsel.rules.asking import only_asks, wants_to_know
from polyclinic.clinics.counsel.rules.content import content, held, is_light, stem_and_meaning, subjects
from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.core.embedding import Embedder
from polyclinic.text.normal import normalise
from polyclinic.text.words import words

_VECTORS: dict[Lang, float] = {"en": 0.5, "ko": 0.25}
"""How much the vectors count beside the words. The default vectors know little Korean."""
_LIGHT = 0.35
"""What a word counts that only asks, or hardly says what a sentence is about."""
_RUNS: dict[Lang, float] = {"en": 0.25, "ko": 0.5}
"""What a run of letters (four in English, two or three in Korean) counts beside a word."""
_ENDING, _LAST = 0.3, 0.3
"""What the ending of a Korean word counts, and how much less if it is not the last word."""
_OTHER_FORM = 0.85
"""What a question is worth as an example for a statement, and the other way round."""
_SECOND, _COVERED = 0.15, 0.25
"""How much the second example of a label counts, and the words of the message that the label has."""
_LEAST = 0.12
"""An example less like the message than this is left out."""


@dataclass(frozen=True)
class Like:
    """A label, how like it is to a message (at most 1), the number of its example that is most like, and how like this
    example is by itself.
    """

    label: str
    score: float
    example: int
    alone: float


class MessageLikeness:
    """Compares messages in one language with labelled examples."""

    def __init__(
        self, embedder: Embedder, lang: Lang, examples: Sequence[tuple[str, str]], about: Mapping[str, str]
    ) -> None:
        self._embedder, self._lang, self._texts = embedder, lang, [text for text, _ in examples]
        self._of: dict[str, list[int]] = defaultdict(list)
        for number, (_, label) in enumerate(examples):
            self._of[label].append(number)
        rows = [_features(text, lang) for text in self._texts]
        self._counts = Counter(feature for row in rows for feature in row)
        self._found = self._by_feature(rows)
        self._asks = np.array([wants_to_know(text) for text in self._texts])
        self._vectors = embedder.embed(self._texts)
        own = {label: " ".join(self._texts[number] for number in numbers) for label, numbers in self._of.items()}
        self._words = {label: content(f"{text} {about.get(label, '')}") for label, text in own.items()}
        self._with_word = Counter(stem for found in self._words.values() for stem in found)

    def ranked(self, text: str, labels: Collection[str] | None = None) -> list[Like]:
        """The labels (or those among `labels`), the most like one first."""
        scores = self._scores(text)
        ranked = []
        for label, numbers in self._of.items():
            order = sorted(numbers, key=lambda number: -scores[number])
            if (labels is not None and label not in labels) or scores[order[0]] < _LEAST:
                continue
            first, second = float(scores[order[0]]), float(scores[order[1]]) if len(order) > 1 else 0.0
            covered = self._covered(text, label)
            score = (1 - _SECOND - _COVERED) * first + _SECOND * second + _COVERED * covered
            ranked.append(Like(label, score, order[0], first))
        return sorted(ranked, key=lambda like: -like.score)

    def asks(self, example: int) -> bool:
        """Whether an example is a question."""
        return bool(self._asks[example])

    def _by_feature(self, rows: Sequence[dict[str, float]]) -> dict[str, tuple[npt.NDArray[np.int32], _Scores]]:
        """For each feature the examples that have it, and how much it counts in each."""
        found: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, row in enumerate(rows):
            weighed = {feature: count * self._weight(feature) for feature, count in row.items()}
            length = math.sqrt(sum(value * value for value in weighed.values())) or 1.0
            for feature, value in weighed.items():
                found[feature].append((number, value / length))
        return {
            feature: (np.array([at for at, _ in pairs], np.int32), np.array([value for _, value in pairs]))
            for feature, pairs in found.items()
        }

    def _weight(self, feature: str) -> float:
        return math.log((len(self._texts) + 1) / (self._counts[feature] + 0.5))

    def _scores(self, text: str) -> _Scores:
        """How like each example is to a text."""
        scores, length = np.zeros(len(self._texts)), 0.0
        for feature, count in _features(text, self._lang).items():
            value = count * self._weight(feature)
            length += value * value
            if feature in self._found:
                numbers, values = self._found[feature]
                scores[numbers] += value * values
        share = _VECTORS[self._lang]
        scores *= (1 - share) / (math.sqrt(length) or 1.0)
        scores += share * (self._vectors @ self._embedder.embed([text])[0])
        scores[self._asks != wants_to_know(text)] *= _OTHER_FORM
        return scores

    def _covered(self, text: str, label: str) -> float:
        """The share of the words of a text that a label has; rare words count more."""
        weights = {stem: math.log(1 + len(self._of) / (self._with_word[stem] + 0.5)) for stem in subjects(text)}
        total = sum(weights.values())
        return sum(weight * held(stem, self._words[label]) for stem, weight in weights.items()) / total if total else 0


_Scores = npt.NDArray[np.float64]


def _features(text: str, lang: Lang) -> dict[str, float]:
    """What of a text is compared, and how much each part counts."""
    found: dict[str, float] = defaultdict(float)
    said = words(normalise(text))
    for number, word in enumerate(said):
        stem, meaning = stem_and_meaning(word)
        share = _LIGHT if only_asks(word) or is_light(stem) else 1.0
        found[f"word {meaning}"] += share
        if lang == "ko":
            for run in _runs(word, 2):
                found[f"run {run}"] += _RUNS[lang] * share
            found[f"ending {word[-2:]}"] += _ENDING * (1.0 if number == len(said) - 1 else _LAST)
        elif share == 1.0:
            for run in _runs(f"^{word}$", 4):
                found[f"run {run}"] += _RUNS[lang]
    for run in _runs("".join(said), 3) if lang == "ko" else map(" ".join, zip(["^", *said], [*said, "$"], strict=True)):
        found[f"across {run}"] += _RUNS[lang] if lang == "ko" else _LIGHT
    return found


def _runs(text: str, length: int) -> list[str]:
    return [text[at : at + length] for at in range(len(text) - length + 1)]
