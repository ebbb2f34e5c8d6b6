"""Strict schemas: every property is required, none is added, and what strict mode cannot express is not claimed."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import Field

from polyclinic.core.reply import ReplyModel
from polyclinic.models.schema import reply_schema, strict_schema


class Item(ReplyModel):
    name: str = Field(min_length=1)
    dose: int | None = None


class Call(ReplyModel):
    kind: Literal["call"]
    number: str


class Visit(ReplyModel):
    kind: Literal["visit"]
    day: str = "today"


class Plan(ReplyModel):
    items: tuple[Item, ...]
    first: Item
    step: Annotated[Call | Visit, Field(discriminator="kind")]
    score: float = Field(1.0, ge=0, le=5, description="how sure")


class Free(ReplyModel):
    notes: dict[str, str]


class Pair(ReplyModel):
    both: tuple[int, str]


def test_every_object_is_closed_and_requires_every_property() -> None:
    name, schema, strict = reply_schema(Plan)
    assert (name, strict) == ("Plan", True)
    assert schema["required"] == ["items", "first", "step", "score"]
    for definition in [schema, *schema["$defs"].values()]:
        assert definition["additionalProperties"] is False
        assert definition["required"] == list(definition["properties"])
    text = str(schema)
    for word in ("default", "discriminator", "oneOf", "minLength", "title"):
        assert f"'{word}'" not in text
    assert schema["properties"]["score"] == {"description": "how sure", "maximum": 5, "minimum": 0, "type": "number"}
    assert schema["properties"]["first"] == {"$ref": "#/$defs/Item"}


@pytest.mark.parametrize("reply_type", [Free, Pair])
def test_a_schema_that_cannot_be_strict_is_sent_unchanged(reply_type: type[ReplyModel]) -> None:
    _, schema, strict = reply_schema(reply_type)
    assert strict is False
    assert schema == reply_type.model_json_schema()


def test_a_field_may_have_the_name_of_a_schema_keyword() -> None:
    schema = {"type": "object", "properties": {"title": {"type": "string"}, "default": {"type": "integer"}}}
    strict = strict_schema(schema)
    assert strict is not None
    assert strict["required"] == ["title", "default"]


class Branch(ReplyModel):
    name: str
    parts: tuple[Branch, ...] = ()


def test_a_recursive_reply_type_is_written_out_at_the_root() -> None:
    _, schema, strict = reply_schema(Branch)
    assert strict
    assert schema["type"] == "object"
    assert schema["properties"]["parts"]["items"] == {"$ref": "#/$defs/Branch"}
