"""The staff at booking and changes, with tools or by reasoning over diaries."""

from __future__ import annotations

from datetime import date
from typing import ClassVar

from polyclinic.clinics.frontdesk.prompts.replies import (
    Change,
    Choice,
    FoundTime,
    change_form,
    choice_form,
    is_of_department,
    names_physicians,
    time_form,
)
from polyclinic.clinics.frontdesk.prompts.views import FIRST_VOICE, DeskClock, PhysicianDiary, Voice
from polyclinic.clinics.frontdesk.scenario.times import ClockTime
from polyclinic.core.calling import CallPrompt
from polyclinic.core.form import FormHints, OnlyIf
from polyclinic.core.prompt import Prompt
from polyclinic.text.layout import blocks, listed

_SEARCHES = {
    "get_all_time": "take the earliest time in the department",
    "physician_filter": "take the earliest time with one doctor",
    "date_filter": "take the earliest time from a day on",
    "ask": "ask the patient",
    "fallback": "read the diaries myself",
}
_APPOINTMENT = ("patient_name", "physician", "date")
_CHANGES = {"reschedule": "move the appointment", "cancel": "cancel the appointment", "ask": "ask the caller"}


def _what_now(today: str, problem: str) -> str:
    """The question to a person. If the last step failed, it says so first, so that the page does not look unchanged."""
    ask = f"Today is {today}. What do you do?"
    return f"That did not work: {problem}. {ask}" if problem else ask


class StaffBooks(CallPrompt[Choice]):
    """The staff chooses a search for a first appointment, asks, or falls back."""

    template = "staff_books.md"
    words = 40
    narrows = True
    uses: ClassVar[dict[str, str]] = {
        "get_all_time": "Finds the earliest time in the department, with any doctor.",
        "physician_filter": "Finds the earliest time with the doctor whom the patient asks for.",
        "date_filter": "Finds the earliest time from the day on which the patient can come.",
        "ask": "Asks the patient one short question, if it is not clear what the patient wants.",
        "fallback": "Opens the diaries, if the wish is clear but no search does it, such as anybody but one doctor.",
    }
    needs: ClassVar[dict[str, tuple[str, ...]]] = {
        "physician_filter": ("physician",),
        "date_filter": ("date",),
        "ask": ("question",),
    }
    department: str
    physicians: tuple[str, ...]
    days: tuple[date, ...]
    today: str
    patient_name: str
    problem: str
    patient_says: str
    voice: Voice = FIRST_VOICE

    def reply_form(self) -> type[Choice]:
        """The reply schema; it allows only the department's physicians and the period's days."""
        return choice_form(self.physicians, self.days)

    def fits(self, reply: Choice) -> bool:
        """Whether all fields are there, and physician and day are allowed or left open."""
        return is_of_department(reply, self.physicians, self.days)

    @property
    def for_human(self) -> str:
        """What the patient says, and how to type the tools."""
        problem = f"\n(Your last step failed: {self.problem})" if self.problem else ""
        return (
            f"The patient says: {self.patient_says}{problem}\n\n"
            f"Today is {self.today}. Doctors of {self.department}: {', '.join(self.physicians)}.\n\n"
            "Type one of:\n"
            "- get_all_time: the earliest time in the department\n"
            "- physician_filter physician=NAME: the earliest with that doctor\n"
            "- date_filter date=YYYY-MM-DD: the earliest from that date on\n"
            "- fallback: no tool fits, read the diaries yourself\n"
            "Anything else is a question to the patient."
        )

    def form_hints(self) -> FormHints:
        """The form for a person: the searches as choices, each with the fields that it needs."""
        return FormHints(
            ask=_what_now(self.today, self.problem),
            hidden=("wants",),
            labels={"action": "What you do", "question": "Your question"},
            choices={"action": _SEARCHES, "physician": {"": "–"}, "date": {"": "–"}},
            only_if={
                "physician": OnlyIf(field="action", values=("physician_filter",)),
                "date": OnlyIf(field="action", values=("date_filter",)),
                "question": OnlyIf(field="action", values=("ask",)),
            },
        )

    @classmethod
    def from_human(cls, text: str) -> Choice:
        """Read what a person typed: ``tool key=value``, or a question."""
        name, pairs = _tool_line(text)
        if name not in ("physician_filter", "date_filter", "get_all_time", "fallback"):
            return Choice(action="ask", question=text.strip())
        return Choice.model_validate({"action": name, **pairs})


