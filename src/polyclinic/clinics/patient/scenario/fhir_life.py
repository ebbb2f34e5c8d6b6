"""Which resources of a FHIR Bundle count for one patient at one visit: a Bundle may hold a whole life, or others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from polyclinic.clinics.patient.scenario.fhir_resources import concept_text, first_day, id_of, of_kind
from polyclinic.core.records import Resource

_UNTRUE = frozenset(("refuted", "entered-in-error"))
_OVER = frozenset(("inactive", "remission", "resolved"))
_ALLERGY = re.compile(r"^(?:allergy|allergic reaction|hypersensitivity|intolerance) to | allergy$", re.IGNORECASE)


def own_resources(resources: Sequence[Resource], patient: Resource) -> list[Resource]:
    """The patient's own resources and those that belong to nobody, without what was refuted or entered in error."""
    return [r for r in resources if r.get("resourceType") != "Patient" and _owner(r, patient) and _holds(r)]


def _owner(resource: Resource, patient: Resource) -> bool:
    return id_of(resource.get("subject") or resource.get("patient")) in ("", patient.get("id"))


def _holds(resource: Resource) -> bool:
    codes = _codes(resource.get("verificationStatus")) | _codes(resource.get("status"))
    return not codes & _UNTRUE


def is_over(condition: Resource) -> bool:
    """Whether an illness or an allergy has passed: by its end, or by its status."""
    ended = any(field.startswith("abatement") and value not in (None, False) for field, value in condition.items())
    return ended or bool(_codes(condition.get("clinicalStatus")) & _OVER)


def known_by(resources: Sequence[Resource], visit: str, day: str) -> list[Resource]:
    """What there was on the day of the visit: nothing that is dated later, except what belongs to the visit itself.

    All Conditions are kept, because social findings are often recorded long after they began.
    """
    return [
        r
        for r in resources
        if r.get("resourceType") == "Condition"
        or (visit and id_of(r.get("encounter")) == visit)
        or not day
        or _day_of(r) <= day
    ]


def _day_of(resource: Resource) -> str:
    """The day of a result, an order or an act; empty if it is not given."""
    fields = ("effectiveDateTime", "authoredOn", "performedDateTime", "occurrenceDateTime", "issued")
    found = next((str(resource[field])[:10] for field in fields if resource.get(field)), "")
    if found or resource.get("resourceType") == "Encounter":
        return found
    spans = ("effectivePeriod", "performedPeriod", "occurrencePeriod")
    return next((first_day({"period": resource[field]}) for field in spans if resource.get(field)), "")


def named_diagnoses(resources: Sequence[Resource]) -> dict[str, int]:
    """The ids of the Conditions that Encounters name as diagnoses, each with its place in the list (R4 and R5)."""
    places: dict[str, int] = {}
    for encounter in of_kind(resources, "Encounter"):
        for place, diagnosis in enumerate(encounter.get("diagnosis", [])):
            named = diagnosis.get("condition")
            for condition in named if isinstance(named, list) else [named]:
                inner = (condition or {}).get("reference")
                id = id_of(inner if isinstance(inner, dict) else condition)
                places.setdefault(id, int(diagnosis.get("rank", place + 1)))
    places.pop("", None)
    return places


def begun_for(taken: Resource, main: Resource, visit: str) -> bool:
    """Whether a medicine was ordered at the visit for its diagnosis. Then the patient did not come with it."""
    reasons = [*taken.get("reasonReference", []), *(r.get("reference", {}) for r in taken.get("reason", []))]
    at_visit = bool(visit) and id_of(taken.get("encounter")) == visit
    return at_visit and "id" in main and main["id"] in map(id_of, reasons)


def told_allergy(allergy: Resource) -> str:
    """What the patient says of an allergy; empty if it has passed or has no name."""
    name = concept_text(allergy.get("code"))
    if not name or is_over(allergy):
        return ""
    if name.casefold().startswith("no known"):
        return "Has no known allergies."
    return f"Is allergic to {_ALLERGY.sub('', name)}."


def _codes(value: Any) -> frozenset[str]:
    """The codes of a CodeableConcept, or a code that stands alone."""
    if isinstance(value, str):
        return frozenset((value,))
    return frozenset(str(coding.get("code")) for coding in (value or {}).get("coding", []))
