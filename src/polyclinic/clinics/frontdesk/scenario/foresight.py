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

from polyclinic.clinics.frontdesk.scenario.diary import LONG_AGO, NEVER, Appointment, Diary
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
        self._numbers: dict[str, int] = {}
        self._starts: dict[int, int] = {}
        """The minute at which each patient's visit begins."""
        self._wished: dict[int, int] = {}
        """The minute from which each patient wishes to come."""
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
        self._numbers[entry.id] = number
        self._starts[number] = _begins(diary, entry)
        self._wished[number] = diary.time.minute(entry.valid_from_day, 0) if entry.preference == "date" else LONG_AGO
        self._ahead.append(number)
        return entry

    def who_moves(self, at: int, chance: float) -> int | None:
        """Choose who asks for an earlier time at this minute: a patient with a future visit and no other call to make.

        The longer the time from this minute, or from the wished date, to the visit, the likelier they ask. Nights and
        days without a clinic count too, so a patient who already has the first time that they wished for may ask.
        """
        starts, wished, moving, called = self._starts, self._wished, self._moving, self._called
        self._ahead = [number for number in self._ahead if number in starts and starts[number] > at]
        able = [
            number for number in self._ahead if number not in moving and (number not in called or called[number] < at)
        ]
        waits = [starts[number] - (wished[number] if wished[number] > at else at) for number in able]  # noqa: FURB136 - called often
        gains = list(accumulate([wait if wait > 0 else 0 for wait in waits]))  # noqa: FURB136
        if not gains or not gains[-1]:
            return None
        number = able[bisect_right(gains, chance * gains[-1])]
        self._called[number] = at
        self._moving.add(number)
        return number

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
        return number in self._starts and self._starts[number] > at

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
        self._put(diary, id_, place)
        return True

    def cancel(self, number: int, now: int) -> int:
        """Cancel; the time becomes free, and patients on the waiting list move up. Returns how many do."""
        diary, id_ = self._held.pop(number)
        del self._starts[number]
        if _begins(diary, diary.appointments[id_]) <= now:
            return 0
        diary.cancel(id_)
        moves = walk_waiting_list(diary, now).moves
        for waiting, place in moves:
            self._put(diary, waiting, place)
            diary.leave_waiting(waiting)
        return len(moves)

    def _put(self, diary: Diary, id_: str, place: Place) -> None:
        diary.move(id_, place.physician, place.day, place.slot)
        self._starts[self._numbers[id_]] = diary.time.minute(place.day, place.slot)


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
