"""The talks at the desk: how long they take, how they end, and how long callers wait for a clerk."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from polyclinic.clinics.frontdesk.operations.queues import waits
from polyclinic.clinics.frontdesk.report.rows import ContactRow, groups, mean_of, split
from polyclinic.clinics.frontdesk.rules.notes import TalkHeld
from polyclinic.eval.charts import Bars
from polyclinic.eval.sections import Cell, Figure, Table
from polyclinic.text.layout import number_of

WORDS_A_MINUTE = 130
AT_THE_DESK = 0.5
"""Minutes of a contact in addition to the words that are said."""
CLERKS = (1, 2, 3, 4, 6, 8)


def _minutes(row: ContactRow) -> float | None:
    talk = row.episode.ended_with(TalkHeld)
    return AT_THE_DESK + talk.spoken_words / WORDS_A_MINUTE if talk is not None else None


def calls_by_outcome(rows: Sequence[ContactRow]) -> Table:
    """How long calls take, by how they end."""
    lines: list[list[Cell]] = []
    for name, variant, mine in groups(rows):
        for end, found in split(mine, lambda row: row.episode.outcome.replace("_", " ")).items():
            lengths = [minutes for row in found if (minutes := _minutes(row)) is not None]
            talks = [talk.spoken_lines for row in found if (talk := row.episode.ended_with(TalkHeld)) is not None]
            if lengths:
                cells: list[Cell] = [name, variant, end, len(found), mean_of(lengths), fmean(talks)]
                lines.append(cells)
    note = f"Minutes: the words that were said, at {WORDS_A_MINUTE} words a minute, plus half a minute."
    columns = ["hospital", "variant", "ended", "calls", "minutes", "lines said"]
    return Table("Calls by length and outcome", columns, lines, note=note)


def queue_at_the_desk(rows: Sequence[ContactRow]) -> Figure | None:
    """The queue at the desk of each level's first hospital, for several numbers of clerks."""
    series: dict[str, list[float | None]] = {}
    calls = 0
    for name, variant, mine in groups(rows):
        first = next((row.hospital for row in mine if row.contact.kind == "opening"), "")
        arrivals = sorted(
            (float(row.contact.minute), length)
            for row in mine
            if row.hospital == first and (length := _minutes(row)) is not None
        )
        if arrivals:
            found = [fmean(waits(arrivals, clerks)) for clerks in CLERKS]
            series[f"{name}, {variant}"] = [round(value, 3) for value in found]
            calls += len(arrivals)
    if not series:
        return None
    chart = Bars(
        [f"{clerks} clerks" if clerks > 1 else "1 clerk" for clerks in CLERKS], series, y_label="minutes", low=0
    )
    return Figure("Mean wait at the desk, by number of clerks", chart, n=number_of(calls, "call"))
