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
from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.core.embedding import Embedder
from polyclinic.core.message import Frozen
from polyclinic.retrieval.chunking import Chunk, by_paragraph
from polyclinic.retrieval.hybrid import Document, HybridIndex
from polyclinic.retrieval.index import FaissIndex

CHUNK_CHARS = 700
KEPT_SEARCHES = 256
# The default vectors know little Korean: in Korean they only break ties of word scores. A weight of 0.1 moved a passage
# by six ranks and lost questions once there were many documents.
_VECTOR_WEIGHT: dict[Lang, float] = {"en": 0.7, "ko": 0.01}
# Below this word score, no document answers the query. Of the written questions 97 % lie above it in
# English and 95 % in Korean; greetings, thanks and small talk lie below.
_LEAST: dict[Lang, float] = {"en": 7.0, "ko": 8.5}
_HEADING_MARK = re.compile(r"(?m)^#{1,6}[ \t]+")


class Source(Frozen):
    """A passage that was found and can be cited: `say` is one sentence to say aloud, `text` the document's prose."""

    id: str
    title: str
    as_of: str
    say: str
    text: str


class Knowledge:
    """Documents of one or more languages, found by meaning and by words."""

    def __init__(self, embedder: Embedder, pages: Iterable[SourcedPage]) -> None:
        self._pages = {page.id: page for page in pages}
        self._kept: dict[tuple[str, Lang, int, bool], list[Source]] = {}
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

    def search(self, query: str, lang: Lang, k: int = 3, *, relevant: bool = False) -> list[Source]:
        """The best passages of up to k different documents in this language, best first.

        With `relevant`, nothing is found if no passage comes near the query: a greeting needs no source.
        """
        key = (query, lang, k, relevant)
        if key not in self._kept:
            if len(self._kept) >= KEPT_SEARCHES:
                self._kept.clear()
            self._kept[key] = self._search(query, lang, k, _LEAST[lang] if relevant else 0.0)
        return self._kept[key]

    def _search(self, query: str, lang: Lang, k: int, least: float) -> list[Source]:
        passages = self._indexes[lang].search(query, k=4 * k)
        if max((passage.words for passage in passages), default=0.0) < least:
            return []
        found: dict[str, Source] = {}
        for passage in passages:
            page = self._pages[passage.document.id]
            if page.id not in found:
                found[page.id] = Source(
                    id=page.id,
                    title=page.title,
                    as_of=page.as_of.isoformat() if page.as_of else "",
                    say=page.say,
                    text=_prose(page, passage.chunk),
                )
        return list(found.values())[:k]


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
