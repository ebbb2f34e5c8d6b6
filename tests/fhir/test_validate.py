"""Validation: what the builders make is valid, and what breaks a rule is refused with its position."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from polyclinic.core.records import RecordInvalid, Resource
from polyclinic.fhir import resources as build
from polyclinic.fhir.datatypes import Address, Code, HumanName, Identifier, reference
from polyclinic.fhir.validate import check, problems, structural_problems

START = datetime(2025, 3, 24, 9, tzinfo=timezone(timedelta(hours=9)))
END = START + timedelta(minutes=15)
SPECIALTY = Code(build.SPECIALTIES, "cardiology", "Cardiology")
PATIENT = reference("Patient", "p", "Ana Lee")
NAME = HumanName("Lee", ["Ana"], ["Dr."])
DOCTOR = reference("Practitioner", "d")
NUMBERS = [Identifier("urn:x", "1")]
BUILT: list[Resource] = [
    build.organization("o", "Hospital", part_of="x", type=Code("http://t", "dept"), identifiers=NUMBERS),
    build.healthcare_service("h", "Outpatients", organization="o", specialty=SPECIALTY, location="l"),
    build.location("l", "Room", organization="o", part_of="m"),
    build.practitioner("d", NAME, gender="female", birth_date=date(1970, 1, 2), phone="+82 2 1", identifiers=NUMBERS),
    build.practitioner_role(
        "r", practitioner="d", organization="o", specialty=SPECIALTY, service="h", location="l", capacity_per_hour=4
    ),
    build.patient(
        "p",
        NAME,
        gender="other",
        birth_date=date(2001, 2, 3),
        phone="1",
        address=Address("Harbour 1", city="Busan"),
        organization="o",
    ),
    build.schedule("s", actors=[DOCTOR], start=START, end=END, specialty=SPECIALTY, name="diary"),
    build.slot("t", schedule="s", start=START, end=END, status="busy-unavailable"),
    build.appointment(
        "a",
        patient=PATIENT,
        practitioner=DOCTOR,
        status="booked",
        start=START,
        end=END,
        slots=["t"],
        type="FOLLOWUP",
        specialty=SPECIALTY,
        created=START,
        description="first visit",
    ),
    build.appointment("w", patient=PATIENT, status="waitlist"),
]


@pytest.mark.parametrize("resource", BUILT, ids=lambda r: r["resourceType"])
def test_every_builder_makes_what_both_validators_accept(resource: Resource) -> None:
    assert problems(resource) == []
    assert structural_problems(resource) == []


def test_every_builder_is_in_the_test_above() -> None:
    made = {r["resourceType"] for r in BUILT}
    names = {
        n.replace("_", "")
        for n, f in vars(build).items()
        if callable(f) and getattr(f, "__module__", "") == build.__name__
    }
    types = {"Organization", "HealthcareService", "Location", "Practitioner", "PractitionerRole", "Patient", "Schedule",
             "Slot", "Appointment"}  # fmt: skip
    assert made == types
    assert {t.lower() for t in types} <= names


def test_capacity_is_a_typed_extension() -> None:
    role = build.practitioner_role("r", practitioner="d", organization="o", capacity_per_hour=20)
    assert build.capacity_per_hour(role) == 20
    assert role["extension"] == [{"url": build.CAPACITY, "valuePositiveInt": 20}]


@pytest.mark.parametrize(
    "make",
    [
        lambda: build.slot("bad id", schedule="s", start=START, end=END),
        lambda: build.slot("t", schedule="s", start=END, end=START),
        lambda: build.slot("t", schedule="s", start=START.replace(tzinfo=None), end=END.replace(tzinfo=None)),
        lambda: build.organization("o", " "),
        lambda: build.schedule("s", actors=[], start=START, end=END),
        lambda: build.appointment("a", patient=PATIENT, status="booked"),
        lambda: build.appointment("a", patient=PATIENT, start=START),
        lambda: build.practitioner_role("r", practitioner="d", organization="o", capacity_per_hour=0),
    ],
)
def test_builders_refuse_what_fhir_would_refuse(make: Any) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        make()


APPOINTMENT = BUILT[8]
SLOT = BUILT[7]


def edited(resource: Resource, *without: str, **changes: object) -> Resource:
    return {k: v for k, v in {**resource, **changes}.items() if k not in without}


@pytest.mark.parametrize(
    ("resource", "code", "place"),
    [
        (edited(APPOINTMENT, participant=[{"status": "accepted"}]), "app-1", "Appointment.participant[0]"),
        (edited(APPOINTMENT, "end"), "app-2", "Appointment"),
        (edited(APPOINTMENT, "start", "end"), "app-3", "Appointment"),
        (edited(APPOINTMENT, cancellationReason={"text": "x"}), "app-4", "Appointment"),
        (edited(APPOINTMENT, start=APPOINTMENT["end"], end=APPOINTMENT["start"]), "app-5", "Appointment"),
        (edited(APPOINTMENT, cancellationDate="2025-01-01"), "app-7", "Appointment"),
        (edited(APPOINTMENT, status="scheduled"), "code-invalid", "Appointment.status"),
        (edited(APPOINTMENT, participant=[]), "structure", "Appointment.participant"),
        (edited(APPOINTMENT, "participant"), "required", "Appointment.participant"),
        (edited(APPOINTMENT, slot={"reference": "Slot/t"}), "structure", "Appointment.slot"),
        (edited(APPOINTMENT, slot=[{"reference": "Schedule/s"}]), "reference-target", "Appointment.slot[0]"),
        (edited(SLOT, status="open"), "code-invalid", "Slot.status"),
        (edited(SLOT, start=SLOT["end"], end=SLOT["start"]), "poly-slot-1", "Slot"),
        (edited(SLOT, start="2025-03-24T09:00:00"), "value", "Slot.start"),
        (edited(SLOT, start="2025-02-30T09:00:00Z"), "value", "Slot.start"),
        (edited(SLOT, "schedule"), "required", "Slot.schedule"),
        (edited(SLOT, schedule={"reference": "#none"}), "ref-1", "Slot.schedule"),
        (edited(SLOT, overbooked="no"), "value", "Slot.overbooked"),
        (edited(SLOT, comment="\x01"), "value", "Slot.comment"),
        (edited(SLOT, colour="red"), "structure", "Slot.colour"),
        (edited(SLOT, extension=[{"url": "urn:x"}]), "ext-1", "Slot.extension[0]"),
        ({"resourceType": "Organization", "active": True}, "org-1", "Organization"),
        (edited(BUILT[5], telecom=[{"value": "1"}]), "cpt-2", "Patient.telecom[0]"),
        (edited(BUILT[5], contact=[{"gender": "male"}]), "pat-1", "Patient.contact[0]"),
        (edited(BUILT[5], deceasedBoolean=True, deceasedDateTime="2020"), "structure", "Patient.deceasedDateTime"),
        (edited(BUILT[6], planningHorizon={"start": "2025-02", "end": "2025-01"}), "per-1", "Schedule.planningHorizon"),
        (edited(BUILT[5], photo=[{"data": "aGk="}]), "att-1", "Patient.photo[0]"),
        (edited(BUILT[5], generalPractitioner=[{"type": "Practitioner"}]), "ref-2", "Patient.generalPractitioner[0]"),
        (edited(BUILT[5], text={"status": "empty", "div": "<div onclick='x'>y</div>"}), "value", "Patient.text.div"),
        (edited(BUILT[5], contained=[{"resourceType": "Slot", "meta": {"versionId": "1"}}]), "dom-4", "Patient"),
        ({"resourceType": "Medication"}, "structure", "Resource"),
    ],
)
def test_a_broken_rule_is_reported_with_its_position(resource: Resource, code: str, place: str) -> None:
    found = [(p.code, p.expression) for p in problems(resource)]
    assert (code, place) in found
    with pytest.raises(RecordInvalid):
        check(resource)


def test_a_broken_recommendation_gives_a_warning_and_no_refusal() -> None:
    both = {
        "originatingAppointment": {"reference": "Appointment/x"},
        "recurrenceTemplate": [{"recurrenceType": {"text": "w"}}],
    }
    found = check(edited(APPOINTMENT, **both))
    assert [(p.code, p.severity) for p in found] == [("app-6", "warning")]


def test_a_primitive_may_be_absent_with_an_extension_in_its_place() -> None:
    reason = {
        "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", "valueCode": "unknown"}]
    }
    assert problems(edited(BUILT[5], "birthDate", _birthDate=reason)) == []
    assert problems(edited(BUILT[5], name=[{"given": [None, "B"], "_given": [reason, None]}])) == []
    assert problems(edited(BUILT[5], name=[{"given": [None, "B"]}])) != []


def test_times_are_compared_as_times_not_as_text() -> None:
    early = datetime(2025, 3, 24, 23, 30, tzinfo=UTC).isoformat()
    late = (datetime(2025, 3, 25, 0, 0, tzinfo=UTC)).astimezone(timezone(timedelta(hours=-5))).isoformat()
    assert problems(edited(APPOINTMENT, start=early, end=late)) == []
