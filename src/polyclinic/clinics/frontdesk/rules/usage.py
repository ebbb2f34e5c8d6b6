"""How the physicians' clinics were used: clinic time, time used, and visits that nobody came to, by hour of the day."""

from __future__ import annotations

from polyclinic.clinics.frontdesk.rules.clock import due_statuses
from polyclinic.clinics.frontdesk.scenario.diary import Diary
from polyclinic.core.value import Value


class ClinicUse(Value):
    """One physician's clinics over the period. The lists have an entry for each hour from the opening, in minutes."""

    physician: str
    department: str
    held: tuple[int, ...]
    seen: tuple[int, ...]
    missed: tuple[int, ...]
    visits: int
    no_shows: int


def clinic_use(diary: Diary, now: int) -> list[ClinicUse]:
    """How each physician's clinics were used by now."""
    time, passed = diary.time, dict(due_statuses(diary, now))
    hours = -(-(time.close_minute - time.open_minute) // 60)
    found: list[ClinicUse] = []
    for index, physician in enumerate(diary.plan.physicians):
        held, seen, missed = [0] * hours, [0] * hours, [0] * hours
        busy = {(day, slot) for day, first, length in physician.busy for slot in range(first, first + length)}
        for day in physician.working_days:
            for slot in range(time.slots_per_day):
                if (day, slot) not in busy:
                    held[slot * time.slot_minutes // 60] += time.slot_minutes
        visits = no_shows = 0
        for entry in diary.appointments.values():
            status = passed.get(entry.id, entry.status)
            if entry.physician != index or status not in ("fulfilled", "noshow"):
                continue
            came = status == "fulfilled"
            visits, no_shows = visits + came, no_shows + (not came)
            for slot in range(entry.slot, entry.slot + entry.length):
                (seen if came else missed)[slot * time.slot_minutes // 60] += time.slot_minutes
        found.append(
            ClinicUse(
                physician=physician.name,
                department=diary.plan.name,
                held=tuple(held),
                seen=tuple(seen),
                missed=tuple(missed),
                visits=visits,
                no_shows=no_shows,
            )
        )
    return found
