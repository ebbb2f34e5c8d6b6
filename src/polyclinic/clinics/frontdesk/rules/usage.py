"""How a hospital was used over simulated time: the physicians' clinics by hour of the day (clinic time, time used,
visits that nobody came to), and the waiting lists (how long they were, and how patients left them).
"""

from __future__ import annotations

from collections import Counter

from polyclinic.clinics.frontdesk.rules.clock import due_statuses
from polyclinic.clinics.frontdesk.scenario.diary import Diary
from polyclinic.clinics.frontdesk.scenario.times import MINUTES_A_DAY
from polyclinic.clinics.frontdesk.state.hospital import HospitalState
from polyclinic.core.note import Payload
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


class ListsOverTime(Payload):
    """All waiting lists of a hospital together, in numbers of patients.

    `still_waiting`: on a list at the end. `kept_time`: on a list until their visit began. `gave_up`: on a list when
    they cancelled. `most_waiting`: on a list at one moment. `waiting_by_day`: a day, and on a list when the desk closed
    on that day.
    """

    still_waiting: int
    kept_time: int
    gave_up: int = 0
    most_waiting: int
    waiting_by_day: tuple[tuple[int, int], ...]


def lists_over_time(state: HospitalState, now: int) -> ListsOverTime:
    """The waiting lists up to now. Somebody whose visit has begun is no longer on a list."""
    changes, kept, still = list(state.list_changes), state.kept_time, 0
    for diary in state.diaries.values():
        begun = {id_ for id_, _ in due_statuses(diary, now)}
        gone = [id_ for id_ in diary.waiting if id_ in begun]
        changes += [(diary.begins(id_), -1) for id_ in gone]
        kept, still = kept + len(gone), still + len(diary.waiting) - len(gone)
    length = most = 0
    closes = state.plan.time.close_minute
    at_close: Counter[int] = Counter()
    for minute, change in sorted(changes):
        length += change
        most = max(most, length)
        day, of_day = divmod(minute, MINUTES_A_DAY)
        at_close[day + (of_day >= closes)] = length
    by_day, last = [], 0
    for day in range(min(at_close, default=0), state.plan.time.days):
        last = at_close.get(day, last)
        by_day.append((day, last))
    return ListsOverTime(
        still_waiting=still,
        kept_time=kept,
        gave_up=state.gave_up,
        most_waiting=most,
        waiting_by_day=tuple(by_day),
    )
