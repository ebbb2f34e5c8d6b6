"""The results of a class: one row for each trainee and case, with the words and figures of the feedback."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime

from pydantic import BaseModel

from polyclinic.eval.sections import Paragraph
from polyclinic.eval.validity import NOT_VALID
from polyclinic.web.classes.classroom import ClassNow, Classroom, MemberShown, SessionShown, Where, body_of

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class Result(BaseModel):
    """One trainee in one case. `short` are the first words of the feedback; `not_valid` names figures that are
    left out, because the reader of this cast is not good enough for them.
    """

    number: int
    name: str
    place: int
    case: str
    run: str
    where: Where
    begun_ms: int
    elapsed_ms: int
    outcome: str
    lines: int | None
    hints: int
    short: list[str]
    figures: dict[str, float]
    not_valid: list[str] = []


class ClassTable(BaseModel):
    """All results; `figures` names every figure that occurs, in the order of the clinic."""

    now: ClassNow
    results: list[Result]
    figures: list[str]


async def class_table(classroom: Classroom, id: str) -> ClassTable:
    """The table of a class, also while it goes on."""
    now = await classroom.now(id)
    language = body_of(await classroom.sessions.store.classes.get(id)).settings.language
    results = [
        await _result(classroom, now, member, session, language)
        for member in now.members
        for session in member.sessions
    ]
    figures = list(dict.fromkeys(name for result in results for name in (*result.figures, *result.not_valid)))
    return ClassTable(now=now, results=results, figures=figures)


async def _result(
    classroom: Classroom, now: ClassNow, member: MemberShown, session: SessionShown, language: str
) -> Result:
    found = Result(
        number=member.number,
        name=member.name,
        case=now.about.cases[session.place].id,
        outcome="",
        short=[],
        figures={},
        **session.model_dump(exclude={"last"}),
    )
    if session.where not in ("ended", "failed"):
        return found
    ended = await classroom.sessions.ended(session.run, language)
    first = ended.sections[0].body if ended.sections else ()
    return found.model_copy(
        update={
            "outcome": ended.outcome,
            "lines": len(ended.lines),
            "short": [block.text for block in first if isinstance(block, Paragraph)],
            "figures": ended.figures,
            "not_valid": list(ended.not_valid),
        }
    )


def table_csv(table: ClassTable) -> str:
    """The table as CSV for a spreadsheet. Text that people wrote cannot become a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    head = ["trainee", "case", "state", "outcome", "began", "seconds", "lines", "hints", *table.figures, "feedback"]
    writer.writerow(head)
    for one in table.results:
        began = datetime.fromtimestamp(one.begun_ms / 1000, UTC).isoformat(timespec="seconds")
        cells: list[object] = [one.name, one.case, one.where, one.outcome, began, round(one.elapsed_ms / 1000)]
        cells += ["" if one.lines is None else one.lines, one.hints]
        cells += [NOT_VALID if name in one.not_valid else one.figures.get(name, "") for name in table.figures]
        writer.writerow([_safe(cell) for cell in (*cells, "\n".join(one.short))])
    return "\ufeff" + text.getvalue()


def _safe(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
