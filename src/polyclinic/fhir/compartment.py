"""FHIR's patient compartment: which resources belong to a patient, and which of them also name other patients."""

from __future__ import annotations

import re
from typing import Any

from polyclinic.core.records import Resource
from polyclinic.fhir.conditions import AnyOf, Condition, Filter, Target, Token
from polyclinic.fhir.index import rows
from polyclinic.fhir.parameters import parameters

# The search parameters by which a type belongs to a patient, from R5's CompartmentDefinition/patient. It does not have
# `Appointment.subject` and `Subscription.owner`; they are added, so that nobody else sees such a resource either.
_BY: dict[str, tuple[str, ...]] = {
    "Appointment": ("actor", "subject"),
    "AppointmentResponse": ("actor",),
    "AuditEvent": ("patient",),
    "Communication": ("subject", "sender", "recipient"),
    "Condition": ("patient", "participant-actor"),
    "Encounter": ("patient",),
    "Observation": ("subject", "performer"),
    "Provenance": ("patient",),
    "QuestionnaireResponse": ("subject", "author"),
    "Schedule": ("actor",),
    "Subscription": ("owner",),
}
_PATIENT = re.compile(r"(?:.*/)?Patient/([A-Za-z0-9\-.]{1,64})(?:/_history/.*)?", re.ASCII)


def in_compartment(type_: str) -> bool:
    """Whether resources of this type belong to patients. All others belong to the hospital."""
    return type_ == "Patient" or type_ in _BY


def belongs(resource: Resource, patient: str) -> bool:
    """Whether a resource belongs to a patient."""
    type_ = resource["resourceType"]
    if type_ == "Patient":
        return resource.get("id") == patient
    codes = _BY.get(type_, ())
    return any(row.parameter in codes and (row.system, row.value) == ("Patient", patient) for row in rows(resource))


def names_others(value: Any, patient: str) -> bool:
    """Whether a resource has a reference to another patient, by id, by address or by identifier."""
    if isinstance(value, list):
        return any(names_others(item, patient) for item in value)
    if not isinstance(value, dict):
        return False
    reference = value.get("reference")
    if isinstance(reference, str):
        match = _PATIENT.fullmatch(reference)
        if match is not None and match[1] != patient:
            return True
    elif value.get("type") == "Patient" and "identifier" in value:
        return True
    return any(names_others(item, patient) for item in value.values() if isinstance(item, dict | list))


def patient_condition(type_: str, patient: str) -> Condition | None:
    """The condition that lets a search find only what belongs to a patient; None for types of the hospital."""
    known = parameters(type_)
    if type_ == "Patient":
        return Filter(known["_id"], None, (Token(None, patient),))
    if type_ not in _BY:
        return None
    return AnyOf(tuple((Filter(known[code], None, (Target("Patient", patient),)),) for code in _BY[type_]))
