"""Check whether a resource from outside is valid FHIR R5.

`problems` walks the resource along HL7's own definitions (`data/structure.json`): unknown elements, cardinality,
primitive types, required codes, reference targets, invariants. `structural_problems` then asks fhir.resources for a
second opinion; it is imported on first use, because that takes a while. `check` raises if either of them finds an
error.
"""

from __future__ import annotations

import base64
import binascii
import importlib
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cache
from typing import Any

from polyclinic.core.records import Problem, RecordInvalid, Resource
from polyclinic.fhir.dates import date_range, instant
from polyclinic.fhir.extract import split_reference
from polyclinic.fhir.invariants import OF_ALL, RULES, WARNINGS
from polyclinic.fhir.parameters import data, elements_of, resource_types

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_ACTIVE = re.compile(
    r"<\s*(script|iframe|object|embed|form|link|base|meta|style)\b|\son\w+\s*=|javascript:", re.IGNORECASE
)
_DATE = r"\d{4}(-\d\d(-\d\d)?)?"
_ZONE = r"(Z|[+-](0\d|1[0-4]):\d\d)"
_TIME = r"([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?"
_PATTERNS = {
    name: re.compile(pattern, re.ASCII if name not in ("code", "uri", "url", "canonical") else 0)
    for name, pattern in {
        "id": r"[A-Za-z0-9\-.]{1,64}",
        "code": r"\S+( \S+)*",
        "uri": r"\S+",
        "url": r"\S+",
        "canonical": r"\S+",
        "oid": r"urn:oid:[0-2](\.(0|[1-9]\d*))+",
        "uuid": r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        "date": _DATE,
        "dateTime": rf"\d{{4}}(-\d\d(-\d\d(T{_TIME}{_ZONE})?)?)?",
        "instant": rf"\d{{4}}-\d\d-\d\dT{_TIME}{_ZONE}",
        "time": _TIME,
        "integer64": r"[+-]?(0|[1-9]\d{0,18})",
    }.items()
}
_INTEGERS = {"integer": (-(2**31), 2**31 - 1), "positiveInt": (1, 2**31 - 1), "unsignedInt": (0, 2**31 - 1)}


