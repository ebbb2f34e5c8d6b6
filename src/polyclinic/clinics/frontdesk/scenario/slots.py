"""The earliest feasible slot, exactly.

A visit takes a number of consecutive slots. A start is feasible for a physician when the whole visit is free and lies
inside the opening hours of a day with a clinic. It must begin strictly after the current time. A wish narrows the
choice: `physician` to that physician, `date` to that date and later. The earliest start wins. Among physicians free at
that start, the one with the lower workload wins, then the one named first in the department. The workload is the number
of booked visits divided by the number of visits that fit into the period.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from polyclinic.clinics.frontdesk.scenario.config import Preference
from polyclinic.clinics.frontdesk.scenario.diary import Appointment, Diary
from polyclinic.clinics.frontdesk.scenario.schema import Patient
from polyclinic.core.value import Value


class Wish(Value):
    """Which time a patient wants: the earliest, a certain physician, or from a certain date on."""

    kind: Preference
    physician: str = ""
    valid_from: date | None = None


def wish_of(kind: Preference, physician: str, valid_from: date | None) -> Wish:
    """A wish that names only what its kind needs."""
    if kind == "physician":
        return Wish(kind=kind, physician=physician)
    return Wish(kind=kind, valid_from=valid_from if kind == "date" else None)


@dataclass(frozen=True, slots=True)
class Place:
    """A physician and a start."""

    physician: int
    day: int
    slot: int


@dataclass(frozen=True, slots=True)
class Walk:
    """The result of a pass through the waiting list: who moves where, and who could move but cannot be called."""

    moves: list[tuple[str, Place]]
    unreached: list[str]


def appointment_at(
    diary: Diary, patient: Patient, place: Place, wish: Wish, *, id: str, name: str = "", reachable: bool = True
) -> Appointment:
    """The patient's appointment at this place, with the wish that it was booked for."""
    return Appointment(
        id=id,
        patient=patient.id,
        patient_name=name,
        physician=place.physician,
        day=place.day,
        slot=place.slot,
        length=diary.plan.physicians[place.physician].slots_per_visit,
        preference=wish.kind,
        valid_from_day=diary.time.day_of(wish.valid_from) if wish.valid_from is not None else 0,
        attends=patient.attends,
        reachable=reachable,
    )


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


def earliest(diary: Diary, now: int, *, physician: int | None = None, from_day: int = 0) -> Place | None:
    """The earliest feasible start after `now`, or None when there is none."""
    day, slot = diary.time.first_after(now)
    if from_day > day:
        day, slot = from_day, 0
    if day >= diary.time.days:
        return None
    if physician is not None:
        return _earliest_with(diary, physician, day, slot)
    bits = diary.union[day] >> slot << slot
    if not bits:
        later = diary.open_days >> (day + 1)
        if not later:
            return None
        day += 1 + _lowest(later)
        bits = diary.union[day]
    slot = _lowest(bits)
    return Place(_lightest(diary, day, slot), day, slot)


def _earliest_with(diary: Diary, physician: int, day: int, slot: int) -> Place | None:
    days = diary.starts[physician]
    bits = days[day] >> slot << slot
    while not bits:
        later = diary.open_days >> (day + 1)
        if not later:
            return None
        day += 1 + _lowest(later)
        bits = days[day]
    return Place(physician, day, _lowest(bits))


def _lightest(diary: Diary, day: int, slot: int) -> int:
    """Among the physicians free at this start, the one with the lowest workload; ties go to the one named first."""
    best = -1
    bit = 1 << slot
    booked, capacity = diary.booked, diary.capacity
    for index, days in enumerate(diary.starts):
        if days[day] & bit and (best < 0 or booked[index] * capacity[best] < booked[best] * capacity[index]):
            best = index
    return best


def earlier_place(diary: Diary, now: int, entry: Appointment) -> Place | None:
    """An earlier feasible start for this appointment and its wish; None if there is none."""
    if entry.preference == "physician":
        place = earliest(diary, now, physician=entry.physician)
    elif entry.preference == "date":
        place = earliest(diary, now, from_day=entry.valid_from_day)
    else:
        place = earliest(diary, now)
    if place is None or (place.day, place.slot) >= (entry.day, entry.slot):
        return None
    return place


def earliest_for(diary: Diary, now: int, wish: Wish) -> Place | None:
    """The earliest feasible start for a wish."""
    if wish.kind == "physician":
        index = diary.physician_index(wish.physician)
        return None if index is None else earliest(diary, now, physician=index)
    if wish.kind == "date" and wish.valid_from is not None:
        return earliest(diary, now, from_day=diary.time.day_of(wish.valid_from))
    return earliest(diary, now)


def can_move_up(diary: Diary, now: int, id: str) -> bool:
    """Whether somebody on the waiting list still has a future visit."""
    entry = diary.appointments[id]
    return entry.status == "booked" and diary.time.minute(entry.day, entry.slot) > now


def walk_waiting_list(diary: Diary, now: int) -> Walk:
    """Which patients of the waiting list can move earlier now, in the list's order, each at most once. Changes nothing.

    There is one pass: the old time of a moved patient is open to those further down the list. The hospital must call
    the patients whom it moves. A patient whose phone number was written down wrongly keeps their time.
    """
    trial, found = diary, Walk([], [])
    for waiting in diary.waiting:
        if not can_move_up(trial, now, waiting):
            continue
        entry = trial.appointments[waiting]
        place = earlier_place(trial, now, entry)
        if place is None:
            continue
        if not entry.reachable:
            found.unreached.append(waiting)
            continue
        if trial is diary:
            trial = diary.copy()
        trial.move(waiting, place.physician, place.day, place.slot)
        found.moves.append((waiting, place))
    return found
