"""Which sentences of the documents that were found answer a question.

A document has one set sentence (`say`) for its main point. A question may be about another part of it. So each sentence
is compared with the question: by the words that both have, where rare words count more, and by the similarity of their
vectors in a language that the vectors know. The best one is said, with a neighbour if it cannot stand alone. If it has
nothing of what is asked about the document's subject, nothing is said.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from polyclinic.clinics.counsel.documents import SourcedPage
from polyclinic.clinics.counsel.rules.content import content, held, subjects
from polyclinic.clinics.counsel.rules.dose import asks_for_dose
from polyclinic.clinics.counsel.rules.sentence_forms import (
    ON_A_WISH,
    about_another_country,
    advises,
    announces,
    asks_for_help,
    asks_how_much,
    leans,
    says_how_much,
    speaks_of_dying,
    tells_whom_to_call,
    voices_wish,
)
from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.core.embedding import Embedder
from polyclinic.text.sentences import sentence_spans

_IN_TITLE, _IN_KEYWORDS = 0.95, 0.4
"""What a word of the question counts if it is not in the sentence but in the title or keywords of its document."""
_ALIKE: dict[Lang, float] = {"en": 0.7, "ko": 0.0}
_SET_SENTENCE, _NUMBER, _CALLING, _LATER_DOCUMENT = 0.08, 0.15, 0.15, 0.3
_ADVICE: dict[Lang, float] = {"en": 0.25, "ko": 0.15}
_DEFINES = 0.3
"""What the set sentence gains if a question has no other words than the title of its document."""
_LEAST_SHARE: dict[Lang, float] = {"en": 0.2, "ko": 0.15}
"""The share of the words beside the document's subject that an answer must have."""
_SURELY_ALIKE = 0.6
_LEAST_GAIN = 0.15
_RARE = 3.0
"""The weight from which a word that is not in a document's title shows that a sentence is about what is asked."""
_DEATH, _SYLLABLE = re.compile(r"(?:die|dy|dead|death|kill|죽)\w*"), re.compile(r"[가-힣]")
"""Stems that say too little to choose a document: death alone, and one Korean syllable."""
_BLANK_LINE = re.compile(r"\n\s*\n")


@dataclass(frozen=True)
class FoundAnswer:
    """The words of a document that answer a question best, and the paragraph that they are from."""

    document: str
    say: str
    text: str


@dataclass(frozen=True)
class _Sentence:
    """A sentence of a document with its stems and its place: paragraph and number. The set sentence has no place."""

    text: str
    stems: frozenset[str]
    place: tuple[int, int] | None = None


class _ComparedDocument:
    """A document as it is compared with questions."""

    def __init__(self, page: SourcedPage) -> None:
        self.page, self.on_a_wish = page, page.id.endswith(ON_A_WISH)
        self.title, self.keywords = content(page.title), content(page.keywords)
        blocks = (block for block in _BLANK_LINE.split(page.text) if not block.lstrip().startswith("#"))
        self.paragraphs = [_sentences(" ".join(block.split())) for block in blocks]
        self.sentences = [_Sentence(page.say, content(page.say))] if page.say else []
        for at, paragraph in enumerate(self.paragraphs):
            for number, text in enumerate(paragraph):
                before = paragraph[number - 1] if number else ""
                if not announces(text) and not (leans(text) and announces(before)):
                    self.sentences.append(_Sentence(text, content(text), (at, number)))


def _sentences(paragraph: str) -> list[str]:
    return [paragraph[start:end].strip() for start, end in sentence_spans(paragraph)]


def _beginning(document: _ComparedDocument, words: str) -> _Sentence:
    """The sentence that begins with these words. The set sentence comes first."""
    return next(sentence for sentence in document.sentences if sentence.text.startswith(words))


def _behind(documents: Sequence[_ComparedDocument], asked: Iterable[str]) -> list[float]:
    """What each document loses because others were found before it: nothing if its title has a word of the question
    and the first one's title has none.
    """
    titled = [any(held(stem, document.title) for stem in asked) for document in documents]
    return [0.0 if titled[rank] and not titled[0] else _LATER_DOCUMENT * rank for rank in range(len(documents))]


