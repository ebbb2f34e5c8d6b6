"""The operation as a manager reads it: waiting times, clinics, no-shows, the waiting list and the desk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import quantiles

from polyclinic.clinics.frontdesk.report.rows import WISHES, ContactRow, groups, mean_of, moved_up, split
from polyclinic.clinics.frontdesk.report.talks import calls_by_outcome, queue_at_the_desk
from polyclinic.clinics.frontdesk.rules.notes import (
    AppointmentMade,
    BookingEnded,
    HospitalClosed,
    MovedUp,
)
from polyclinic.clinics.frontdesk.rules.usage import ClinicUse, ListsOverTime
from polyclinic.clinics.frontdesk.scenario.schema import TimeSystem
from polyclinic.clinics.frontdesk.scenario.times import MINUTES_A_DAY, clock_text
from polyclinic.eval.charts import Dots, HeatMap, Lines
from polyclinic.eval.estimate import ratio
from polyclinic.eval.sections import Block, Cell, Figure, Paragraph, Table
from polyclinic.text.layout import number_of


def operations(rows: Sequence[ContactRow]) -> list[Block]:
    """The whole section, for each level and variant, with pictures for the first hospital of each level."""
    calls = [row for row in rows if row.contact.kind not in ("opening", "closing")]
    if not any(row.episode.ended_with(AppointmentMade) for row in calls):
        return []
    blocks: list[Block] = [
        Paragraph(
            "How the hospital ran, as a manager would ask. All times are simulated. Waiting times run from the call to "
            "the appointment; emergencies get help at once and are not counted here."
        ),
        _overview(rows),
        *_waiting_times(calls),
    ]
    for name, variant, mine in groups(rows):
        first = next((row.hospital for row in mine if row.contact.kind == "opening"), "")
        opened = [row for row in mine if row.hospital == first]
        if opened:
            blocks += _pictures(f"{name}, {variant}", opened)
    blocks.append(calls_by_outcome(calls))
    desk = queue_at_the_desk(rows)
    return [*blocks, desk] if desk is not None else blocks


def _days(rows: Iterable[ContactRow]) -> list[float]:
    made = [row.episode.ended_with(AppointmentMade) for row in rows]
    return [entry.waited / MINUTES_A_DAY for entry in made if entry is not None]


def _overview(rows: Sequence[ContactRow]) -> Table:
    """The main figures, one below the other, with a column for each hospital and variant. This fits small screens."""
    named: list[str] = []
    found: list[list[Cell]] = []
    for name, variant, mine in groups(rows):
        ends = Counter(row.episode.outcome for row in mine)
        closed = [end for row in mine if (end := row.episode.ended_with(HospitalClosed)) is not None]
        uses = [use for end in closed for use in end.clinics]
        lists = [told for row in mine if (told := row.episode.ended_with(ListsOverTime)) is not None]
        up, unreached = moved_up(mine)
        waited = _days(mine)
        visits, missed = sum(use.visits for use in uses), sum(use.no_shows for use in uses)
        named.append(f"{name}, {variant}")
        found.append(
            [
                len(waited),
                mean_of(waited),
                _ninth(waited),
                ratio(sum(map(sum, (use.seen for use in uses))), sum(map(sum, (use.held for use in uses)))),
                ratio(missed, visits + missed),
                ends["moved"],
                ends["waiting"],
                up,
                sum(end.kept_time for end in lists) if lists else None,
                sum(end.gave_up for end in lists) if lists else None,
                sum(end.still_waiting for end in lists) if lists else None,
                unreached,
                max(end.most_waiting for end in lists) if lists else None,
                ends["cancelled"],
                ends["full"],
                ratio(ends["full"], len(waited) + ends["full"]),
                ends["emergency"],
            ]
        )
    lines: list[list[Cell]] = [[label, *cells] for label, *cells in zip(_GLANCE, *found, strict=True)]
    return Table("The operation at a glance", ["figure", *named], lines)


_GLANCE = (
    "patients booked",
    "days to visit\nfrom the call; mean with its 95 % interval",
    "days that one in ten waits\nor longer",
    "clinic time used\nshare of it in which a patient was seen",
    "no-shows\nshare of due visits",
    "moved at once\nby a call of their own, to an earlier time",
    "put on a waiting list\nnothing earlier was free",
    "moved up from the list\nwhen somebody else cancelled",
    "on the list until their visit\nnothing earlier became free, or they were not reached",
    "cancelled while on the list",
    "still on the list\nwhen the period ended",
    "not reached, of those on the list\nan earlier time was free, but the phone number was wrong",
    "longest list\npatients at one moment, all departments of a hospital",
    "cancelled",
    "turned away\nnothing was free",
    "turned away, share\nof patients who asked for a time",
    "emergencies\nhelped at once, no appointment",
)


def _ninth(values: Sequence[float]) -> float | None:
    """The wait that one patient in ten reaches or exceeds; never more than the longest wait."""
    return quantiles(values, n=10, method="inclusive")[-1] if len(values) > 1 else None


def _waiting_times(rows: Sequence[ContactRow]) -> list[Block]:
    """Waiting times by department, and by wish and whether the first wish was met, for each level and variant."""
    blocks: list[Block] = []
    for name, variant, mine in groups(rows):
        booked = [row for row in mine if row.episode.ended_with(AppointmentMade) is not None]
        if not booked:
            continue
        by_department = split(booked, lambda row: row.department)
        chart = Dots(
            list(by_department),
            {variant: [mean_of(_days(found)) for found in by_department.values()]},
            x_label="days",
            low=0,
        )
        blocks.append(Figure(f"Days from the call to the visit by department, {name}, {variant}", chart))
        lines: list[list[Cell]] = []
        for label, found in {**by_department, **split(booked, _wish), **split(booked, _urgency)}.items():
            waited = _days(found)
            lines.append([label, mean_of(waited), _ninth(waited), max(waited), len(waited)])
        helped = sum(row.episode.outcome == "emergency" for row in mine)
        if helped:
            lines.append(["urgency: emergency, help at once", 0.0, 0.0, 0.0, helped])
        columns = ["patients of", "days to visit", "one in ten waits", "longest", "patients"]
        note = (
            "In days. By department, by the wish that the time was found for (first wish: the preference was met), and "
            "by urgency, one after the other. One in ten patients waits this many days or longer."
        )
        blocks.append(Table(f"Waiting time to the visit, {name}, {variant}", columns, lines, note=note))
    return blocks


def _wish(row: ContactRow) -> str:
    talk = row.episode.ended_with(BookingEnded)
    wishes = talk.wishes if talk is not None else ("",)
    met = "second wish" if len(wishes) > 1 else "first wish"
    return f"wish: {WISHES.get(wishes[-1], wishes[-1])} ({met})"


def _urgency(row: ContactRow) -> str:
    patient = row.contact.patient
    if patient is None or not (patient.emergency or patient.warning_sign):
        return "urgency: can wait"
    return "urgency: missed emergency" if patient.emergency else "urgency: warning sign, not judged"


def _pictures(label: str, rows: Sequence[ContactRow]) -> list[Block]:
    """The pictures of one hospital: its physicians' clinics by the hour, and its days."""
    opened = next(row for row in rows if row.contact.kind == "opening")
    closed = next((row.episode.ended_with(HospitalClosed) for row in rows if row.contact.kind == "closing"), None)
    plan = opened.contact.plan
    if plan is None:
        return []
    blocks: list[Block] = []
    if closed is not None and closed.clinics:
        blocks += _clinics(f"{plan.name}, {label}", closed.clinics, plan.time)
    return [*blocks, *_over_time(f"{plan.name}, {label}", rows, plan.time)]


