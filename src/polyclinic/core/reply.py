"""Reading a model's reply strictly: one JSON object of exactly the requested type, or a clear error. Never repaired.

Repairing looks helpful but is not: measured on malformed replies, a repairing reader silently changed one value in
eight.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal, TypeVar, cast

import orjson
from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter, ValidationError, create_model

from polyclinic.core.value import adapter, count_keys, once_a_type
from polyclinic.errors import WrongForm

R = TypeVar("R")

_DEEPEST = 100
_FENCE = re.compile(r"```(?:json)?\s*(\{(?:(?!```).)*)```\Z", re.DOTALL | re.IGNORECASE)

_QUOTES = (('"', '"'), ("“", "”"), ("「", "」"))
_OPENING_QUOTES = frozenset(before for before, _ in _QUOTES)
_ALL_QUOTES = frozenset(mark for pair in _QUOTES for mark in pair)


ASIDE: dict[str, JsonValue] = {"maxLength": 300}
"""For a text in a form that is not spoken, such as a reason. Servers that enforce a schema end the text at this length;
a longer text is still read.
"""


class ReplyModel(BaseModel):
    """Base of structured replies: strict types, no unknown fields, immutable."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


ReplyT = TypeVar("ReplyT", bound=ReplyModel)


def with_choices(reply: type[ReplyT], name: str = "", **choices: tuple[str | int, ...]) -> type[ReplyT]:
    """The same reply type, in which each of these fields accepts only its choices."""
    return cast("type[ReplyT]", _with_choices(reply, name or reply.__name__, tuple(choices.items())))


@lru_cache(maxsize=128)
def _with_choices(
    reply: type[ReplyModel], name: str, choices: tuple[tuple[str, tuple[str | int, ...]], ...]
) -> type[ReplyModel]:
    fields: dict[str, Any] = {field: (Literal[values], ...) for field, values in choices}
    return create_model(name, __base__=reply, **fields)


class Unreadable(WrongForm):
    """The reply is not what was asked for; the message can be shown to the model. `kind` is what reports count."""

    def __init__(self, message: str, kind: str = "form") -> None:
        super().__init__(message)
        self.kind = kind


@once_a_type
def schema_of(reply_type: type[Any]) -> dict[str, Any] | None:
    """The JSON schema of a structured reply; None for plain text."""
    return None if reply_type is str else adapter(reply_type).json_schema()


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for key, value in pairs:
        if key in seen:
            raise Unreadable(f"duplicate key '{key}' in one object")
        seen[key] = value
    return seen


def _no_constants(name: str) -> Any:
    raise Unreadable(f"{name} is not valid JSON")


def _finite(number: str) -> float:
    value = float(number)
    if math.isinf(value):
        raise Unreadable(f"the number {number} is too large")
    return value


STRICT = json.JSONDecoder(object_pairs_hook=_no_duplicates, parse_constant=_no_constants, parse_float=_finite)


def _no_duplicate_keys(body: str) -> bool:
    """A quick test whether this is strict JSON. Each key has its colon, so if there are as many colons as keys, no key
    is a duplicate. False means that a closer look is needed.
    """
    try:
        return count_keys(orjson.loads(body)) == body.count(":")
    except (orjson.JSONDecodeError, RecursionError):
        return False


def read_object(text: str) -> dict[str, Any]:
    """The one JSON object in a text, read strictly: no duplicate key, no constants such as NaN, no other text but a
    preamble.
    """
    body = whole_object(text.strip())
    try:
        found = STRICT.decode(body)
    except Unreadable:
        raise
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"the reply is not one JSON object: {error}") from None
    if not isinstance(found, dict):
        raise Unreadable("the reply is not one JSON object")
    _can_be_kept(found)
    return found


def _can_be_kept(found: dict[str, Any]) -> None:
    """Raise if an object could be read, but not written down: it has a number of more than 64 bits, half of a
    character, or objects within objects without end.
    """
    level: list[Any] = [found]
    for _ in range(_DEEPEST):
        level = [inner for value in level for inner in (value.values() if isinstance(value, dict) else value)]
        level = [value for value in level if isinstance(value, (dict, list))]
        if not level:
            break
    else:
        raise Unreadable(f"the reply has more than {_DEEPEST} objects or lists within each other")
    try:
        orjson.dumps(found)
    except TypeError as error:
        raise Unreadable(f"the reply has a value that cannot be kept: {error}") from None