class StaffChanges(CallPrompt[Change]):
    """The staff moves or cancels the caller's appointment, or asks which one it is."""

    template = "staff_changes.md"
    words = 50
    narrows = True
    uses: ClassVar[dict[str, str]] = {
        "reschedule": "Moves the caller's appointment to an earlier time, or changes it in another way.",
        "cancel": "Cancels the caller's appointment, if the caller gives it up.",
        "ask": "Asks the caller one short question about what is missing: the wish, the name, the doctor or the day.",
    }
    needs: ClassVar[dict[str, tuple[str, ...]]] = {
        "reschedule": _APPOINTMENT,
        "cancel": _APPOINTMENT,
        "ask": ("question",),
    }
    department: str
    physicians: tuple[str, ...]
    days: tuple[date, ...]
    today: str
    problem: str
    patient_says: str
    voice: Voice = FIRST_VOICE

    def reply_form(self) -> type[Change]:
        """The reply schema; it allows only the department's physicians and the period's days."""
        return change_form(self.physicians, self.days)

    def fits(self, reply: Change) -> bool:
        """Whether all fields are there, and physician and day are allowed or left open."""
        return is_of_department(reply, self.physicians, self.days)

    @property
    def for_human(self) -> str:
        """What the caller says, and how to type the tools."""
        problem = f"\n(Your last step failed: {self.problem})" if self.problem else ""
        return (
            f"The caller says: {self.patient_says}{problem}\n\n"
            f"Today is {self.today}. Doctors of {self.department}: {', '.join(self.physicians)}.\n\n"
            "Type one of:\n"
            "- reschedule patient_name=NAME, physician=NAME, date=YYYY-MM-DD\n"
            "- cancel patient_name=NAME, physician=NAME, date=YYYY-MM-DD\n"
            "Anything else is a question to the caller."
        )

    def form_hints(self) -> FormHints:
        """The form for a person: the tools as choices, each with the fields that it needs."""
        appointment = OnlyIf(field="action", values=("reschedule", "cancel"))
        return FormHints(
            ask=_what_now(self.today, self.problem),
            hidden=("wants",),
            labels={"action": "What you do", "patient_name": "The patient's full name", "question": "Your question"},
            choices={"action": _CHANGES, "physician": {"": "–"}, "date": {"": "–"}},
            only_if={
                "patient_name": appointment,
                "physician": appointment,
                "date": appointment,
                "question": OnlyIf(field="action", values=("ask",)),
            },
        )

    @classmethod
    def from_human(cls, text: str) -> Change:
        """Read what a person typed: ``tool key=value, key=value``, or a question."""
        name, pairs = _tool_line(text)
        if name not in ("reschedule", "cancel"):
            return Change(action="ask", question=text.strip())
        return Change.model_validate({"action": name, **pairs})


class StaffReasons(Prompt[FoundTime]):
    """The staff finds the time by reading the diaries."""

    template = "staff_reasons.md"
    words = 60
    narrows = True
    department: str
    opens: ClockTime
    closes: ClockTime
    unit_minutes: int
    diaries: tuple[PhysicianDiary, ...]
    now: str
    moving: str
    patient_says: str
    clock: DeskClock
    voice: Voice = FIRST_VOICE

    def reply_form(self) -> type[FoundTime]:
        """The reply schema; it allows only physicians and days of the diaries."""
        return time_form(*self._open())

    def fits(self, reply: FoundTime) -> bool:
        """Whether all fields are there, and physician and day are in the diaries or left open.

        A reply that names two physicians is also accepted: the rubric finds the conflict.
        """
        physicians, days = self._open()
        return is_of_department(reply, physicians, days) or names_physicians(reply, physicians, days)

    def _open(self) -> tuple[tuple[str, ...], tuple[date, ...]]:
        """The diaries' physicians, and their days."""
        days = tuple([day.date for day in self.diaries[0].days])
        return tuple([diary.name for diary in self.diaries]), days

    @property
    def for_human(self) -> str:
        """The diaries in readable form, and how to type the time that was found."""
        lines = [
            f"{diary.name} ({diary.visit_minutes} min a visit), {day.date}: "
            f"taken {', '.join(map(str, day.occupied)) or 'never'}"
            for diary in self.diaries
            for day in diary.days
        ]
        return blocks(
            f"{self.department} is open from {self.opens} to {self.closes}; it is {self.now}.",
            listed("The diaries:", lines),
            f"The patient says: {self.patient_says}",
            "Find the time. Write physician | YYYY-MM-DD | HH:MM | HH:MM, or none.",
        )

    def form_hints(self) -> FormHints:
        """The form fields for the time that was found."""
        found = OnlyIf(field="physician", values=self._open()[0])
        return FormHints(
            ask="Find the time. Leave the doctor open if nothing fits.",
            hidden=("reason",),
            labels={"physician": "Doctor", "start": "Start (HH:MM)", "end": "End (HH:MM)"},
            choices={"physician": {"": "nothing fits"}, "date": {"": "–"}},
            only_if=dict.fromkeys(("date", "start", "end"), found),
        )

    @classmethod
    def from_human(cls, text: str) -> FoundTime:
        """Read what a person typed: ``physician | date | start | end``, or ``none``."""
        if text.strip().lower() == "none":
            return FoundTime()
        parts = [part.strip() for part in text.split("|")]
        if len(parts) != 4:
            raise ValueError("write physician | YYYY-MM-DD | HH:MM | HH:MM, or none")
        return FoundTime(physician=parts[0], date=parts[1], start=parts[2], end=parts[3])


def _tool_line(text: str) -> tuple[str, dict[str, str]]:
    name, _space, rest = text.strip().partition(" ")
    pairs = [part.strip().split("=", 1) for part in rest.split(",") if "=" in part]
    return name, {key.strip(): value.strip() for key, value in pairs}
