"""JSON in and out, with FHIR's decimals kept digit for digit, and no key twice in one object.

`1.50` and `1.5` are different measurements in FHIR, but as floats they are the same. Nearly all bodies have no decimal
point outside of strings; these are read with orjson. The others are read with `Decimal`, which keeps every digit. With
a key twice, one of the two values would be lost without a word: which one the sender meant, nobody knows.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

import orjson

from polyclinic.core.records import RecordsError, Resource
from polyclinic.core.value import count_keys

MAX_DEPTH = 100
_DECIMAL = re.compile(rb"[:\[,]\s*-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)\s*[,}\]]")
_KEY = re.compile(rb'"\s*:')
"""What every key is followed by. It may occur within a string too."""
_POINT = re.compile(r"\.(?<=[0-9]\.)[0-9]")  # several times faster, because it starts with a plain character


class BadJson(RecordsError, code="structure"):
    """The input is not JSON, or not a JSON object."""


def loads(text: str | bytes) -> Any:
    """Parse JSON. Raises BadJson."""
    raw = text.encode() if isinstance(text, str) else text
    try:
        value = orjson.loads(raw)
        if _DECIMAL.search(raw) is None and count_keys(value) == sum(1 for _ in _KEY.finditer(raw)):
            return value
        return json.loads(raw, parse_float=_decimal, parse_int=_integer, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise BadJson(f"this is not JSON ({error})") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        written = [name for name, _ in pairs]
        twice = next(name for name in made if written.count(name) > 1)
        raise BadJson(f"the key '{twice[:64]}' occurs twice in one object")
    return made


def loads_stored(body: str) -> Resource:
    """Parse a body that `storage.prepare` wrote; in it, the time of the last update comes before any decimal.

    The depth was checked when the body was written. Most bodies contain no decimal. This is detected without parsing
    the body twice: after that time, there is no point between digits and no exponent.
    """
    begin = max(body.find('Z"'), 0)
    if (body.find(".", begin) < 0 or _POINT.search(body, begin) is None) and "E+" not in body and "E-" not in body:
        stored: Resource = orjson.loads(body)
        return stored
    parsed: Resource = loads(body)
    return parsed


def _decimal(text: str) -> Decimal:
    value = Decimal(text)
    if abs(value.adjusted()) > 300:
        raise ValueError(f"number out of range: {text}")
    return value


def _integer(text: str) -> int:
    if len(text) > 18:
        raise ValueError(f"number out of range: {text}")
    return int(text)


def loads_object(text: str | bytes) -> Resource:
    """Parse a JSON object that is not nested too deeply. Raises BadJson."""
    value = loads(text)
    if not isinstance(value, dict):
        raise BadJson("expected a JSON object")
    if _deeper(value, MAX_DEPTH):
        raise BadJson(f"nested deeper than {MAX_DEPTH}")
    return value


def _deeper(value: Any, left: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    if left == 0:
        return True
    return any(_deeper(item, left - 1) for item in (value.values() if isinstance(value, dict) else value))


def dumps(value: Any) -> bytes:
    """Write JSON."""
    return orjson.dumps(value, default=_plain)


def dumps_text(value: Any) -> str:
    """Write JSON as text."""
    return orjson.dumps(value, default=_plain).decode()


def _plain(value: object) -> Any:
    if isinstance(value, Decimal):
        return orjson.Fragment(str(value))
    raise TypeError(f"not JSON: {type(value).__name__}")
