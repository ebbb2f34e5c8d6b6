"""Labelled readings: the sets that ship with each clinic, and a user's own file.

A shipped line is ``{"kind", "author", "split", "text", "label", "facts", "lang"?, "about"?}``; facts that many lines
share (a case, a shift, a source) stand once in ``contexts.json`` under the line's `about`. A user's file has the full
words instead:
``{"kind", "context", "text", "question", "label"}``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal

import orjson

from polyclinic.core.reading import Question, ReadingKind
from polyclinic.errors import DataError, UnknownName

Split = Literal["train", "test"]


@dataclass(frozen=True)
class Labelled:
    """One text, one question, and whether the answer is yes."""

    question: Question
    text: str
    label: bool
    author: str = ""
    split: str = ""
    lang: str = "en"
    about: str = ""


def shipped(folder: Traversable, kinds: Mapping[str, ReadingKind]) -> Iterator[Labelled]:
    """The lines of one folder of sets."""
    contexts: dict[str, dict[str, str]] = orjson.loads(folder.joinpath("contexts.json").read_bytes())
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".jsonl"):
            for line in file.read_bytes().splitlines():
                row = orjson.loads(line)
                if row["kind"] in kinds:
                    yield _labelled(row, kinds[row["kind"]], contexts)


def _labelled(row: dict[str, Any], kind: ReadingKind, contexts: Mapping[str, dict[str, str]]) -> Labelled:
    facts = {**contexts.get(row.get("about", ""), {}), **row.get("facts", {})}
    wanted = {name: facts[name] for name in kind.fact_names}
    return Labelled(
        kind.ask(**wanted),
        row["text"],
        bool(row["label"]),
        row["author"],
        row["split"],
        row.get("lang", "en"),
        row.get("about", ""),
    )


def sets_folder(package: str) -> Traversable:
    """Where a package keeps its sets."""
    return resources.files(package).joinpath("data", "readings")


def from_file(path: Path, kinds: Mapping[str, ReadingKind]) -> list[Labelled]:
    """A user's own labelled readings; an error names the line and how to fix it."""
    if not path.is_file():
        raise DataError(f"{path}: there is no such file")
    found: list[Labelled] = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            row = orjson.loads(line)
            kind, text, label = row["kind"], row["text"], row["label"]
        except (orjson.JSONDecodeError, KeyError, TypeError) as error:
            raise DataError(
                f"{where}: {error!r}; write one JSON object a line with kind, context, text, question and label "
                f"(1 or 0)"
            ) from None
        if kind not in kinds:
            raise DataError(f"{where}: {UnknownName('kind of reading', str(kind), kinds)}")
        if label not in (0, 1):
            raise DataError(f"{where}: label must be 1 (yes) or 0 (no), not {label!r}")
        question = kinds[kind].read_back(str(row.get("question", "")), str(row.get("context", "")))
        found.append(
            Labelled(question, str(text), bool(label), str(row.get("author", "")), "file", str(row.get("lang", "en")))
        )
    return found
