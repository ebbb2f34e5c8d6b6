"""The frozen data of a hospital campaign: the plan of the hospital, its physicians and patients, and the contacts
they make.

Time is counted in whole minutes since midnight of the period's first day; minutes before the period are negative.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from functools import cached_property, lru_cache
from typing import Literal

from pydantic import field_serializer

from polyclinic.clinics.frontdesk.scenario.config import Level, Preference
from polyclinic.clinics.frontdesk.scenario.times import MINUTES_A_DAY, ClockTime, read_date, zone_of
from polyclinic.core.message import Frozen
from polyclinic.core.scenario import Scenario
from polyclinic.people.demographics import Person
from polyclinic.people.locales import Sex
from polyclinic.people.patient_axes import PatientAxes

Companion = Literal["", "parent", "interpreter"]
ContactKind = Literal["opening", "visit", "move", "cancel", "closing"]
_KINDS: dict[ContactKind, str] = {
    "opening": "The hospital opens",
    "visit": "A patient wants an appointment",
    "move": "A patient wants another time",
    "cancel": "A patient cancels",
    "closing": "The hospital closes",
}


class TimeSystem(Frozen):
    """The hospital's days, hours and slots. Only this class converts slots into clock time and back."""

    start_date: date
    days: int
    open_minute: int
    close_minute: int
    slot_minutes: int
    utc_offset: str = "+09:00"

    @property
    def slots_per_day(self) -> int:
        """The number of slots between opening and closing."""
        return (self.close_minute - self.open_minute) // self.slot_minutes

    @property
    def end_minute(self) -> int:
        """When the period is over."""
        return (self.days - 1) * MINUTES_A_DAY + self.close_minute

    def minute(self, day: int, slot: int) -> int:
        """The minute at which a slot begins."""
        return day * MINUTES_A_DAY + self.open_minute + slot * self.slot_minutes

    def first_after(self, now: int) -> tuple[int, int]:
        """The day and its first slot that begins strictly after this minute.

        The slot may be after the end of the day.
        """
        if now < self.open_minute:
            return 0, 0
        day, minute = divmod(now, MINUTES_A_DAY)
        if minute < self.open_minute:
            return day, 0
        return day, (minute - self.open_minute) // self.slot_minutes + 1

    def date_of(self, day: int) -> date:
        """The calendar date of a day of the period."""
        return self.start_date + timedelta(days=day)

    def date_text(self, day: int) -> str:
        """The calendar date of a day of the period, as ``YYYY-MM-DD``."""
        return _date_text(self.start_date, day)

    @cached_property
    def dates(self) -> tuple[date, ...]:
        """The calendar dates of the period."""
        return tuple([self.date_of(day) for day in range(self.days)])

    def today_text(self, minute: int) -> str:
        """The date and weekday of a moment, as a clerk would read it from a calendar."""
        return _today_text(self.clock(minute).date())

    def clock_time(self, slot: int) -> ClockTime:
        """When a slot of any day begins."""
        return ClockTime(self.open_minute + slot * self.slot_minutes)

    def start_text(self, day: int, slot: int) -> str:
        """When a slot of a day begins, as ``YYYY-MM-DD HH:MM``."""
        return f"{self.date_text(day)} {self.clock_time(slot)}"

    def day_of(self, when: date) -> int:
        """The number of the day in the period for a calendar date; it may lie outside the period."""
        return (when - self.start_date).days

    def date_written(self, text: str) -> date | None:
        """The date that somebody wrote; of two dates that it can mean, the one of this period counts."""
        return read_date(text, self.start_date, self.days)

    def clock(self, minute: int) -> datetime:
        """The simulated date and time of a minute."""
        return datetime(self.start_date.year, self.start_date.month, self.start_date.day) + timedelta(minutes=minute)

    def moment(self, minute: int) -> datetime:
        """The simulated date and time of a minute, with the hospital's time zone."""
        return self.clock(minute).replace(tzinfo=zone_of(self.utc_offset))


