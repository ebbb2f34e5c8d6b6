"""Map the scheduling resources from R5 to R4 and back. There is a pair of functions for each type that differs.

Elements that R4 does not have are kept in HL7's cross-version extensions if they are single plain values. Recurrence,
virtual services, accounts and characteristics are left out, as the documentation says.
"""

from __future__ import annotations

import copy
from collections.abc import Callable

from polyclinic.core.records import RecordsError, Resource
from polyclinic.fhir.r4 import parts
from polyclinic.fhir.r4.pairs import TO_R4, TO_R5

TYPES = (
    "Appointment", "AppointmentResponse", "Encounter", "HealthcareService", "Location", "Organization", "Patient",
    "Practitioner", "PractitionerRole", "Schedule", "Slot",
)  # fmt: skip
_KEPT: dict[str, tuple[tuple[str, str, bool], ...]] = {
    "Appointment": (
        ("cancellationDate", "DateTime", False), ("previousAppointment", "Reference", False),
        ("originatingAppointment", "Reference", False), ("replaces", "Reference", True),
    ),
    "Schedule": (("name", "String", False),),
    "Encounter": (("plannedStartDate", "DateTime", False), ("plannedEndDate", "DateTime", False)),
    "Organization": (("description", "Markdown", False),),
}  # fmt: skip
_LEFT_OUT: dict[str, tuple[str, ...]] = {
    "Appointment": ("account", "class", "occurrenceChanged", "recurrenceId", "recurrenceTemplate", "virtualService"),
    "AppointmentResponse": ("occurrenceDate", "proposedNewTime", "recurrenceId", "recurring"),
    "Encounter": ("careTeam", "virtualService"),
    "HealthcareService": ("offeredIn",),
    "Location": ("characteristic", "virtualService"),
    "Organization": ("qualification",),
    "Practitioner": ("deceasedBoolean", "deceasedDateTime"),
    "PractitionerRole": ("characteristic", "communication"),
}


class NotInR4(RecordsError):
    """A type that is not offered in R4. Only the scheduling resources are."""

    status = 404
    code = "not-supported"


def to_r4(resource: Resource) -> Resource:
    """Convert a resource to R4. Resources inside Bundles and Parameters are converted too.

    Any other resource that is not about scheduling stays as it is.
    """
    return _mapped(resource, TO_R4, out=True)


def to_r5(resource: Resource) -> Resource:
    """Convert an R4 resource to R5."""
    return _mapped(resource, TO_R5, out=False)


def _mapped(resource: Resource, functions: dict[str, Callable[[Resource], None]], *, out: bool) -> Resource:
    type_ = resource.get("resourceType")
    if type_ == "Bundle":
        entries = [_inside(entry, functions, out=out) for entry in resource.get("entry", []) if isinstance(entry, dict)]
        return {**resource, **({"entry": entries} if "entry" in resource else {})}
    if type_ == "Parameters":
        listed = [_inside(each, functions, out=out) for each in resource.get("parameter", []) if isinstance(each, dict)]
        return {**resource, **({"parameter": listed} if "parameter" in resource else {})}
    made = copy.deepcopy(resource)
    if isinstance(made.get("contained"), list):
        made["contained"] = [
            _mapped(each, functions, out=out) if isinstance(each, dict) else each for each in made["contained"]
        ]
    if isinstance(type_, str) and type_ in TYPES:
        if out:
            for name in _LEFT_OUT.get(type_, ()):
                made.pop(name, None)
            for name, kind, _ in _KEPT.get(type_, ()):
                parts.keep_as_extension(made, name, kind)
        else:
            for name, kind, many in _KEPT.get(type_, ()):
                parts.take_from_extension(made, name, kind, many=many)
        if type_ in functions:
            functions[type_](made)
    return made


def _inside(each: Resource, functions: dict[str, Callable[[Resource], None]], *, out: bool) -> Resource:
    if not isinstance(each.get("resource"), dict):
        return each
    return {**each, "resource": _mapped(each["resource"], functions, out=out)}
