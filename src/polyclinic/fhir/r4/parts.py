"""Parts of resources that differ in R4: references with concepts, contacts, opening hours, extensions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from polyclinic.core.records import Resource

_ELEMENT = "http://hl7.org/fhir/5.0/StructureDefinition/extension-"


def rename(resource: Resource, pairs: Iterable[tuple[str, str]]) -> None:
    """Rename elements, if they are present."""
    for old, new in pairs:
        if old in resource:
            resource[new] = resource.pop(old)


def concepts_of(resource: Resource, name: str) -> None:
    """Replace a list of CodeableReferences by a list of concepts; a reference becomes an extension of its concept."""
    if name not in resource:
        return
    url = f"{_ELEMENT}{resource['resourceType']}.{name}.reference"
    made = []
    for each in resource.pop(name):
        concept = dict(each.get("concept", {}))
        if "reference" in each:
            concept["extension"] = [*concept.get("extension", []), {"url": url, "valueReference": each["reference"]}]
        if concept:
            made.append(concept)
    if made:
        resource[name] = made


def references_of(resource: Resource, name: str) -> None:
    """The reverse of `concepts_of`."""
    if name not in resource:
        return
    url = f"{_ELEMENT}{resource['resourceType']}.{name}.reference"
    made = []
    for concept in resource.pop(name):
        known = [e for e in concept.get("extension", []) if e.get("url") == url]
        others = [e for e in concept.get("extension", []) if e.get("url") != url]
        rest = {k: v for k, v in concept.items() if k != "extension"} | ({"extension": others} if others else {})
        each: Resource = {"concept": rest} if rest else {}
        if known:
            each["reference"] = known[0]["valueReference"]
        made.append(each)
    resource[name] = made


def keep_as_extension(resource: Resource, name: str, kind: str) -> None:
    """Keep an element that R4 does not have in an extension, so that it can be restored."""
    if name not in resource:
        return
    values = resource.pop(name)
    url = f"{_ELEMENT}{resource['resourceType']}.{name}"
    listed = values if isinstance(values, list) else [values]
    resource["extension"] = [*resource.get("extension", []), *({"url": url, f"value{kind}": v} for v in listed)]


def take_from_extension(resource: Resource, name: str, kind: str, *, many: bool = False) -> None:
    """The reverse of `keep_as_extension`."""
    url = f"{_ELEMENT}{resource['resourceType']}.{name}"
    found = [e[f"value{kind}"] for e in resource.get("extension", []) if e.get("url") == url and f"value{kind}" in e]
    if not found:
        return
    others = [e for e in resource["extension"] if e.get("url") != url]
    if others:
        resource["extension"] = others
    else:
        del resource["extension"]
    resource[name] = found if many else found[0]


def split_reasons(resource: Resource, values: list[Resource]) -> None:
    """Write reasons separately as codes and as references."""
    codes = [each["concept"] for each in values if "concept" in each]
    references = [each["reference"] for each in values if "reference" in each]
    if codes:
        resource["reasonCode"] = codes
    if references:
        resource["reasonReference"] = references


def joined_reasons(resource: Resource) -> list[Resource]:
    """The reverse of `split_reasons`."""
    codes: list[Resource] = [{"concept": each} for each in resource.pop("reasonCode", [])]
    return [*codes, *({"reference": each} for each in resource.pop("reasonReference", []))]


def plain_telecom(resource: Resource) -> None:
    """Write contacts as a plain list of telecoms, without purposes and names."""
    points = [point for contact in resource.pop("contact", []) for point in contact.get("telecom", [])]
    if points:
        resource["telecom"] = points


def contact_of_telecom(resource: Resource) -> None:
    """The reverse of `plain_telecom`."""
    points = resource.pop("telecom", [])
    if points:
        resource["contact"] = [{"telecom": points}]


def split_availability(resource: Resource) -> None:
    """Write opening hours as R4 does, in the resource itself."""
    for availability in resource.pop("availability", []):
        if availability.get("availableTime"):
            resource.setdefault("availableTime", []).extend(availability["availableTime"])
        for closed in availability.get("notAvailableTime", []):
            resource.setdefault("notAvailable", []).append({"description": "closed", **closed})


def joined_availability(resource: Resource) -> None:
    """The reverse of `split_availability`."""
    made: dict[str, Any] = {}
    if times := resource.pop("availableTime", []):
        made["availableTime"] = times
    if closed := resource.pop("notAvailable", []):
        made["notAvailableTime"] = closed
    resource.pop("availabilityExceptions", None)
    if made:
        resource["availability"] = [made]
