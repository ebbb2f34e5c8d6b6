"""The desk without dialogues: where each patient is booked, moved and cancelled when nobody makes a mistake.

Who calls back, and when, must be known before the first call, because contacts run in a fixed order. So the hospital is
first played through by its own rules. Every booking may bring one call to move and one to cancel. Each comes from
somebody who has a future appointment at that moment, at any time between their booking and their visit. Anybody may
cancel. The longer patients still have to wait, the likelier they ask for an earlier time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

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

    def who_moves(self, at: int, chance: float) -> int | None:
        """Choose who asks for an earlier time at this minute: a patient with a future visit and no other call to make.

        The longer the time from this minute, or from the wished date, to the visit, the likelier they ask. A patient
        who already has the first clinic time that they wished for may ask too.
        """
        self._ahead = [number for number in self._ahead if self._is_ahead(number, at)]
        able = [
            number for number in self._ahead if number not in self._moving and self._called.get(number, at - 1) < at
        ]
        gains = list(accumulate([self._could_gain(number, at) for number in able]))
        if not gains or not gains[-1]:
            return None
        number = able[bisect_right(gains, chance * gains[-1])]
        self._called[number] = at
        self._moving.add(number)
        return number

    def _could_gain(self, number: int, at: int) -> int:
        """Minutes from now, or from the wished date, to the visit. Nights and days without a clinic count too."""
        diary, id_ = self._held[number]
        entry, time = diary.appointments[id_], diary.time
        earliest = max(at, time.minute(entry.valid_from_day, 0)) if entry.preference == "date" else at
        return max(0, _begins(diary, entry) - earliest)

    def who_cancels(self, at: int, chance: float) -> int | None:
        """Choose who cancels at this minute: any patient with a future visit and no other call to make."""
        place = int(chance * len(self._ahead))
        tries = len(self._ahead)
        while tries and self._ahead:
            tries, place = tries - 1, place % len(self._ahead)
            number = self._ahead[place]
            if not self._is_ahead(number, at):
                self._ahead[place] = self._ahead[-1]
                self._ahead.pop()
            elif self._called.get(number, at - 1) >= at:
                place += 1
            else:
                self._called[number] = NEVER
                return number
        return None

    def _is_ahead(self, number: int, at: int) -> bool:
        held = self._held.get(number)
        return held is not None and _begins(held[0], held[0].appointments[held[1]]) > at

    def move(self, number: int, now: int) -> bool:
        """Move to an earlier time; if there is none, join the waiting list. Returns whether the patient moved."""
        diary, id_ = self._held[number]
        entry = diary.appointments[id_]
        if _begins(diary, entry) <= now:
            return False
        place = earlier_place(diary, now, entry)
        if place is None:
            diary.wait(id_)
            return False
        diary.move(id_, place.physician, place.day, place.slot)
        return True

    def cancel(self, number: int, now: int) -> int:
        """Cancel; the time becomes free, and patients on the waiting list move up. Returns how many do."""
        diary, id_ = self._held.pop(number)
        if _begins(diary, diary.appointments[id_]) <= now:
            return 0
        diary.cancel(id_)
        moves = walk_waiting_list(diary, now).moves
        for waiting, place in moves:
            diary.move(waiting, place.physician, place.day, place.slot)
            diary.leave_waiting(waiting)
        return len(moves)


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
