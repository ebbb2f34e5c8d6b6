"""Reading a model's reply strictly: one JSON object of exactly the asked type, or a clear error. Never repaired.

Repairing looks kind and is not: measured on malformed replies, a repairing reader silently changed one value in eight.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, TypeVar, cast

import orjson
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from polyclinic.errors import WrongForm

R = TypeVar("R")

_FENCE = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n```\Z", re.DOTALL)


class ReplyModel(BaseModel):
    """Base of structured replies: strict types, no unknown fields, unchanging."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Unreadable(WrongForm):
    """The reply is not what was asked for; the message can be shown to the model. `kind` is what reports count."""

    def __init__(self, message: str, kind: str = "form") -> None:
        super().__init__(message)
        self.kind = kind


_ADAPTERS: dict[type[Any], TypeAdapter[Any]] = {}
_SCHEMAS: dict[type[Any], dict[str, Any]] = {}


def _adapter(reply_type: type[Any]) -> TypeAdapter[Any]:
    if reply_type not in _ADAPTERS:
        _ADAPTERS[reply_type] = TypeAdapter(reply_type)
    return _ADAPTERS[reply_type]


def schema_of(reply_type: type[Any]) -> dict[str, Any] | None:
    """The JSON schema of a structured reply; None for plain text."""
    if reply_type is str:
        return None
    if reply_type not in _SCHEMAS:
        _SCHEMAS[reply_type] = _adapter(reply_type).json_schema()
    return _SCHEMAS[reply_type]


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for key, value in pairs:
        if key in seen:
            raise Unreadable(f"the key '{key}' stands twice in one object")
        seen[key] = value
    return seen


def _no_constants(name: str) -> Any:
    raise Unreadable(f"{name} is not JSON")


def _finite(number: str) -> float:
    value = float(number)
    if math.isinf(value):
        raise Unreadable(f"the number {number} is too large")
    return value


_STRICT = json.JSONDecoder(object_pairs_hook=_no_duplicates, parse_constant=_no_constants, parse_float=_finite)


def _no_key_twice(body: str) -> bool:
    """Whether this is plainly strict JSON: each key has its colon, so where there are as many colons as keys, none is
    there twice. False where it takes a closer look.
    """
    try:
        return _count_keys(orjson.loads(body)) == body.count(":")
    except (orjson.JSONDecodeError, RecursionError):
        return False


def _count_keys(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum([_count_keys(item) for item in value.values() if isinstance(item, (dict, list))])
    return sum([_count_keys(item) for item in value]) if isinstance(value, list) else 0


def read_reply(text: str, reply_type: type[R]) -> R:
    """The reply as its type, or `Unreadable` with what is wrong.

    A single code fence around the whole object is accepted, because it changes no value; anything else around it is
    not.
    """
    body = text.strip()
    if not body:
        raise Unreadable("the reply is empty", "empty")
    if reply_type is str:
        return cast(R, body)
    fenced = _FENCE.match(body)
    if fenced:
        body = fenced.group(1).strip()
    if not _no_key_twice(body):
        try:
            _STRICT.decode(body)
        except Unreadable:
            raise
        except (ValueError, RecursionError) as error:
            raise Unreadable(f"the reply is not one JSON object: {error}") from None
    try:
        return cast(R, _adapter(reply_type).validate_json(body))
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc'])) or 'reply'}: {fault['msg']}" for fault in error.errors()[:5]
        )
        raise Unreadable(f"the reply does not fit its schema: {faults}") from None