def whole_object(body: str) -> str:
    """The text of the one object in a reply: alone, in a code fence, or after a preamble with nothing after it.

    This cannot change a value: the object begins at the first brace and ends where the reply ends. With any other text
    around it, such as a second object, the reply is left as it is and is not valid JSON.
    """
    if body.startswith("{"):
        return body
    fenced = _FENCE.search(body)
    if fenced and "{" not in body[: fenced.start()]:
        return fenced.group(1).strip()
    start = body.find("{")
    return body[start:] if start > 0 and body.endswith("}") else body


def spoken(words: str) -> str:
    """The words that a speaker says, without quotation marks around all of them and without a mark that is never
    closed: nobody says those marks aloud.
    """
    if words[:1] not in _OPENING_QUOTES:
        return words
    for before, after in _QUOTES:
        inner = words[1:-1]
        if words.startswith(before) and words.endswith(after) and inner.strip() and not {before, after} & set(inner):
            return inner.strip()
    alone = words[1:].strip()
    return alone if alone and not _ALL_QUOTES & set(alone) else words


def read_reply(text: str, reply_type: type[R]) -> R:
    """The reply as its type, or `Unreadable` with what is wrong. `null` for an optional field counts as left out. For a
    field that only the form requires, `null` counts as empty text.
    """
    body = text.strip()
    if not body:
        raise Unreadable("the reply is empty", "empty")
    if reply_type is str:
        return cast(R, spoken(body))
    body = whole_object(body)
    if not _no_duplicate_keys(body):
        try:
            STRICT.decode(body)
        except Unreadable:
            raise
        except (ValueError, RecursionError) as error:
            raise Unreadable(f"the reply is not one JSON object: {error}") from None
    reads: TypeAdapter[R] = adapter(reply_type)
    try:
        return reads.validate_json(body)
    except ValidationError as error:
        fault = error
    if "null" in body:
        try:
            schema = schema_of(reply_type) or {}
            found = orjson.loads(body)
            if isinstance(found, dict):
                found |= {name: "" for name in _made_required(reply_type) if name in found and found[name] is None}
            pruned = _without_unused(found, schema, schema.get("$defs", {}))
            return reads.validate_json(orjson.dumps(pruned))
        except orjson.JSONDecodeError:
            pass
        except ValidationError as error:
            fault = error
    faults = "; ".join(f"{'.'.join(map(str, found['loc'])) or 'reply'}: {found['msg']}" for found in fault.errors()[:5])
    raise Unreadable(f"the reply does not fit its schema: {faults}")


@once_a_type
def _made_required(reply_type: type[Any]) -> tuple[str, ...]:
    """The fields that are empty text by default in the reply type that a form was made from, but required in the form.

    If a form does not take empty text there, the reply is refused as before.
    """
    if not isinstance(reply_type, type) or not issubclass(reply_type, BaseModel):
        return ()
    made_from = [base.model_fields for base in reply_type.__mro__[1:] if issubclass(base, ReplyModel)]
    return tuple(
        name
        for name, field in reply_type.model_fields.items()
        if field.is_required() and any(name in fields and fields[name].default == "" for fields in made_from)
    )


def _without_unused(value: Any, schema: Mapping[str, Any], shared: Mapping[str, Any]) -> Any:
    """The value without fields that are null and not required."""
    if "$ref" in schema:
        schema = shared[str(schema["$ref"]).rpartition("/")[2]]
    if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        return [_without_unused(item, schema["items"], shared) for item in value]
    fields = schema.get("properties")
    if not isinstance(value, dict) or not isinstance(fields, Mapping):
        return value
    needed = schema.get("required", ())
    return {
        name: _without_unused(item, fields.get(name, {}), shared)
        for name, item in value.items()
        if item is not None or name in needed or name not in fields or _takes_null(fields[name])
    }


def _takes_null(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "null" or any(_takes_null(choice) for choice in schema.get("anyOf", ()))
