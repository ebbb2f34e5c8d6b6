"""What the desk's staff replies with: flat forms, whose choices are limited to what this hospital has."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from typing import Any, Literal, TypeVar

from pydantic import Field, create_model

from polyclinic.clinics.frontdesk.scenario.times import read_date
from polyclinic.core.reply import ASIDE, ReplyModel
from polyclinic.people.locales import Sex

F = TypeVar("F", bound=ReplyModel)
NOT_YET = "not yet known"
EMERGENCY = "emergency help now"
BookAction = Literal["physician_filter", "date_filter", "get_all_time", "ask", "fallback"]
ChangeAction = Literal["reschedule", "cancel", "ask"]
MOST_DAYS = 62
"""A longer period is not listed day by day."""
_AND = re.compile(r",| and | & ")


class IntakeReply(ReplyModel):
    """The staff's form, as far as it is filled in. What the patient has not said is empty.

    `diagnosis`, `complaint` and `reason` are what the department is chosen by, so they stand before it.
    """

    name: str = Field("", description="the patient's full name, if it was said")
    sex: Literal[Sex, ""] = Field("", description="the patient's sex, if it was said")
    phone: str = Field("", description="the patient's phone number, if it was said")
    identifier: str = Field("", description="the patient's personal number, if it was said")
    address: str = Field("", description="the patient's whole address, if it was said")
    diagnosis: str = Field("", description="what a doctor has said it is; none if the patient says that nobody has")
    complaint: str = Field("", description="what is wrong, in a few of the patient's words")
    reason: str = Field("", description="which part of the body it is about")
    department: str = Field(NOT_YET, description="the department for that part of the body")


class Choice(ReplyModel):
    """One step towards a first appointment: what was heard, then a tool with its argument, a question, or the
    fallback.
    """

    wants: str = Field("", description="what the patient wants now, in a few words", json_schema_extra=ASIDE)
    action: BookAction = Field(description="what you do")
    physician: str = Field("", description="the doctor whom the patient asked for, if any")
    date: str = Field("", description="the day from which on the patient can come, if any")
    question: str = Field("", description="what you ask the patient, if you must ask")

    @property
    def arguments(self) -> dict[str, str]:
        """The arguments of the tool."""
        given = {"physician_filter": {"physician": self.physician}, "date_filter": {"date": self.date}}
        return given.get(self.action, {})


class Change(ReplyModel):
    """One step of a call about an appointment: what was heard, then a tool with what it needs, or a question."""

    wants: str = Field("", description="what the caller wants, in a few words", json_schema_extra=ASIDE)
    action: ChangeAction = Field(description="what you do")
    patient_name: str = Field("", description="the caller's full name, if it was said")
    physician: str = Field("", description="the doctor of the appointment, if it was said")
    date: str = Field("", description="the day of the appointment, if it was said")
    question: str = Field("", description="what you ask the caller, if you must ask")

    @property
    def arguments(self) -> dict[str, str]:
        """The arguments of the tool, without empty ones."""
        given = {"physician": self.physician, "date": self.date, "patient_name": self.patient_name}
        return {name: value for name, value in given.items() if value}


class FoundTime(ReplyModel):
    """The time that the staff found by reading the diaries, after a short reason; all of it empty when nothing fits."""

    reason: str = Field("", description="why this time, in a few words", json_schema_extra=ASIDE)
    physician: str = Field("", description="the doctor, or empty if nothing fits")
    date: str = Field("", description="the day, or empty if nothing fits")
    start: str = Field("", description="when the visit begins, as HH:MM, or empty if nothing fits")
    end: str = Field("", description="when the visit ends, as HH:MM, or empty if nothing fits")

    def physicians(self) -> tuple[str, ...]:
        """The doctors named: one, or none. If no server enforces the schema, a reply can name two."""
        return tuple([name.strip() for name in _AND.split(self.physician) if name.strip()])


@lru_cache(maxsize=256)
def intake_form(departments: tuple[str, ...], must_decide: bool) -> type[IntakeReply]:
    """The reply schema of an intake in a hospital with these departments."""
    choices = (*departments, EMERGENCY) if must_decide else (NOT_YET, *departments, EMERGENCY)
    return _closed("IntakeForm", IntakeReply, department=_one_of(choices))


@lru_cache(maxsize=256)
def choice_form(physicians: tuple[str, ...], days: tuple[date, ...]) -> type[Choice]:
    """The reply schema of a step of booking, in a department with these physicians, on these days."""
    return _closed("ChoiceForm", Choice, physician=_one_of(("", *physicians)), date=_day(days))


@lru_cache(maxsize=256)
def change_form(physicians: tuple[str, ...], days: tuple[date, ...]) -> type[Change]:
    """The reply schema of a step of a call, in a department with these physicians, on these days."""
    return _closed("ChangeForm", Change, physician=_one_of(("", *physicians)), date=_day(days))


@lru_cache(maxsize=256)
def time_form(physicians: tuple[str, ...], days: tuple[date, ...]) -> type[FoundTime]:
    """The reply schema of a time in diaries of these physicians, on these days."""
    return _closed("FoundTimeForm", FoundTime, physician=_one_of(("", *physicians)), date=_day(days))


def is_whole(reply: ReplyModel) -> bool:
    """Whether every field was written, as the reply schemas require."""
    return len(reply.model_fields_set) == len(type(reply).model_fields)


def is_of_department(reply: Choice | Change | FoundTime, physicians: tuple[str, ...], days: tuple[date, ...]) -> bool:
    """Whether a reply has all fields, and names one of these physicians and days or leaves them empty."""
    known = (not reply.physician or reply.physician in physicians) and (not reply.date or _is_day(reply.date, days))
    return known and is_whole(reply)


def names_physicians(reply: FoundTime, physicians: tuple[str, ...], days: tuple[date, ...]) -> bool:
    """Whether a complete reply names several physicians of the diaries, and one of their days.

    This is not an error of form: the rubric finds the conflict.
    """
    named = reply.physicians()
    return len(named) > 1 and set(named) <= set(physicians) and _is_day(reply.date, days) and is_whole(reply)


def _is_day(written: str, days: tuple[date, ...]) -> bool:
    """Whether somebody wrote one of these days, as ``YYYY-MM-DD`` or in another way."""
    return bool(days) and read_date(written, days[0], len(days)) in days


def _one_of(values: Iterable[str]) -> Any:
    return Literal[tuple(dict.fromkeys(values))]


def _day(days: tuple[date, ...]) -> Any:
    return _one_of(["", *map(str, days)]) if len(days) < MOST_DAYS else str


def _closed(name: str, base: type[F], **narrower: Any) -> type[F]:
    """The same reply model with every field required; the types of the given fields are narrower."""
    fields: dict[str, Any] = {
        name: (narrower.get(name, info.annotation), Field(description=info.description))
        for name, info in base.model_fields.items()
    }
    made = create_model(name, __base__=base, **fields)
    made.__doc__ = base.__doc__
    return made
