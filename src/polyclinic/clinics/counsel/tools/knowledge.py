"""The counsellor's sources: the shipped documents and the user's own, chunked, embedded, and indexed by meaning (FAISS)
and by words.

A `Source` is a passage with the document it is from. A counsellor who states a medical fact names such a source. The
search also reads a document's keywords; a prompt never shows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from polyclinic.clinics.counsel.documents import SourcedPage, documents, shipped
from polyclinic.clinics.counsel.rules.asking import subject_words, wants_to_know
from polyclinic.clinics.counsel.rules.dose import asks_for_dose
from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.clinics.counsel.tools.answers import AnswerFinder, FoundAnswer
from polyclinic.clinics.counsel.tools.asked import AskedQuestions, Nearest
from polyclinic.core.embedding import Embedder
from polyclinic.core.message import Frozen
from polyclinic.retrieval.chunking import Chunk, by_paragraph
from polyclinic.retrieval.hybrid import Document, HybridIndex, Passage
from polyclinic.retrieval.index import FaissIndex
from polyclinic.text.normal import HANGUL
from polyclinic.text.words import search_stem, words

CHUNK_CHARS = 700
KEPT_SEARCHES = 256
# The default vectors know little Korean: in Korean they only break ties of word scores. A weight of 0.1 moved a passage
# by six ranks and lost questions once there were many documents.
_VECTOR_WEIGHT: dict[Lang, float] = {"en": 0.7, "ko": 0.01}
_LEAST: dict[Lang, float] = {"en": 7.0, "ko": 8.5}
"""A document with this word score answers the query. Of the written questions 97 % lie above it in English and 95 % in
Korean; greetings, thanks and small talk lie below.
"""
# How many ranks a document gains for each word of a question that is in its title or keywords. On the questions of an
# author who saw no document, the first one found fits 0.78 instead of 0.59 of the Korean questions; in English nothing
# changes above 1.
_NAMED_RANKS: dict[Lang, int] = {"en": 1, "ko": 2}
# The next three are for a short question, which scores little: its words are looked for in titles and keywords.
_KEYWORD_SHARE = 0.5
"""A document answers whose title and keywords have more than this share of the words of the question."""
_TITLE_SHARE: dict[Lang, float] = {"en": 0.5, "ko": 0.3}
"""A document also answers whose title alone has this share of them, if its word score is not tiny."""
_LEAST_TITLED = 4.0
"""A word score that is not tiny."""
_FOUND_FIRST = 3
_MORE_WORDS = 0.3
"""How much more of a question's words other sentences must have than those that answer a question like it."""
_HEADING_MARK = re.compile(r"(?m)^#{1,6}[ \t]+")


class Source(Frozen):
    """A passage that was found and can be cited: `say` is what to say aloud (one sentence, or two of the document's
    own), `text` the document's prose.
    """

    id: str
    title: str
    as_of: str
    say: str
    text: str


