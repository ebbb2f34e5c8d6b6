"""Functions that build the hospital's resources as valid R5.

Each function takes typed values and returns plain JSON. It raises ValueError for what FHIR would refuse: a bad id, an
interval that ends before it starts, a time without a zone. A value that is not given is left out of the JSON; it is
never null or empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Literal

from polyclinic.core.records import Resource
from polyclinic.fhir.datatypes import (
    Address,
    Code,
    HumanName,
    Identifier,
    checked_id,
    checked_text,
    moment,
    period,
    reference,
)

BASE = "https://polyclinic.example/fhir"
CAPACITY = f"{BASE}/StructureDefinition/outpatient-capacity-per-hour"
SPECIALTIES = f"{BASE}/CodeSystem/specialty"
SERVICES = f"{BASE}/CodeSystem/service-type"
CANCELLATION_REASONS = "http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason"
APPOINTMENT_REASONS = "http://terminology.hl7.org/CodeSystem/v2-0276"

Gender = Literal["male", "female", "other", "unknown"]
SlotStatus = Literal["busy", "free", "busy-unavailable", "busy-tentative", "entered-in-error"]
AppointmentStatus = Literal[
    "proposed", "pending", "booked", "arrived", "fulfilled", "cancelled", "noshow", "entered-in-error", "checked-in",
    "waitlist",
]  # fmt: skip
ParticipationStatus = Literal["accepted", "declined", "tentative", "needs-action"]
VisitType = Literal["CHECKUP", "EMERGENCY", "FOLLOWUP", "ROUTINE", "WALKIN"]


def _resource(type_: str, id_: str, **elements: object) -> Resource:
    present = {k: value for k, value in elements.items() if value or value not in (None, "", [], ())}
    return {"resourceType": type_, "id": checked_id(id_), **present}


def _identifiers(identifiers: Sequence[Identifier]) -> list[dict[str, str]]:
    return [identifier.json() for identifier in identifiers]


def _phone(number: str, use: Literal["home", "work", "mobile"]) -> list[dict[str, str]]:
    return [{"system": "phone", "value": number, "use": use}] if number else []


def organization(
    id: str, name: str, *, part_of: str | None = None, type: Code | None = None, identifiers: Sequence[Identifier] = ()
) -> Resource:
    """A hospital, or a department that is `part_of` one."""
    return _resource(
        "Organization",
        id,
        identifier=_identifiers(identifiers),
        active=True,
        type=[type.concept()] if type else [],
        name=checked_text(name),
        partOf=reference("Organization", part_of) if part_of else None,
    )


def healthcare_service(
    id: str,
    name: str,
    *,
    organization: str,
    specialty: Code | None = None,
    type: Code | None = None,
    location: str | None = None,
) -> Resource:
    """A service that a department offers to outpatients."""
    return _resource(
        "HealthcareService",
        id,
        active=True,
        providedBy=reference("Organization", organization),
        type=[type.concept()] if type else [],
        specialty=[specialty.concept()] if specialty else [],
        location=[reference("Location", location)] if location else [],
        name=checked_text(name),
    )


def location(id: str, name: str, *, organization: str | None = None, part_of: str | None = None) -> Resource:
    """A building, a ward or a room."""
    return _resource(
        "Location",
        id,
        status="active",
        name=checked_text(name),
        mode="instance",
        managingOrganization=reference("Organization", organization) if organization else None,
        partOf=reference("Location", part_of) if part_of else None,
    )


def practitioner(
    id: str,
    name: HumanName,
    *,
    gender: Gender | None = None,
    birth_date: date | None = None,
    phone: str = "",
    identifiers: Sequence[Identifier] = (),
) -> Resource:
    """A physician as a person."""
    return _resource(
        "Practitioner",
        id,
        identifier=_identifiers(identifiers),
        active=True,
        name=[name.json()],
        telecom=_phone(phone, "work"),
        gender=gender,
        birthDate=birth_date.isoformat() if birth_date else None,
    )


def practitioner_role(
    id: str,
    *,
    practitioner: str,
    organization: str,
    display: str = "",
    specialty: Code | None = None,
    service: str | None = None,
    location: str | None = None,
    capacity_per_hour: int | None = None,
) -> Resource:
    """A physician's role in a department, with the number of outpatients they see in an hour."""
    if capacity_per_hour is not None and capacity_per_hour < 1:
        raise ValueError(f"capacity per hour must be 1 or more, not {capacity_per_hour}")
    return _resource(
        "PractitionerRole",
        id,
        extension=[{"url": CAPACITY, "valuePositiveInt": capacity_per_hour}] if capacity_per_hour else [],
        active=True,
        practitioner=reference("Practitioner", practitioner, display),
        organization=reference("Organization", organization),
        specialty=[specialty.concept()] if specialty else [],
        location=[reference("Location", location)] if location else [],
        healthcareService=[reference("HealthcareService", service)] if service else [],
    )


