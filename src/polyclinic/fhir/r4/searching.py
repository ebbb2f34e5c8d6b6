"""Searches in R4's words: names of parameters and elements, and values that R5 writes in another way."""

from __future__ import annotations

from polyclinic.fhir.conditions import AnyOf, BadSearch, Condition, Filter, Search, Token
from polyclinic.fhir.parameters import parameters
from polyclinic.fhir.r4.mapping import TYPES
from polyclinic.fhir.r4.pairs import TO_R4_STATUS

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
