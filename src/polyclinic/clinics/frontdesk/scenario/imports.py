"""Datasets made by the `h-adminsim` package, as our own contacts.

Both of its file kinds are read (hospital data, and agent data with its ground truth beside it), with the key names of
the released package and those of its paper. Its times are decimal hours; they become whole slots here or are refused.
What it does not have (when people call, who calls back) is drawn from the seed as for our own hospitals.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from polyclinic.clinics.frontdesk.scenario.config import HospitalConfig, Level, Preference, preset
from polyclinic.clinics.frontdesk.scenario.contacts import contacts_of
from polyclinic.clinics.frontdesk.scenario.diseases import Disease, departments, packaged_diseases
from polyclinic.clinics.frontdesk.scenario.schema import (
    Contact,
    DepartmentPlan,
    HospitalPlan,
    Patient,
    Physician,
    TimeSystem,
)
from polyclinic.core.seed import stream
from polyclinic.errors import DataError
from polyclinic.people.demographics import Person
from polyclinic.people.patient_axes import draw_axes

_DEPARTMENTS = {"pulmonary": "pulmonology", "endocrinology": "endocrinology/metabolism"}
_PREFERENCES: dict[str, Preference] = {"doctor": "physician", "physician": "physician", "asap": "asap", "date": "date"}


def is_h_adminsim(table: Any) -> bool:
    """Whether this JSON looks like a file of that package."""
    return isinstance(table, dict) and {"metadata", "department", "doctor"} <= set(table)


def import_h_adminsim(path: Path, seed: int) -> list[Contact]:
    """The contacts of one file, or of every such file in a folder, hospital by hospital."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise DataError(f"{path}: no .json file in it")
    contacts: list[Contact] = []
    for file in files:
        table = json.loads(file.read_text(encoding="utf-8"))
        if not is_h_adminsim(table):
            raise DataError(f"{file}: not an h-adminsim dataset (no metadata, department and doctor in it)")
        try:
            contacts.extend(_import(table, file.stem, seed))
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"{file}: {type(error).__name__}: {error}") from None
    return contacts


def _import(table: Mapping[str, Any], name: str, seed: int) -> list[Contact]:
    draw = stream("frontdesk", "import", seed, name)
    time = _time(table["metadata"])
    level: Level = "tertiary" if time.slot_minutes < 15 else "secondary" if len(table["department"]) > 3 else "primary"
    config = preset(level)
    plan = _plan(table, name, level, time)
    rows = _patient_rows(table)
    if not rows:
        raise ValueError("there are no patients in it: synthesize data with patients first")
    by_name = {physician.name: physician for entry in plan.departments for physician in entry.physicians}
    patients, virtual = [], []
    for number, row in enumerate(rows):
        physician = by_name[row["attending_physician"]]
        virtual.append(_virtual(row, physician, time, draw.random()))
        patients.append(_patient(row, number, plan, physician, virtual[-1][0], config, draw))
    return contacts_of(plan, patients, virtual, config, draw)


def _slot(hours: Any, time: TimeSystem, what: str) -> int:
    minutes = round(Decimal(str(hours)) * 60, 6) - time.open_minute
    if minutes % time.slot_minutes:
        raise ValueError(f"{what} {hours} is not on the grid of {time.slot_minutes} minutes")
    return int(minutes) // time.slot_minutes


def _time(metadata: Mapping[str, Any]) -> TimeSystem:
    hours = metadata["time"]
    unit = Decimal(str(hours.get("interval_hour", hours.get("time_unit")))) * 60
    if unit != int(unit):
        raise ValueError(f"the time unit is {unit} minutes, not a whole number")
    return TimeSystem(
        start_date=date.fromisoformat(metadata["start_date"]),
        days=int(metadata["days"]),
        open_minute=int(Decimal(str(hours["start_hour"])) * 60),
        close_minute=int(Decimal(str(hours["end_hour"])) * 60),
        slot_minutes=int(unit),
    )


def _department(name: str) -> str:
    return _DEPARTMENTS.get(name, name)


def _plan(table: Mapping[str, Any], name: str, level: Level, time: TimeSystem) -> HospitalPlan:
    known = {department.name for department in departments()}
    plans = []
    for their_name, entry in table["department"].items():
        department = _department(their_name)
        if department not in known:
            raise ValueError(f"there is no department '{their_name}' here ({', '.join(sorted(known))})")
        physicians = [
            _physician(doctor, table["doctor"][doctor], f"{name}-{entry['code'].lower()}-{number}", department, time)
            for number, doctor in enumerate(entry["doctor"])
        ]
        plans.append(DepartmentPlan(name=department, code=entry["code"], physicians=tuple(physicians)))
    return HospitalPlan(id=name, name=name, level=level, locale="korea", time=time, departments=tuple(plans))


