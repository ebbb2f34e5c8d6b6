"""What the counsellor may cite: the documents that ship with the clinic, and the user's own."""

from __future__ import annotations

import tomllib
from datetime import date
from functools import lru_cache
from importlib import resources
from pathlib import Path

from pydantic import ValidationError

from polyclinic.clinics.counsel.scenario import PACKAGE
from polyclinic.errors import DataError
from polyclinic.retrieval.pages import Page as AnyPage

FENCE = "+++"


class Page(AnyPage):
    """A document with the date of its facts and one sentence fit to be said."""

    topic: str = ""
    country: str = ""
    as_of: date | None = None
    keywords: str = ""
    say: str = ""
    origin: str = "Polyclinic"


def read_page(text: str) -> Page:
    """A shipped document: a TOML head between two lines of plus signs, then Markdown."""
    _, head, body = text.split(FENCE, 2)
    return Page.model_validate({**tomllib.loads(head), "text": body.strip()})


@lru_cache(maxsize=1)
def shipped() -> tuple[Page, ...]:
    """The documents that ship with the clinic, by id."""
    folder = resources.files(PACKAGE).joinpath("data/documents")
    found = [
        read_page(file.read_text(encoding="utf-8"))
        for lang in sorted(folder.iterdir(), key=lambda entry: entry.name)
        for file in sorted(lang.iterdir(), key=lambda entry: entry.name)
        if file.name.endswith(".md")
    ]
    return tuple(found)


def documents(path: str) -> tuple[Page, ...]:
    """The documents of a file that `polyclinic ingest` wrote."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise DataError(
            f"the documents {path} cannot be read: {error.strerror}; make the file with: polyclinic ingest"
        ) from None
    pages = []
    for number, line in enumerate(lines, 1):
        try:
            pages.append(Page.model_validate_json(line))
        except ValidationError as error:
            raise DataError(
                f"{path}:{number}: {error.errors()[0]['msg']}; make the file again with: polyclinic ingest"
            ) from None
    return tuple(pages)
