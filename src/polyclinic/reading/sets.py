"""Labelled readings: the sets that ship with each clinic, and a user's own file.

A shipped line is ``{"kind", "author", "split", "text", "label", "facts", "lang"?, "about"?}``. Its split is `train`,
`test`, or `networks` for lines that train only networks: the weights over words read worse with them. Facts that many
lines share (a case, a shift, a source) are stored once, in ``contexts.json`` under the line's `about`. A user's file
has the full words instead: ``{"kind", "context", "text", "question", "label"}``, or the facts as above.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from polyclinic.core.files import bad_file, json_lines, package_file, parse_json, read_text
from polyclinic.core.reading import Question, ReadingKind
from polyclinic.core.value import unchanging
from polyclinic.errors import UnknownName

_FACTS_FIX = "write facts, an object with these names, or the whole question and context"


@unchanging
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
    contexts: dict[str, dict[str, str]] = parse_json(folder.joinpath("contexts.json").read_bytes(), "contexts.json")
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".jsonl"):
            for _, row in json_lines(file.read_bytes(), file.name):
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
    """The folder in which a package keeps its sets."""
    return package_file(package, "data/readings")


def _listed(kind: ReadingKind) -> str:
    return ", ".join(kind.fact_names)


def _asked(row: dict[str, Any], kind: ReadingKind, path: Path, line: int) -> Question:
    """The question of a user's line: from its facts, or else from its words."""
    if "facts" not in row:
        question = kind.read_back(str(row.get("question", "")), str(row.get("context", "")))
        if kind.open and not question.words and not question.context:
            raise bad_file(path, f"{kind.name} is asked about {_listed(kind)}", line=line, fix=_FACTS_FIX)
        return question
    facts = row["facts"]
    if not isinstance(facts, dict) or not set(kind.fact_names) <= facts.keys():
        raise bad_file(path, f"{kind.name} needs {_listed(kind)}", line=line, field="facts", fix=_FACTS_FIX)
    return kind.ask(**{name: str(facts[name]) for name in kind.fact_names})


def from_file(path: Path, kinds: Mapping[str, ReadingKind]) -> list[Labelled]:
    """A user's own labelled readings; an error names the line and how to fix it."""
    found: list[Labelled] = []
    for number, row in json_lines(read_text(path, about="file of readings"), path):
        fix = "write one JSON object a line with kind, context, text, question and label (1 or 0)"
        if not isinstance(row, dict) or not {"kind", "text", "label"} <= row.keys():
            raise bad_file(path, "this is not a labelled reading", line=number, fix=fix)
        if not isinstance(row["text"], str):
            raise bad_file(path, f"must be the words that are read, not {row['text']!r}", line=number, field="text")
        if row["kind"] not in kinds:
            raise bad_file(
                path, str(UnknownName("kind of reading", str(row["kind"]), kinds)), line=number, field="kind"
            )
        if row["label"] not in (0, 1):
            raise bad_file(path, f"must be 1 (yes) or 0 (no), not {row['label']!r}", line=number, field="label")
        question = _asked(row, kinds[row["kind"]], path, number)
        author, lang = str(row.get("author", "")), str(row.get("lang", "en"))
        found.append(Labelled(question, str(row["text"]), bool(row["label"]), author, "file", lang))
    return found
