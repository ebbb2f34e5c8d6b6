"""The paper's figures 2, 3 and 10, and the diaries as they fill up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from polyclinic.clinics.frontdesk.report.rows import LEVELS, ContactRow, groups, scored
from polyclinic.clinics.frontdesk.report.tables import BOTH
from polyclinic.clinics.frontdesk.rules.notes import DiaryChanged, HospitalOpened, VisitEnded
from polyclinic.errors import EngineError
from polyclinic.eval.charts import Bars, HeatMap
from polyclinic.eval.papers import as_in_paper
from polyclinic.eval.sections import Block, Figure, Paragraph
from polyclinic.text.layout import number_of

IN_FIGURES = ("intake", "intake-8")
"""What figures 2 and 3 of the paper compare: five and eight rounds."""
_MOMENTS = 3
"""How many pictures show the diaries fill up. Calls are counted, not days: most are made before the period begins."""


def history(rows: Sequence[ContactRow]) -> list[Figure]:
    """Figures 2 and 3: intake success and department errors, by what patients know and by the rounds allowed.

    The paper compares data sets; if a run has only one, its patients are grouped by what they know.
    """
    visits = [row for row in rows if row.score("intake") is not None]
    if not visits:
        return []
    names = list(dict.fromkeys(name for name, _, _ in groups(visits)))
    sets = {_with_share(name, mine): mine for name in names if (mine := [row for row in visits if row.group == name])}
    told = [(row, ended) for row in visits if (ended := row.episode.ended_with(VisitEnded)) is not None]
    knows = {
        label: [row for row, ended in told if ended.knows_diagnosis == known]
        for label, known in (("without diagnosis", False), ("with diagnosis", True))
    }
    knows = {f"{label} (n = {len({row.contact.id for row in mine}):,})": mine for label, mine in knows.items()}
    numbered = set(IN_FIGURES) <= {row.variant for row in visits}
    if len(sets) == 1:
        return _pair(knows, "by earlier diagnosis and variant", numbered=numbered)
    return [
        *_pair(sets, "by share of patients with an earlier diagnosis, and variant", numbered=numbered),
        *_pair(knows, "by what the patient knows, all hospitals together", numbered=False),
    ]


def _with_share(name: str, rows: Sequence[ContactRow]) -> str:
    visits = [row.episode.ended_with(VisitEnded) for row in rows]
    known = fmean(bool(visit and visit.knows_diagnosis) for visit in visits)
    return f"{name} ({100 * known:.0f} %)"


def _pair(conditions: dict[str, list[ContactRow]], words: str, *, numbered: bool) -> list[Figure]:
    """Success as a share, department errors as counts of patients, as in the paper."""
    intakes = number_of(sum(len(scored(mine, "intake")) for mine in conditions.values()), "intake")
    return [
        Figure(
            f"Intake success {words}{' (figure 2)' if numbered else ''}",
            _bars(conditions, _success, "share of intakes", high=1),
            n=intakes,
        ),
        Figure(
            f"Department errors {words}{' (figure 3)' if numbered else ''}",
            _bars(conditions, _wrong_departments, "patients"),
            n=intakes,
        ),
    ]


def _bars(
    conditions: dict[str, list[ContactRow]],
    value: Callable[[Sequence[ContactRow]], float | None],
    unit: str,
    high: float | None = None,
) -> Bars:
    variants = list(dict.fromkeys(row.variant for mine in conditions.values() for row in mine))
    series = {
        variant: [value([row for row in mine if row.variant == variant]) for mine in conditions.values()]
        for variant in variants
    }
    return Bars(list(conditions), series, y_label=unit, low=0, high=high)


def _success(rows: Sequence[ContactRow]) -> float | None:
    passed = [score.value for score in scored(rows, "intake")]
    return fmean(passed) if passed else None


def _wrong_departments(rows: Sequence[ContactRow]) -> float | None:
    given = scored(rows, "department")
    return float(sum(score.value == 0 for score in given)) if given else None


def misassignment(rows: Sequence[ContactRow]) -> list[Figure]:
    """Figure 10: where patients of each department were wrongly sent, one matrix for each variant."""
    variants = list(dict.fromkeys(row.variant for row in rows))
    found = [(variant, _matrix([row for row in rows if row.variant == variant])) for variant in variants]
    return [
        Figure(
            as_in_paper(f"Wrongly assigned patients by department, {variant}", "figure 10", BOTH, variants),
            chart,
            n=number_of(len(scored([row for row in rows if row.variant == variant], "department")), "patient"),
        )
        for variant, chart in found
        if chart is not None
    ]


def _matrix(rows: Sequence[ContactRow]) -> HeatMap | None:
    scored_rows = [(row.episode.ended_with(VisitEnded), row.score("department")) for row in rows]
    wrong = [(visit.home, score) for visit, score in scored_rows if visit and score is not None and score.value == 0]
    if not wrong:
        return None
    homes = {home for home, _ in wrong}
    names = sorted(homes | {name for row in rows for name in row.contact.departments})
    columns = [*names, "elsewhere"]
    counts = {name: dict.fromkeys(columns, 0) for name in names}
    for home, score in wrong:
        given = score.reason.strip().lower()
        counts[home][given if given in names else "elsewhere"] += 1
    values = [[float(counts[name][column]) for column in columns] for name in names]
    return HeatMap(names, columns, values, x_label="sent to", y_label="belongs to", digits=0)


def diaries(rows: Sequence[ContactRow]) -> list[Block]:
    """How the diaries of the first hospital of each level fill up: departments by days, at three moments."""
    figures: list[Block] = []
    for level in LEVELS:
        booked = next((row for row in rows if row.level == level and row.episode.ended_with(DiaryChanged)), None)
        if booked is None:
            continue
        mine = [row for row in rows if row.hospital == booked.hospital and row.variant == booked.variant]
        opened = next((row for row in mine if row.contact.kind == "opening"), None)
        if opened is not None and opened.contact.plan is not None:
            changed = sorted((row for row in mine if row.episode.ended_with(DiaryChanged)), key=_minute)
            moments = dict.fromkeys(-(-len(changed) * part // _MOMENTS) for part in range(1, _MOMENTS + 1))
            figures += [_diary(opened, changed, until) for until in moments]
    if not figures:
        return []
    words = (
        "Share of a department's clinic time that is taken, for each day of the period, in the first hospital of each "
        "level: after a third, after two thirds and after all of the calls that changed a diary. An empty cell: no "
        "clinic on that day."
    )
    return [Paragraph(words), *figures]


def _minute(row: ContactRow) -> int:
    return row.contact.minute


def _diary(opened: ContactRow, changed: Sequence[ContactRow], until: int) -> Figure:
    begun, plan = opened.episode.ended_with(HospitalOpened), opened.contact.plan
    if plan is None or begun is None:
        raise EngineError(f"the contact {opened.contact.id} has no hospital plan, so its diary cannot be drawn")
    room = begun.clinic_minutes
    taken = {name: [0] * len(days) for name, days in room.items()}
    for row in changed[:until]:
        entry = row.episode.ended_with(DiaryChanged)
        for name, day, minutes in entry.diary if entry is not None else ():
            taken[name][day] += minutes
    values = [
        [taken[name][day] / minutes if minutes else None for day, minutes in enumerate(days)]
        for name, days in room.items()
    ]
    days = [f"{plan.time.date_of(day):%m-%d}" for day in range(plan.time.days)]
    chart = HeatMap(list(room), days, values, low=0, high=1, x_label="day", y_label="department")
    share = f"{until} of {len(changed)}" if until < len(changed) else "all"
    caption = f"Diaries of {plan.name}, {opened.variant}, after {share} calls (share of clinic time taken)"
    return Figure(caption, chart, n=number_of(until, "call"))
