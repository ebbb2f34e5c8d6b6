"""The paper's figures 2, 3 and 10, and the diaries as they fill up."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from polyclinic.clinics.frontdesk.report.rows import LEVELS, Row, scored
from polyclinic.errors import EngineError
from polyclinic.eval.charts import Bars, HeatMap
from polyclinic.eval.sections import Figure

_MOMENTS = (("when the period begins", 0.0), ("half-way through", 0.5), ("at the end", 1.0))


def history(rows: Sequence[Row]) -> list[Figure]:
    """Figures 2 and 3: intake success and department errors, by what patients know and by the rounds allowed."""
    visits = [row for row in rows if row.score("intake") is not None]
    if not visits:
        return []
    names = ("without diagnosis", "with diagnosis")
    variants = list(dict.fromkeys(row.variant for row in visits))
    success: dict[str, list[float | None]] = {variant: [] for variant in variants}
    errors: dict[str, list[float | None]] = {variant: [] for variant in variants}
    for variant in variants:
        for knows in (False, True):
            mine = [r for r in visits if r.variant == variant and r.episode.data.get("knows_diagnosis") == knows]
            passed = [score.value for score in scored(mine, "intake")]
            success[variant].append(fmean(passed) if passed else None)
            errors[variant].append(float(sum(score.value == 0 for score in scored(mine, "department"))))
    return [
        Figure("Intake success by earlier diagnosis and variant (figure 2)", Bars(names, success, low=0, high=1)),
        Figure("Department errors by earlier diagnosis and variant (figure 3)", Bars(names, errors, low=0)),
    ]


def misassignment(rows: Sequence[Row]) -> Figure | None:
    """Figure 10: where patients of each department were wrongly sent."""
    wrong = [row for row in rows if (score := row.score("department")) is not None and score.value == 0]
    if not wrong:
        return None
    names = sorted({name for row in rows for name in row.contact.departments})
    columns = [*names, "elsewhere"]
    counts = {name: dict.fromkeys(columns, 0) for name in names}
    for row in wrong:
        given = str(row.episode.data.get("given", ""))
        counts[str(row.episode.data["home"])][given if given in names else "elsewhere"] += 1
    values = [[float(counts[name][column]) for column in columns] for name in names]
    chart = HeatMap(names, columns, values, x_label="sent to", y_label="belongs to", digits=0)
    return Figure("Wrongly assigned patients by department (figure 10)", chart)


def diaries(rows: Sequence[Row]) -> list[Figure]:
    """How the diaries of the first hospital of each level fill up: departments by days, at three moments."""
    figures: list[Figure] = []
    for level in LEVELS:
        opened = next((row for row in rows if row.level == level and row.contact.kind == "opening"), None)
        if opened is None or opened.contact.plan is None:
            continue
        mine = [row for row in rows if row.hospital == opened.hospital and row.variant == opened.variant]
        if any("diary" in row.episode.data for row in mine):
            figures += [_diary(opened, mine, label, part) for label, part in _MOMENTS]
    return figures


def _diary(opened: Row, rows: Sequence[Row], label: str, part: float) -> Figure:
    data, plan = opened.episode.data, opened.contact.plan
    if plan is None:
        raise EngineError(f"{opened.contact.id} carries no plan")
    until = part * int(data["end_minute"])
    room: dict[str, list[int]] = data["clinic_minutes"]
    taken = {name: [0] * len(days) for name, days in room.items()}
    for row in rows:
        if row.contact.minute <= until:
            for name, day, minutes in row.episode.data.get("diary", ()):
                taken[name][day] += minutes
    values = [
        [taken[name][day] / minutes if minutes else None for day, minutes in enumerate(days)]
        for name, days in room.items()
    ]
    days = [f"{plan.time.date_of(day):%m-%d}" for day in range(plan.time.days)]
    chart = HeatMap(list(room), days, values, low=0, high=1, x_label="day", y_label="department")
    return Figure(f"Diaries of {plan.name}, {label} (share of clinic time taken)", chart)
