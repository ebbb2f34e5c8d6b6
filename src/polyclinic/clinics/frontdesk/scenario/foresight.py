"""The desk without dialogues: where each patient is booked, moved and cancelled when nobody makes a mistake.

Who calls back, and when, must be known before the first call, because contacts run in a fixed order. So the hospital is
first played through by its own rules. Every booking may bring one call to move and one to cancel. Each comes from
somebody who has a future appointment at that moment, at any time between their booking and their visit.
"""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.frontdesk.scenario.diary import NEVER, Appointment, Diary
from polyclinic.clinics.frontdesk.scenario.schema import HospitalPlan, Patient
from polyclinic.clinics.frontdesk.scenario.slots import (
    Place,
    Wish,
    appointment_at,
    earlier_place,
    earliest_for,
    walk_waiting_list,
    wish_of,
)

REJECTION = 0.3
"""How often a patient turns the first offer down."""


class Foresight:
    """A hospital's diaries as they will be if everything follows the rules."""

    def __init__(self, plan: HospitalPlan, patients: Sequence[Patient]) -> None:
        self._patients = patients
        self._diaries = {entry.name: Diary.empty(entry, plan.time) for entry in plan.departments}
        self._held: dict[int, tuple[Diary, str]] = {}
        self._ahead: list[int] = []
        self._called: dict[int, int] = {}
        self._moving: set[int] = set()

    def book(self, number: int, now: int) -> Appointment | None:
        """Book a first call. None if nothing is free, or for an emergency, which gets no appointment."""
        patient = self._patients[number]
        if patient.emergency:
            return None
        diary = self._diaries[patient.home_department]
        found = _first_or_second(diary, now, patient)
        if found is None:
            return None
        place, wish = found
        entry = appointment_at(diary, patient, place, wish, id=patient.id)
        diary.add(entry)
        self._held[number] = diary, entry.id
        self._ahead.append(number)
        return entry

    def somebody(self, at: int, *, moves: bool, chance: float) -> int | None:
        """Choose who calls at this minute: a patient with a future visit and no other call to make."""
        place = int(chance * len(self._ahead))
        tries = len(self._ahead)
        while tries and self._ahead:
            tries, place = tries - 1, place % len(self._ahead)
            number = self._ahead[place]
            if not self._is_ahead(number, at):
                self._ahead[place] = self._ahead[-1]
                self._ahead.pop()
            elif self._called.get(number, at - 1) >= at or (moves and number in self._moving):
                place += 1
            else:
                self._called[number] = at if moves else NEVER
                if moves:
                    self._moving.add(number)
                return number
        return None

    def _is_ahead(self, number: int, at: int) -> bool:
        held = self._held.get(number)
        return held is not None and _begins(held[0], held[0].appointments[held[1]]) > at

    def move(self, number: int, now: int) -> None:
        """Move to an earlier time; if there is none, join the waiting list."""
        diary, id_ = self._held[number]
        entry = diary.appointments[id_]
        if _begins(diary, entry) <= now:
            return
        place = earlier_place(diary, now, entry)
        if place is None:
            diary.wait(id_)
        else:
            diary.move(id_, place.physician, place.day, place.slot)

    def cancel(self, number: int, now: int) -> None:
        """Cancel; the time becomes free, and patients on the waiting list move up."""
        diary, id_ = self._held.pop(number)
        if _begins(diary, diary.appointments[id_]) <= now:
            return
        diary.cancel(id_)
        for waiting, place in walk_waiting_list(diary, now).moves:
            diary.move(waiting, place.physician, place.day, place.slot)
            diary.leave_waiting(waiting)


def _first_or_second(diary: Diary, now: int, patient: Patient) -> tuple[Place, Wish] | None:
    """The place and wish that the flow would use.

    It is the second wish if nothing is free for the first, or if the first offer is turned down.
    """
    first, second = (wish_of(kind, patient.physician, patient.valid_from) for kind in patient.preferences)
    place, wish = earliest_for(diary, now, first), first
    if place is None or (patient.resistance is not None and patient.resistance < REJECTION):
        place, wish = earliest_for(diary, now, second), second
    return (place, wish) if place is not None else None


def _begins(diary: Diary, entry: Appointment) -> int:
    return diary.time.minute(entry.day, entry.slot)
