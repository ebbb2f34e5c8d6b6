"""The prompts of the desk: one typed class per template. What stays the same comes first, what changes last.

No patient's prompt has a field for the right department, and `diagnosis` is empty for a patient who does not know it.
"""

from __future__ import annotations

from datetime import date
from typing import Literal

from polyclinic.clinics.frontdesk.scenario.config import Preference
from polyclinic.core.message import Frozen
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import ReplyModel
from polyclinic.people.patient_axes import PatientAxes

Action = Literal["physician_filter", "date_filter", "get_all_time", "reschedule", "cancel", "ask", "fallback"]


class StaffTurn(ReplyModel):
    """What the staff says; `department` is empty until it has decided."""

    says: str
    department: str = ""


class IntakeReply(ReplyModel):
    """What the staff writes down after the dialogue. "none" stands for what the patient did not say."""

    name: str
    sex: str
    phone: str
    identifier: str
    address: str
    department: str


class Choice(ReplyModel):
    """One step of the staff: a tool with its arguments, a question to the patient, or the fallback."""

    action: Action
    physician: str = ""
    date: str = ""
    patient_name: str = ""
    question: str = ""

    @property
    def arguments(self) -> dict[str, str]:
        """What the tool is given; empty ones left out."""
        given = {"physician": self.physician, "date": self.date, "patient_name": self.patient_name}
        return {name: value for name, value in given.items() if value}


class ProposedTime(ReplyModel):
    """A time the staff has found: date ``YYYY-MM-DD``, times ``HH:MM``."""

    physician: str
    date: str
    start: str
    end: str


class ReasonedSchedule(ReplyModel):
    """What the staff found by reading the diaries; empty when nothing fits."""

    schedule: list[ProposedTime]


class DayDiary(Frozen):
    """The occupied stretches of one day, ``HH:MM-HH:MM`` each; a day without a clinic is occupied throughout."""

    date: date
    occupied: tuple[str, ...]


class PhysicianDiary(Frozen):
    """One physician's diary as the staff reads it."""

    name: str
    visit_minutes: int
    workload_percent: int
    days: tuple[DayDiary, ...]


class PatientIntake(Prompt[str]):
    """The patient answers at the intake."""

    template = "patient_intake.md"
    name: str
    sex: str
    birth_date: date
    phone: str
    identifier: str
    address: str
    diagnosis: str
    symptoms: tuple[str, ...]
    axes: PatientAxes
    staff_says: str


class StaffIntake(Prompt[StaffTurn]):
    """The staff asks, or decides on a department."""

    template = "staff_intake.md"
    departments: tuple[str, ...]
    rounds: int
    patient_says: str
    round: int

    @property
    def for_human(self) -> str:
        """What a person at the desk must know, and how to decide."""
        told = (
            "You are the clerk. Find out who the patient is (full name, sex, phone, personal number, address), "
            "whether there "
            "is a diagnosis already, and what is wrong; then decide on a department.\n"
            f"Departments: {', '.join(self.departments)}.\n"
            "Type what you say. To decide, end with the department: You will be seen in … => department"
        )
        last = " You must decide now." if self.round == self.rounds else ""
        return f"{told if self.round == 1 else ''}\n(Round {self.round} of {self.rounds}.{last})".strip()

    @classmethod
    def from_human(cls, text: str) -> StaffTurn:
        """A person writes what to say; ``=> department`` at the end decides."""
        says, _arrow, department = text.partition("=>")
        return StaffTurn(says=says.strip(), department=department.strip())


class StaffRecord(Prompt[IntakeReply]):
    """The staff writes the record after the dialogue."""

    template = "staff_record.md"
    departments: tuple[str, ...]
    rounds: int

    @property
    def for_human(self) -> str:
        """How the record is typed."""
        return (
            "Write the record, each value exactly as the patient gave it, none where it was not said:\n"
            "name | sex | phone | identifier | address | department"
        )

    @classmethod
    def from_human(cls, text: str) -> IntakeReply:
        """A person writes the six values, separated by ``|``."""
        parts = [part.strip() for part in text.split("|")]
        if len(parts) != 6:
            raise ValueError("write name | sex | phone | identifier | address | department")
        names = ("name", "sex", "phone", "identifier", "address", "department")
        return IntakeReply(**dict(zip(names, parts, strict=True)))