@lru_cache(maxsize=1024)
def _date_text(start: date, day: int) -> str:
    return (start + timedelta(days=day)).isoformat()


@lru_cache(maxsize=1024)
def _today_text(today: date) -> str:
    return f"{today.isoformat()}, a {today:%A}"


class Physician(Frozen):
    """A physician, the days with an outpatient clinic and how many patients fit into an hour."""

    id: str
    name: str
    department: str
    specialty: str
    capacity_per_hour: int
    slots_per_visit: int
    working_days: tuple[int, ...]
    busy: tuple[tuple[int, int, int], ...] = ()
    """Fixed other duties: (day, first slot, number of slots)."""
    sex: Sex = "female"
    birth_date: date = date(1970, 1, 1)
    phone: str = ""
    family: str = ""
    given: str = ""

    def capacity(self, time: TimeSystem) -> int:
        """How many patients fit into all the clinics of the period."""
        hours = (time.close_minute - time.open_minute) // 60
        return self.capacity_per_hour * hours * len(self.working_days)


class DepartmentPlan(Frozen):
    """A department of this hospital; the order of its physicians settles ties."""

    name: str
    code: str
    physicians: tuple[Physician, ...]


class HospitalPlan(Frozen):
    """A hospital before the first call."""

    id: str
    name: str
    level: Level
    locale: str
    time: TimeSystem
    departments: tuple[DepartmentPlan, ...]

    @property
    def department_names(self) -> tuple[str, ...]:
        """The names of the departments, in the hospital's own order."""
        return tuple(department.name for department in self.departments)


class Patient(Frozen):
    """A patient: particulars, what is wrong, what they know about it, and what they want."""

    id: str
    person: Person
    axes: PatientAxes
    disease: str
    symptoms: tuple[str, ...]
    gold_departments: tuple[str, ...]
    """The right departments among those the hospital has."""
    home_department: str
    """Where the patient is sent if the intake was wrong, so that both tasks are scored separately."""
    knows_diagnosis: bool
    preferences: tuple[Preference, Preference]
    physician: str
    valid_from: date
    attends: bool = True
    others: tuple[str, ...] = ()
    """Other complaints, which are not what the patient came for."""
    companion: Companion = ""
    companion_name: str = ""
    """Who speaks for the patient, if somebody does."""
    emergency: bool = False
    """Something is happening now that cannot wait for an appointment."""
    warning_sign: bool = False
    """A symptom is a warning sign, but may be no emergency: emergency help is not judged (`warning_signs`)."""
    resistance: float | None = None
    """From 0 to 1: a first offer is turned down when this is below the variant's rate. None: drawn by the episode."""


class Contact(Scenario):
    """One contact with the hospital: the scenario of one episode. A campaign is all contacts of a hospital, in order of
    arrival.

    `opening` holds the plan and fills the records, `closing` ends the period. `lanes` are the departments whose diary
    it may need; `after` is the earlier contact that it depends on.
    """

    kind: ContactKind
    level: Level
    minute: int
    at: datetime
    patient: Patient | None = None
    plan: HospitalPlan | None = None
    after: str = ""
    departments: tuple[str, ...] = ()
    claims: Patient | None = None
    """Whose appointment an imposter speaks about; None for honest callers."""

    def introduction(self) -> str:
        """What kind of contact it is, and when."""
        return f"{_KINDS[self.kind]}, {self.at:%Y-%m-%d %H:%M} ({self.level} care)"

    @field_serializer("at")
    def _instant(self, at: datetime) -> str:
        """Written as a FHIR instant, always with the offset in figures."""
        return at.isoformat(timespec="seconds")

    @property
    def caller(self) -> Patient:
        """The patient of this contact; raises an error if the contact has no patient."""
        if self.patient is None:
            raise ValueError(f"{self.id} is a {self.kind}, so it has no caller")
        return self.patient
