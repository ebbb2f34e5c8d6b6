"""This clinic's part of a report: the paper's tables and figures, the diaries, and some dialogues to read."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.frontdesk.report import figures, tables
from polyclinic.clinics.frontdesk.report.rows import Row, rows_of
from polyclinic.core.transcript import Said, ToolUsed
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Block, Details, Dialogue, Line, Section

_SAMPLES = 6


def report(results: RunResults) -> list[Section]:
    """All sections; what a run has no contacts for is left out."""
    rows = rows_of(results)
    staff = next((member.model for member in results.cast if member.role == "staff"), "staff")
    scheduling: list[Block] = []
    for kind in ("tools", "reasoning"):
        table = tables.scheduling_errors(rows, staff, kind)
        scheduling += [table] if table is not None else []
    scheduling += [block for block in (tables.tools(rows, staff), tables.dialogue_types(rows)) if block is not None]
    wrong = figures.misassignment(rows)
    return [
        Section("Front desk: success", [tables.success(rows, staff), tables.outcomes(rows)]),
        Section(
            "Front desk: intake",
            [
                tables.intake_errors(rows, staff),
                tables.departments(rows, staff),
                *figures.history(rows),
                *([wrong] if wrong is not None else []),
            ],
        ),
        *([Section("Front desk: scheduling", scheduling)] if scheduling else []),
        *_if_any("Front desk: diaries", figures.diaries(rows)),
        *_if_any("Front desk: dialogues", [sample(row) for row in samples(rows)]),
    ]


def _if_any(title: str, blocks: Sequence[Block]) -> list[Section]:
    return [Section(title, blocks)] if blocks else []


def samples(rows: Sequence[Row]) -> list[Row]:
    """Dialogues of different kinds: plain, with a change of mind, moved, waiting, cancelled, and one with an error."""
    readable = [row for row in rows if row.episode.has_transcript]
    found: dict[str, Row] = {}
    for row in readable:
        found.setdefault(_kind(row), row)
        if any(score.value == 0 for score in row.episode.scores if score.metric in ("intake", "scheduling")):
            found.setdefault("an error", row)
    kinds = ("a booking", "a change of mind", "an error", "moved", "waiting", "cancelled")
    unique = {found[kind].episode.id: found[kind] for kind in kinds if kind in found}
    return list(unique.values())[:_SAMPLES]


def _kind(row: Row) -> str:
    if row.episode.outcome != "booked":
        return row.episode.outcome
    return "a change of mind" if ">" in str(row.episode.data.get("dialogue", "")) else "a booking"


def sample(row: Row) -> Details:
    """One contact as a conversation, with tools and errors between the lines."""
    lines: list[Line] = []
    for event in row.episode.transcript:
        if isinstance(event, Said):
            lines.append(Line(event.speaker, event.text))
        elif isinstance(event, ToolUsed):
            arguments = ", ".join(f"{name}={value}" for name, value in event.arguments.items())
            lines.append(Line("tool", f"{event.tool}({arguments})", aside=event.error))
    codes = ", ".join(
        f"{score.metric}: {score.reason}" for score in row.episode.scores if score.value == 0 and score.reason
    )
    title = f"{row.contact.id}: {row.episode.outcome}" + (f" ({codes})" if codes else "")
    return Details(title, [Dialogue(lines, caption=f"{row.level}, {row.variant}, {row.contact.at}")])
