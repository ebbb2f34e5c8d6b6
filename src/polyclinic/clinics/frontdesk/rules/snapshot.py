"""A department's diary at one moment, as plain data in a transcript: exactly what is needed to judge a booking."""

from __future__ import annotations

from polyclinic.clinics.frontdesk.scenario.diary import Diary, plain_name
from polyclinic.clinics.frontdesk.scenario.schema import TimeSystem
from polyclinic.core.value import Value


class PhysicianDays(Value):
    """One physician's free slots per day, each day a hexadecimal bitmap (bit s: slot s is free)."""

    name: str
    slots_per_visit: int
    booked: int
    capacity: int
    free: tuple[str, ...]

    def bits(self, day: int) -> int:
        """The free slots of a day."""
        return int(self.free[day], 16)


class Snapshot(Value):
    """The diary of a department and the clock."""

    department: str
    now: int
    time: TimeSystem
    physicians: tuple[PhysicianDays, ...]

    def physician_index(self, name: str) -> int | None:
        """The physician of this name in this department; titles, case and spaces do not matter."""
        wanted = plain_name(name)
        return next((i for i, entry in enumerate(self.physicians) if plain_name(entry.name) == wanted), None)


def take_snapshot(diary: Diary, now: int) -> Snapshot:
    """The diary as it is now."""
    physicians = tuple([_physician_days(diary, index) for index in range(len(diary.plan.physicians))])
    return Snapshot(department=diary.plan.name, now=now, time=diary.time, physicians=physicians)


def _physician_days(diary: Diary, index: int) -> PhysicianDays:
    physician = diary.plan.physicians[index]
    return PhysicianDays(
        name=physician.name,
        slots_per_visit=physician.slots_per_visit,
        booked=diary.booked[index],
        capacity=diary.capacity[index],
        free=tuple([f"{bits:x}" for bits in diary.free[index]]),
    )
