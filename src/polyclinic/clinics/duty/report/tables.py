"""The paper's four tables from one run, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from statistics import fmean

from polyclinic.clinics.duty.report.collect import Collected, ShiftRow
from polyclinic.clinics.duty.scenario import Task
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.intervals import estimate
from polyclinic.eval.sections import Cell, Paragraph, Section, Table

TABLE_ROLE = "doctor"
METHOD = "full"
BOUNDS = {"cbs": (1.0, 10.0), "rqs": (1.0, 10.0), "tss": (1.0, 10.0), "snr": (0.0, inf), "se": (0.0, inf)}
"""Ranges of metrics that are no shares; RAR is shown on 0 to 1."""
IDENTITY = ("ics", "ics_llm", "rar")


def value_of(shift: ShiftRow, metric: str, role: str = "") -> float | None:
    """An episode's number for a metric, of one role where one is named; RAR on 0…1 as the tables have it."""
    if not role:
        found = shift.row.value(metric)
    else:
        samples = [score.value for score in shift.row.by_metric.get(metric, ()) if score.subject == role]
        found = fmean(samples) if samples else None
    return found / 10 if found is not None and metric == "rar" else found


def clusters_of(shifts: Sequence[ShiftRow]) -> list[str]:
    """What is resampled: whole campaigns when there are at least five, since shifts of one campaign are not independent
    evidence; scenarios otherwise."""
    trials = {shift.row.trial for shift in shifts}
    return [str(s.row.trial) if len(trials) >= 5 else s.row.scenario.partition(".")[0] for s in shifts]


def mean_of(shifts: Sequence[ShiftRow], metric: str, role: str = "") -> Estimate | None:
    """The mean of a metric over some shifts, with its interval."""
    kept = [(shift, value) for shift in shifts for value in [value_of(shift, metric, role)] if value is not None]
    clusters = clusters_of([shift for shift, _ in kept])
    return estimate([value for _, value in kept], clusters=clusters, bounds=BOUNDS.get(metric, (0.0, 1.0)))


def paper_tables(data: Collected) -> Section:
    """Tables 1 to 4."""
    return Section(
        "The paper's tables",
        [
            Paragraph(
                "Means with 95 % intervals over campaigns (or scenarios, where a run has fewer than five "
                "trials). Identity and "
                f"role adherence are the {TABLE_ROLE}'s; RAR is its 1 to 10 rubric over ten.",
                tone="note",
            ),
            _table("Table 1. Norm compliance and risk (lower is better)", data, ("nvr", "snr"), ""),
            _table(
                "Table 2. Identity consistency (lower is better) and role adherence",
                data,
                ("ics", "ics_llm", "rar"),
                TABLE_ROLE,
            ),
            _table("Table 3. Social embeddedness (1 to 10)", data, ("cbs", "rqs", "tss"), ""),
            ablation_table(data),
            _table("Task effectiveness", data, ("tsr", "success", "se"), ""),
        ],
    )


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


def ablation_table(data: Collected) -> Table:
    """Table 4: the method minus each other variant, over all tasks, paired by scenario and trial."""
    columns = ["baseline / method", "ΔNVR", "ΔSNR", "ΔICS", "ΔTSS"]
    rows: list[list[Cell]] = []
    for variant in data.variants:
        if variant != METHOD and METHOD in data.variants:
            deltas: list[Cell] = [difference(data, variant, metric) for metric in ("nvr", "snr", "ics", "tss")]
            rows.append([f"{variant} / {METHOD}", *deltas])
    return Table("Table 4. The method minus each other variant, over all tasks", columns, rows)


def difference(data: Collected, variant: str, metric: str, task: Task | None = None) -> Estimate | None:
    """The method's mean difference from a variant on the same shifts."""
    role = TABLE_ROLE if metric in IDENTITY else ""
    other = {(s.row.scenario, s.row.trial): value_of(s, metric, role) for s in data.of(variant, task)}
    pairs = [
        (shift, mine - theirs)
        for shift in data.of(METHOD, task)
        for mine in [value_of(shift, metric, role)]
        for theirs in [other.get((shift.row.scenario, shift.row.trial))]
        if mine is not None and theirs is not None
    ]
    return estimate([delta for _, delta in pairs], clusters=clusters_of([shift for shift, _ in pairs]))
