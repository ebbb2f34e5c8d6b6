"""A department's diary at one moment, as plain data in a transcript: all that a booking is judged by, and nothing
more.
"""

from __future__ import annotations

from datetime import date
from functools import lru_cache

from polyclinic.clinics.frontdesk.scenario.schema import TimeSystem
from polyclinic.clinics.frontdesk.state import Diary, plain_name
from polyclinic.core.message import Frozen, trusted


class PhysicianDays(Frozen):
    """One physician's free slots per day, each day a hexadecimal bitmap (bit s: slot s is free)."""

    name: str
    slots_per_visit: int
    booked: int
    capacity: int
    free: tuple[str, ...]

    def bits(self, day: int) -> int:
        """The free slots of a day."""
        return int(self.free[day], 16)


class Snapshot(Frozen):
    """The diary of a department and the clock."""

    department: str
    now: int
    time: TimeSystem
    physicians: tuple[PhysicianDays, ...]

    def find(self, name: str) -> PhysicianDays | None:
        """The physician of this name in this department."""
        wanted = plain_name(name)
        for entry in self.physicians:
            if plain_name(entry.name) == wanted:
                return entry
        return None


def take_snapshot(diary: Diary, now: int) -> Snapshot:
    """The diary as it is now."""
    physicians = tuple([_physician_days(diary, index) for index in range(len(diary.plan.physicians))])
    fields = {"department": diary.plan.name, "now": now, "time": diary.time, "physicians": physicians}
    return trusted(Snapshot, fields)


def _physician_days(diary: Diary, index: int) -> PhysicianDays:
    physician = diary.plan.physicians[index]
    fields = {
        "name": physician.name,
        "slots_per_visit": physician.slots_per_visit,
        "booked": diary.booked[index],
        "capacity": diary.capacity[index],
        "free": tuple([f"{bits:x}" for bits in diary.free[index]]),
    }
    return trusted(PhysicianDays, fields)


def parse_day(text: str, time: TimeSystem) -> int | None:
    """The day of the period an ISO date names; None when it is not a date or lies outside the period."""
    try:
        day = time.day_of(date.fromisoformat(text.strip()))
    except ValueError:
        return None
    return day if 0 <= day < time.days else None


@lru_cache(maxsize=1024)
def parse_minute(text: str) -> int | None:
    """Minutes since midnight of ``HH:MM``; None when it is not such a time."""
    hours, colon, minutes = text.strip().partition(":")
    if not colon or not (hours.isdecimal() and minutes.isdecimal() and len(minutes) == 2):
        return None
    total = int(hours) * 60 + int(minutes)
    return total if int(minutes) < 60 and total <= 24 * 60 else None
