"""The values of a search: tokens, references, dates and quantities. Each is parsed from its text or refused."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import get_args

from polyclinic.fhir.conditions import (
    BadSearch,
    Interval,
    Prefix,
    ReferenceTarget,
    SearchValue,
    Text,
    Token,
)
from polyclinic.fhir.dates import date_range
from polyclinic.fhir.parameters import Parameter
from polyclinic.text.normal import without_accents

_PREFIXES: tuple[Prefix, ...] = get_args(Prefix)
_REFERENCE = re.compile(r"(?:([A-Z][A-Za-z]+)/)?([A-Za-z0-9\-.]{1,64})(?:/_history/[A-Za-z0-9\-.]{1,64})?", re.ASCII)


def split_values(text: str) -> list[str]:
    """Split a value at commas that are not escaped; the parts are alternatives."""
    return [text] if "," not in text else re.split(r"(?<!\\),", text)


def _unescape(text: str) -> str:
    return re.sub(r"\\([,|$\\])", r"\1", text) if "\\" in text else text


def read_value(parameter: Parameter, modifier: str | None, text: str, base: str) -> SearchValue:
    """Parse one value of a search parameter. Raises BadSearch."""
    if "\x00" in text:
        raise BadSearch(f"'{parameter.code}' has a zero byte in its value")
    if not text:
        raise BadSearch(f"'{parameter.code}' has an empty value")
    match parameter.kind:
        case "token":
            return _token(parameter, text)
        case "reference":
            return _token(None, text) if modifier == "identifier" else _target(parameter, text, base)
        case "date":
            return _date(parameter, text)
        case "quantity" | "number":
            return _quantity(parameter, text)
        case _:
            written = _unescape(text)
            return Text(written, without_accents(written))


def _token(parameter: Parameter | None, text: str) -> Token:
    parts = re.split(r"(?<!\\)\|", text)
    if len(parts) == 1:
        return Token(None, _unescape(text))
    if len(parts) > 2 or parts == ["", ""]:
        raise BadSearch(f"'{text}' is not of the form system|code")
    system, code = (_unescape(part) for part in parts)
    if parameter is not None and parameter.plain_codes and code:
        return Token(None, code)
    return Token(system, code or None)


def _target(parameter: Parameter, text: str, base: str) -> ReferenceTarget:
    reference = _unescape(text)
    if any(path.type == "canonical" for path in parameter.paths):
        return ReferenceTarget("", reference)
    if base and reference.startswith(f"{base}/"):
        reference = reference.removeprefix(f"{base}/")
    match = _REFERENCE.fullmatch(reference)
    if match:
        return ReferenceTarget(match[1], match[2])
    if ":" in reference:
        return ReferenceTarget("", reference)
    raise BadSearch(f"'{text}' is not a reference for '{parameter.code}'")


def _prefixed(text: str) -> tuple[Prefix, str]:
    """The comparison before a value, which is eq where none is written, and the value."""
    found = next((prefix for prefix in _PREFIXES if text.startswith(prefix)), None)
    return (found, text[2:]) if found else ("eq", text)


def _date(parameter: Parameter, text: str) -> Interval:
    prefix, rest = _prefixed(text)
    try:
        low, high = date_range(rest.replace(" ", "+"))
    except ValueError as error:
        raise BadSearch(f"'{parameter.code}': {error}") from error
    return Interval(prefix, low, high)


def _quantity(parameter: Parameter, text: str) -> Interval:
    parts = [_unescape(p) for p in re.split(r"(?<!\\)\|", text)]
    prefix, number = _prefixed(parts[0])
    try:
        value = Decimal(number)
    except InvalidOperation as error:
        raise BadSearch(f"'{parameter.code}': '{number}' is not a number") from error
    if len(parts) not in (1, 3) or not value.is_finite() or abs(value.adjusted()) > 30 or len(number) > 40:
        raise BadSearch(f"'{parameter.code}': '{text}' is not of the form number or number|system|code")
    exponent = value.as_tuple().exponent
    half = Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0) / 2
    system, unit = (parts[1] or None, parts[2] or None) if len(parts) == 3 else (None, None)
    return Interval(prefix, float(value - half), float(value + half), system, unit)
