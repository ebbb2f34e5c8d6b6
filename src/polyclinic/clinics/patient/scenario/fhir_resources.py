"""Reading the parts of FHIR resources (R4 or R5): names, references, categories and observed values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from polyclinic.core.records import Resource

_TAG = re.compile(
    r"\s*\((?:finding|disorder|situation|procedure|person|observable entity|regime/therapy)\)\s*$", re.IGNORECASE
)
_PROPERTY = re.compile(r"\s*\[[^\]]*\]")
_UNITS = {"Cel": "C", "mm[Hg]": "mmHg"}
_NOT_TAKEN = frozenset(("stopped", "completed", "cancelled", "entered-in-error", "not-taken", "draft"))


def of_kind(resources: Sequence[Resource], kind: str) -> list[Resource]:
    """The resources of one type."""
    return [resource for resource in resources if resource.get("resourceType") == kind]


def id_of(reference: Any) -> str:
    """The id at the end of a Reference: ``Encounter/7``, ``urn:uuid:7`` or ``#7``; empty if there is none."""
    written = reference.get("reference", "") if isinstance(reference, Mapping) else ""
    return re.split(r"[/:#]", str(written))[-1]


def at_visit(resources: Sequence[Resource], kind: str, visit: str) -> list[Resource]:
    """The resources of one type that belong to a visit, or to none. All of them if the visit is not known."""
    return [r for r in of_kind(resources, kind) if not visit or id_of(r.get("encounter")) in ("", visit)]


def once_each(resources: Sequence[Resource], kind: str, visit: str) -> list[Resource]:
    """What was done many times, once for each name: at the visit, or else the last time."""
    found: dict[str, Resource] = {}

    def rank(resource: Resource) -> tuple[bool, str]:
        return id_of(resource.get("encounter")) == visit, str(resource.get("effectiveDateTime", ""))

    for resource in of_kind(resources, kind):
        name = concept_words(resource.get("code"))
        found[name] = max(found.get(name, resource), resource, key=rank)
    return list(found.values())


def medicine(taken: Resource, resources: Sequence[Resource]) -> str:
    """What a MedicationStatement or MedicationRequest names; empty if it is no longer taken."""
    if str(taken.get("status")) in _NOT_TAKEN:
        return ""
    named = taken.get("medication") or taken.get("medicationCodeableConcept") or {}
    id = id_of(taken.get("medicationReference") or named.get("reference"))
    stored = (m for m in (*of_kind(resources, "Medication"), *taken.get("contained", [])) if m.get("id") == id)
    return concept_text(named) or concept_text(next(stored, Resource()).get("code"))


def concept_text(concept: Any) -> str:
    """The text of a CodeableConcept, without the tag of a code system. It also reads a CodeableReference (R5)."""
    return _TAG.sub("", _PROPERTY.sub("", concept_words(concept))).strip()


def concept_words(concept: Any) -> str:
    """The text of a CodeableConcept as it is written."""
    if not isinstance(concept, Mapping):
        return ""
    if "concept" in concept:
        return concept_words(concept["concept"])
    if concept.get("text"):
        return str(concept["text"])
    return next((str(coding["display"]) for coding in concept.get("coding", []) if coding.get("display")), "")


def first_day(encounter: Resource) -> str:
    """The day on which an Encounter began."""
    return str((encounter.get("actualPeriod") or encounter.get("period") or {}).get("start", ""))[:10]


def has_category(resource: Resource, code: str) -> bool:
    """Whether a resource has a category with this code."""
    categories = resource.get("category", [])
    return any(coding.get("code") == code for category in categories for coding in category.get("coding", []))


def observed(observation: Resource) -> str:
    """The value of an Observation, or of one of its components, with unit and normal range."""
    quantity = observation.get("valueQuantity")
    if isinstance(quantity, Mapping):
        unit = str(quantity.get("unit", quantity.get("code", "")))
        bound = str(quantity.get("comparator", ""))
        return f"{bound}{_rounded(quantity.get('value'))} {_UNITS.get(unit, unit)}".strip() + _range(observation)
    if isinstance(observation.get("valueBoolean"), bool):
        return "yes" if observation["valueBoolean"] else "no"
    plain = next((observation[f] for f in ("valueString", "valueInteger", "valueDateTime") if f in observation), "")
    return str(plain) or concept_text(observation.get("valueCodeableConcept")) or "not stated"


def _rounded(value: Any) -> Any:
    """Two decimals: a generated 141.98765 was never read from an instrument. Small values keep three digits."""
    if not isinstance(value, float):
        return value
    return round(value, 2) if abs(value) >= 1 else float(f"{value:.3g}")


def _range(observation: Resource) -> str:
    ranges = observation.get("referenceRange", [])
    if not ranges:
        return ""
    low, high = (ranges[0].get(side, {}).get("value") for side in ("low", "high"))
    if low is not None and high is not None:
        return f" ({low}-{high})"
    return f" (below {high})" if high is not None else f" (above {low})" if low is not None else ""


def observed_items(observation: Resource) -> Iterator[tuple[str, str]]:
    """The name and the value of each part of an Observation."""
    components = observation.get("component", [])
    if not components:
        yield concept_text(observation.get("code")), observed(observation)
    for component in components:
        yield concept_text(component.get("code")), observed(component)
