"""A hospital as FHIR resources before its first call: organization, departments, physicians, schedules, every slot.

Ids are made from the run, the hospital, the variant and the trial. So a fresh store always has the same ids, and two
variants never share a slot.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache

from polyclinic.clinics.frontdesk.scenario.schema import Contact, DepartmentPlan, HospitalPlan, Physician, TimeSystem
from polyclinic.clinics.frontdesk.state.hospital import HospitalState
from polyclinic.clinics.frontdesk.variants import DeskVariant
from polyclinic.core.episode import EpisodeSpec
from polyclinic.core.records import RecordMissing, Resource, StageableRecords
from polyclinic.core.services import Services
from polyclinic.fhir import resources as r
from polyclinic.fhir.datatypes import Code, HumanName, reference

_LONGEST_PREFIX = 38


class Unit:
    """A department in the records: its organization, its service, its rooms, and its codes with their display names."""

    def __init__(self, id: str, department: DepartmentPlan) -> None:
        self.id = id
        self.service_id, self.location_id = f"{self.id}-service", f"{self.id}-rooms"
        self.specialty = Code(r.SPECIALTIES, department.code, department.name)
        self.visit = Code(r.SERVICES, department.code, f"{department.name} outpatient visit")
        self.service = r.service_type(self.visit, self.service_id)
        self.rooms = reference("Location", self.location_id, f"{department.name} rooms")


class Ids:
    """The ids of one hospital's resources, under one variant and trial of one run."""

    def __init__(self, run: str, campaign: str, variant: str, trial: int) -> None:
        prefix = f"{run or 'run'}-{campaign}-{variant}-{trial}"
        plain = prefix.replace("-", "").replace(".", "")
        if len(prefix) > _LONGEST_PREFIX or not (plain.isalnum() and plain.isascii()):
            prefix = f"h{hashlib.sha256(prefix.encode()).hexdigest()[:20]}"
        self.hospital, self._campaign = prefix, campaign
        self._units: dict[str, Unit] = {}

    def record_id(self, id: str) -> str:
        """The id under which a physician, patient or appointment is stored in the hospital's records."""
        return f"{self.hospital}-{id.removeprefix(self._campaign).lstrip('-')}"

    def unit(self, department: DepartmentPlan) -> Unit:
        """A department, made once for all its contacts."""
        if department.code not in self._units:
            self._units[department.code] = Unit(self.record_id(department.code.lower()), department)
        return self._units[department.code]

    def slot(self, physician: Physician, day: int, slot: int) -> str:
        """The id of a slot."""
        return f"{self.record_id(physician.id)}-{day}-{slot}"


@lru_cache(maxsize=256)
def hospital_ids(run: str, campaign: str, variant: str, trial: int) -> Ids:
    """The ids of a hospital, made once for all its contacts."""
    return Ids(run, campaign, variant, trial)


async def load_hospital(home: StageableRecords, ids: Ids, plan: HospitalPlan) -> None:
    """Put the hospital into the records, unless an earlier start has done so.

    If its last slot is there, everything else is there too.
    """
    physician = plan.departments[-1].physicians[-1]
    try:
        await home.read("Slot", ids.slot(physician, plan.time.days - 1, plan.time.slots_per_day - 1))
    except RecordMissing:
        await home.load(hospital_resources(ids, plan))


def hospital_resources(ids: Ids, plan: HospitalPlan) -> Iterator[Resource]:
    """All resources before the first call. A resource comes before the resources that refer to it."""
    yield r.organization(ids.hospital, plan.name)
    yield r.location(f"{ids.hospital}-site", plan.name, organization=ids.hospital)
    for department in plan.departments:
        unit = ids.unit(department)
        yield r.organization(unit.id, department.name, part_of=ids.hospital)
        yield r.location(
            unit.location_id, f"{department.name} rooms", organization=unit.id, part_of=f"{ids.hospital}-site"
        )
        yield r.healthcare_service(
            unit.service_id,
            f"{department.name} outpatient clinic",
            organization=unit.id,
            specialty=unit.specialty,
            type=unit.visit,
            location=unit.location_id,
        )
        for physician in department.physicians:
            yield from _physician(ids, plan, physician, unit)


def _physician(ids: Ids, plan: HospitalPlan, physician: Physician, unit: Unit) -> Iterator[Resource]:
    own, time = ids.record_id(physician.id), plan.time
    yield r.practitioner(
        own,
        HumanName(physician.family, (physician.given,), ("Dr.",)),
        gender=physician.sex,
        birth_date=physician.birth_date,
        phone=physician.phone,
    )
    role = r.practitioner_role(
        f"{own}-role",
        practitioner=own,
        organization=unit.id,
        display=physician.name,
        specialty=unit.specialty,
        service=unit.service_id,
        location=unit.location_id,
        capacity_per_hour=physician.capacity_per_hour,
    )
    if physician.specialty:
        role["specialty"][0]["text"] = physician.specialty
    yield role
    yield r.schedule(
        f"{own}-schedule",
        actors=[reference("Practitioner", own, physician.name), unit.rooms],
        start=time.moment(time.minute(0, 0)),
        end=time.moment(time.end_minute),
        specialty=unit.specialty,
        service=unit.service,
    )
    yield from _slots(ids, time, physician, unit)


def _slots(ids: Ids, time: TimeSystem, physician: Physician, unit: Unit) -> Iterator[Resource]:
    """The slots of a physician.

    For speed, the builder's checks are skipped: a tertiary hospital has some 28,000 slots.
    """
    reference = {"reference": f"Schedule/{ids.record_id(physician.id)}-schedule"}
    service, specialty = [{"concept": _plain(unit.visit)}], [_plain(unit.specialty)]
    busy = {(day, slot) for day, first, length in physician.busy for slot in range(first, first + length)}
    edges = [f"{time.clock_time(slot)}:00{time.utc_offset}" for slot in range(time.slots_per_day + 1)]
    own = ids.record_id(physician.id)
    for day in range(time.days):
        date, works = time.date_text(day), day in physician.working_days
        for slot in range(time.slots_per_day):
            yield {
                "resourceType": "Slot",
                "id": f"{own}-{day}-{slot}",
                "serviceType": service,
                "specialty": specialty,
                "schedule": reference,
                "status": "free" if works and (day, slot) not in busy else "busy-unavailable",
                "start": f"{date}T{edges[slot]}",
                "end": f"{date}T{edges[slot + 1]}",
            }


def _plain(code: Code) -> Resource:
    """A coded concept without its text; the schedule and the service have the text."""
    return {"coding": [{"system": code.system, "code": code.code}]}


async def prepare(contacts: Sequence[Contact], variant: DeskVariant, first: EpisodeSpec, services: Services) -> None:
    """Put the hospital into the records before its first episode."""
    if services.records is not None:
        plan = HospitalState.open(contacts).plan
        await load_hospital(services.records, Ids(first.run, first.campaign, first.variant, first.trial), plan)
