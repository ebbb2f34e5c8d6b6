"""Turn elements of a resource into index values.

There is one function for each path of a search parameter; it is made once and called for each node. The functions add
to a dict, whose keys are rows as in the index table: (type, id, parameter, value, system, low, high). If a node turns
out to be malformed, the values read before it stay added; the caller handles the error.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, TypeAlias

from polyclinic.fhir.dates import Range, date_range, instant, period_range
from polyclinic.fhir.parameters import Parameter, Path
from polyclinic.text.normal import without_accents

IndexValue: TypeAlias = tuple[str, str, str, str, str, int | float | None, int | float | None]
IndexValues: TypeAlias = dict[IndexValue, None]
Emit: TypeAlias = Callable[[str, Any, IndexValues], None]
"""Adds the index values of one node; called with the resource's id, the node, and the dict to add to."""

_LOCAL_REFERENCE = re.compile(r"([A-Z][A-Za-z]+)/([A-Za-z0-9\-.]{1,64})(?:/_history/[A-Za-z0-9\-.]{1,64})?", re.ASCII)
_OPEN = 1e300  # the open end of a range: larger than any measurement, but a number that every database can store
_PARTS = {
    "HumanName": ("text", "family", "given", "prefix", "suffix"),
    "Address": ("text", "line", "city", "district", "state", "postalCode", "country"),
}
_KEPT = 16_384


@lru_cache(_KEPT)
def split_reference(reference: str) -> tuple[str, str]:
    """(type, id) for a local reference, ("", reference) for any other. A version in the reference is dropped."""
    match = _LOCAL_REFERENCE.fullmatch(reference)
    return (match[1], match[2]) if match else ("", reference.partition("/_history/")[0])


def emitter(type_: str, parameter: Parameter, path: Path) -> Emit:
    """The function that indexes one path of one search parameter."""
    emit = _KINDS[parameter.kind](type_, parameter.code, path)
    return emit if path.where is None else _only_where(emit, *path.where)


def _only_where(emit: Emit, key: str, value: str) -> Emit:
    def filtered(id_: str, node: Any, found: IndexValues) -> None:
        if node.get(key) == value:
            emit(id_, node, found)

    return filtered


def _token(type_: str, code: str, path: Path) -> Emit:
    def coding(id_: str, node: Any, found: IndexValues, key: str = "code") -> None:
        if key in node:
            found[(type_, id_, code, node[key], node.get("system", ""), None, None)] = None

    def concept(id_: str, node: Any, found: IndexValues) -> None:
        for each in node.get("coding", ()):
            coding(id_, each, found)

    def contact(id_: str, node: Any, found: IndexValues) -> None:
        if "value" in node:
            found[(type_, id_, code, node["value"], "", None, None)] = None

    def boolean(id_: str, node: Any, found: IndexValues) -> None:
        found[(type_, id_, code, "true" if node else "false", "", None, None)] = None

    special: dict[str, Emit] = {
        "CodeableConcept": concept,
        "Coding": coding,
        "Identifier": partial(coding, key="value"),
        "ContactPoint": contact,
        "boolean": boolean,
    }
    return special.get(path.type) or _plain(type_, code, path)


def _plain(type_: str, code: str, path: Path) -> Emit:
    def plain(id_: str, node: Any, found: IndexValues) -> None:
        found[(type_, id_, code, str(node), "", None, None)] = None

    return plain


def _reference(type_: str, code: str, path: Path) -> Emit:
    if path.type == "canonical":
        return _canonical(type_, code)
    wanted, by_identifier = path.target, f"{code}:identifier"

    def reference(id_: str, node: Any, found: IndexValues) -> None:
        text = node.get("reference", "")
        target, value = split_reference(text)
        if wanted and (target or node.get("type") or _absolute_type(text)) != wanted:
            return
        if text and not text.startswith("#"):
            found[(type_, id_, code, value, target, None, None)] = None
        identifier = node.get("identifier")
        if identifier and "value" in identifier:
            system = identifier.get("system", "")
            found[(type_, id_, by_identifier, identifier["value"], system, None, None)] = None

    return reference


def _canonical(type_: str, code: str) -> Emit:
    def canonical(id_: str, node: Any, found: IndexValues) -> None:
        text = str(node)
        url, _, version = text.partition("|")
        found[(type_, id_, code, url, "", None, None)] = None
        if version:
            found[(type_, id_, code, text, "", None, None)] = None

    return canonical


def _absolute_type(reference: str) -> str:
    parts = reference.split("/_history/")[0].split("/")
    return parts[-2] if len(parts) > 3 else ""


def _date(type_: str, code: str, path: Path) -> Emit:
    ranges: dict[str, Callable[[Any], Range]] = {"instant": _point, "Period": period_range, "Timing": _timing}
    range_of = ranges.get(path.type, date_range)

    def date(id_: str, node: Any, found: IndexValues) -> None:
        low, high = range_of(node)
        found[(type_, id_, code, "", "", low, high)] = None

    return date


def _point(node: Any) -> Range:
    at = instant(node)
    return at, at + 1


def _timing(node: Any) -> Range:
    ranges = [date_range(event) for event in node.get("event", ())]
    bounds = node.get("repeat", {}).get("boundsPeriod")
    if bounds:
        ranges.append(period_range(bounds))
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def _string(type_: str, code: str, path: Path) -> Emit:
    parts = _PARTS.get(path.type)

    def add(id_: str, text: str, found: IndexValues) -> None:
        found[(type_, id_, code, without_accents(text), text, None, None)] = None

    if parts is None:
        return lambda id_, node, found: add(id_, str(node), found)

    def of_parts(id_: str, node: Any, found: IndexValues) -> None:
        for part in parts:
            value = node.get(part)
            if isinstance(value, list):
                for text in value:
                    if text:
                        add(id_, text, found)
            elif value:
                add(id_, value, found)

    return of_parts


def _quantity(type_: str, code: str, path: Path) -> Emit:
    def quantity(id_: str, node: Any, found: IndexValues) -> None:
        value = float(node["value"])
        unit_code, unit = node.get("code", ""), node.get("unit", "")
        found[(type_, id_, code, unit_code, node.get("system", ""), value, value)] = None
        if unit and unit != unit_code:
            found[(type_, id_, code, unit, "", value, value)] = None

    def bounds(id_: str, node: Any, found: IndexValues) -> None:
        low, high = node.get("low", {}), node.get("high", {})
        either = low or high
        lowest, highest = float(low.get("value", -_OPEN)), float(high.get("value", _OPEN))
        found[(type_, id_, code, either.get("code", ""), either.get("system", ""), lowest, highest)] = None

    def nothing(id_: str, node: Any, found: IndexValues) -> None:
        """A series of samples has no single value, so nothing is indexed."""

    special: dict[str, Emit] = {"Range": bounds, "SampledData": nothing}
    return special.get(path.type, quantity)


_KINDS: dict[str, Callable[[str, str, Path], Emit]] = {
    "token": _token,
    "reference": _reference,
    "date": _date,
    "string": _string,
    "uri": _plain,
    "quantity": _quantity,
    "number": _quantity,
}
