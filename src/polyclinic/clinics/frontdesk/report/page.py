"""This clinic's part of a report: the paper's tables and figures, the diaries, and some dialogues to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from polyclinic.clinics.frontdesk.report import figures, tables
from polyclinic.clinics.frontdesk.report.operations import operations
from polyclinic.clinics.frontdesk.report.rows import ContactRow, rows_of
from polyclinic.clinics.frontdesk.rules.codes import MEANING
from polyclinic.clinics.frontdesk.rules.notes import BookingEnded, InDepartment, InPhase
from polyclinic.clinics.frontdesk.scenario.schema import Contact
from polyclinic.core.transcript import Said, ToolUsed
from polyclinic.eval.sections import Block, Details, Dialogue, Line, Section

if TYPE_CHECKING:
    from polyclinic.eval.results import RunResults

_SAMPLES = 6


def report(results: RunResults[Contact]) -> list[Section]:
    """All sections. A section is left out if the run has no contacts for it."""
    everything = rows_of(results)
    rows = [row for row in everything if row.episode.status == "done"]
    staff, patient = player(results, "staff"), player(results, "patient")
    scheduling: list[Block] = []
    for kind in ("tools", "reasoning"):
        table = tables.scheduling_errors(rows, staff, kind)
        scheduling += [table] if table is not None else []
    more = (tables.tools(rows, staff), tables.imposters(rows), tables.dialogue_types(rows))
    scheduling += [block for block in more if block is not None]
    return [
        Section("Front desk: success", [tables.success(rows, staff, patient), tables.outcomes(everything)]),
        Section(
            "Front desk: intake",
            [
                tables.intake_errors(rows, staff),
                tables.departments(rows, staff),
                *figures.history(rows),
                *figures.misassignment(rows),
            ],
        ),
        *([Section("Front desk: scheduling", scheduling)] if scheduling else []),
        *_if_any("Front desk: operations", operations(rows)),
        *_if_any("Front desk: diaries", figures.diaries(rows)),
        *_if_any("Front desk: dialogues", [sample(row) for row in samples(rows)]),
    ]


def player(results: RunResults, role: str) -> str:
    """Who played a role, short enough for a column; the cast at the head of the report has it in full."""
    model = next((member.model for member in results.cast if member.role == role), role)
    name, mistakes, _which = model.partition(":mistake=")
    return f"{name} (mistakes)" if mistakes else name


def _if_any(title: str, blocks: Sequence[Block]) -> list[Section]:
    return [Section(title, blocks)] if blocks else []


def samples(rows: Sequence[ContactRow]) -> list[ContactRow]:
    """Dialogues of different kinds: plain, with a change of mind, moved, waiting, cancelled, and one with an error."""
    readable = [row for row in rows if row.episode.has_transcript]
    found: dict[str, ContactRow] = {}
    for row in readable:
        found.setdefault(_kind(row), row)
        if any(score.value == 0 for score in row.episode.scores if score.metric in ("intake", "scheduling")):
            found.setdefault("an error", row)
    kinds = ("a booking", "a change of mind", "an error", "moved", "waiting", "cancelled", "taken_in")
    unique = {found[kind].episode.id: found[kind] for kind in kinds if kind in found}
    return list(unique.values())[:_SAMPLES]


def _kind(row: ContactRow) -> str:
    if row.episode.outcome != "booked":
        return row.episode.outcome
    booking = row.episode.ended_with(BookingEnded)
    return "a change of mind" if booking is not None and len(booking.wishes) > 1 else "a booking"


def sample(row: ContactRow) -> Details:
    """One contact as a conversation, with tools, what they found, and the step between the two tasks."""
    lines: list[Line] = []
    moved = _elsewhere(row)
    for event in row.episode.transcript:
        if isinstance(event, Said):
            line = event.get(InPhase)
            if moved and line is not None and line.phase == "booking":
                lines.append(Line("the simulation", moved, tone="note"))
                moved = ""
            lines.append(Line(event.speaker, event.text))
        elif isinstance(event, ToolUsed):
            arguments = ", ".join(f"{name}={value}" for name, value in event.arguments.items())
            lines.append(Line("tool", f"{event.tool}({arguments})", aside=event.error))
    found = [
        f"{score.metric}: {score.reason}, {MEANING.get(score.reason, score.reason)} (fault: {row.fault(score.metric)})"
        for score in row.episode.scores
        if score.metric in ("intake", "scheduling") and score.value == 0
    ]
    title = "; ".join([f"{row.contact.id}: {row.episode.outcome.replace('_', ' ')}", *found])
    at = row.contact.at.isoformat(timespec="seconds")
    return Details(title, [Dialogue(lines, caption=f"{row.group}, {row.variant}, {at}")])


def _elsewhere(row: ContactRow) -> str:
    """A note for the case that the booking is made in another department than the one the patient was sent to."""
    score, about = row.score("department"), row.episode.ended_with(InDepartment)
    if score is None or score.value == 1 or about is None:
        return ""
    return f"The booking goes on in {about.department}, a right department, so that both tasks are scored separately."
