"""The hospital of an `h-adminsim` file: its times, departments and doctors as our own plan.

Its times are decimal hours; they become whole slots here or are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from polyclinic.clinics.frontdesk.scenario.config import Level
from polyclinic.clinics.frontdesk.scenario.diseases import departments
from polyclinic.clinics.frontdesk.scenario.files import at
from polyclinic.clinics.frontdesk.scenario.schema import (
    DepartmentPlan,
    HospitalPlan,
    Physician,
    TimeSystem,
)
from polyclinic.clinics.frontdesk.scenario.times import MINUTES_A_DAY, iso_date

THEIR_DEPARTMENTS = {"pulmonary": "pulmonology", "endocrinology": "endocrinology/metabolism"}


def _number(value: Any, what: str) -> Decimal:
    try:
        number = Decimal(str(value))
    except ArithmeticError:
        raise ValueError(f"{what}: '{value}' is not a number") from None
    if not number.is_finite():
        raise ValueError(f"{what}: {value} is not a finite number")
    return number


def first_value(entry: Mapping[str, Any], name: str, key: str) -> str:
    """The value of the first entry in a list; FHIR lists phones, identifiers and addresses in this way."""
    found = entry[name]
    if not isinstance(found, list) or not found:
        raise ValueError(f"'{name}' must be a list with at least one entry that has '{key}'")
    return str(found[0][key])


def slot_of(hours: Any, time: TimeSystem, what: str) -> int:
    """The slot that begins at a decimal hour; an hour between two slots is refused."""
    minutes = round(_number(hours, what) * 60, 6) - time.open_minute
    if minutes % time.slot_minutes:
        raise ValueError(f"{what} {hours} is not on the grid of {time.slot_minutes} minutes")
    return int(minutes // time.slot_minutes)


def time_of(metadata: Mapping[str, Any]) -> TimeSystem:
    """Days, opening hours and slot length of the file."""
    hours = metadata["time"]
    unit = _number(hours["interval_hour"] if "interval_hour" in hours else hours["time_unit"], "the time unit") * 60
    if unit != int(unit) or unit <= 0 or 60 % int(unit):
        raise ValueError(f"the time unit is {unit} minutes, not a whole number that divides an hour")
    opens, closes = (_number(hours[key], key) * 60 for key in ("start_hour", "end_hour"))
    if not 0 <= opens < closes <= MINUTES_A_DAY or opens % 1 or (closes - opens) % unit:
        raise ValueError("the hospital must open before it closes, a whole number of time units within one day")
    days = int(metadata["days"])
    if days < 1:
        raise ValueError(f"days must be at least 1, not {days}")
    return TimeSystem(
        start_date=iso_date(metadata["start_date"]),
        days=days,
        open_minute=int(opens),
        close_minute=int(closes),
        slot_minutes=int(unit),
    )


def day_of(text: str, time: TimeSystem) -> int:
    """The number of a day in the plan, from 0; a day outside of it is refused."""
    day = time.day_of(iso_date(text))
    if not 0 <= day < time.days:
        raise ValueError(f"{text} is outside of the {time.days} days from {time.start_date.isoformat()} on")
    return day


def department_of(name: str) -> str:
    """Our name for one of their departments."""
    return THEIR_DEPARTMENTS.get(name, name)


def plan_of(table: Mapping[str, Any], name: str, level: Level, time: TimeSystem) -> HospitalPlan:
    """Departments and their doctors."""
    known = {department.name for department in departments()}
    plans = []
    for their_name, entry in table["department"].items():
        department = department_of(their_name)
        if department not in known:
            raise ValueError(f"there is no department '{their_name}' here ({', '.join(sorted(known))})")
        if not entry["doctor"]:
            raise ValueError(f"department {their_name}: it has no doctor")
        physicians = []
        for number, doctor in enumerate(entry["doctor"]):
            with at(f"doctor {doctor}"):
                if doctor not in table["doctor"]:
                    raise ValueError(f"{their_name} names this doctor, but the list of doctors does not")
                id_ = f"{name}-{entry['code'].lower()}-{number}"
                physicians.append(_physician(doctor, table["doctor"][doctor], id_, department, time))
        plans.append(DepartmentPlan(name=department, code=entry["code"], physicians=tuple(physicians)))
    return HospitalPlan(id=name, name=name, level=level, locale="korea", time=time, departments=tuple(plans))


def _physician(name: str, entry: Mapping[str, Any], id: str, department: str, time: TimeSystem) -> Physician:
    working: list[int] = []
    busy: list[tuple[int, int, int]] = []
    for day_text, spans in entry["schedule"].items():
        day = day_of(day_text, time)
        slots = [(slot_of(start, time, "a time of"), slot_of(end, time, "a time of")) for start, end in spans]
        if any(first >= end for first, end in slots):
            raise ValueError(f"on {day_text} something ends before it begins")
        slots = [(max(first, 0), min(end, time.slots_per_day)) for first, end in slots]
        if any(first <= 0 and end >= time.slots_per_day for first, end in slots):
            continue
        working.append(day)
        busy.extend((day, first, end - first) for first, end in slots if first < end)
    capacity = int(_number(entry["capacity_per_hour"], "capacity_per_hour"))
    if capacity < 1 or (60 // time.slot_minutes) % capacity:
        raise ValueError(
            f"{capacity} patients an hour do not divide the hour into whole slots of {time.slot_minutes} minutes"
        )
    family, given = western_name(name.removeprefix("Dr. "))
    return Physician(
        id=id,
        name=name,
        department=department,
        specialty=str(entry.get("specialty", {}).get("name", "")),
        capacity_per_hour=capacity,
        slots_per_visit=60 // time.slot_minutes // capacity,
        working_days=tuple(sorted(working)),
        busy=tuple(busy),
        sex=entry["gender"],
        birth_date=iso_date(entry["birthDate"]),
        phone=first_value(entry, "telecom", "value"),
        family=family,
        given=given,
    )


def western_name(name: str) -> tuple[str, str]:
    """Family name and given names; that package has Western names in a Korean hospital."""
    *given, family = name.split() or [""]
    if not family:
        raise ValueError("it has no name")
    return family, " ".join(given) or family
