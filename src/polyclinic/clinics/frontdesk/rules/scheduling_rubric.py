"""The scheduling rubric: completeness (IS), format (IF), and the proposed time, step by step.

For a call about an appointment, it also checks whether the appointment was found (FI).

Every earlier feasible start is checked before a time counts as the earliest (NET), not only the first of each free
period.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Annotated

from pydantic import BeforeValidator

from polyclinic.clinics.frontdesk.rules.codes import PASS, RubricVerdict
from polyclinic.clinics.frontdesk.rules.snapshot import PhysicianDays, Snapshot
from polyclinic.clinics.frontdesk.scenario.diary import plain_name, starts_of
from polyclinic.clinics.frontdesk.scenario.schema import TimeSystem
from polyclinic.clinics.frontdesk.scenario.slots import Place, Wish
from polyclinic.clinics.frontdesk.scenario.times import ClockTime, read_date, read_minute
from polyclinic.core.message import Frozen
from polyclinic.core.value import unchanging


def _typed(read: Callable[[str], object]) -> BeforeValidator:
    """Reads a text in the form in which the value itself is printed. Any other text stays as it is."""

    def typed(given: object) -> object:
        found = read(given) if isinstance(given, str) else given
        return found if str(found) == str(given) else given

    return BeforeValidator(typed)


_Date = Annotated[date | str, _typed(read_date)]
_Time = Annotated[ClockTime | str, _typed(read_minute)]


class Proposal(Frozen):
    """A proposed visit. A date or a time that a model wrote in a form of its own stays as it was written, until
    `read_place` reads it with the period of the hospital.
    """

    physician: str
    date: _Date
    start: _Time
    end: _Time


@unchanging
class BookingCase:
    """What the rubric looks at. `proposals` is None when the reply could not be read.

    `stated`: the patient said its wish.
    """

    wish: Wish
    stated: bool
    snapshot: Snapshot
    proposals: tuple[Proposal, ...] | None


def judge_booking(case: BookingCase) -> RubricVerdict:
    """The first error of a booking (or of the new time of a move)."""
    if not case.stated:
        return RubricVerdict(code="IS", fault="patient", reason="the patient never stated the wish it was given")
    if case.proposals is None:
        return RubricVerdict(code="IF", fault="staff", reason="the proposal could not be read")
    if not case.proposals:
        return RubricVerdict(code="IS", fault="staff", reason="the dialogue ended without a proposal")
    found = read_place(case.snapshot, case.proposals)
    return judge_place(case.snapshot, case.wish, found) if isinstance(found, Place) else found


def read_place(snapshot: Snapshot, proposals: Sequence[Proposal]) -> Place | RubricVerdict:
    """The proposed free slot. If the proposal has an error whatever the patient wishes, the first such error."""
    if len(proposals) > 1 and len({plain_name(proposal.physician) for proposal in proposals}) > 1:
        return RubricVerdict(code="PC", fault="staff", reason="more than one physician was assigned")
    if len(set(proposals)) > 1:
        return RubricVerdict(code="IVS", fault="staff", reason="more than one time was proposed")
    proposal, time = proposals[0], snapshot.time
    index = snapshot.physician_index(proposal.physician)
    day, start, end = _day(proposal.date, time), _minute(proposal.start), _minute(proposal.end)
    fault = _invalid(snapshot, index, day, start, end)
    if fault or index is None or day is None or start is None or end is None:
        return RubricVerdict(code="IVS", fault="staff", reason=fault)
    physician = snapshot.physicians[index]
    if end - start != physician.slots_per_visit * time.slot_minutes:
        due = physician.slots_per_visit * time.slot_minutes
        return RubricVerdict(code="WD", fault="staff", reason=f"{end - start} minutes instead of {due}")
    slot = (start - time.open_minute) // time.slot_minutes
    needed = ((1 << physician.slots_per_visit) - 1) << slot
    if physician.bits(day) & needed != needed:
        return RubricVerdict(code="TC", fault="staff", reason="the time overlaps with the physician's diary")
    return Place(index, day, slot)


def _minute(written: ClockTime | str) -> int | None:
    return read_minute(written) if isinstance(written, str) else written


def _day(written: date | str, time: TimeSystem) -> int | None:
    """The day of the period that a date names; None when it is not a date or lies outside the period."""
    named = time.date_written(written) if isinstance(written, str) else written
    day = time.day_of(named) if named is not None else -1
    return day if 0 <= day < time.days else None


def _invalid(snapshot: Snapshot, physician: int | None, day: int | None, start: int | None, end: int | None) -> str:
    time = snapshot.time
    if physician is None:
        return f"no such physician in {snapshot.department}"
    if day is None:
        return "not a date of the period"
    if start is None or end is None or start >= end:
        return "not a time of day"
    if start < time.open_minute or end > time.close_minute:
        return "outside opening hours"
    if (start - time.open_minute) % time.slot_minutes or (end - time.open_minute) % time.slot_minutes:
        return "not on the hospital's time grid"
    if time.minute(day, (start - time.open_minute) // time.slot_minutes) <= snapshot.now:
        return "in the past"
    return ""


def judge_place(snapshot: Snapshot, wish: Wish, place: Place) -> RubricVerdict:
    """The verdict on a free slot: the first way in which it does not fit the wish."""
    time, physician, day = snapshot.time, snapshot.physicians[place.physician], place.day
    if wish.kind == "physician" and plain_name(wish.physician) != plain_name(physician.name):
        return RubricVerdict(code="IP", fault="staff", reason=f"{physician.name} instead of {wish.physician}")
    from_day = 0
    if wish.kind == "date" and wish.valid_from is not None:
        from_day = time.day_of(wish.valid_from)
        if day < from_day:
            return RubricVerdict(code="IDT", fault="staff", reason=f"before {wish.valid_from.isoformat()}")
    candidates: Sequence[PhysicianDays] = (physician,) if wish.kind == "physician" else snapshot.physicians
    earlier = earliest_start(snapshot, candidates, from_day)
    if earlier is not None and earlier < (day, place.slot):
        begins = time.start_text(*earlier)
        return RubricVerdict(code="NET", fault="staff", reason=f"{begins} was free")
    return PASS


def earliest_start(
    snapshot: Snapshot, physicians: Sequence[PhysicianDays], from_day: int = 0
) -> tuple[int, int] | None:
    """The earliest feasible (day, slot) of these physicians after now."""
    first_day, first_slot = snapshot.time.first_after(snapshot.now)
    if from_day > first_day:
        first_day, first_slot = from_day, 0
    for day in range(max(first_day, 0), snapshot.time.days):
        skip = first_slot if day == first_day else 0
        bits = 0
        for physician in physicians:
            bits |= starts_of(physician.bits(day), physician.slots_per_visit)
        bits = bits >> skip << skip
        if bits:
            return day, (bits & -bits).bit_length() - 1
    return None


def anything_free(snapshot: Snapshot, wish: Wish) -> bool:
    """Whether the diary has any feasible start for this wish. If not, "full" is the right answer."""
    return _earliest_for(snapshot, wish) is not None


@unchanging
class EventCase:
    """A call about an existing appointment: what was wanted, what was found, what was done."""

    wanted: str
    appointment: str
    found: str
    done: str
    wish: Wish
    snapshot: Snapshot | None = None
    proposals: tuple[Proposal, ...] | None = ()
    old_start: tuple[int, int] = (0, 0)


def judge_event(case: EventCase) -> RubricVerdict:
    """The first error of a move or a cancellation.

    `done` is what happened: "moved", "waiting", "cancelled", or "" when nothing did. A new time is judged like a
    booking. A patient who is put on the waiting list although an earlier time was free did not get the earliest time
    (NET).
    """
    if case.found != case.appointment:
        return RubricVerdict(code="FI", fault="staff", reason="the caller's appointment was not identified")
    if case.wanted == "cancel":
        if case.done != "cancelled":
            return RubricVerdict(code="IS", fault="staff", reason="the appointment was not cancelled")
        return PASS
    if case.proposals is None:
        return RubricVerdict(code="IF", fault="staff", reason="the new time could not be read")
    if case.done not in ("moved", "waiting") and not case.proposals:
        return RubricVerdict(
            code="IS", fault="staff", reason="the appointment was neither moved nor put on the waiting list"
        )
    if case.snapshot is None:
        return PASS
    if case.proposals:
        return judge_booking(BookingCase(wish=case.wish, stated=True, snapshot=case.snapshot, proposals=case.proposals))
    found = _earliest_for(case.snapshot, case.wish)
    if found is not None and found < case.old_start:
        return RubricVerdict(
            code="NET", fault="staff", reason="put on the waiting list although an earlier time was free"
        )
    return PASS


def _earliest_for(snapshot: Snapshot, wish: Wish) -> tuple[int, int] | None:
    if wish.kind == "physician":
        index = snapshot.physician_index(wish.physician)
        return None if index is None else earliest_start(snapshot, (snapshot.physicians[index],))
    from_day = snapshot.time.day_of(wish.valid_from) if wish.kind == "date" and wish.valid_from is not None else 0
    return earliest_start(snapshot, snapshot.physicians, from_day)
