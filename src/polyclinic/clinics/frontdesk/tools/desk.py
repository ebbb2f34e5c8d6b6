"""The desk's tools, bound to the person who calls and to one department's diary.

Whatever a model asks for, these act only on the caller's own appointment: everything else is "not found". A tool
answers a wrong argument with words fit for the model, never with an exception.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from polyclinic.clinics.frontdesk.prompts import Choice
from polyclinic.clinics.frontdesk.rules.clock import can_change
from polyclinic.clinics.frontdesk.rules.scheduling_rubric import Proposal
from polyclinic.clinics.frontdesk.rules.slots import Place, earliest
from polyclinic.clinics.frontdesk.scenario.config import Preference
from polyclinic.clinics.frontdesk.state import Appointment, Diary, plain_name

BOOKING_TOOLS: dict[str, Preference] = {
    "physician_filter": "physician",
    "date_filter": "date",
    "get_all_time": "asap",
}
TOOL_FOR: dict[Preference, str] = {kind: tool for tool, kind in BOOKING_TOOLS.items()}
NOT_FOUND = "no such appointment was found"
FULL = "no time is free for this wish"


@dataclass(frozen=True)
class Found:
    """What a tool found: a time, nothing free, or a problem with the request."""

    place: Place | None = None
    problem: str = ""

    @property
    def full(self) -> bool:
        """The request was right and nothing is free."""
        return self.place is None and not self.problem


def find_time(diary: Diary, now: int, choice: Choice) -> Found:
    """Run one of the three booking tools."""
    kind = BOOKING_TOOLS[choice.action]
    if kind == "physician":
        index = diary.physician_index(choice.physician)
        if index is None:
            return Found(problem=f"there is no '{choice.physician}' in {diary.plan.name}")
        return Found(earliest(diary, now, physician=index))
    if kind == "date":
        day = read_date(choice.date)
        if day is None:
            return Found(problem=f"'{choice.date}' is not a date of the form YYYY-MM-DD")
        return Found(earliest(diary, now, from_day=diary.time.day_of(day)))
    return Found(earliest(diary, now))


def read_date(text: str) -> date | None:
    """An ISO date, or None."""
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


def own_appointment(
    diary: Diary, now: int, caller: str, caller_name: str, choice: Choice, appointment: Appointment | None
) -> Appointment | None:
    """The caller's own appointment, if it is the one described and can still be changed; otherwise None.

    `appointment` is the one that the hospital has for the caller's identity. The description (name, physician, date)
    only narrows it: no description can reach anybody else's.
    """
    if appointment is None or appointment.patient != caller or not can_change(diary, appointment.id, now):
        return None
    described = (
        plain_name(choice.patient_name) == plain_name(caller_name)
        and diary.physician_index(choice.physician) == appointment.physician
        and read_date(choice.date) == diary.time.date_of(appointment.day)
    )
    return appointment if described else None


def as_proposal(diary: Diary, place: Place) -> Proposal:
    """A place in the words of the rubric."""
    physician, time = diary.plan.physicians[place.physician], diary.time
    return Proposal(
        physician=physician.name,
        date=time.date_text(place.day),
        start=time.time_text(place.slot),
        end=time.time_text(place.slot + physician.slots_per_visit),
    )


def as_place(diary: Diary, proposal: Proposal) -> Place | None:
    """The place that a proposal means; None when there is none such."""
    index = diary.physician_index(proposal.physician)
    day = read_date(proposal.date)
    hours, _, minutes = proposal.start.partition(":")
    if index is None or day is None or not (hours.isdecimal() and minutes.isdecimal()):
        return None
    time = diary.time
    slot, rest = divmod(int(hours) * 60 + int(minutes) - time.open_minute, time.slot_minutes)
    number = time.day_of(day)
    if rest or not 0 <= slot < time.slots_per_day or not 0 <= number < time.days:
        return None
    return Place(index, number, slot)
