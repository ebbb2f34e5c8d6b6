"""What a message means most: a question that sentences of a document answer, or one of the other kinds of
`polyclinic.clinics.counsel.rules.meant`.

``data/asked`` has questions as ill people and their families ask them, each with the document and the sentences that
answer it. Documents are found by the questions that they answer, not by the words that they share with a message.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from polyclinic.clinics.counsel.documents import SourcedPage
from polyclinic.clinics.counsel.rules.asking import wants_to_know
from polyclinic.clinics.counsel.rules.meant import ASKED, HEAVY, WISH, examples, kinds
from polyclinic.clinics.counsel.rules.sentence_forms import ON_A_WISH, voices_wish
from polyclinic.clinics.counsel.scenario import PACKAGE, Lang
from polyclinic.clinics.counsel.tools.likeness import Like, MessageLikeness
from polyclinic.core.embedding import Embedder
from polyclinic.core.files import package_rows
from polyclinic.core.message import Frozen

_ENOUGH, _ENOUGH_ALONE = 0.36, 0.33
"""How like a kind, and its most like example by itself, a message must be to be of that kind. A document that is as
like may be on the subject.
"""
_ANSWERED, _ANSWERED_ALONE = 0.42, 0.38
"""The same for a question that a document answers: a wrong document is worse than none. Of the written questions, by
another author than the examples, 19 in 20 are above it.
"""
_FOUND = 0.1
"""How much more like a document is whose words were found, too."""
_NEAR = 0.12
"""How much less like than the first label a label may be that is chosen in its place."""


class AskedRow(Frozen):
    """Questions that the same sentences of a document answer. `says` has the beginnings of these sentences; the set
    sentence of the document is one of its sentences.
    """

    document: str
    says: tuple[str, ...]
    asked: tuple[str, ...]


class Nearest(Frozen):
    """What a message means most: a kind, or a document with the beginnings of its sentences, or nothing that is known.
    `related` are the documents that may be on the subject; None: every document may be.
    """

    kind: str = ""
    document: str = ""
    says: tuple[str, ...] = ()
    related: frozenset[str] | None = None


def asked_rows(lang: Lang) -> list[AskedRow]:
    """The questions that ship with the clinic."""
    return package_rows(AskedRow, PACKAGE, f"data/asked/{lang}.jsonl")


class AskedQuestions:
    """Finds what a message in one language means most. No example is read before the first message."""

    def __init__(self, embedder: Embedder, lang: Lang, pages: Iterable[SourcedPage]) -> None:
        self._embedder, self._lang = embedder, lang
        self._pages = {page.id: page for page in pages if page.lang == lang}

    def knows(self, document: str) -> bool:
        """Whether there are questions for this document. For a user's own there are none."""
        return any(row.document == document for row in self._rows)

    def nearest(self, text: str, country: str = "", found: Sequence[str] = ()) -> Nearest:
        """What the text means most. With `country`, the law of other countries is left out. The documents in `found`
        were found by the words of the text.
        """
        here = {name for name, page in self._pages.items() if not country or page.country in ("", country)}
        if not voices_wish(text):
            here = {name for name in here if not name.endswith(ON_A_WISH)}
        likes = self._likeness.ranked(text, here.union(kinds()))
        ranked = sorted(
            (replace(like, score=like.score + _FOUND * (like.label in found)) for like in likes),
            key=lambda like: -like.score,
        )
        if not ranked or ranked[0].score < _ENOUGH:
            return Nearest()
        related = frozenset(like.label for like in ranked if like.score >= _ENOUGH and like.label in here)
        asks = wants_to_know(text)
        if ranked[0].label not in here:
            related = frozenset()
        close = [like for like in ranked if like.score >= ranked[0].score - _NEAR - _FOUND]
        best = next((like for like in close if self._is_meant(like, asks)), None)
        if best is None:
            return Nearest(related=related)
        if best.label not in self._pages:
            return Nearest(kind=best.label, related=related)
        return Nearest(document=best.label, says=self._sentences[best.example], related=related)

    def _is_meant(self, like: Like, asks: bool) -> bool:
        """Whether a message is like enough. A statement is answered by a document only if it is like a statement,
        and a question voices a wish only if it is like a question.
        """
        if like.label in self._pages:
            fits = asks or not self._likeness.asks(like.example)
            return fits and like.score >= _ANSWERED and like.alone >= _ANSWERED_ALONE
        if asks and like.label.startswith((WISH, HEAVY)):
            fits = self._likeness.asks(like.example)
        else:
            fits = asks or not like.label.startswith(ASKED)
        return fits and like.score >= _ENOUGH and like.alone >= _ENOUGH_ALONE

    @cached_property
    def _rows(self) -> list[AskedRow]:
        return [row for row in asked_rows(self._lang) if row.document in self._pages]

    @cached_property
    def _sentences(self) -> list[tuple[str, ...]]:
        """For each question, the sentences that answer it."""
        return [row.says for row in self._rows for _ in row.asked]

    @cached_property
    def _likeness(self) -> MessageLikeness:
        questions = [(text, row.document) for row in self._rows for text in row.asked]
        about = {name: f"{page.title} {page.keywords} {page.say} {page.text}" for name, page in self._pages.items()}
        return MessageLikeness(self._embedder, self._lang, [*questions, *examples(self._lang)], about)
