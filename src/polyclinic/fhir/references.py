"""Check references: a resource from outside may refer only to resources that exist or that come with it.

Also FHIR's patient compartment: which resources belong to a patient, and which of them also name other patients.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from polyclinic.core.records import Problem, RecordInvalid, Resource
from polyclinic.fhir import storage
from polyclinic.fhir.conditions import AnyOf, Condition, Filter, ReferenceTarget, Token
from polyclinic.fhir.extract import split_reference
from polyclinic.fhir.index import rows
from polyclinic.fhir.parameters import parameters, resource_types
from polyclinic.fhir.slot_rules import Key
from polyclinic.fhir.unit_of_work import UnitOfWork

_PLACEHOLDERS = ("urn:uuid:", "urn:oid:")


def references_in(value: Any) -> Iterator[str]:
    """Every reference that a resource holds."""
    if isinstance(value, dict):
        reference = value.get("reference")
        if isinstance(reference, str):
            yield reference
        for item in value.values():
            if isinstance(item, dict | list):
                yield from references_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from references_in(item)


def refuse_dangling(work: UnitOfWork, base: str) -> None:
    """Raise RecordInvalid if a resource that was written here got a reference to a resource that does not exist.

    Older references are not checked: loaded data may be incomplete, and it must still be possible to change it.
    References to other servers, to contained resources and to types that are not kept here cannot be checked.
    """
    wanted: dict[Key, Key] = {}
    for source, resource in work.after.items():
        if resource is not None:
            for target in _new_targets(work.resource_before(source), resource, source, base):
                wanted.setdefault(target, source)
    unknown = [key for key in wanted if work.after.get(key) is None]
    found = {
        (row.type, row.id) for row in storage.read_keys(work.transaction, [k for k in unknown if k not in work.after])
    }
    missing = [key for key in unknown if key not in found]
    if missing:
        _refuse([f"{'/'.join(wanted[key])} refers to {'/'.join(key)}, which does not exist" for key in missing])


def _new_targets(before: Resource | None, resource: Resource, source: Key, base: str) -> Iterable[Key]:
    known = set(references_in(before)) if before is not None else set()
    for reference in references_in(resource):
        if reference in known:
            continue
        if reference.startswith(_PLACEHOLDERS):
            _refuse([f"{'/'.join(source)} refers to {reference}, but no entry has this fullUrl"])
        key = split_reference(reference.removeprefix(f"{base}/") if base else reference)
        if key[0] in resource_types():
            yield key


def _refuse(texts: list[str]) -> None:
    raise RecordInvalid(texts[0], [Problem("not-found", text.partition("/")[0], text) for text in texts[:20]])


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
    return AnyOf(tuple((Filter(known[code], None, (ReferenceTarget("Patient", patient),)),) for code in _BY[type_]))
