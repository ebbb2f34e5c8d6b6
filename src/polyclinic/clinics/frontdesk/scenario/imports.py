"""Datasets made by the `h-adminsim` package, as our own contacts.

Both of its file kinds are read: hospital data, and agent data with its ground truth beside it. The key names may be
those of the released package or those of its paper. Its times are decimal hours; they become whole slots here or are
refused. What it does not have (when people call, who calls back) is drawn from the seed as for our own hospitals.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from polyclinic.clinics.frontdesk.scenario.config import HospitalConfig, Level, Preference, preset
from polyclinic.clinics.frontdesk.scenario.contacts import contacts_of
from polyclinic.clinics.frontdesk.scenario.diseases import Disease, departments, packaged_diseases
from polyclinic.clinics.frontdesk.scenario.files import at, in_file
from polyclinic.clinics.frontdesk.scenario.imported_hospital import (
    day_of,
    department_of,
    first_value,
    plan_of,
    slot_of,
    time_of,
    western_name,
)
from polyclinic.clinics.frontdesk.scenario.schema import (
    Contact,
    HospitalPlan,
    Patient,
    Physician,
    TimeSystem,
)
from polyclinic.clinics.frontdesk.scenario.times import iso_date
from polyclinic.clinics.frontdesk.scenario.warning_signs import cannot_wait, has_warning_sign
from polyclinic.core.files import bad_file, read_data
from polyclinic.core.seed import stream
from polyclinic.people.demographics import Person
from polyclinic.people.patient_axes import draw_axes

_PREFERENCES: dict[str, Preference] = {"doctor": "physician", "physician": "physician", "asap": "asap", "date": "date"}
_KNOWS = {"with_history": True, "without_history": False, "simple": False}
_FIRST_VISIT = "first_visit"


def is_h_adminsim(table: Any) -> bool:
    """Whether this JSON looks like a file of that package."""
    return isinstance(table, dict) and {"metadata", "department", "doctor"} <= set(table)


def import_h_adminsim(path: Path, seed: int) -> list[Contact]:
    """The contacts of one file, or of every such file in a folder, hospital by hospital."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise bad_file(path, "the folder has no .json file")
    contacts: list[Contact] = []
    for file in files:
        table = read_data(file)
        if not is_h_adminsim(table):
            raise bad_file(file, "not an h-adminsim dataset (no metadata, department and doctor in it)")
        with in_file(file):
            contacts.extend(_import(table, file.stem, seed))
    return contacts


def _import(table: Mapping[str, Any], name: str, seed: int) -> list[Contact]:
    draw = stream("frontdesk", "import", seed, name)
    with at("metadata"):
        time = time_of(table["metadata"])
    level: Level = "tertiary" if time.slot_minutes < 15 else "secondary" if len(table["department"]) > 3 else "primary"
    config = preset(level)
    plan = plan_of(table, name, level, time)
    rows = _patient_rows(table)
    if not rows:
        raise ValueError("the dataset has no patients on a first visit: synthesize data with patients first")
    by_name = {physician.name: physician for entry in plan.departments for physician in entry.physicians}
    patients, virtual = [], []
    for number, row in enumerate(rows):
        with at(f"patient {number + 1} ({row.get('patient', '')})"):
            physician = by_name.get(row["attending_physician"])
            if physician is None:
                raise ValueError(f"no department has a doctor '{row['attending_physician']}'")
            virtual.append(_virtual(row, physician, time, draw.random()))
            patients.append(_patient(row, number, plan, physician, virtual[-1][0], config, draw))
    return contacts_of(plan, patients, virtual, config, draw)


