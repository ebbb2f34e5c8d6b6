"""What the counsellor may cite: the documents that ship with the clinic, and the user's own."""

from __future__ import annotations

from datetime import date
from functools import lru_cache

from polyclinic.clinics.counsel.scenario import PACKAGE
from polyclinic.core.files import package_file, parse_toml, read_text, rows_of
from polyclinic.retrieval.pages import Page

FENCE = "+++"


class SourcedPage(Page):
    """A document with the date of its facts and one sentence that can be said aloud.

    `matches` is the id of the English document on the same subject. If that document describes the law of another
    country, the Korean one describes what Korea has instead.
    """

    topic: str = ""
    country: str = ""
    as_of: date | None = None
    matches: str = ""
    keywords: str = ""
    say: str = ""
    origin: str = "Polyclinic"


def read_page(text: str) -> SourcedPage:
    """A shipped document: a TOML head between two lines of plus signs, then Markdown."""
    _, head, body = text.split(FENCE, 2)
    return SourcedPage.model_validate({**parse_toml(head, "the head of a document"), "text": body.strip()})


@lru_cache(maxsize=1)
def shipped() -> tuple[SourcedPage, ...]:
    """The documents that ship with the clinic, by id."""
    folder = package_file(PACKAGE, "data/documents")
    found = [
        read_page(file.read_text(encoding="utf-8"))
        for lang in sorted(folder.iterdir(), key=lambda entry: entry.name)
        for file in sorted(lang.iterdir(), key=lambda entry: entry.name)
        if file.name.endswith(".md")
    ]
    return tuple(found)


def documents(path: str) -> tuple[SourcedPage, ...]:
    """The documents of a file that `polyclinic ingest` wrote."""
    fix = "make the file with: polyclinic ingest"
    return tuple(rows_of(SourcedPage, read_text(path, about="file of documents", fix=fix), path, fix=fix))
