"""What a search can find of a resource: its index rows.

One extractor serves the database's side table, the in-memory match of staged resources and the tests that compare it
with HL7's own expressions, so they cannot disagree.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from polyclinic.core.records import Resource
from polyclinic.fhir.dates import date_range, instant, period_range
from polyclinic.fhir.parameters import COLUMNS, Parameter, Path, parameters


class Row(NamedTuple):
    """One indexed value.

    `value` and `system` mean, by kind: token (code, system), reference (id, type) or (url, ""), string (normal form, as
    written), uri (uri, ""), quantity (unit code, system). `low` and `high` hold a date's range or a quantity's.
    """

    parameter: str
    value: str
    system: str
    low: int | float | None
    high: int | float | None


_LOCAL_REFERENCE = re.compile(r"([A-Z][A-Za-z]+)/([A-Za-z0-9\-.]{1,64})(?:/_history/[A-Za-z0-9\-.]{1,64})?", re.ASCII)
_OPEN = 1e300  # an open end of a range: larger than any measurement, and still a number to every database
_NAME_PARTS = ("text", "family", "given", "prefix", "suffix")
_ADDRESS_PARTS = ("text", "line", "city", "district", "state", "postalCode", "country")


def normal(text: str) -> str:
    """How strings are compared: without case, accents and runs of space."""
    decomposed = unicodedata.normalize("NFKD", text)
    bare = "".join(c for c in decomposed if not unicodedata.combining(c))
    return " ".join(unicodedata.normalize("NFC", bare).casefold().split())


def split_reference(reference: str) -> tuple[str, str]:
    """(type, id) of a local reference, ("", reference) of any other."""
    match = _LOCAL_REFERENCE.fullmatch(reference)
    return (match[1], match[2]) if match else ("", reference)


def rows(resource: Resource) -> list[Row]:
    """Every index row of a resource, once, in a stable order. Values that cannot be read are not indexed."""
    found: dict[Row, None] = {}
    type_ = resource["resourceType"]
    by_key, always = _plan(type_)
    for parameter, paths in always:
        _collect(resource, parameter, paths, found)
    for key in resource:
        for parameter, paths in by_key.get(key, ()):
            _collect(resource, parameter, paths, found)
    return list(found)


_Plan = dict[str, list[tuple[Parameter, tuple[Path, ...]]]]


@cache
def _plan(type_: str) -> tuple[_Plan, list[tuple[Parameter, tuple[Path, ...]]]]:
    """Parameters by the first element they read, so that absent elements cost nothing; and those always evaluated."""
    by_key: _Plan = {}
    always: list[tuple[Parameter, tuple[Path, ...]]] = []
    columns = COLUMNS.get(type_, {})
    for parameter in parameters(type_).values():
        if parameter.code in columns or parameter.code in ("_id", "_lastUpdated"):
            continue
        if any(path.first or path.type == "presence" for path in parameter.paths):
            always.append((parameter, parameter.paths))
            continue
        for key in dict.fromkeys(path.steps[0] for path in parameter.paths):
            by_key.setdefault(key, []).append((parameter, tuple(p for p in parameter.paths if p.steps[0] == key)))
    return by_key, always


def _collect(resource: Resource, parameter: Parameter, paths: tuple[Path, ...], found: dict[Row, None]) -> None:
    for path in paths:
        if path.type == "presence":
            present = any(k.startswith(path.steps[0]) and resource[k] is not False for k in resource)
            found[Row(parameter.code, "true" if present else "false", "", None, None)] = None
            continue
        before = len(found)
        for node in walk(resource, path.steps):
            try:
                if path.where is None or node.get(path.where[0]) == path.where[1]:
                    for row in _rows_of(parameter, path, node):
                        found[row] = None
            except (ValueError, TypeError, AttributeError, KeyError):
                continue  # a value that is not of its type cannot be found by it
        if path.first and len(found) > before:
            return


def walk(node: Any, steps: tuple[str, ...]) -> Iterator[Any]:
    """Every value at the end of the steps, lists flattened."""
    if isinstance(node, list):
        for item in node:
            yield from walk(item, steps)
    elif not steps:
        if node is not None:
            yield node
    elif isinstance(node, dict) and steps[0] in node:
        yield from walk(node[steps[0]], steps[1:])


def _rows_of(parameter: Parameter, path: Path, node: Any) -> Iterator[Row]:
    code = parameter.code
    match parameter.kind:
        case "token":
            for system, value in tokens(path.type, node):
                yield Row(code, value, system, None, None)
        case "reference":
            yield from _references(code, path, node)
        case "date":
            low, high = _dates(path.type, node)
            yield Row(code, "", "", low, high)
        case "string":
            for text in _strings(path.type, node):
                yield Row(code, normal(text), text, None, None)
        case "uri":
            yield Row(code, str(node), "", None, None)
        case "quantity" | "number":
            yield from _quantities(code, path.type, node)


def tokens(type_: str, node: Any) -> Iterator[tuple[str, str]]:
    """(system, code) pairs of anything a token parameter reads."""
    match type_:
        case "CodeableConcept":
            for coding in node.get("coding", ()):
                yield from tokens("Coding", coding)
        case "Coding":
            if "code" in node:
                yield node.get("system", ""), node["code"]
        case "Identifier":
            if "value" in node:
                yield node.get("system", ""), node["value"]
        case "ContactPoint":
            if "value" in node:
                yield "", node["value"]
        case "boolean":
            yield "", "true" if node else "false"
        case _:
            yield "", str(node)


def _references(code: str, path: Path, node: Any) -> Iterator[Row]:
    if path.type == "canonical":
        url, _, version = str(node).partition("|")
        yield Row(code, url, "", None, None)
        if version:
            yield Row(code, str(node), "", None, None)
        return
    reference = node.get("reference", "")
    target, id_ = split_reference(reference)
    if path.target and (target or node.get("type") or _absolute_type(reference)) != path.target:
        return
    if reference and not reference.startswith("#"):
        yield Row(code, id_, target, None, None)
    identifier = node.get("identifier")
    if identifier and "value" in identifier:
        yield Row(f"{code}:identifier", identifier["value"], identifier.get("system", ""), None, None)


def _absolute_type(reference: str) -> str:
    parts = reference.split("/_history/")[0].split("/")
    return parts[-2] if len(parts) > 3 else ""


def _dates(type_: str, node: Any) -> tuple[int, int]:
    match type_:
        case "instant":
            point = instant(node)
            return point, point + 1
        case "Period":
            return period_range(node.get("start"), node.get("end"))
        case "Timing":
            ranges = [date_range(event) for event in node.get("event", ())]
            bounds = node.get("repeat", {}).get("boundsPeriod")
            if bounds:
                ranges.append(period_range(bounds.get("start"), bounds.get("end")))
            return min(low for low, _ in ranges), max(high for _, high in ranges)
        case _:
            return date_range(node)


def _strings(type_: str, node: Any) -> Iterator[str]:
    if type_ not in ("HumanName", "Address"):
        yield str(node)
        return
    for part in _NAME_PARTS if type_ == "HumanName" else _ADDRESS_PARTS:
        value = node.get(part)
        if isinstance(value, list):
            yield from (text for text in value if text)
        elif value:
            yield value


def _quantities(code: str, type_: str, node: Any) -> Iterator[Row]:
    if type_ == "SampledData":
        return  # a series has no one value
    if type_ == "Range":
        low, high = node.get("low", {}), node.get("high", {})
        either = low or high
        bounds = float(low.get("value", -_OPEN)), float(high.get("value", _OPEN))
        yield Row(code, either.get("code", ""), either.get("system", ""), *bounds)
        return
    value = float(node["value"])
    unit_code, unit = node.get("code", ""), node.get("unit", "")
    yield Row(code, unit_code, node.get("system", ""), value, value)
    if unit and unit != unit_code:
        yield Row(code, unit, "", value, value)