def _readable(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except (ValueError, OverflowError):
        return False
    return True


def wrong(type_: str, value: object) -> str | None:
    """Say what is wrong with a value of a primitive type; None if the value is valid."""
    if type_ == "boolean":
        return None if isinstance(value, bool) else "must be true or false"
    if type_ in _INTEGERS:
        low, high = _INTEGERS[type_]
        right = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        return None if right else f"must be a whole number from {low} to {high}"
    if type_ == "decimal":
        right = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
        return None if right else "must be a number"
    if not isinstance(value, str):
        return "must be a string"
    if not value.strip():
        return "may not be empty"
    if _CONTROL.search(value):
        return "has a control character"
    pattern = _PATTERNS.get(type_)
    if pattern is not None and not pattern.fullmatch(value):
        return f"is not a {type_}"
    return _wrong_text(type_, value)


def _wrong_text(type_: str, text: str) -> str | None:
    match type_:
        case "date" | "dateTime":
            return None if _readable(date_range, text) else "is not a date that exists"
        case "instant":
            return None if _readable(instant, text.replace(":60", ":59")) else "is not a time that exists"
        case "base64Binary":
            try:
                base64.b64decode("".join(text.split()), validate=True)
            except binascii.Error:
                return "is not base64"
            return None
        case "xhtml":
            if not text.lstrip().startswith("<div"):
                return "must be a <div> element"
            return "has active content" if _ACTIVE.search(text) else None
        case _:
            return None


MAX_PROBLEMS = 50
_Entry = dict[str, Any]


def check(resource: Resource) -> list[Problem]:
    """Raise RecordInvalid unless the resource is valid; returns the warnings otherwise."""
    found = problems(resource)
    errors = [problem for problem in found if problem.severity == "error"]
    if not errors:
        errors = structural_problems(resource)
    if errors:
        raise RecordInvalid(f"{errors[0].expression}: {errors[0].message}", errors[:MAX_PROBLEMS])
    return found


def problems(resource: Resource) -> list[Problem]:
    """Everything that is wrong by HL7's definitions, in the order of the elements."""
    type_ = resource.get("resourceType")
    if not isinstance(type_, str) or type_ not in resource_types():
        fault = (
            f"resource type {type_!r} is not supported"
            if type_
            else 'resourceType is missing; write for example "resourceType": "Patient"'
        )
        return [Problem("structure", "Resource", fault)]
    return list(_object(resource, type_, type_, resource))


def structural_problems(resource: Resource) -> list[Problem]:
    """The problems that fhir.resources finds."""
    from pydantic import ValidationError

    try:
        _model(resource["resourceType"]).model_validate(resource)
    except ValidationError as error:
        return [
            Problem("structure", ".".join([resource["resourceType"], *map(str, e["loc"])]), e["msg"])
            for e in error.errors()
        ]
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        return [Problem("structure", resource["resourceType"], f"cannot be read: {error}")]
    return []


@cache
def _model(type_: str) -> Any:
    return getattr(importlib.import_module(f"fhir.resources.{type_.lower()}"), type_)


@cache
def _required(type_: str) -> tuple[tuple[str, ...], ...]:
    """For each required element or choice, its possible keys. At least one of them must be present."""
    groups: dict[str, list[str]] = {}
    for key, entry in elements_of(type_).items():
        if entry["min"]:
            groups.setdefault(entry.get("choice", key), []).append(key)
    return tuple(tuple(keys) for keys in groups.values())


def _object(node: Any, type_: str, path: str, root: Resource) -> Iterator[Problem]:
    """Everything wrong with a complex value."""
    if not isinstance(node, dict) or not node:
        yield Problem("structure", path, "must be an object with content")
        return
    elements = elements_of(type_)
    chosen: dict[str, str] = {}
    for key, value in node.items():
        entry = elements.get(key)
        if entry is None:
            yield from _other(key, value, elements, path, root)
            continue
        if "choice" in entry:
            if entry["choice"] in chosen:
                yield Problem("structure", f"{path}.{key}", f"excludes {chosen[entry['choice']]}")
            chosen[entry["choice"]] = key
        yield from _value(value, entry, f"{path}.{key}", root, node.get(f"_{key}"))
    for keys in _required(type_):
        if not any(k in node or f"_{k}" in node for k in keys):
            yield Problem("required", f"{path}.{keys[0]}", "is required")
    yield from _broken(node, type_, path)


def _broken(node: dict[str, Any], type_: str, path: str) -> Iterator[Problem]:
    general = OF_ALL if type_ in resource_types() else ()
    for rule in (*RULES.get(type_, ()), *general):
        try:
            for key, message in rule(node):
                yield Problem(key, path, f"{key}: {message}", "warning" if key in WARNINGS else "error")
        except (TypeError, AttributeError, ValueError):
            continue  # an element has the wrong type; that is already reported at the element itself


def _other(key: str, value: Any, elements: dict[str, _Entry], path: str, root: Resource) -> Iterator[Problem]:
    """Check a key that is not an element: `resourceType`, the extensions of a primitive, or an unknown key."""
    if key == "resourceType":
        return
    entry = elements.get(key.removeprefix("_"))
    if not key.startswith("_") or entry is None or not entry["type"][0].islower():
        yield Problem("structure", f"{path}.{key}", "is not an element of this type")
        return
    for item in value if isinstance(value, list) else [value]:
        if item is not None:
            yield from _object(item, "Element", f"{path}.{key}", root)


def _value(value: Any, entry: _Entry, path: str, root: Resource, shadow: Any) -> Iterator[Problem]:
    if not entry["many"]:
        yield from _single(value, entry, path, root)
        return
    if not isinstance(value, list) or not value:
        yield Problem("structure", path, "must be an array with content")
        return
    for position, item in enumerate(value):
        if item is None and isinstance(shadow, list) and position < len(shadow) and shadow[position]:
            continue
        yield from _single(item, entry, f"{path}[{position}]", root)


def _single(value: Any, entry: _Entry, path: str, root: Resource) -> Iterator[Problem]:
    type_ = entry["type"]
    if type_ == "Resource":
        yield from _contained(value, path, root)
    elif type_[0].islower():
        plain = "string" if type_ == "id" and path.count(".") > 1 else type_
        message = wrong(plain, value)
        if message is not None:
            yield Problem("value", path, message)
        elif "codes" in entry and value not in data("structure.json")["codes"][entry["codes"]]:
            yield Problem("code-invalid", path, f"'{value}' is not a code of {entry['codes']}")
    else:
        yield from _object(value, type_, path, root)
        if "targets" in entry and isinstance(value, dict):
            reference = value.get("reference") if type_ == "CodeableReference" else value
            yield from _targets(reference, entry["targets"], path, root)


def _contained(value: Any, path: str, root: Resource) -> Iterator[Problem]:
    type_ = value.get("resourceType") if isinstance(value, dict) else None
    if not isinstance(type_, str):
        yield Problem("structure", path, "must be a resource")
    elif type_ in resource_types():
        yield from _object(value, type_, path, root)


def _targets(node: Any, targets: list[str], path: str, root: Resource) -> Iterator[Problem]:
    """Check a reference: its type must be allowed, and a contained resource that it names must exist."""
    text = node.get("reference") if isinstance(node, dict) else None
    if not isinstance(text, str):
        return
    if text.startswith("#"):
        inside = [c for c in root.get("contained", []) if isinstance(c, dict) and c.get("id") == text[1:]]
        if text != "#" and not inside:
            yield Problem("ref-1", path, f"'{text}' is not contained in this resource")
        found = inside[0].get("resourceType", "") if inside else ""
    else:
        found = split_reference(text)[0]
    if found and found not in targets:
        yield Problem("reference-target", path, f"may refer to {', '.join(targets)}, not to {found}")
