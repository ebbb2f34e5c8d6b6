"""No person reads the English of a validation library."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

import pytest
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, create_model

from polyclinic.core.plain_faults import plain_fault

CAT: dict[str, Any] = {
    "kind": (Literal["cat"], "cat"),
    "lives": (int, Field(9, ge=1, le=9)),
    "weight": (float, Field(4, gt=0, lt=20)),
    "name": (str, Field("Tom", min_length=1, max_length=5)),
    "toys": (list[str], Field(["ball"], min_length=1, max_length=2)),
    "born": (date, date(2020, 1, 1)),
    "tame": (bool, True),
}
DOG: dict[str, Any] = {"kind": (Literal["dog"], "dog")}


@pytest.fixture(scope="module")
def pet() -> TypeAdapter[Any]:
    cat: Any = create_model("Cat", __config__=ConfigDict(extra="forbid"), **CAT)
    dog: Any = create_model("Dog", **DOG)
    return TypeAdapter(Annotated[cat | dog, Field(discriminator="kind")])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "the field 'kind' is missing: it says of which kind this is"),
        ({"kind": "cow"}, "'cow' is not one of these: 'cat', 'dog'"),
        (5, 'not an object with named fields, such as {"name": "value"}'),
        ({"kind": "cat", "lives": "many"}, "please write a whole number"),
        ({"kind": "cat", "lives": 1.5}, "please write a whole number"),
        ({"kind": "cat", "lives": 0}, "please write a number of at least 1"),
        ({"kind": "cat", "lives": 10}, "please write a number of at most 9"),
        ({"kind": "cat", "weight": "heavy"}, "please write a number"),
        ({"kind": "cat", "weight": 0}, "please write a number above 0"),
        ({"kind": "cat", "weight": 20}, "please write a number below 20"),
        ({"kind": "cat", "name": ""}, "please write something here"),
        ({"kind": "cat", "name": "Thomas"}, "please write at most 5 characters"),
        ({"kind": "cat", "name": 3}, "please write words"),
        ({"kind": "cat", "toys": []}, "please add at least 1"),
        ({"kind": "cat", "toys": ["a", "b", "c"]}, "please keep at most 2"),
        ({"kind": "cat", "toys": "ball"}, "please write a list"),
        ({"kind": "cat", "born": "soon"}, "please write a date such as 2025-09-30"),
        ({"kind": "cat", "tame": "a bit"}, "please write true or false"),
        ({"kind": "cat", "colour": "red"}, "there is no such field: check its name or remove it"),
    ],
)
def test_each_fault_is_said_in_plain_words(pet: TypeAdapter[Any], given: Any, said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        pet.validate_python(given)
    assert plain_fault(caught.value.errors()[0]).replace(".0", "") == said
