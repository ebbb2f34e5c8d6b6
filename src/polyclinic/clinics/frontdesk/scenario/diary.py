"""A department's diary as bitmaps: free time, appointments, the waiting list.

A physician's day is one integer: bit s is set while slot s is free. A second integer holds the feasible starts, at
which a whole visit of that physician fits. For each day, the department has the union of its physicians' starts. So the
first feasible start of a department is the lowest set bit of one integer, however many days and physicians there are.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Literal

from polyclinic.clinics.frontdesk.scenario.config import Preference
from polyclinic.clinics.frontdesk.scenario.schema import DepartmentPlan, Physician, TimeSystem
from polyclinic.errors import EngineError

Status = Literal["booked", "arrived", "fulfilled", "noshow", "cancelled"]
OPEN_STATUSES: tuple[Status, ...] = ("booked", "arrived")
"""The statuses that time will still change."""
NEVER = 10**9
LONG_AGO = -NEVER
NEXT_STATUSES: dict[Status, tuple[Status, ...]] = {
    "booked": ("arrived", "fulfilled", "noshow", "cancelled"),
    "arrived": ("fulfilled", "noshow"),
    "fulfilled": (),
    "noshow": (),
    "cancelled": (),
}


@dataclass(frozen=True, slots=True)
class Appointment:
    """A booked visit and the wish that it was booked for."""

    id: str
    patient: str
    patient_name: str
    physician: int
    day: int
    slot: int
    length: int
    preference: Preference
    valid_from_day: int
    attends: bool
    status: Status = "booked"
    version: int = 1
    reachable: bool = True
    """Whether the hospital has written down a phone number at which the patient answers."""

    def next_change(self) -> tuple[int, int]:
        """The day and slot at which the passing of time next changes this appointment's status."""
        return self.day, self.slot if self.status == "booked" else self.slot + self.length


def starts_of(free: int, length: int) -> int:
    """The bits from which `length` consecutive bits are set."""
    have = 1
    while have < length:
        step = min(have, length - have)
        free &= free >> step
        have += step
    return free