class Knowledge:
    """Documents of one or more languages, found by meaning and by words."""

    def __init__(self, embedder: Embedder, pages: Iterable[SourcedPage]) -> None:
        self._pages = {page.id: page for page in pages}
        self._finder = AnswerFinder(embedder, self._pages.values())
        self._asked = {lang: AskedQuestions(embedder, lang, self._pages.values()) for lang in _VECTOR_WEIGHT}
        self._kept: dict[tuple[str, Lang, int, bool, str], list[Source]] = {}
        self._indexes = {
            lang: HybridIndex(
                embedder,
                [_document(page) for page in self._pages.values() if page.lang == lang],
                chunk=_chunks,
                vector_weight=weight,
                index=FaissIndex,
            )
            for lang, weight in _VECTOR_WEIGHT.items()
        }

    def __len__(self) -> int:
        return len(self._pages)

    def search(self, query: str, lang: Lang, k: int = 3, *, relevant: bool = False, country: str = "") -> list[Source]:
        """The best passages of up to k different documents in this language, best first.

        With `relevant`, nothing is found if no passage comes near the query: a greeting needs no source. With
        `country`, the law of other countries is left out.
        """
        key = (query, lang, k, relevant, country)
        known = self._kept.get(key)  # a service's thread and its event loop may both search
        if known is not None:
            return known
        asked = subject_words(query) if relevant and wants_to_know(query) else query
        found = self._indexes[lang].search(asked, k=4 * k) if asked else []
        here = [each for each in found if not country or self._pages[each.document.id].country in ("", country)]
        sources = self._sources(self._near(here, query, asked, lang) if relevant else here)[:k]
        if len(self._kept) >= KEPT_SEARCHES:
            self._kept.clear()
        self._kept[key] = sources
        return sources

    def nearest(self, text: str, lang: Lang, country: str = "") -> Nearest:
        """What a message means most, among the questions that documents answer and the other kinds of messages."""
        found = self.search(text, lang, _FOUND_FIRST, relevant=True, country=country)
        return self._asked[lang].nearest(text, country, [source.id for source in found])

    def answering(self, question: str, lang: Lang, k: int = 2, country: str = "") -> list[Source]:
        """Like `search` for a person's question: first the document with the sentences that answer it, and these
        sentences as `say`. The others have no `say`; if nothing answers the question, all of them have none.
        """
        found = self.search(question, lang, k + 1, relevant=True, country=country)
        best = self._answer(question, lang, [source.id for source in found], country)
        silent = [source.model_copy(update={"say": ""}) for source in found]
        if best is None:
            return silent[:k]
        page = self._pages[best.document]
        first = Source(id=page.id, title=page.title, as_of=_date(page), say=best.say, text=best.text)
        return [first, *(source for source in silent if source.id != best.document)][:k]

    def _answer(self, question: str, lang: Lang, found: list[str], country: str) -> FoundAnswer | None:
        """The sentences that answer a question: those of a question like it, unless others of the same document have
        far more of its words; or else, in a document on its subject, those with its words. A dose is left to people.
        """
        nearest = self.nearest(question, lang, country)
        if nearest.kind or (asks_for_dose(question) and wants_to_know(question)):
            return None
        if nearest.document:
            told = self._finder.said_by(nearest.document, nearest.says)
            other = self._finder.best(question, lang, [nearest.document], country)
            gain = self._finder.covered(question, other) - self._finder.covered(question, told) if other else 0.0
            return other if gain > _MORE_WORDS else told
        asked = self._asked[lang]
        related = nearest.related
        near = [name for name in found if related is None or name in related or not asked.knows(name)]
        return self._finder.best(question, lang, near, country)

    def _near(self, found: list[Passage], query: str, subject: str, lang: Lang) -> list[Passage]:
        """The passages that may answer the query, best first. `subject`: what is left of a question if the words that
        only ask are left out.
        """
        if subject == query:
            return found if max((passage.words for passage in found), default=0.0) >= _LEAST[lang] else []
        asked, gains = words(subject), _NAMED_RANKS[lang]
        named = [_named(asked, self._names(passage, "title keywords")) for passage in found]
        order = sorted(range(len(found)), key=lambda rank: (named[rank] < len(asked), rank - gains * named[rank]))
        ordered = [found[rank] for rank in order]
        return ordered if ordered and self._answers(ordered, asked, lang) else []

    def _answers(self, found: list[Passage], asked: list[str], lang: Lang) -> bool:
        """Whether the first document is about what was asked."""
        best = found[0]
        score = max(passage.words for passage in found if passage.document.id == best.document.id)
        if score >= _LEAST[lang]:
            return True
        titled, keyed = (_named(asked, self._names(best, where)) / len(asked) for where in ("title", "title keywords"))
        return keyed > _KEYWORD_SHARE or (score >= _LEAST_TITLED and titled >= _TITLE_SHARE[lang])

    def _names(self, passage: Passage, where: str) -> frozenset[str]:
        """The words of a document's title or keywords, as `_named` compares them."""
        page = self._pages[passage.document.id]
        return frozenset(search_stem(word) for name in where.split() for word in words(getattr(page, name)))

    def _sources(self, passages: list[Passage]) -> list[Source]:
        found: dict[str, Source] = {}
        for passage in passages:
            page = self._pages[passage.document.id]
            if page.id not in found:
                found[page.id] = Source(
                    id=page.id,
                    title=page.title,
                    as_of=_date(page),
                    say=page.say,
                    text=_prose(page, passage.chunk),
                )
        return list(found.values())


def _date(page: SourcedPage) -> str:
    return page.as_of.isoformat() if page.as_of else ""


def _named(asked: list[str], names: frozenset[str]) -> int:
    """How many words of a question are among the names. Korean words are glued: one may be a part of the other."""

    def is_named(word: str) -> bool:
        glued = HANGUL.match(word) is not None
        return search_stem(word) in names or (
            glued and any(min(len(name), len(word)) > 1 and (word.startswith(name) or word in name) for name in names)
        )

    return sum(map(is_named, asked))


@lru_cache(maxsize=8)
def _shared(name: str, path: str, holder: _Holder) -> Knowledge:
    return Knowledge(holder.embedder, [*shipped(), *(documents(path) if path else ())])


class _Holder:
    """Passes an embedder to a cached function without being part of the cache key; the embedder's name is the key."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Holder)


def knowledge(embedder: Embedder, path: str = "") -> Knowledge:
    """The sources for this embedder, built once in a process; `path` adds the user's own."""
    return _shared(embedder.name, path, _Holder(embedder))


def _document(page: SourcedPage) -> Document:
    return Document(page.id, f"{_head(page)}{page.text}", source=f"{page.title} ({page.origin})")


def _head(page: SourcedPage) -> str:
    """What is searched besides the document's own text."""
    return f"{page.title}. {page.keywords} {page.say}\n\n"


def _prose(page: SourcedPage, chunk: Chunk) -> str:
    """The document's own text at the place where a passage was found, without the title. If only the head was found,
    the beginning of the document.
    """
    start, end = (max(0, place - len(_head(page))) for place in (chunk.start, chunk.end))
    found = _untitled(page, page.text[start:end])
    return found or next((text for text in (_untitled(page, each.text) for each in _chunks(page.text)) if text), "")


def _untitled(page: SourcedPage, text: str) -> str:
    plain = _HEADING_MARK.sub("", text).strip()
    first, _, rest = plain.partition("\n")
    return " ".join((rest if first.strip() == page.title else plain).split())


def _chunks(text: str) -> list[Chunk]:
    return by_paragraph(text, CHUNK_CHARS)
