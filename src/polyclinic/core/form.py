"""A reply as a form on a screen: which fields a person fills in, and what may be chosen.

The form is made from the type of the reply, so it always asks for exactly what the flow reads. A prompt may add words
for people (`FormHints`); these are never sent to a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from polyclinic.core.message import Frozen

LONG = 120
"""A text that may be longer than this gets a box of several lines instead of one line."""
FieldKind = Literal["line", "text", "choice", "several", "number", "yes_no", "texts", "pairs", "group", "groups"]
Schema = Mapping[str, Any]


class TextButton(Frozen):
    """A button beside a text field: its label, and the text that it types. With `asks`, the person is first asked for a
    word, which replaces `{}` in the text.
    """

    label: str
    text: str
    asks: str = ""


class OnlyIf(Frozen):
    """A field is shown only if another field has one of these values."""

    field: str
    values: tuple[str, ...]


class FormHints(Frozen):
    """What people need to know besides the type of a reply. `ask` replaces the last paragraph of `for_human`, which
    says how to type an answer. `hidden` fields are not shown to people and stay empty.
    """

    ask: str = ""
    labels: dict[str, str] = Field({})
    choices: dict[str, dict[str, str]] = Field({})
    hidden: tuple[str, ...] = ()
    only_if: dict[str, OnlyIf] = Field({})
    moves: tuple[TextButton, ...] = ()


NO_HINTS = FormHints()


class Option(Frozen):
    """One choice of a field."""

    value: str | int
    label: str


class FormRow(Frozen):
    """One field to fill in. `demanded`: its type has no default. `required`: in addition, it must not be empty."""

    name: str
    label: str
    about: str = ""
    kind: FieldKind = "line"
    options: tuple[Option, ...] = ()
    required: bool = False
    demanded: bool = False
    longest: int | None = None
    least: float | None = None
    most: float | None = None
    only_if: OnlyIf | None = None
    rows: tuple[FormRow, ...] = ()


def form_rows(schema: Schema, hints: FormHints = NO_HINTS) -> tuple[FormRow, ...]:
    """The fields of a reply or of a tool's arguments, in order."""
    return _rows(schema, hints, schema.get("$defs", {}))


def filled(rows: tuple[FormRow, ...], schema: Schema, values: Mapping[str, Any]) -> dict[str, Any]:
    """What a person filled in. Fields that they left out get the emptiest value that the type allows."""
    known = {row.name: row for row in rows}
    properties = schema.get("properties", {})
    found: dict[str, Any] = {}
    for name in properties:
        row = known.get(name)
        given = values.get(name)
        if given is None or (row is not None and row.only_if is not None and not _applies(row.only_if, values)):
            if name not in schema.get("required", ()):
                continue
            given = _empty(_plain(properties[name], schema.get("$defs", {})))
        found[name] = given
    return {**found, **{name: value for name, value in values.items() if name not in properties}}


def _applies(condition: OnlyIf, values: Mapping[str, Any]) -> bool:
    return str(values.get(condition.field, "")) in condition.values


def _empty(schema: Schema) -> Any:
    """The emptiest value of a type; None if it has none (the field is then refused with a reason)."""
    if "enum" in schema:
        return "" if "" in schema["enum"] else None
    return {"string": "", "array": []}.get(str(schema.get("type")))


def _rows(schema: Schema, hints: FormHints, shared: Schema) -> tuple[FormRow, ...]:
    needed = schema.get("required", ())
    return tuple(
        _row(name, _plain(part, shared), name in needed, hints, shared)
        for name, part in schema.get("properties", {}).items()
        if name not in hints.hidden
    )


def _plain(schema: Schema, shared: Schema) -> Schema:
    """The schema itself: follows a ``$ref``, and leaves out the choice of null."""
    if "$ref" in schema:
        named = shared[str(schema["$ref"]).rpartition("/")[2]]
        return _plain({**named, **{key: value for key, value in schema.items() if key != "$ref"}}, shared)
    choices = [part for part in schema.get("anyOf", ()) if part.get("type") != "null"]
    if len(choices) == 1:
        return _plain({**choices[0], **{key: value for key, value in schema.items() if key != "anyOf"}}, shared)
    return schema


def _row(name: str, schema: Schema, needed: bool, hints: FormHints, shared: Schema) -> FormRow:
    options = _options(name, schema, hints)
    kind = "choice" if options else _kind(schema, shared)
    inside = _plain(schema.get("items", {}), shared)
    if kind == "several":
        options = _options(name, inside, hints)
    within = _rows(inside if kind == "groups" else _by_name(schema, shared), hints, shared) if "group" in kind else ()
    longest = schema.get("maxLength")
    return FormRow(
        name=name,
        label=hints.labels.get(name) or name.replace("_", " ").capitalize(),
        about=str(schema.get("description", "")),
        kind=kind,
        options=options,
        demanded=needed,
        required=needed and not _may_be_empty(schema, options),
        longest=longest,
        least=schema.get("minimum", schema.get("exclusiveMinimum")),
        most=schema.get("maximum", schema.get("exclusiveMaximum")),
        only_if=hints.only_if.get(name),
        rows=within,
    )


def _options(name: str, schema: Schema, hints: FormHints) -> tuple[Option, ...]:
    told = hints.choices.get(name, {})
    values = schema.get("enum") or ([schema["const"]] if "const" in schema else list(told))
    return tuple(
        Option(value=value, label=told.get(str(value)) or str(value).replace("_", " ") or "–")
        for value in values
        if value is not None
    )


def _by_name(schema: Schema, shared: Schema) -> Schema:
    """Turn a mapping with known names into one field for each name; each field may be left out."""
    names = _plain(schema.get("propertyNames", {}), shared).get("enum", ())
    return {"properties": dict.fromkeys(names, schema["additionalProperties"])} if names else schema


def _kind(schema: Schema, shared: Schema) -> FieldKind:
    match schema.get("type"):
        case "boolean":
            return "yes_no"
        case "integer" | "number":
            return "number"
        case "array":
            inside = _plain(schema.get("items", {}), shared)
            return "groups" if inside.get("type") == "object" else "several" if "enum" in inside else "texts"
        case "object":
            values = schema.get("additionalProperties")
            simple = isinstance(values, Mapping) and values.get("type") in ("string", "number", "integer")
            return "pairs" if simple and "propertyNames" not in schema else "group"
    return "text" if (schema.get("maxLength") or LONG + 1) > LONG else "line"


def _may_be_empty(schema: Schema, options: tuple[Option, ...]) -> bool:
    if options:
        return any(option.value == "" for option in options)
    if schema.get("type") == "array":
        return not schema.get("minItems")
    return schema.get("type") == "string" and not schema.get("minLength")
