"""Hospital, departments, physicians, diaries, patients, calls: drawn from a config and a seed, always the same way."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import cast

from polyclinic.clinics.frontdesk.scenario.config import PREFERENCES, HospitalConfig, IntRange, Preference
from polyclinic.clinics.frontdesk.scenario.contacts import contacts_of
from polyclinic.clinics.frontdesk.scenario.diseases import (
    Department,
    Disease,
    departments,
    load_diseases,
    packaged_diseases,
)
from polyclinic.clinics.frontdesk.scenario.schema import (
    Contact,
    DepartmentPlan,
    HospitalPlan,
    Patient,
    Physician,
    TimeSystem,
)
from polyclinic.clinics.frontdesk.scenario.unusual import UnusualPatients
from polyclinic.clinics.frontdesk.scenario.warning_signs import has_warning_sign
from polyclinic.core.files import bad_file
from polyclinic.core.seed import stream
from polyclinic.people.demographics import draw_person
from polyclinic.people.locales import Locale, load_locale
from polyclinic.people.patient_axes import PatientAxes, draw_axes

PHYSICIAN_AGES = (30, 68)
Virtual = tuple[str, Physician, int, int]
"""An appointment of the plan that a patient is made for: department, physician, day, first slot."""


def synthesize(config: HospitalConfig, seed: int, hospitals: int | None = None, alike: str = "") -> list[Contact]:
    """All contacts of all hospitals, hospital by hospital, each in order of arrival.

    Configs with the same `alike` that differ only in the share of known diagnoses have the same hospitals and patients.
    Only what the patients know differs.
    """
    count = config.hospital_n if hospitals is None else hospitals
    return [contact for number in range(count) for contact in synthesize_hospital(config, seed, number, alike)]


def synthesize_hospital(config: HospitalConfig, seed: int, number: int, alike: str = "") -> list[Contact]:
    """One hospital's contacts: its opening, its calls in order of arrival, its closing."""
    table = load_diseases(Path(config.diseases)) if config.diseases else packaged_diseases()
    draw = stream("frontdesk", "hospital", seed, alike or config.name or config.level, number)
    locale = load_locale(config.locale)
    taken: set[str] = set()
    plan = _plan(config, number, _treating(config, table), locale, taken, draw)
    virtual = [entry for department in plan.departments for entry in _virtual(config, plan.time, department, draw)]
    patients = _patients(config, plan, virtual, table, locale, taken, draw, alike=bool(alike))
    return contacts_of(plan, patients, [(entry[2], entry[3]) for entry in virtual], config, draw)


def _between(draw: random.Random, low: int, high: int) -> int:
    return low + int(draw.random() * (high - low + 1))


def _treating(config: HospitalConfig, table: Sequence[Disease]) -> list[Department]:
    """The departments that the table has diseases for. A hospital has no other departments."""
    treated = {name for disease in table for name in disease.departments}
    found = [department for department in departments() if department.name in treated]
    if len(found) < config.department_per_hospital.max:
        names = ", ".join(department.name for department in found)
        most = config.department_per_hospital.max
        raise bad_file(
            config.diseases,
            f"it has diseases of {len(found)} departments only ({names}), but the hospital may have {most}",
            fix="add diseases of other departments, or lower department_per_hospital",
        )
    return found


def _plan(
    config: HospitalConfig,
    number: int,
    treating: Sequence[Department],
    locale: Locale,
    taken: set[str],
    draw: random.Random,
) -> HospitalPlan:
    span = (config.start_date.max - config.start_date.min).days
    time = TimeSystem(
        start_date=config.start_date.min + timedelta(days=_between(draw, 0, span)),
        days=config.days,
        open_minute=60 * _between(draw, config.start_hour.min, config.start_hour.max),
        close_minute=60 * _between(draw, config.end_hour.min, config.end_hour.max),
        slot_minutes=config.slot_minutes,
        utc_offset=locale.utc_offset,
    )
    chosen = draw.sample(treating, _between(draw, *_ends(config.department_per_hospital)))
    hospital = f"{config.name or config.level}-{number}"
    plans = [_department(config, hospital, department, time, locale, taken, draw) for department in chosen]
    return HospitalPlan(
        id=hospital,
        name=f"{(config.name or config.level).capitalize()} hospital {number + 1}",
        level=config.level,
        locale=config.locale,
        time=time,
        departments=tuple(plans),
    )


def _ends(bounds: IntRange) -> tuple[int, int]:
    return bounds.min, bounds.max


