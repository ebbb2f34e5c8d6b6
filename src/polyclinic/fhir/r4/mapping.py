"""Map the scheduling resources from R5 to R4 and back. There is a pair of functions for each type that differs.

Elements that R4 does not have are kept in HL7's cross-version extensions if they are single plain values. Recurrence,
virtual services, accounts and characteristics are left out, as the documentation says.

Searches in R4's words and patches that name R4's elements are mapped here too.
"""

from __future__ import annotations

import copy
from collections.abc import Callable

from polyclinic.core.records import RecordsError, Resource
from polyclinic.fhir.conditions import AnyOf, BadSearch, Condition, Filter, Search, Token
from polyclinic.fhir.parameters import parameters
from polyclinic.fhir.patch import BadPatch
from polyclinic.fhir.r4 import parts
from polyclinic.fhir.r4.pairs import PAIRS, TO_R4_STATUS

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


class NotInR4(RecordsError, status=404, code="not-supported"):
    """A type that is not offered in R4. Only the scheduling resources are."""


def to_r4(resource: Resource) -> Resource:
    """Convert a resource to R4. Resources inside Bundles and Parameters are converted too.

    Any other resource that is not about scheduling stays as it is.
    """
    return _mapped(resource, out=True)


def to_r5(resource: Resource) -> Resource:
    """Convert an R4 resource to R5."""
    return _mapped(resource, out=False)


def _mapped(resource: Resource, *, out: bool) -> Resource:
    type_ = resource.get("resourceType")
    if type_ == "Bundle":
        entries = [_inside(entry, out=out) for entry in resource.get("entry", []) if isinstance(entry, dict)]
        return {**resource, **({"entry": entries} if "entry" in resource else {})}
    if type_ == "Parameters":
        listed = [_inside(each, out=out) for each in resource.get("parameter", []) if isinstance(each, dict)]
        return {**resource, **({"parameter": listed} if "parameter" in resource else {})}
    made = copy.deepcopy(resource)
    if isinstance(made.get("contained"), list):
        made["contained"] = [_mapped(each, out=out) if isinstance(each, dict) else each for each in made["contained"]]
    if isinstance(type_, str) and type_ in TYPES:
        if out:
            for name in _LEFT_OUT.get(type_, ()):
                made.pop(name, None)
            for name, kind, _ in _KEPT.get(type_, ()):
                parts.keep_as_extension(made, name, kind)
        else:
            for name, kind, many in _KEPT.get(type_, ()):
                parts.take_from_extension(made, name, kind, many=many)
        if type_ in PAIRS:
            outwards, inwards = PAIRS[type_]
            (outwards if out else inwards)(made)
    return made


def _inside(each: Resource, *, out: bool) -> Resource:
    if not isinstance(each.get("resource"), dict):
        return each
    return {**each, "resource": _mapped(each["resource"], out=out)}


def patched_in_r4(resource: Resource, apply: Callable[[Resource], Resource]) -> Resource:
    """Return the stored resource with the elements that the patch changed.

    Elements that R4 does not have stay as they are.
    """
    shown = to_r4(resource)
    try:
        before, after = to_r5(to_r4(resource)), to_r5(apply(shown))
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise BadPatch(f"the patched resource is not R4: {type(error).__name__} {error}") from error
    changed = {name for name in (*before, *after) if before.get(name) != after.get(name)}
    kept = {name: value for name, value in resource.items() if name not in changed}
    return kept | {name: value for name, value in after.items() if name in changed}


_PARAMETERS = {("Encounter", "diagnosis"): "diagnosis-reference"}
_REASONS = {"reasonCode": "reason", "reasonReference": "reason"}
_CONTACT = {"telecom": "contact"}
_HOURS = {**_CONTACT, "availableTime": "availability", "notAvailable": "availability"}
_ELEMENTS: dict[str, dict[str, str]] = {
    "Appointment": {**_REASONS, "cancelationReason": "cancellationReason", "comment": "note"},
    "Encounter": {**_REASONS, "period": "actualPeriod", "hospitalization": "admission"},
    "HealthcareService": _HOURS,
    "Location": {**_CONTACT, "physicalType": "form"},
    "Organization": {**_CONTACT, "address": "contact"},
    "PractitionerRole": _HOURS,
}


def require_r4(type_: str) -> None:
    """Raise BadSearch if a type is not offered in R4."""
    if type_ not in TYPES:
        raise BadSearch(f"'{type_}' is not offered in R4")


def r5_parameter(type_: str, code: str) -> str:
    """R5's name of a search parameter."""
    return _PARAMETERS.get((type_, code), code)


def r5_condition(type_: str, condition: Filter) -> Condition:
    """The same condition on R5's values. Only the status of an Encounter has other values."""
    if type_ != "Encounter" or condition.parameter.code != "status":
        return condition
    codes = [value.code or "" for value in condition.values if isinstance(value, Token)]
    return AnyOf(tuple(_shown_as(condition, code) for code in codes), condition.modifier == "not")


def _shown_as(condition: Filter, code: str) -> tuple[Condition, ...]:
    """What R5 says of an encounter whose status is this one in R4."""
    arrived = Filter(parameters("Encounter")["subject-status"], None, (Token(None, "arrived"),))
    if code == "arrived":
        return Filter(condition.parameter, None, (Token(None, "in-progress"),)), arrived
    written = [r5 for r5, r4 in TO_R4_STATUS.items() if r4 == code]
    written += [code] if code not in TO_R4_STATUS else []
    # No encounter has the status "-": R5's own codes find nothing in R4.
    same = Filter(condition.parameter, None, tuple(Token(None, each) for each in written or ["-"]))
    return (same, Filter(arrived.parameter, "not", arrived.values)) if code == "in-progress" else (same,)


def as_in_r4(search: Search) -> None:
    """Let a search name and include only what is offered in R4. Raises BadSearch."""
    require_r4(search.type)
    for include in (*search.includes, *search.reverse_includes):
        for type_ in (include.type, include.target):
            if type_ not in (None, "*"):
                require_r4(str(type_))
    search.includable = frozenset(TYPES)
    names = _ELEMENTS.get(search.type, {})
    search.elements = tuple(names.get(name, name) for name in search.elements)
