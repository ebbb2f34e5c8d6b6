"""JSON schemas as endpoints take them.

With a *strict* schema (OpenAI's word) the endpoint produces only objects that fit. It must name every property as
required, allow no others, and use only a few keywords. Schemas that cannot be written that way (free-form dictionaries,
fixed tuples) are sent as they are, without this guarantee. The reply is validated by its own type in either case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from polyclinic.core.reply import schema_of
from polyclinic.core.tool import ToolSpec
from polyclinic.core.value import once_a_type
from polyclinic.errors import PolyclinicError

_UNNAMED = frozenset(
    ("title", "default", "examples", "discriminator", "minLength", "uniqueItems", "readOnly", "writeOnly")
)
_DROPPED = _UNNAMED | {"maxLength"}
_CHARS_A_WORD = 6

_NESTED = "<object>"
_BLANKS = {
    "string": '"<text>"',
    "integer": "<whole number>",
    "number": "<number>",
    "boolean": "<true or false>",
    "null": "null",
}


@once_a_type
def reply_schema(reply_type: type[Any]) -> tuple[str, dict[str, Any], bool]:
    """(name, schema, strict) for a structured reply type."""
    schema = schema_of(reply_type) or {"type": "object"}
    strict = strict_schema(schema)
    name = "".join(c if c.isalnum() or c in "-_" else "_" for c in getattr(reply_type, "__name__", "reply"))[:64]
    return (name, schema, False) if strict is None else (name, strict, True)


@once_a_type
def bounded_schema(reply_type: type[Any]) -> dict[str, Any] | None:
    """The strict schema with the maximum lengths of texts; None if there is no strict form. A server that enforces the
    schema then ends a text in time.
    """
    return strict_schema(schema_of(reply_type) or {"type": "object"}, _UNNAMED)


def strict_schema(schema: Mapping[str, Any], dropped: frozenset[str] = _DROPPED) -> dict[str, Any] | None:
    """The schema in strict form, or None when there is none."""
    try:
        strict: dict[str, Any] = _strict(_rooted(schema), dropped)
    except _Inexpressible:
        return None
    return strict if strict.get("type") == "object" else None


def _rooted(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema with a complete root. For a type that contains itself, pydantic's root is only a reference."""
    if "$ref" not in schema:
        return schema
    return {**schema["$defs"][str(schema["$ref"]).rpartition("/")[2]], "$defs": schema["$defs"]}


def in_words(schema: Mapping[str, Any]) -> str:
    """The form of the reply in words, for models that take no schema.

    A flat form is shown as an object to fill in. Small models answer a schema with a schema, so a schema is shown only
    if the form contains other forms.
    """
    asked = "Reply with one JSON object and nothing else: no words before or after it, no code fence."
    shared = schema.get("$defs", {})
    shown = [f'"{name}": {_blank(field, shared)}' for name, field in schema.get("properties", {}).items()]
    if not shown or any(blank.endswith(_NESTED) for blank in shown):
        return f"{asked} It must fit this JSON schema:\n{orjson.dumps(schema).decode()}"
    fields = "It has exactly these fields, in this order. Put your values in place of <…>; a text may be empty:"
    return f"{asked} {fields}\n{{{', '.join(shown)}}}"


def _blank(field: Mapping[str, Any], shared: Mapping[str, Any]) -> str:
    """A field's value as a blank to fill in."""
    if "$ref" in field:
        return _blank(shared[str(field["$ref"]).rpartition("/")[2]], shared)
    if "anyOf" in field:
        blanks = [_blank(choice, shared) for choice in field["anyOf"]]
        return _NESTED if _NESTED in blanks else " or ".join(blanks)
    if "const" in field or "enum" in field:
        choices = [orjson.dumps(choice).decode().strip('"') for choice in field.get("enum", (field.get("const"),))]
        shown = f"<one of: {', '.join(choice for choice in choices if choice)}{', or empty' if '' in choices else ''}>"
        return f'"{shown}"'
    kind = field.get("type")
    if kind == "array" and isinstance(field.get("items"), Mapping):
        item = _blank(field["items"], shared)
        return _NESTED if item == _NESTED else f"[{item}, …]"
    if kind == "string" and field.get("maxLength"):
        return f'"<text of at most {max(1, field["maxLength"] // _CHARS_A_WORD)} words>"'
    return _BLANKS.get(str(kind), _NESTED)


def action_or(schema: Mapping[str, Any], tools: Sequence[ToolSpec]) -> dict[str, Any]:
    """A schema that accepts either a tool call or the reply, for models whose tools are described in words."""
    uses = [
        {
            "type": "object",
            "properties": {"tool": {"const": tool.name}, "arguments": tool.parameters},
            "required": ["tool", "arguments"],
            "additionalProperties": False,
        }
        for tool in tools
    ]
    reply = {key: value for key, value in schema.items() if key != "$defs"}
    return {"anyOf": [*uses, reply], "$defs": schema.get("$defs", {})}


class _Inexpressible(PolyclinicError):
    """Strict mode cannot express this schema."""


def _strict(node: Any, dropped: frozenset[str]) -> Any:
    if isinstance(node, list):
        return [_strict(item, dropped) for item in node]
    if not isinstance(node, Mapping):
        return node
    if "$ref" in node:
        return {"$ref": node["$ref"]}
    if "prefixItems" in node or "patternProperties" in node or not node:
        raise _Inexpressible
    made: dict[str, Any] = {}
    for key, value in node.items():
        if key in dropped:
            continue
        if key in ("properties", "$defs"):
            made[key] = {name: _strict(child, dropped) for name, child in value.items()}
        elif key in ("oneOf", "anyOf"):
            made["anyOf"] = _strict(value, dropped)
        elif key == "allOf":
            if len(value) != 1:
                raise _Inexpressible
            made.update(_strict(value[0], dropped))
        elif key == "additionalProperties":
            if value not in (False, True) or (value is True and "properties" not in node):
                raise _Inexpressible
        elif key == "items":
            made[key] = _strict(value, dropped)
        else:
            made[key] = value
    if made.get("type") == "object":
        if "properties" not in made:
            raise _Inexpressible
        made["required"] = list(made["properties"])
        made["additionalProperties"] = False
    return made
