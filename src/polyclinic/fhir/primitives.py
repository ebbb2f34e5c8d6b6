"""FHIR's primitive types as JSON: which JSON type each has and which texts it allows."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from decimal import Decimal

from polyclinic.fhir.dates import date_range, instant

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