def capacity_per_hour(role: Resource) -> int | None:
    """Read the capacity (outpatients an hour) from a PractitionerRole."""
    for extension in role.get("extension", ()):
        if extension["url"] == CAPACITY:
            return int(extension["valuePositiveInt"])
    return None


def patient(
    id: str,
    name: HumanName,
    *,
    gender: Gender | None = None,
    birth_date: date | None = None,
    phone: str = "",
    address: Address | None = None,
    identifiers: Sequence[Identifier] = (),
    organization: str | None = None,
) -> Resource:
    """A person who receives care."""
    return _resource(
        "Patient",
        id,
        identifier=_identifiers(identifiers),
        active=True,
        name=[name.json()],
        telecom=_phone(phone, "mobile"),
        gender=gender,
        birthDate=birth_date.isoformat() if birth_date else None,
        address=[address.json()] if address and address.text.strip() else [],
        managingOrganization=reference("Organization", organization) if organization else None,
    )


def schedule(
    id: str,
    *,
    actors: Sequence[dict[str, str]],
    start: datetime,
    end: datetime,
    specialty: Code | None = None,
    service: dict[str, Any] | None = None,
    name: str = "",
) -> Resource:
    """The schedule of somebody who offers time. `actors` are references made by `reference`."""
    if not actors:
        raise ValueError("a schedule needs an actor")
    return _resource(
        "Schedule",
        id,
        active=True,
        serviceType=[service] if service else [],
        specialty=[specialty.concept()] if specialty else [],
        name=name,
        actor=list(actors),
        planningHorizon=period(start, end),
    )


def slot(id: str, *, schedule: str, start: datetime, end: datetime, status: SlotStatus = "free") -> Resource:
    """One slot of a schedule."""
    return _resource("Slot", id, schedule=reference("Schedule", schedule), status=status, **period(start, end))


def service_type(code: Code, service: str | None = None) -> dict[str, Any]:
    """A kind of visit, and the HealthcareService that offers it."""
    offered = {"reference": reference("HealthcareService", service)} if service else {}
    return {"concept": code.concept(), **offered}


def participant(actor: dict[str, str], status: ParticipationStatus = "accepted") -> dict[str, Any]:
    """Someone who takes part in an appointment."""
    return {"actor": actor, "required": True, "status": status}


def appointment(
    id: str,
    *,
    patient: dict[str, str],
    practitioner: dict[str, str] | None = None,
    status: AppointmentStatus = "proposed",
    start: datetime | None = None,
    end: datetime | None = None,
    slots: Sequence[str] = (),
    type: VisitType | None = None,
    specialty: Code | None = None,
    service: dict[str, Any] | None = None,
    location: dict[str, str] | None = None,
    created: datetime | None = None,
    description: str = "",
) -> Resource:
    """An appointment: a wish (proposed, waitlist) or a fixed one. To book it, use `scheduling.book`."""
    if (start is None) != (end is None):
        raise ValueError("an appointment must have both a start and an end, or neither")
    if start is None and status not in ("proposed", "cancelled", "waitlist"):
        raise ValueError(f"an appointment that is {status} needs a start and an end")
    others = [participant(actor) for actor in (practitioner, location) if actor]
    return _resource(
        "Appointment",
        id,
        status=status,
        serviceType=[service] if service else [],
        specialty=[specialty.concept()] if specialty else [],
        appointmentType=Code(APPOINTMENT_REASONS, type).concept() if type else None,
        description=description,
        **(period(start, end) if start is not None and end is not None else {}),
        slot=[reference("Slot", each) for each in slots],
        created=moment(created) if created else None,
        subject=patient,
        participant=[participant(patient), *others],
    )
