"""Reading the parts of FHIR resources (R4 or R5): names, references, categories and observed values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from polyclinic.core.records import Resource

_TAG = re.compile(
    r"\s*\((?:finding|disorder|situation|procedure|person|observable entity|regime/therapy|substance|product"
    r"|medicinal product|clinical drug|organism|event|qualifier value|morphologic abnormality|body structure)\)\s*$",
    re.IGNORECASE,
)
_ANNOTATION = re.compile(r"\{[^}]*\}")
"""What a unit of UCUM says in braces ("{score}") is no part of the unit."""
_PROPERTY = re.compile(r"\s*\[[^\]]*\]")
_DATE = re.compile(r"\d{4}(?:-\d\d){0,2}")
_UNITS = {"Cel": "C", "mm[Hg]": "mmHg"}
_NOT_TAKEN = frozenset(("stopped", "completed", "cancelled", "entered-in-error", "not-taken", "not-taking", "draft"))


def of_kind(resources: Sequence[Resource], kind: str) -> list[Resource]:
    """The resources of one type."""
    return [resource for resource in resources if resource.get("resourceType") == kind]


def id_of(reference: Any) -> str:
    """The id at the end of a Reference: ``Encounter/7``, ``urn:uuid:7`` or ``#7``; empty if there is none."""
    written = reference.get("reference", "") if isinstance(reference, Mapping) else ""
    return re.split(r"[/:#]", str(written))[-1]


def entries(bundle: Resource) -> list[Resource]:
    """The resources of a Bundle. A reference by `fullUrl` becomes one by type and id (``Patient/7``); a resource
    without an id gets the end of its `fullUrl` as one.
    """
    held = [entry for entry in bundle.get("entry", []) if "resource" in entry]
    found = [_identified(entry["resource"], entry.get("fullUrl")) for entry in held]
    urls = {str(entry.get("fullUrl")): resource for entry, resource in zip(held, found, strict=True)}
    known = {
        url: f"{resource.get('resourceType')}/{resource['id']}" for url, resource in urls.items() if "id" in resource
    }
    return [_redirected(resource, known) for resource in found]


def _identified(resource: Resource, url: Any) -> Resource:
    return resource if "id" in resource or not url else {**resource, "id": id_of({"reference": url})}


def _redirected(value: Any, known: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_redirected(item, known) for item in value]
    if not isinstance(value, dict):
        return value
    changed = {key: _redirected(item, known) for key, item in value.items()}
    target = value.get("reference")
    return {**changed, "reference": known[target]} if isinstance(target, str) and target in known else changed


def at_visit(resources: Sequence[Resource], kind: str, visit: str) -> list[Resource]:
    """The resources of one type that belong to a visit, or to none. All of them if the visit is not known."""
    return [r for r in of_kind(resources, kind) if not visit or id_of(r.get("encounter")) in ("", visit)]


def once_each(resources: Sequence[Resource], kind: str, visit: str) -> list[Resource]:
    """What was done many times, once for each name: at the visit, or else the last time."""
    found: dict[str, Resource] = {}

    def rank(resource: Resource) -> tuple[bool, str]:
        return id_of(resource.get("encounter")) == visit, str(resource.get("effectiveDateTime") or "")

    for resource in of_kind(resources, kind):
        name = concept_words(resource.get("code"))
        found[name] = max(found.get(name, resource), resource, key=rank)
    return list(found.values())


def medicine(taken: Resource, resources: Sequence[Resource]) -> str:
    """What a MedicationStatement or MedicationRequest names; empty if it is not taken, or no longer."""
    kept = {coding.get("code") for coding in taken.get("adherence", {}).get("code", {}).get("coding", [])}
    if str(taken.get("status")) in _NOT_TAKEN or kept & _NOT_TAKEN:
        return ""
    named = taken.get("medication") or taken.get("medicationCodeableConcept") or {}
    id = id_of(taken.get("medicationReference") or named.get("reference"))
    stored = (m for m in (*of_kind(resources, "Medication"), *taken.get("contained", [])) if m.get("id") == id)
    return concept_text(named) or concept_text(next(stored, Resource()).get("code"))


def dosage(taken: Resource) -> str:
    """How a medicine is taken, as words after its name; empty if no text says it."""
    ways: list[Resource] = [*taken.get("dosage", []), *taken.get("dosageInstruction", [])]
    told = ways[0].get("text") if ways else None
    return f", {str(told).rstrip('.')}" if told else ""


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
    return str(_span(encounter).get("start") or "")[:10]


def last_day(encounter: Resource) -> str:
    """The day on which an Encounter ended, or else began."""
    return str(_span(encounter).get("end") or "")[:10] or first_day(encounter)


def _span(encounter: Resource) -> Resource:
    return encounter.get("actualPeriod") or encounter.get("period") or {}


def full_day(text: str) -> date | None:
    """The date that a text begins with; None if it is no date. A year or a month alone stands for its first day."""
    written = text[:10]
    try:
        return date.fromisoformat(written + "0000-01-01"[len(written) :]) if _DATE.fullmatch(written) else None
    except ValueError:
        return None


def not_after(day: str, other: str) -> bool:
    """Whether a day is before or on another one. Of dates that are only a year or a month, the known parts are
    compared: 2024-01-10 is not after 2024. A date that is not given is not after any.
    """
    length = min(len(day), len(other))
    return day[:length] <= other[:length]


def has_category(resource: Resource, code: str) -> bool:
    """Whether a resource has a category with this code."""
    categories = resource.get("category", [])
    return any(coding.get("code") == code for category in categories for coding in category.get("coding", []))


def observed(observation: Resource) -> str:
    """The value of an Observation, or of one of its components, with unit and normal range."""
    quantity = observation.get("valueQuantity")
    if isinstance(quantity, Mapping) and quantity.get("value") is not None:
        unit = _ANNOTATION.sub("", str(quantity.get("unit") or quantity.get("code") or ""))
        bound = str(quantity.get("comparator") or "")
        return f"{bound}{_rounded(quantity.get('value'))} {_UNITS.get(unit, unit)}".strip() + _range(observation)
    if isinstance(observation.get("valueBoolean"), bool):
        return "yes" if observation["valueBoolean"] else "no"
    values = map(observation.get, ("valueString", "valueInteger", "valueDateTime"))
    return (
        next((str(value) for value in values if value is not None), "")
        or concept_text(observation.get("valueCodeableConcept"))
        or "not stated"
    )


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
