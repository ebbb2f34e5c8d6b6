"""The waiting lists of a hospital over simulated time: how long they were, and how patients left them."""

from __future__ import annotations

from collections import Counter

from polyclinic.clinics.frontdesk.rules.clock import due_statuses
from polyclinic.clinics.frontdesk.scenario.times import MINUTES_A_DAY
from polyclinic.clinics.frontdesk.state.hospital import HospitalState
from polyclinic.core.note import Payload


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
