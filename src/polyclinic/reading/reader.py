"""The built-in reader as a model: it gets a text and questions, and returns findings with the words that show them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from math import inf, log

import numpy as np
import orjson

from polyclinic.core.model import Completion, ModelKind, Request, estimate_usage
from polyclinic.core.read_text import SURE, ReadsText
from polyclinic.core.reading import SENTENCE_READER, Question, ReadingKind, Says
from polyclinic.core.turns import give_way
from polyclinic.errors import ReaderError
from polyclinic.reading.features import Features, features, scope_of
from polyclinic.reading.networks import ENCODER, SECOND, SentenceNetwork, shipped_encoder
from polyclinic.reading.targets import Target, compares, rival_questions, target_of, words_before
from polyclinic.reading.vectors import nearness
from polyclinic.reading.weights import LINES, Weights, sentence_kind, shipped_weights
from polyclinic.reading.windows import SPEAKER, gathered, windows
from polyclinic.reading.words import says_nothing
from polyclinic.text.sentences import clauses, sentences

UNCLEAR = 0.02
_RIVAL, _ONE_OF_SEVERAL = 0.4, 0.3
"""How much the likeliest rival option lowers a score, and the offset. Both were chosen on held-out training authors."""
_ORDER = 0.25
"""How much the network that reads words in order counts, where it has learned the question. It was chosen on held-out
training authors.
"""
_MOST_HEARD = 4.0
"""What the network can add to the score of a single sentence: for a sentence that would need more, it is not asked."""
_DECIDES = 0.2
"""How far a sentence that decides lifts the score of its text over the bound of a yes."""
_ENCODER = 0.4
"""How much the networks that read whole sentences count together, where they have learned the question. It was chosen
on held-out training authors.
"""
_SETTLED = 2.5
"""From this score of the words alone on, for yes or for no, the networks that read whole sentences are not asked: of
9,234 lines by left-out authors none would have been read otherwise, and three in ten cost nothing.
"""
_KEPT, _SCORES = 16_384, 16_384
"""How many readings and scores are cached: one option is a rival in many questions about the same text."""


class BuiltInReader:
    """Answers `ReadsText` with trained weights: offline, always the same, in under a millisecond per question."""

    kind: ModelKind = "reader"

    def __init__(
        self,
        kinds: Mapping[str, ReadingKind],
        path: str = "",
        weights: Weights | None = None,
        *,
        sentences: bool = False,
    ) -> None:
        self._kinds, self._path, self._weights, self._sentences = dict(kinds), path, weights, sentences
        self.answers_again = not path and weights is None  # a user's file may change before the run is resumed
        self._probability = lru_cache(maxsize=_KEPT)(self._work_out)
        self._scored = lru_cache(maxsize=_SCORES)(self._score)

    @property
    def name(self) -> str:
        """`builtin`, with the file if the weights are a user's own; or `builtin:sentences`."""
        if self._sentences:
            return SENTENCE_READER
        return f"builtin:{self._path}" if self._path else "builtin"

    @property
    def weights(self) -> Weights:
        """The weights; loaded at first use if they were not given."""
        return self._weights or shipped_weights(self._path)

    def _weights_of(self, kind: ReadingKind) -> Weights:
        """The weights that read this kind. A kind that is `in_reply` has a file of its own."""
        return self._weights or (shipped_weights(name=LINES) if kind.in_reply else self.weights)

    async def answer(self, request: Request) -> Completion:
        """The findings as the JSON that a language model would have sent. The reader of people's words adds how sure it
        is of a yes, where somebody is told; every reader adds it where a flow needs it.
        """
        prompt = request.prompt
        if not isinstance(prompt, ReadsText):
            raise ReaderError(f"the built-in reader cannot answer {type(prompt).__name__}; it only answers ReadsText")
        reply: dict[str, object] = {}
        sure: dict[str, float] = {}
        for number, question in enumerate(prompt.questions, start=1):
            await give_way()
            says, words = self.read(prompt.text, question)
            reply[f"q{number}_words"], reply[f"q{number}"] = words, says
            kind = self._kinds[question.kind]
            if says == "yes" and (kind.needs_sure or (self._sentences and kind.shows_sure)):
                sure[f"q{number}"] = round(self._probability(prompt.text, question), 3)
        if sure:
            reply[SURE] = sure
        text = orjson.dumps(reply).decode()
        return Completion(text=text, usage=estimate_usage(request, text))

    def read(self, text: str, question: Question) -> tuple[Says, str]:
        """One finding."""
        chance = self._probability(text, question)
        kind = self._kinds[question.kind]
        if kind.only_learned and scope_of(kind, target_of(kind, question)) not in self.weights.scopes:
            return "unclear", ""
        enough = kind.surely
        if abs(chance - enough) < UNCLEAR:
            return "unclear", ""
        if chance < enough:
            return "no", ""
        return "yes", self._shown(text, question)

    def probability(self, text: str, question: Question) -> float:
        """How likely the answer is yes."""
        return self._probability(text, question)

    def likeness(self, text: str, other: str) -> float:
        """How near two texts are in meaning."""
        return nearness(text, other).cosine

    def _work_out(self, text: str, question: Question) -> float:
        kind = self._kinds.get(question.kind)
        if kind is None or question.kind not in self._weights_of(kind).offsets:
            raise ReaderError(
                f"the built-in reader has not learned the kind '{question.kind}': train it with 'polyclinic "
                f"train reader', or"
                " cast another reader"
            )
        if kind.states and says_nothing(text):
            return 0.0
        if kind.open and not target_of(kind, question).whole:
            raise ReaderError(
                f"the built-in reader cannot tell what '{question.kind}' is asked about: ask in its own words, "
                f"'{kind.context}' and '{kind.question}'"
            )
        score = self._gathered(text, kind, question)
        rivals = [self._gathered(text, kind, other) for other in rival_questions(kind, question)]
        if rivals:
            score += _ONE_OF_SEVERAL - _RIVAL * max(rivals)
        return float(1 / (1 + np.exp(-np.clip(score, -30, 30))))

    def _gathered(self, text: str, kind: ReadingKind, question: Question) -> float:
        weights = self._weights_of(kind)
        read = partial(self.score, kind=kind, question=question)
        score = gathered(read, text, weights.gather, kind.name, alone=kind.alone)
        scope = scope_of(kind, target_of(kind, question))
        heard = weights.order.score(text, scope) if weights.order else None
        score = score if heard is None else (1 - _ORDER) * score + _ORDER * heard
        asked = self._sentences and abs(score) < _SETTLED
        understood = _understood(text, kind, question) if asked else None
        score = score if understood is None else (1 - _ENCODER) * score + _ENCODER * understood
        bound = log(kind.surely / (1 - kind.surely)) + _DECIDES
        if scope not in weights.enough or score >= bound:
            return score
        over = self._over(text, kind, question)
        return max(score, over + bound) if over >= 0 else score

    def _over(self, text: str, kind: ReadingKind, question: Question) -> float:
        """How far the clearest sentence of a text is over the bound. Harmless sentences are left out."""
        enough = self._weights_of(kind).enough[scope_of(kind, target_of(kind, question))]
        parts = [
            part
            for part in _own_parts(text, question)
            if self._both(part, kind, question)[1] + _MOST_HEARD > 2 * enough
        ]
        return max((self.sentence_score(part, kind, question) for part in parts), default=-inf) - enough

    def sentence_score(self, text: str, kind: ReadingKind, question: Question) -> float:
        """The score of a single sentence, for a kind that is read `by_sentence`."""
        order, score = self._weights_of(kind).order, self._both(text, kind, question)[1]
        heard = order.score(text, scope_of(kind, target_of(kind, question))) if order else None
        return score if heard is None else (score + heard) / 2

    def score(self, text: str, kind: ReadingKind, question: Question) -> float:
        """The score of one text alone: above 0 means yes."""
        return self._both(text, kind, question)[0]

    def _both(self, text: str, kind: ReadingKind, question: Question) -> tuple[float, float]:
        target = target_of(kind, question)
        return self._scored(text, kind, target, question.context if target.whole or kind.in_reply else "")

    def _score(self, text: str, kind: ReadingKind, target: Target, context: str) -> tuple[float, float]:
        """The score of a text, and its score as a single sentence; 0 where the weights hold none for sentences."""
        weights = self._weights_of(kind)
        found = features(kind, target, context, text)
        recall = weights.recalls.get(kind.name)
        if recall is not None:
            found = found.recalling(recall.says(text, target.whole))
        learned = not kind.listed or scope_of(kind, target) in weights.scopes
        single = sentence_kind(kind.name)
        score = _weighed(found, weights, kind.name, learned)
        return score, _weighed(found, weights, single, learned) if single in weights.offsets else 0.0

    def _shown(self, text: str, question: Question) -> str:
        """The sentence for which a yes is most likely."""
        kind = self._kinds[question.kind]
        if scope_of(kind, target_of(kind, question)) in self._weights_of(kind).enough:
            own = _own_parts(text, question) or [text]
            return SPEAKER.sub("", max(own, key=lambda part: self.sentence_score(part, kind, question)))
        parts = clauses(text)
        if len(parts) == 1:
            return text
        return max(parts, key=lambda part: self._probability(part, question))