def _department(
    config: HospitalConfig,
    hospital: str,
    department: Department,
    time: TimeSystem,
    locale: Locale,
    taken: set[str],
    draw: random.Random,
) -> DepartmentPlan:
    physicians = []
    for number in range(_between(draw, *_ends(config.physician_per_department))):
        person = draw_person(locale, draw, on=time.start_date, ages=PHYSICIAN_AGES, taken=taken)
        capacity = config.capacities[int(draw.random() * len(config.capacities))]
        days = tuple(sorted(draw.sample(range(time.days), _between(draw, *_ends(config.working_days)))))
        physicians.append(
            Physician(
                id=f"{hospital}-{department.code.lower()}-{number}",
                name=f"Dr. {person.name}",
                department=department.name,
                specialty=department.specialties[int(draw.random() * len(department.specialties))],
                capacity_per_hour=capacity,
                slots_per_visit=60 // time.slot_minutes // capacity,
                working_days=days,
                busy=tuple(_busy(config, time, day, draw) for day in days if draw.random() < config.busy_schedule_prob),
                sex=person.sex,
                birth_date=person.birth_date,
                phone=person.phone,
                family=person.family,
                given=person.given,
            )
        )
    return DepartmentPlan(name=department.name, code=department.code, physicians=tuple(physicians))


def _busy(config: HospitalConfig, time: TimeSystem, day: int, draw: random.Random) -> tuple[int, int, int]:
    share = draw.uniform(config.busy_schedule_ratio.min, config.busy_schedule_ratio.max)
    length = max(1, round(share * time.slots_per_day))
    return day, _between(draw, 0, time.slots_per_day - length), length


def _virtual(
    config: HospitalConfig, time: TimeSystem, department: DepartmentPlan, draw: random.Random
) -> list[Virtual]:
    """The appointments that patients are made for: the free time of every clinic, divided into whole visits."""
    found: list[Virtual] = []
    for physician in department.physicians:
        busy = {day: range(first, first + length) for day, first, length in physician.busy}
        for day in physician.working_days:
            blocks = _blocks(time.slots_per_day, busy.get(day, range(0)), physician.slots_per_visit)
            share = draw.uniform(config.appointment_ratio.min, config.appointment_ratio.max)
            free = time.slots_per_day - len(busy.get(day, range(0)))
            wanted = min(len(blocks), int(share * free) // physician.slots_per_visit)
            found.extend((department.name, physician, day, slot) for slot in sorted(draw.sample(blocks, wanted)))
    return found


def _blocks(slots: int, busy: range, length: int) -> list[int]:
    starts: list[int] = []
    slot = 0
    while slot + length <= slots:
        if len(busy) and slot < busy.stop and slot + length > busy.start:
            slot = busy.stop
            continue
        starts.append(slot)
        slot += length
    return starts


def _axes(config: HospitalConfig, draw: random.Random, knows: bool, alike: bool) -> PatientAxes:
    """Draw a patient's persona.

    With `alike`, a recall of the history is always drawn, so that later draws stay the same.
    """
    axes = draw_axes(draw, config.persona, has_history=knows or alike)
    return axes if knows or not alike else axes.model_copy(update={"recall": "none"})


def _patients(
    config: HospitalConfig,
    plan: HospitalPlan,
    virtual: Sequence[Virtual],
    table: Sequence[Disease],
    locale: Locale,
    taken: set[str],
    draw: random.Random,
    *,
    alike: bool,
) -> list[Patient]:
    here = set(plan.department_names)
    by_department: dict[str, list[Disease]] = {name: [] for name in plan.department_names}
    for disease in table:
        for name in disease.departments:
            if name in here:
                by_department[name].append(disease)
    only_here = {
        name: [d for d in found if len(here & set(d.departments)) == 1] for name, found in by_department.items()
    }
    unusual = UnusualPatients(config, table, by_department)
    found = []
    for number, (department, physician, day, _slot) in enumerate(virtual):
        preferences = _preferences(config, draw)
        choices = only_here[department] if "physician" in preferences else by_department[department]
        choices = choices or by_department[department]
        drawn = unusual.draw(choices, department, draw)
        disease = drawn.disease
        knows = draw.choices(config.symptom.type, config.symptom.probs)[0] == "with_history" and not drawn.emergency
        person = draw_person(
            locale,
            draw,
            on=plan.time.start_date,
            ages=disease.ages,
            sex=disease.sex or None,
            taken=taken,
        )
        companion = draw_person(locale, draw, on=plan.time.start_date, ages=(30, 60)) if drawn.companion else None
        found.append(
            Patient(
                id=f"{plan.id}-p{number:05d}",
                person=person,
                axes=_axes(config, draw, knows, alike),
                disease=disease.name,
                symptoms=drawn.symptoms,
                others=drawn.others,
                companion=drawn.companion,
                companion_name=companion.name if companion is not None else "",
                emergency=drawn.emergency,
                warning_sign=not drawn.emergency and has_warning_sign((*drawn.symptoms, *drawn.others)),
                gold_departments=tuple(name for name in plan.department_names if name in disease.departments),
                home_department=department,
                knows_diagnosis=knows,
                preferences=preferences,
                physician=physician.name,
                valid_from=plan.time.date_of(day),
                attends=draw.random() >= config.no_show_prob,
                resistance=round(draw.random(), 6),
            )
        )
    return found


def _preferences(config: HospitalConfig, draw: random.Random) -> tuple[Preference, Preference]:
    first = cast(Preference, draw.choices(config.preference.type, config.preference.probs)[0])
    others = [kind for kind in PREFERENCES if kind != first]
    return first, others[int(draw.random() * 2)]