def _physician(name: str, entry: Mapping[str, Any], id: str, department: str, time: TimeSystem) -> Physician:
    working: list[int] = []
    busy: list[tuple[int, int, int]] = []
    for day_text, spans in entry["schedule"].items():
        day = time.day_of(date.fromisoformat(day_text))
        slots = [(_slot(start, time, name), _slot(end, time, name)) for start, end in spans]
        if any(first <= 0 and end >= time.slots_per_day for first, end in slots):
            continue
        working.append(day)
        busy.extend((day, first, end - first) for first, end in slots)
    capacity = int(entry["capacity_per_hour"])
    if (60 // time.slot_minutes) % capacity:
        raise ValueError(f"{name}: {capacity} patients an hour do not fill it with whole slots")
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
        birth_date=date.fromisoformat(entry["birthDate"]),
        phone=entry["telecom"][0]["value"],
    )


def _patient_rows(table: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One flat row per patient, whichever of the three shapes the file has."""
    if "agent_data" in table:
        return [{**agent, **agent["constraint"]} for _truth, agent in table["agent_data"]]
    patients = table.get("patient", {})
    if isinstance(patients, dict):
        return [{"patient": name, **row} for name, row in patients.items()]
    return [{**row, **row.get("constraint", {})} for row in patients]


def _virtual(row: Mapping[str, Any], physician: Physician, time: TimeSystem, chance: float) -> tuple[int, int]:
    """The day and slot the patient was made for; where the file has none, some slot of a clinic of the physician's."""
    wanted = row.get("date") or row.get("valid_from")
    if wanted and wanted != "N/A":
        day = time.day_of(date.fromisoformat(wanted))
    else:
        days = physician.working_days or (0,)
        day = days[int(chance * len(days))]
    schedule = row.get("schedule")
    if schedule:
        return day, _slot(schedule[0], time, "an appointment at")
    return day, int(chance * 997) % (time.slots_per_day - physician.slots_per_visit + 1)


def _patient(
    row: Mapping[str, Any],
    number: int,
    plan: HospitalPlan,
    physician: Physician,
    day: int,
    config: HospitalConfig,
    draw: Any,
) -> Patient:
    preferences = tuple(_PREFERENCES[kind] for kind in row["preference"])
    disease = _disease(row, physician.department, plan, "physician" in preferences, draw.random())
    knows = row["symptom_level"] == "with_history"
    gold = tuple(name for name in plan.department_names if name in disease.departments)
    words = str(row["patient"]).split()
    return Patient(
        id=f"{plan.id}-p{number:05d}",
        person=Person(
            name=row["patient"],
            family=words[-1],
            given=" ".join(words[:-1]) or words[-1],
            sex=row["gender"],
            birth_date=date.fromisoformat(row["birthDate"]),
            phone=row["telecom"][0]["value"],
            identifier=row["identifier"][0]["value"],
            address=row["address"][0]["text"],
            region="",
        ),
        axes=draw_axes(draw, {}, has_history=knows),
        disease=disease.name,
        symptoms=disease.symptoms,
        gold_departments=gold or (physician.department,),
        home_department=physician.department,
        knows_diagnosis=knows,
        preferences=cast("tuple[Preference, Preference]", preferences),
        physician=physician.name,
        valid_from=plan.time.date_of(day),
        attends=draw.random() >= config.no_show_prob,
    )


def _disease(row: Mapping[str, Any], department: str, plan: HospitalPlan, unique: bool, chance: float) -> Disease:
    given = row.get("symptom")
    if isinstance(given, dict) and given.get("disease"):
        return Disease(
            name=given["disease"],
            departments=tuple(_department(name) for name in given["department"]),
            symptoms=_texts(given["symptom"]),
        )
    here = set(plan.department_names)
    found = [disease for disease in packaged_diseases() if department in disease.departments]
    single = [disease for disease in found if len(here & set(disease.departments)) == 1]
    choices: Sequence[Disease] = single if unique and single else found
    return choices[int(chance * len(choices))]


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(text) for text in value) if isinstance(value, list) else (str(value),)