def _patient_rows(table: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One flat row for each first visit, for every known file layout. Later visits are left out."""
    rows: list[dict[str, Any]] = []
    with at("the patients"):
        if "agent_data" in table:
            rows = [{**agent, **agent["constraint"]} for _truth, agent in table["agent_data"]]
        elif isinstance(table.get("patient"), dict):
            for name, found in table["patient"].items():
                rows += [{"patient": name, **visit} for visit in (found if isinstance(found, list) else [found])]
        else:
            rows = [{**row, **row.get("constraint", {})} for row in table.get("patient", [])]
    return [row for row in rows if row.get("visit_type", row.get("type", _FIRST_VISIT)) == _FIRST_VISIT]


def _virtual(row: Mapping[str, Any], physician: Physician, time: TimeSystem, chance: float) -> tuple[int, int]:
    """The day and slot of the visit, as the file gives them. Otherwise any slot of the physician's clinics."""
    wanted = row.get("date") or row.get("valid_from")
    if wanted and wanted != "N/A":
        day = day_of(wanted, time)
    else:
        days = physician.working_days or (0,)
        day = days[int(chance * len(days))]
    schedule = row.get("schedule")
    if schedule:
        slot = slot_of(schedule[0], time, "an appointment at")
        if not 0 <= slot < time.slots_per_day:
            raise ValueError(f"an appointment at {schedule[0]} is outside of opening hours")
        return day, slot
    return day, int(chance * 997) % (time.slots_per_day - physician.slots_per_visit + 1)


def _patient(
    row: Mapping[str, Any],
    number: int,
    plan: HospitalPlan,
    physician: Physician,
    day: int,
    config: HospitalConfig,
    draw: random.Random,
) -> Patient:
    preferences = [_PREFERENCES[kind] for kind in row["preference"] if kind in _PREFERENCES]
    if len(row["preference"]) != 2 or len(set(preferences)) != 2:
        raise ValueError(f"preference {row['preference']}: write two different ones of {', '.join(_PREFERENCES)}")
    if row["symptom_level"] not in _KNOWS:
        raise ValueError(f"symptom_level '{row['symptom_level']}': write one of {', '.join(_KNOWS)}")
    disease = _disease(row, physician.department, plan, "physician" in preferences, draw.random())
    knows = _KNOWS[row["symptom_level"]]
    gold = tuple(name for name in plan.department_names if name in disease.departments)
    family, given = western_name(str(row["patient"]))
    emergency = cannot_wait(disease.name) and not knows
    return Patient(
        id=f"{plan.id}-p{number:05d}",
        person=Person(
            name=row["patient"],
            family=family,
            given=given,
            sex=row["gender"],
            birth_date=iso_date(row["birthDate"]),
            phone=first_value(row, "telecom", "value"),
            identifier=first_value(row, "identifier", "value"),
            address=first_value(row, "address", "text"),
            region="",
        ),
        axes=draw_axes(draw, {}, has_history=knows),
        disease=disease.name,
        symptoms=disease.symptoms,
        emergency=emergency,
        warning_sign=not emergency and (cannot_wait(disease.name) or has_warning_sign(disease.symptoms)),
        gold_departments=gold or (physician.department,),
        home_department=physician.department,
        knows_diagnosis=knows,
        preferences=(preferences[0], preferences[1]),
        physician=physician.name,
        valid_from=plan.time.date_of(day),
        attends=draw.random() >= config.no_show_prob,
        resistance=round(draw.random(), 6),
    )


def _disease(row: Mapping[str, Any], department: str, plan: HospitalPlan, unique: bool, chance: float) -> Disease:
    given = row.get("symptom")
    if isinstance(given, dict) and given.get("disease"):
        names = tuple(department_of(name) for name in given["department"])
        if not any(name == entry.name for name in names for entry in departments()):
            raise ValueError(f"{given['disease']}: there is no department {' or '.join(names) or 'for it'} here")
        return Disease(
            name=given["disease"],
            departments=names,
            symptoms=_texts(given["symptom"]),
        )
    here = set(plan.department_names)
    found = [disease for disease in packaged_diseases() if department in disease.departments]
    single = [disease for disease in found if len(here & set(disease.departments)) == 1]
    choices: Sequence[Disease] = single if unique and single else found
    return choices[int(chance * len(choices))]


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(text) for text in value) if isinstance(value, list) else (str(value),)