def _weighed(found: Features, weights: Weights, name: str, learned: bool) -> float:
    """The score of a text by one table of the weights. A target that was not learned has no n-grams of its own."""
    score = weights.offsets[name] + float(found.dense @ weights.dense[name])
    if learned:
        score += float(weights.tables[name][found.places] @ found.values) * weights.steps[name]
    return score


def _understood(text: str, kind: ReadingKind, question: Question) -> float | None:
    """The mean score by the networks that read whole sentences, of those that have learned the question; None if none
    has, or if they do not know the language.
    """
    if kind.in_reply:
        return None
    found = (_network_score(shipped_encoder(name), text, kind, question) for name in (ENCODER, SECOND))
    scores = [score for score in found if score is not None]
    return sum(scores) / len(scores) if scores else None


def _network_score(encoder: SentenceNetwork, text: str, kind: ReadingKind, question: Question) -> float | None:
    target = target_of(kind, question)
    if not encoder.reads(text):
        return None
    if compares(kind) or kind.bound:
        return encoder.compared(text, target.whole, kind.name)
    return encoder.alone(text, scope_of(kind, target), kind.name, words_before(kind, question))


def _own_parts(text: str, question: Question) -> list[str]:
    """The sentences of a text, without those that are harmless."""
    return [part for part in windows(text, short=True) if not _said_in(part, question.compared.harmless)]


def _said_in(part: str, known: tuple[str, ...]) -> bool:
    """Whether each sentence of a part is one of the known ones."""
    said = sentences(SPEAKER.sub("", part), semicolons=True, lines=False)
    return bool(known) and all(sentence in known for sentence in said)