class PatientBooking(Prompt[str]):
    """The patient states a scheduling wish; with `rejected`, it turns down what was offered for that earlier wish."""

    template = "patient_booking.md"
    axes: PatientAxes
    wish: Preference
    physician: str
    valid_from: str
    rejected: str
    staff_says: str

    @property
    def for_human(self) -> str:
        """What a person who plays the patient wants now; it changes when an offer is to be turned down."""
        wanted = {
            "asap": "the earliest time there is, with whichever doctor",
            "physician": f"a time with {self.physician}, whenever that is",
            "date": f"a time from {self.valid_from} on, with whichever doctor",
        }[self.wish]
        before = "You have changed your mind: turn the offer down. " if self.rejected else ""
        return f"The staff says: {self.staff_says}\n{before}You want {wanted}. Say so."


class PatientCalls(Prompt[str]):
    """The patient calls about an appointment it has."""

    template = "patient_calls.md"
    axes: PatientAxes
    intent: Literal["move", "cancel"]
    name: str
    physician: str
    date: date
    time: str
    staff_says: str


class StaffBooks(Prompt[Choice]):
    """The staff chooses one tool, asks, or falls back."""

    template = "staff_books.md"
    department: str
    physicians: tuple[str, ...]
    problem: str
    patient_says: str

    @property
    def for_human(self) -> str:
        """What the patient wants, and how the tools are typed."""
        problem = f"\n(Your last step failed: {self.problem})" if self.problem else ""
        return (
            f"The patient says: {self.patient_says}{problem}\n"
            f"Doctors of {self.department}: {', '.join(self.physicians)}.\n"
            "Type one of:\n"
            "  get_all_time                            the earliest time in the department\n"
            "  physician_filter physician=NAME         the earliest with that doctor\n"
            "  date_filter date=YYYY-MM-DD             the earliest from that date on\n"
            "  reschedule patient_name=NAME, physician=NAME, date=YYYY-MM-DD\n"
            "  cancel patient_name=NAME, physician=NAME, date=YYYY-MM-DD\n"
            "  fallback                                no tool fits: read the diaries yourself\n"
            "Anything else is a question to the patient."
        )

    @classmethod
    def from_human(cls, text: str) -> Choice:
        """``tool key=value, key=value``, or a question."""
        name, _space, rest = text.strip().partition(" ")
        if name not in ("physician_filter", "date_filter", "get_all_time", "reschedule", "cancel", "fallback"):
            return Choice(action="ask", question=text.strip())
        pairs = dict(part.strip().split("=", 1) for part in rest.split(",") if "=" in part)
        return Choice.model_validate({"action": name, **pairs})


class StaffReasons(Prompt[ReasonedSchedule]):
    """The staff finds the time by reading the diaries."""

    template = "staff_reasons.md"
    department: str
    opens: str
    closes: str
    unit_minutes: int
    diaries: tuple[PhysicianDiary, ...]
    now: str
    moving: str
    patient_says: str

    @classmethod
    def from_human(cls, text: str) -> ReasonedSchedule:
        """``physician | date | start | end``, or ``none``."""
        if text.strip().lower() == "none":
            return ReasonedSchedule(schedule=[])
        parts = [part.strip() for part in text.split("|")]
        if len(parts) != 4:
            raise ValueError("write physician | YYYY-MM-DD | HH:MM | HH:MM, or none")
        return ReasonedSchedule(
            schedule=[ProposedTime(physician=parts[0], date=parts[1], start=parts[2], end=parts[3])]
        )


PROMPTS = (
    PatientIntake,
    StaffIntake,
    StaffRecord,
    PatientBooking,
    PatientCalls,
    StaffBooks,
    StaffReasons,
)