def _says_number_of(question: str, telling: Iterable[str], say: str) -> bool:
    """Whether one sentence has both a number of the kind that is asked for and a word of the question."""
    numbers = [content(part) for part in _sentences(say) if says_how_much(question, part)]
    return any(held(stem, stems) for stem in telling for stems in numbers)


def _from_its_subject(document: _ComparedDocument, at: int, number: int) -> str:
    """A sentence with those before it on which it leans ("It covers …"). If the whole paragraph leans, the document's
    set sentence comes first.
    """
    paragraph, start = document.paragraphs[at], number
    while start and leans(paragraph[start]):
        start -= 1
    lead = document.page.say if leans(paragraph[start]) else ""
    return " ".join(part for part in (lead, *paragraph[start : number + 1]) if part)


class AnswerFinder:
    """Compares the sentences of documents with questions. No document is read before the first question."""

    def __init__(self, embedder: Embedder, pages: Iterable[SourcedPage]) -> None:
        self._embedder, self._pages = embedder, {page.id: page for page in pages}

    @cached_property
    def _documents(self) -> dict[str, _ComparedDocument]:
        return {name: _ComparedDocument(page) for name, page in self._pages.items()}

    @cached_property
    def _counts(self) -> Counter[str]:
        """In how many sentences each stem is."""
        return Counter(stem for each in self._documents.values() for one in each.sentences for stem in one.stems)

    def _weight(self, stem: str) -> float:
        """Rare words count more."""
        return math.log(1 + len(self._pages) * 4 / (self._counts[stem] + 0.5))

    def best(self, question: str, lang: Lang, found: Sequence[str], country: str = "") -> FoundAnswer | None:
        """The words that answer a question best, among the documents with these ids, best document first. None if
        nothing in them fits, or if the question asks for a dose.
        """
        if not voices_wish(question):
            found = [name for name in found if not name.endswith(ON_A_WISH)]
        if not found or asks_for_dose(question):
            return None
        asked = {stem: self._weight(stem) for stem in subjects(question)}
        if not asked:  # "How long have I got?": what the first document is about is all that is asked
            first = self._pages[found[0]]
            return FoundAnswer(first.id, first.say, " ".join(first.text.split()))
        documents = [self._documents[name] for name in found]
        ranked = [
            (self._score(question, asked, sentence, document, lang) - behind, -place, document, sentence)
            for document, behind in zip(documents, _behind(documents, asked), strict=True)
            for place, sentence in enumerate(document.sentences)
            if not about_another_country(sentence.text, country)
        ]
        if not ranked:
            return None
        *_, document, best = max(ranked, key=lambda each: each[:2])
        say = self._spoken(best, document, asked)
        if not self._fits(question, asked, say, document, lang):
            return None
        text = " ".join(document.paragraphs[best.place[0] if best.place else 0]) if document.paragraphs else say
        return FoundAnswer(document.page.id, say, text)

    def said_by(self, name: str, beginnings: Iterable[str]) -> FoundAnswer:
        """The sentences of a document that begin so, in its order. The set sentence comes first, also where the first
        of the others leans on another.
        """
        document = self._documents[name]
        chosen = sorted((_beginning(document, words) for words in beginnings), key=lambda each: each.place or (-1, 0))
        if chosen[0].place is not None and leans(chosen[0].text):
            chosen.insert(0, document.sentences[0])
        at = sorted({sentence.place[0] for sentence in chosen if sentence.place})
        text = " ".join(" ".join(document.paragraphs[number]) for number in at)
        return FoundAnswer(name, " ".join(sentence.text for sentence in chosen), text or document.page.say)

    def covered(self, question: str, found: FoundAnswer) -> float:
        """The share of the words of a question that are in what is said, beside those in the title and the keywords of
        its document; rare words count more.
        """
        names = self._documents[found.document].title | self._documents[found.document].keywords
        asked = {stem: self._weight(stem) for stem in subjects(question) if not held(stem, names)}
        stems = content(found.say)
        return sum(weight * held(stem, stems) for stem, weight in asked.items()) / (sum(asked.values()) or 1.0)

    def _score(
        self, question: str, asked: dict[str, float], sentence: _Sentence, document: _ComparedDocument, lang: Lang
    ) -> float:
        def value(stem: str) -> float:
            inside = held(stem, sentence.stems)
            return max(inside, _IN_TITLE * held(stem, document.title), _IN_KEYWORDS * held(stem, document.keywords))

        score = sum(weight * value(stem) for stem, weight in asked.items()) / sum(asked.values())
        score += _ALIKE[lang] * self._alike(question, sentence.text) if _ALIKE[lang] else 0.0
        score += _NUMBER * (asks_how_much(question) and says_how_much(question, sentence.text))
        score += _DEFINES * (sentence.place is None and all(held(stem, document.title) for stem in asked))
        score += _ADVICE[lang] * (asks_for_help(question) and advises(sentence.text))
        score -= _CALLING * (tells_whom_to_call(sentence.text) and not tells_whom_to_call(question))
        return score + _SET_SENTENCE * (sentence.place is None)

    def _alike(self, question: str, text: str) -> float:
        one, other = self._embedder.embed([question, text])
        return float(one @ other)

    def _fits(self, question: str, asked: dict[str, float], say: str, document: _ComparedDocument, lang: Lang) -> bool:
        """Whether words have something of what is asked beside the subject of their document."""
        if speaks_of_dying(question) and not document.on_a_wish and not speaks_of_dying(say):
            return False
        if not self._is_about(question, asked, say, document):
            return False
        focus = {stem: weight for stem, weight in asked.items() if not held(stem, document.title)}
        if not focus:
            return True
        stems = content(say)
        found = {stem: max(held(stem, stems), 0.5 * held(stem, document.keywords)) for stem in focus}
        if sum(weight * found[stem] for stem, weight in focus.items()) >= _LEAST_SHARE[lang] * sum(focus.values()):
            return True
        return lang == "en" and self._alike(question, say) >= _SURELY_ALIKE

    def _is_about(self, question: str, asked: dict[str, float], say: str, document: _ComparedDocument) -> bool:
        """Whether the document is on the subject of a question: its title or keywords have a word of it, or the words
        to be said have a rare one. If a number is asked for, it must stand with a word of the question, unless the
        document's title and keywords have all of them.
        """
        stems, names = content(say), document.title | document.keywords
        telling = [stem for stem in asked if document.on_a_wish or not _DEATH.fullmatch(stem)]
        if asks_how_much(question) and not says_how_much(question, say):
            return False
        if telling and all(held(stem, names) for stem in asked):
            return True
        if asks_how_much(question) and not _says_number_of(question, telling, say):
            return False
        if any(held(stem, document.title) for stem in telling):
            return True
        longer = [stem for stem in telling if not _SYLLABLE.fullmatch(stem)]
        return any(held(stem, names) or (asked[stem] >= _RARE and held(stem, stems)) for stem in longer)

    def _spoken(self, best: _Sentence, document: _ComparedDocument, asked: dict[str, float]) -> str:
        """The sentence, with a neighbour if it leans on it or if the neighbour has more of the question."""
        if best.place is None:
            return best.text
        at, number = best.place
        paragraph = document.paragraphs[at]
        if leans(best.text):
            return _from_its_subject(document, at, number)

        def gain(place: int) -> float:
            stems = content(paragraph[place])
            return sum(weight * held(stem, stems) for stem, weight in asked.items() if not held(stem, best.stems))

        near = [place for place in (number + 1, number - 1) if 0 <= place < len(paragraph)]
        other = max((place for place in near if not announces(paragraph[place])), key=gain, default=number)
        if other == number or gain(other) < _LEAST_GAIN * sum(asked.values()):
            return best.text
        first, last = sorted((number, other))
        return f"{_from_its_subject(document, at, first)} {paragraph[last]}"
