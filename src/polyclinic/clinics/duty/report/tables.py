"""The paper's four tables from one run, with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import inf

from polyclinic.clinics.duty.judges.panel import ICS
from polyclinic.clinics.duty.report.collect import Collected, ShiftRow
from polyclinic.clinics.duty.scenario.schema import Task
from polyclinic.core.judge import weighted_value
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.intervals import difference_bounds, estimate
from polyclinic.eval.sections import Cell, Paragraph, Section, Table
from polyclinic.text.layout import number_of

TABLE_ROLE = "doctor"
METHOD = "full"
IN_PAPER = ("plain", "norm-instructed", "memory-only", "reflection-only", METHOD)
"""The variants that the paper's tables compare."""
_BOUNDS = {
    "rar": (0.1, 1.0),
    "cbs": (1.0, 10.0),
    "rqs": (1.0, 10.0),
    "tss": (1.0, 10.0),
    "snr": (0.0, inf),
    "ics": (ICS.low, ICS.high),
    "se": (0.0, inf),
}
"""Ranges of metrics that are not shares; RAR is shown on a scale of 0 to 1."""
IDENTITY = ("ics", "ics_llm", "rar")


def weighed(shift: ShiftRow, metric: str, role: str = "") -> tuple[float, float] | None:
    """An episode's value for a metric and its weight, for one role if one is named. RAR is on a scale of 0 to 1, as in
    the tables.
    """
    scores = [score for score in shift.row.by_metric.get(metric, ()) if not role or score.subject == role]
    found = weighted_value(scores)
    return (found[0] / 10, found[1]) if found is not None and metric == "rar" else found


def value_of(shift: ShiftRow, metric: str) -> float | None:
    """An episode's value for a metric, without its weight."""
    found = weighed(shift, metric, "")
    return None if found is None else found[0]


def mean_of(shifts: Sequence[ShiftRow], metric: str, role: str = "") -> Estimate | None:
    """The mean of a metric over some shifts, with its interval. Weights and clusters are those of the table of all
    metrics.
    """
    kept = [(shift, *found) for shift in shifts if (found := weighed(shift, metric, role)) is not None]
    return estimate(
        [value for _, value, _ in kept],
        clusters=[shift.written for shift, _, _ in kept],
        weights=[weight for _, _, weight in kept],
        bounds=range_of(metric),
    )


def range_of(metric: str) -> tuple[float, float]:
    """The range of a metric as the tables show it."""
    return _BOUNDS.get(metric, (0.0, 1.0))


def paper_tables(data: Collected) -> Section:
    """Tables 1 to 4."""
    whole = set(IN_PAPER) <= set(data.variants)
    return Section(
        "The paper's tables" if whole else "Tables by variant",
        [
            Paragraph(
                "Means with 95 % intervals over the written shifts, as in all tables of this report: trials "
                f"and repeats of a shift are averaged first. Identity and role adherence are the {TABLE_ROLE}'s; RAR "
                "is its 1 to 10 rubric divided by ten.",
                tone="note",
            ),
            _table(_placed("Norm compliance and risk (lower is better)", 1, data), data, ("nvr", "snr"), ""),
            _table(
                _placed("Identity consistency (lower is better) and role adherence", 2, data),
                data,
                ("ics", "ics_llm", "rar"),
                TABLE_ROLE,
            ),
            _table(_placed("Social embeddedness (1 to 10)", 3, data), data, ("cbs", "rqs", "tss"), ""),
            *ablation_table(data),
            _table("Task effectiveness", data, ("tsr", "success", "se"), ""),
        ],
    )


def _placed(caption: str, number: int, data: Collected) -> str:
    """A caption, with the number of the paper's table if the run has all variants that are compared there."""
    return f"Table {number}. {caption}" if set(IN_PAPER) <= set(data.variants) else caption


def unread_norms(data: Collected) -> list[Section]:
    """The norms that the reader could not judge, as a section if there are any."""
    episodes = Counter(
        (shift.row.variant, norm)
        for shift in data.shifts
        for score in shift.row.by_metric.get("unread", ())
        for norm in score.evidence
    )
    if not episodes:
        return []
    rows: list[list[Cell]] = [[norm, variant, count] for (variant, norm), count in sorted(episodes.items())]
    told = (
        "The reader of this run could not tell whether these norms were broken, so they are in no number of this "
        "report. The built-in reader has learned only the clinic's norms: cast a language model as the reader, or name "
        "the clinic's norm that means the same (`like: SAFE-1`)."
    )
    shifts = number_of(len(data.shifts), "shift")
    table = Table("Norms that were not judged", ["norm", "variant", "shifts"], rows, n=shifts)
    return [Section("Norms that were not judged", [Paragraph(told), table])]


def _table(caption: str, data: Collected, metrics: Sequence[str], role: str) -> Table:
    columns = ["variant", *(f"{task} {metric.upper()}" for task in data.tasks for metric in metrics)]
    rows: list[list[Cell]] = []
    for variant in data.variants:
        cells: list[Cell] = [variant]
        for task in data.tasks:
            shifts = data.of(variant, task)
            cells += [mean_of(shifts, metric, role) for metric in metrics]
        rows.append(cells)
    return Table(caption, columns, rows)


def ablation_table(data: Collected) -> list[Table]:
    """Table 4: the method minus each other variant, over all tasks, paired by scenario and trial. Empty if there is no
    other variant.
    """
    columns = ["baseline / method", "ΔNVR", "ΔSNR", "ΔICS", "ΔTSS"]
    rows: list[list[Cell]] = []
    for variant in data.variants:
        if variant != METHOD and METHOD in data.variants:
            deltas: list[Cell] = [difference(data, variant, metric) for metric in ("nvr", "snr", "ics", "tss")]
            rows.append([f"{variant} / {METHOD}", *deltas])
    caption = _placed("The method minus each other variant, over all tasks", 4, data)
    return [Table(caption, columns, rows)] if rows else []


def difference(data: Collected, variant: str, metric: str, task: Task | None = None) -> Estimate | None:
    """The method's mean difference from a variant on the same shifts."""
    role = TABLE_ROLE if metric in IDENTITY else ""
    other = {(s.row.scenario, s.row.trial): weighed(s, metric, role) for s in data.of(variant, task)}
    pairs = [
        (shift, mine[0] - theirs[0], (mine[1] + theirs[1]) / 2)
        for shift in data.of(METHOD, task)
        if (mine := weighed(shift, metric, role)) is not None
        and (theirs := other.get((shift.row.scenario, shift.row.trial))) is not None
    ]
    return estimate(
        [delta for _, delta, _ in pairs],
        clusters=[shift.written for shift, _, _ in pairs],
        weights=[weight for _, _, weight in pairs],
        bounds=difference_bounds(*range_of(metric)),
        method="percentile",
    )
