"""How time changes the status of appointments: booked, then arrived, then fulfilled or a no-show."""

from __future__ import annotations

from polyclinic.clinics.frontdesk.scenario.diary import OPEN_STATUSES, Diary, Status


def due_statuses(diary: Diary, now: int) -> list[tuple[str, Status]]:
    """The appointments whose status is due to change by now, with the new status, in order of start. Changes nothing.

    If the patient stays away, the status is booked until the visit's end, and then no-show. If the patient comes, the
    status is arrived from the start of the visit, and fulfilled from its end on.
    """
    if diary.next_due > now:
        return []
    due: list[tuple[int, int, str, Status]] = []
    first_to_come = diary.time.first_after(now)
    for number, entry in enumerate(diary.appointments.values()):
        if entry.status not in OPEN_STATUSES or (entry.day, entry.slot) >= first_to_come:
            continue
        start = diary.time.minute(entry.day, entry.slot)
        end = start + entry.length * diary.time.slot_minutes
        status = status_at(start, end, entry.attends, now)
        if status != entry.status:
            due.append((start, number, entry.id, status))
    return [(entry_id, status) for _, _, entry_id, status in sorted(due)]


def status_at(start: int, end: int, attends: bool, now: int) -> Status:
    """The status of a visit that was not cancelled."""
    if now >= end:
        return "fulfilled" if attends else "noshow"
    if now >= start and attends:
        return "arrived"
    return "booked"


def can_change(diary: Diary, id: str, now: int) -> bool:
    """Whether an appointment may still be moved or cancelled: scheduled, and not begun."""
    entry = diary.appointments.get(id)
    return entry is not None and entry.status == "booked" and diary.time.minute(entry.day, entry.slot) > now
