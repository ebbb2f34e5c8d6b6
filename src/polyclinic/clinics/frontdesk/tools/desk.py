"""The desk's tools, bound to the person who calls and to one department's diary.

Whatever a model asks for, the tools act only on the caller's own appointment. Everything else is "not found". A tool
answers a wrong argument with a message for the model, never with an exception.
"""

from __future__ import annotations

from polyclinic.clinics.frontdesk.prompts.replies import BookAction, Change, Choice
from polyclinic.clinics.frontdesk.rules.clock import can_change
from polyclinic.clinics.frontdesk.rules.scheduling_rubric import Proposal
from polyclinic.clinics.frontdesk.scenario.config import Preference
from polyclinic.clinics.frontdesk.scenario.diary import Appointment, Diary, plain_name
from polyclinic.clinics.frontdesk.scenario.slots import Place, earliest
from polyclinic.core.value import unchanging

BOOKING_TOOLS: dict[BookAction, Preference] = {
    "physician_filter": "physician",
    "date_filter": "date",
    "get_all_time": "asap",
}
TOOL_FOR: dict[Preference, BookAction] = {kind: tool for tool, kind in BOOKING_TOOLS.items()}
NOT_FOUND = "no such appointment was found"


@unchanging
class FoundSlot:
    """What a tool found: a time, or a problem with the request; neither when the request was right
    and nothing is free.
    """

    place: Place | None = None
    problem: str = ""


def find_time(diary: Diary, now: int, choice: Choice) -> FoundSlot:
    """Run one of the three booking tools."""
    kind = BOOKING_TOOLS[choice.action]
    if kind == "physician":
        index = diary.physician_index(choice.physician)
        if index is None:
            return FoundSlot(problem="no doctor of this department was given")
        return FoundSlot(earliest(diary, now, physician=index))
    if kind == "date":
        day = diary.time.date_written(choice.date)
        if day is None:
            return FoundSlot(problem="no date was given")
        return FoundSlot(earliest(diary, now, from_day=diary.time.day_of(day)))
    return FoundSlot(earliest(diary, now))


def own_appointment(
    diary: Diary, now: int, caller: str, caller_name: str, choice: Change, appointment: Appointment | None
) -> Appointment | None:
    """The caller's own appointment, if it is the one described and can still be changed; otherwise None.

    `appointment` is the one that the hospital has for the caller's identity. The description (name, physician, date)
    must fit this appointment, so no description can reach anybody else's appointment. The appointment is stored under
    the name that was written down at the intake: a caller whose name was written down wrongly is not found.
    """
    if appointment is None or appointment.patient != caller or not can_change(diary, appointment.id, now):
        return None
    described = (
        plain_name(choice.patient_name) == plain_name(appointment.patient_name or caller_name)
        and diary.physician_index(choice.physician) == appointment.physician
        and diary.time.date_written(choice.date) == diary.time.date_of(appointment.day)
    )
    return appointment if described else None


def as_proposal(diary: Diary, place: Place) -> Proposal:
    """A place with its names and times, for the patient and for the transcript."""
    physician, time = diary.plan.physicians[place.physician], diary.time
    return Proposal(
        physician=physician.name,
        date=time.date_of(place.day),
        start=time.clock_time(place.slot),
        end=time.clock_time(place.slot + physician.slots_per_visit),
    )