@dataclass
class Diary:
    """One department's diary."""

    plan: DepartmentPlan
    time: TimeSystem
    free: list[list[int]]
    starts: list[list[int]]
    union: list[int]
    open_days: int
    booked: list[int]
    capacity: list[int]
    appointments: dict[str, Appointment] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)
    clock: int = LONG_AGO
    next_due: int = NEVER

    @classmethod
    def empty(cls, plan: DepartmentPlan, time: TimeSystem) -> Diary:
        """The diary before the first booking: only clinic time is free, not other duties and other days."""
        free = [[_opening_bits(physician, time, day) for day in range(time.days)] for physician in plan.physicians]
        starts = [
            [starts_of(bits, physician.slots_per_visit) for bits in days]
            for physician, days in zip(plan.physicians, free, strict=True)
        ]
        capacity = [physician.capacity(time) for physician in plan.physicians]
        diary = cls(plan, time, free, starts, [0] * time.days, 0, [0] * len(capacity), capacity)
        for day in range(time.days):
            diary._refresh(day)
        return diary

    def copy(self) -> Diary:
        """A copy of the diary, to try changes on."""
        return Diary(
            self.plan,
            self.time,
            [list(days) for days in self.free],
            [list(days) for days in self.starts],
            list(self.union),
            self.open_days,
            list(self.booked),
            self.capacity,
            dict(self.appointments),
            list(self.waiting),
            self.clock,
            self.next_due,
        )

    # -- changes -------------------------------------------------------------------------------------------------------
    def add(self, appointment: Appointment) -> None:
        """Book an appointment. A slot that is not free is refused: double booking is never possible."""
        if appointment.id in self.appointments:
            raise EngineError(f"appointment {appointment.id} exists already")
        self._take(appointment)
        self.appointments[appointment.id] = appointment
        self.next_due = min(self.next_due, self.time.minute(appointment.day, appointment.slot))

    def move(self, id: str, physician: int, day: int, slot: int) -> None:
        """Move to another time; the old one becomes free."""
        old = self._scheduled(id)
        new = replace(
            old,
            physician=physician,
            day=day,
            slot=slot,
            length=self.plan.physicians[physician].slots_per_visit,
            version=old.version + 1,
        )
        self._release(old)
        self._take(new)
        self.appointments[id] = new
        self.next_due = min(self.next_due, self.time.minute(day, slot))

    def cancel(self, id: str) -> None:
        """Cancel; the time becomes free and the patient leaves the waiting list."""
        old = self._scheduled(id)
        self._release(old)
        self.appointments[id] = replace(old, status="cancelled", version=old.version + 1)
        self.leave_waiting(id)

    def wait(self, id: str) -> None:
        """Put an appointment at the end of the waiting list, unless it is on the list already."""
        self._scheduled(id)
        if id not in self.waiting:
            self.waiting.append(id)

    def leave_waiting(self, id: str) -> None:
        """Take an appointment off the waiting list."""
        if id in self.waiting:
            self.waiting.remove(id)

    def set_status(self, id: str, status: Status) -> None:
        """Change an appointment's status; statuses only move forward."""
        old = self.appointments[id]
        if status not in NEXT_STATUSES[old.status]:
            raise EngineError(f"appointment {id} cannot go from {old.status} to {status}")
        self.appointments[id] = replace(old, status=status, version=old.version + 1)
        if status != "booked":
            self.leave_waiting(id)

    def advance(self, minute: int) -> None:
        """Set the diary's clock to this minute; it never runs backwards."""
        if minute < self.clock:
            raise EngineError(f"the clock of {self.plan.name} cannot run back from {self.clock} to {minute}")
        self.clock = minute
        if self.next_due <= minute:
            due = [entry.next_change() for entry in self.appointments.values() if entry.status in OPEN_STATUSES]
            self.next_due = self.time.minute(*min(due)) if due else NEVER

    # -- views ---------------------------------------------------------------------------------------------------------
    @cached_property
    def physician_names(self) -> tuple[str, ...]:
        """The names of the physicians, in the department's own order."""
        return tuple([physician.name for physician in self.plan.physicians])

    def begins(self, id: str) -> int:
        """The minute at which an appointment begins."""
        entry = self.appointments[id]
        return self.time.minute(entry.day, entry.slot)

    def physician_index(self, name: str) -> int | None:
        """The index of the physician with this name; titles, case and spaces do not matter."""
        return self._numbers.get(plain_name(name))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """Physician numbers by plain name. If two physicians have the same name, the first one counts."""
        return {plain_name(name): number for number, name in reversed(list(enumerate(self.physician_names)))}

    def _scheduled(self, id: str) -> Appointment:
        entry = self.appointments.get(id)
        if entry is None or entry.status != "booked":
            raise EngineError(f"appointment {id} is not scheduled and cannot be changed")
        return entry

    def _take(self, entry: Appointment) -> None:
        bits = ((1 << entry.length) - 1) << entry.slot
        if self.free[entry.physician][entry.day] & bits != bits:
            raise EngineError(f"appointment {entry.id} overlaps with time that is not free")
        self._set(entry.physician, entry.day, self.free[entry.physician][entry.day] & ~bits)
        self.booked[entry.physician] += 1

    def _release(self, entry: Appointment) -> None:
        bits = ((1 << entry.length) - 1) << entry.slot
        self._set(entry.physician, entry.day, self.free[entry.physician][entry.day] | bits)
        self.booked[entry.physician] -= 1

    def _set(self, physician: int, day: int, bits: int) -> None:
        self.free[physician][day] = bits
        self.starts[physician][day] = starts_of(bits, self.plan.physicians[physician].slots_per_visit)
        self._refresh(day)

    def _refresh(self, day: int) -> None:
        union = 0
        for days in self.starts:
            union |= days[day]
        self.union[day] = union
        self.open_days = self.open_days | (1 << day) if union else self.open_days & ~(1 << day)


@lru_cache(maxsize=4096)
def plain_name(name: str) -> str:
    """A name for comparison: in lower case, without title and double spaces."""
    words = name.replace(".", ". ").lower().split()
    return " ".join(word for word in words if word not in ("dr.", "dr", "doctor", "prof.", "professor"))


def _opening_bits(physician: Physician, time: TimeSystem, day: int) -> int:
    if day not in physician.working_days:
        return 0
    bits = (1 << time.slots_per_day) - 1
    for busy_day, first, length in physician.busy:
        if busy_day == day:
            bits &= ~(((1 << length) - 1) << first)
    return bits
