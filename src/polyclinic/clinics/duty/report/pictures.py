"""Learning curves, drift by trait, prompt histories and failure signatures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from polyclinic.clinics.duty.report.collect import Collected, ShiftRow
from polyclinic.clinics.duty.report.tables import METHOD, range_of, value_of
from polyclinic.clinics.duty.rules.norms.norm import inventory
from polyclinic.clinics.duty.scenario.schema import STAFF, Role, Task
from polyclinic.eval.charts import ChartValue, Lines
from polyclinic.eval.intervals import estimate
from polyclinic.eval.sections import Block, Cell, Details, Diff, Figure, Grid, Paragraph, Section, Table
from polyclinic.text.layout import number_of

BLOCK = 5
SIGNATURES = 12
HISTORIES = 24


def learning_curves(data: Collected, note: Sequence[Block] = ()) -> Section:
    """NVR and SNR over the shifts of a campaign, in blocks, with bands over trials."""
    figures = []
    for task in data.tasks:
        blocks = sorted({(s.number - 1) // BLOCK for s in data.shifts if s.task == task})
        for metric in ("nvr", "snr"):
            series = {
                variant: [_block(data.of(variant, task), block, metric) for block in blocks]
                for variant in data.variants
            }
            chart = Lines([block * BLOCK + (BLOCK + 1) / 2 for block in blocks], series, "shift", metric.upper(), low=0)
            figures.append(Figure(f"{task}: {metric.upper()} over the shifts, in blocks of {BLOCK}", chart))
    return Section("Learning curves", [Grid(figures), *note])


def _block(shifts: Sequence[ShiftRow], block: int, metric: str) -> ChartValue:
    found = [(s, v) for s in shifts if (s.number - 1) // BLOCK == block for v in [value_of(s, metric)] if v is not None]
    return estimate([value for _, value in found], clusters=[s.row.trial for s, _ in found], bounds=range_of(metric))


def drift_plots(data: Collected) -> Section:
    """For each trait that was measured, the mean deviation from the person's established trait, by variant."""
    body: list[Block] = []
    for task in data.tasks:
        for role in STAFF:
            figures = _role_plots(data, task, role)
            if figures:
                summary = f"{task}, {role}: deviation from the established trait"
                body.append(Details(summary, [Grid(figures)], open=task == data.tasks[0] and role == "doctor"))
    if not body:
        body.append(Paragraph("No variant of this run listens for traits (R02 is off in all of them).", tone="note"))
    return Section("Drift by trait", body)


def _role_plots(data: Collected, task: Task, role: Role) -> list[Figure]:
    listening = [v for v in data.variants if any(role in s.heard for s in data.of(v, task))]
    shifts = [s for v in listening for s in data.of(v, task) if role in s.heard]
    traits = sorted({trait for s in shifts for trait in s.heard[role]})
    blocks = sorted({(s.number - 1) // BLOCK for s in shifts})
    places = [block * BLOCK + (BLOCK + 1) / 2 for block in blocks]
    figures = []
    for trait in traits:
        series = {variant: _deviations(data.of(variant, task), role, trait, blocks) for variant in listening}
        figures.append(Figure(trait.replace("_", " "), Lines(places, series, "shift", low=-0.5, high=0.5)))
    return figures


def _deviations(shifts: Sequence[ShiftRow], role: Role, trait: str, blocks: Sequence[int]) -> list[ChartValue]:
    values: list[ChartValue] = []
    for block in blocks:
        found = [
            (s, s.heard[role][trait] - s.anchor[role][trait])
            for s in shifts
            if (s.number - 1) // BLOCK == block and trait in s.heard.get(role, {}) and trait in s.anchor.get(role, {})
        ]
        values.append(estimate([value for _, value in found], clusters=[s.row.trial for s, _ in found]))
    return values


def prompt_histories(data: Collected) -> Section:
    """The learned lines of the method's first campaign, edit by edit, as diffs with their reasons."""
    variant = (
        METHOD if METHOD in data.variants else next((v for v in data.variants if any(s.edits for s in data.of(v))), "")
    )
    body: list[Block] = []
    for task in data.tasks:
        shifts = sorted((s for s in data.of(variant, task) if s.row.trial == 0), key=lambda s: s.number)
        for role in STAFF:
            diffs = _diffs(shifts, role)
            if diffs:
                body.append(Details(f"{task}, {role}: {number_of(len(diffs), 'changed shift')}", diffs[:HISTORIES]))
    if not body:
        body.append(Paragraph("No prompt changed in this run.", tone="note"))
    return Section("Prompt histories", body)


def _diffs(shifts: Sequence[ShiftRow], role: Role) -> list[Block]:
    diffs: list[Block] = []
    seen = [(s, s.prompts[role]) for s in shifts if role in s.prompts]
    for (before, old), (_, new) in pairwise(seen):
        if old != new:
            reasons = [note.edit.reason for note in before.edits if note.role == role]
            diffs.append(Diff(old, new, f"after shift {before.number}: {'; '.join(reasons)}"))
    return diffs


def failure_signatures(data: Collected) -> Section:
    """What keeps going wrong: how often each norm is broken by each role, early and late in the campaign."""
    norms = {norm.id: norm.in_words() for norm in inventory()}
    last = max((s.number for s in data.shifts), default=0)
    tables: list[Block] = []
    for variant in data.variants:
        early: Counter[tuple[str, str, str]] = Counter()
        late: Counter[tuple[str, str, str]] = Counter()
        words: dict[tuple[str, str, str], str] = {}
        for shift in data.of(variant):
            for violation in shift.broken:
                key = (violation.rule, violation.by, shift.task)
                (early if shift.number * 2 <= last else late)[key] += 1
                words.setdefault(key, violation.words)
        total = early + late
        rows: list[list[Cell]] = [
            [norm, norms.get(norm), by, task, early[norm, by, task], late[norm, by, task], words[norm, by, task]]
            for (norm, by, task), _ in sorted(total.items(), key=lambda item: (-item[1], item[0]))[:SIGNATURES]
        ]
        broken = sum(shift.commitments_broken for shift in data.of(variant))
        caption = f"{variant}: broken commitments {broken}"
        shifts = [shift.number * 2 <= last for shift in data.of(variant)]
        halves = [f"first half (n = {sum(shifts)})", f"second half (n = {len(shifts) - sum(shifts)})"]
        note = "How often the norm was broken; n counts the shifts."
        tables.append(Table(caption, ["norm", "what it says", "role", "task", *halves, "for example"], rows, note=note))
    return Section("Recurring failure signatures", tables)
