"""Which resources of a FHIR Bundle count for one patient at one visit. A Bundle may hold a whole life, or several
patients.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from polyclinic.clinics.patient.scenario.fhir_resources import (
    concept_text,
    first_day,
    full_day,
    id_of,
    last_day,
    not_after,
    of_kind,
)
from polyclinic.clinics.patient.scenario.set_phrases import names_no_allergy
from polyclinic.core.files import bad_file
from polyclinic.core.records import Resource

_UNTRUE = frozenset(("refuted", "entered-in-error"))
_OVER = frozenset(("inactive", "remission", "resolved"))
_RESULTS = frozenset(("Observation", "DiagnosticReport"))
_OF_SOMEBODY = _RESULTS | {
    *("Condition", "Encounter", "AllergyIntolerance", "FamilyMemberHistory", "Immunization", "Procedure"),
    *("MedicationRequest", "MedicationStatement"),
}
_ALLERGY = re.compile(
    r"no known|nk[df]?a\b|n\.\s?k\.\s?(?:[df]\.\s?)?a\b|(?:none|nil)(?: known| reported)?\W*$"
    r"|no (?:\w+ )?allerg(?:y|ies)\W*$",
    re.IGNORECASE,
)
_ALLERGY = re.compile(r"^(?:allergy|allergic reaction|hypersensitivity|intolerance) to | allergy$", re.IGNORECASE)


def own_resources(resources: Sequence[Resource], patient: Resource, origin: str) -> list[Resource]:
    """The patient's own resources and those that belong to nobody, without what was refuted or entered in error.

    In a Bundle with one patient, all resources are theirs. With several, each must say whose it is.
    """
    alone = len(of_kind(resources, "Patient")) == 1
    others = [r for r in resources if r.get("resourceType") != "Patient" and _holds(r)]
    return [r for r in others if alone or _owner(r, origin) in ("", patient.get("id"))]


def _owner(resource: Resource, origin: str) -> str:
    """The id of the patient; empty for what belongs to nobody, such as a Medication."""
    found = id_of(resource.get("subject") or resource.get("patient"))
    if not found and resource.get("resourceType") in _OF_SOMEBODY:
        what = f"the Bundle holds several patients, and {_named(resource)} does not say whose it is"
        raise bad_file(origin, what, fix="add its subject or patient")
    return found


def _named(resource: Resource) -> str:
    return f"{resource.get('resourceType')}/{resource.get('id', '?')}"


def _holds(resource: Resource) -> bool:
    codes = _codes(resource.get("verificationStatus")) | _codes(resource.get("status"))
    return not codes & _UNTRUE


def is_over(condition: Resource) -> bool:
    """Whether an illness or an allergy has passed: by its end, or by its status."""
    ended = any(field.startswith("abatement") and value not in (None, False) for field, value in condition.items())
    return ended or bool(_codes(condition.get("clinicalStatus")) & _OVER)


def known_by(resources: Sequence[Resource], visit: Resource, day: str) -> list[Resource]:
    """What there was on the day of the visit: nothing that is dated later, except what belongs to the visit itself.

    A result that names no visit belongs to this one until the day after its end. All Conditions are kept, because
    social findings are often recorded long after they began.
    """
    id, until = visit.get("id"), _day_after(last_day(visit) or day)
    return [
        r
        for r in resources
        if r.get("resourceType") == "Condition"
        or (id and id_of(r.get("encounter")) == id)
        or not_after(_day_of(r), until if _is_loose_result(r) else day)
    ]


def _is_loose_result(resource: Resource) -> bool:
    return resource.get("resourceType") in _RESULTS and not id_of(resource.get("encounter"))


def _day_after(day: str) -> str:
    """The next day; a date that is only a year or a month stays as it is."""
    known = full_day(day)
    return str(known + timedelta(days=1)) if known is not None and known < date.max and len(day) == 10 else day


def _day_of(resource: Resource) -> str:
    """The day of a result, an order or an act; empty if it is not given."""
    fields = ("effectiveDateTime", "authoredOn", "performedDateTime", "occurrenceDateTime", "issued")
    found = next((str(resource[field])[:10] for field in fields if resource.get(field)), "")
    if found or resource.get("resourceType") == "Encounter":
        return found
    spans = ("effectivePeriod", "performedPeriod", "occurrencePeriod")
    return next((first_day({"period": resource[field]}) for field in spans if resource.get(field)), "")


def visit_of(condition: Resource, resources: Sequence[Resource]) -> Resource:
    """The newest Encounter that names a Condition as its diagnosis, or else the Condition's own; else empty."""
    encounters = of_kind(resources, "Encounter")
    naming = [encounter for encounter in encounters if rank_at(encounter, condition)]
    if naming:
        return max(naming, key=first_day)
    own = id_of(condition.get("encounter"))
    return next((encounter for encounter in encounters if own and encounter.get("id") == own), Resource())


def rank_at(encounter: Resource, condition: Resource) -> int:
    """The rank of a Condition among the diagnoses that an Encounter names (R4 and R5), from 1; 0 if it is not named."""
    for place, diagnosis in enumerate(encounter.get("diagnosis", []), start=1):
        named = diagnosis.get("condition")
        for one in named if isinstance(named, list) else [named]:
            inner = (one or {}).get("reference")
            id = id_of(inner if isinstance(inner, dict) else one)
            if id and id == condition.get("id"):
                return _rank(diagnosis.get("rank", place), encounter)
    return 0


def _rank(written: Any, encounter: Resource) -> int:
    if isinstance(written, int) and written > 0:
        return written
    raise bad_file(_named(encounter), f"must be a whole number from 1, not {written!r}", field="diagnosis.rank")


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
    if names_no_allergy(name):
        return name
    return f"Is allergic to {_ALLERGY.sub('', name)}."


def _codes(value: Any) -> frozenset[str]:
    """The codes of a CodeableConcept, or a code that stands alone."""
    if isinstance(value, str):
        return frozenset((value,))
    return frozenset(str(coding.get("code")) for coding in (value or {}).get("coding", []))
