"""The typed blocks of a report, made by a clinic's ``report(results) -> list[Section]``.

Blocks are data, never markup: text is escaped when it is shown. A figure holds its numbers, so the same figure is a
picture in HTML, a small table in a terminal and plain data in JSON.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any, Literal

import orjson
from pydantic import ConfigDict, TypeAdapter

from polyclinic.core.value import unchanging
from polyclinic.eval.charts import Chart
from polyclinic.eval.estimate import Estimate

Cell = str | int | float | bool | Estimate | None
Tone = Literal["plain", "note", "warning"]


@unchanging
class Paragraph:
    """A piece of prose. `tone` marks notes and warnings."""

    text: str
    tone: Tone = "plain"
    kind: Literal["paragraph"] = field(default="paragraph", init=False)


@unchanging
class Table:
    """Rows under named columns. Numbers align right; an `Estimate` is shown with its interval; None as a dash. `n` says
    what the figures were counted from ("24 calls"); left empty, it comes from the estimates.
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    digits: int = 3
    n: str = ""
    kind: Literal["table"] = field(default="table", init=False)

    def __post_init__(self) -> None:
        for index, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"table '{self.caption}': row {index} has {len(row)} cells under {len(self.columns)} columns"
                )


@unchanging
class Figure:
    """A chart with its caption. `alt` says in words what it shows; left empty, it is made from the chart's numbers. `n`
    says what it was counted from ("24 calls"); left empty, it comes from the chart's estimates.
    """

    caption: str
    chart: Chart
    alt: str = ""
    n: str = ""
    kind: Literal["figure"] = field(default="figure", init=False)


@unchanging
class Picture:
    """A picture as base64 text, so that the page needs no other file."""

    caption: str
    data: str
    media_type: str = "image/png"
    kind: Literal["picture"] = field(default="picture", init=False)


@unchanging
class Line:
    """One turn of a dialogue.

    `aside` is what was not said aloud, and is shown folded. `tone` marks turns to look at.
    """

    speaker: str
    text: str
    aside: str = ""
    tone: Tone = "plain"


@unchanging
class Dialogue:
    """Spoken turns, shown as a conversation."""

    lines: Sequence[Line]
    caption: str = ""
    kind: Literal["dialogue"] = field(default="dialogue", init=False)


@unchanging
class Diff:
    """How a text changed, as added and removed lines."""

    before: str
    after: str
    caption: str = ""
    kind: Literal["diff"] = field(default="diff", init=False)

    def lines(self) -> list[str]:
        """The changed lines with a little context, each beginning with ``+``, ``-`` or a space; a gap is ``⋯``."""
        found: list[str] = []
        rows = difflib.unified_diff(self.before.splitlines(), self.after.splitlines(), n=2, lineterm="")
        for index, row in enumerate(rows):
            if row.startswith("@@"):
                found += [" ⋯"] if found else []
            elif index > 1:
                found.append(row)
        return found


@unchanging
class Details:
    """Blocks that are folded under a summary line."""

    summary: str
    body: Sequence[Block]
    open: bool = False
    kind: Literal["details"] = field(default="details", init=False)


@unchanging
class Grid:
    """Small figures side by side, as many as there is room for."""

    figures: Sequence[Figure]
    kind: Literal["grid"] = field(default="grid", init=False)


Block = Paragraph | Table | Picture | Figure | Grid | Dialogue | Diff | Details


@unchanging
class Section:
    """A titled part of the report."""

    title: str
    body: Sequence[Block]


_SECTIONS: TypeAdapter[list[Section]] = TypeAdapter(list[Section], config=ConfigDict(defer_build=True))


def sections_to_plain(sections: Iterable[Section]) -> list[dict[str, Any]]:
    """The sections as plain JSON data; NaN and infinity become null."""
    plain: list[dict[str, Any]] = orjson.loads(_SECTIONS.dump_json(list(sections)))
    return plain