def _clinics(label: str, uses: Sequence[ClinicUse], time: TimeSystem) -> list[Block]:
    hours = [clock_text(time.open_minute + 60 * hour) for hour in range(len(uses[0].held))]
    values = [[ratio(seen, held) for seen, held in zip(use.seen, use.held, strict=True)] for use in uses]
    names = [use.physician.removeprefix("Dr. ") for use in uses]
    chart = HeatMap(names, hours, values, low=0, high=1, x_label="hour", y_label="physician")
    lines: list[list[Cell]] = [
        [
            use.physician,
            use.department,
            round(sum(use.held) / 60, 1),
            use.visits,
            use.no_shows,
            ratio(sum(use.seen), sum(use.held)),
            ratio(sum(use.missed), sum(use.held)),
        ]
        for use in uses
    ]
    visits = number_of(sum(use.visits for use in uses), "visit")
    columns = ["physician", "department", "clinic hours", "seen", "no-shows", "time used", "lost to no-shows"]
    return [
        Figure(f"Clinic time used by physician and hour, {label}", chart, n=visits),
        Table(f"Physicians, {label}", columns, lines, note="Shares of clinic time.", n=visits),
    ]


def _over_time(label: str, rows: Sequence[ContactRow], time: TimeSystem) -> list[Block]:
    """The calls of each day, and the waiting lists: their length when the desk closed, who joined and who left."""
    days = list(range(min(row.contact.minute for row in rows) // MINUTES_A_DAY, time.days))
    lists = next((end for row in rows if (end := row.episode.ended_with(ListsOverTime)) is not None), None)
    moved_up: Counter[int] = Counter()
    for row in rows:
        up = row.episode.ended_with(MovedUp)
        moved_up[_day(row)] += up.waiting_moved if up is not None else 0
    calls = {"calls of the day": Counter(_day(row) for row in rows if row.contact.patient is not None)}
    waiting = {
        "on a list when the desk closed": Counter(dict(lists.waiting_by_day)) if lists is not None else None,
        "put on a list": Counter(_day(row) for row in rows if row.episode.outcome == "waiting"),
        "cancelled": Counter(_day(row) for row in rows if row.episode.outcome == "cancelled"),
        "moved up from a list": moved_up,
    }
    found: list[Block] = []
    for caption, counts in (("Calls day by day", calls), ("Waiting lists day by day", waiting)):
        series = {name: [float(of_day[day]) for day in days] for name, of_day in counts.items() if of_day is not None}
        chart = Lines(days, series, x_label="day of the period (before it: negative)", y_label="patients", low=0)
        found.append(Figure(f"{caption}, {label}", chart, n=number_of(sum(calls["calls of the day"].values()), "call")))
    return found


def _day(row: ContactRow) -> int:
    return row.contact.minute // MINUTES_A_DAY
