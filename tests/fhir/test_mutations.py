"""Official examples, each damaged at one position: whatever other R5 validators refuse, ours refuses too.

The other validators share no code with ours. They are fhircraft (PyPI; models and FHIRPath invariants) and HL7's own
JSON schema. Ours may refuse more, but only for rules that the other two do not check; each such refusal names its rule.
"""

from __future__ import annotations

import copy
import importlib
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from polyclinic.core.records import RecordInvalid, Resource
from polyclinic.core.seed import stream
from polyclinic.fhir.parameters import resource_types
from polyclinic.fhir.validate import check, problems

# Rules that only our validator checks, each with its problem code.
OURS_ALONE = {
    "empty": "arrays and objects without content",
    "code-invalid": "required bindings: neither judge knows the codes",
    "reference-target": "which types a reference may point at",
    "poly-slot-1": "a slot that ends before it starts",
    "poly-apr-2": "a response that ends before it starts",
    "per-1": "fhircraft cannot compare periods of different precision",
    "value": "texts that are blank or have control characters, times and numbers that the judges' patterns let through",
}
# Where a judge refuses what FHIR allows: the judge is wrong, and each case is named.
JUDGE_WRONG = re.compile(r"lowBoundary|highBoundary|dom-3|dom-6|ref-1|bdl-|que-")

HL7_SCHEMA, FHIRCRAFT = "HL7's JSON schema", "fhircraft"


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every position in a resource, except in its narrative and contained resources."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        if key in ("resourceType", "text", "contained", "extension", "modifierExtension", "meta") and len(path) == 0:
            continue
        yield (*path, key)
        yield from places(value, (*path, key))


def mutate(resource: Resource, rng: random.Random) -> tuple[Resource, str]:
    """The resource with one damaged position, and a description of the damage."""
    damaged = copy.deepcopy(resource)
    path = rng.choice(list(places(damaged)))
    parent: Any = damaged
    for step in path[:-1]:
        parent = parent[step]
    key, value = path[-1], parent[path[-1]]
    kind = rng.choice(
        ["remove", "null", "empty", "number", "text", "wrap", "unwrap", "unknown", "swap", "truth", "digits"]
    )
    match kind:
        case "remove":
            del parent[key]
        case "null":
            parent[key] = None
        case "empty":
            parent[key] = [] if isinstance(value, list) else {} if isinstance(value, dict) else ""
        case "number":
            parent[key] = 7
        case "text":
            parent[key] = "??? ?"
        case "wrap":
            parent[key] = [value]
        case "unwrap":
            parent[key] = value[0] if isinstance(value, list) else {"wrapped": value}
        case "unknown":
            (value if isinstance(value, dict) else damaged)["colour"] = "red"
        case "swap":
            if "start" in damaged and "end" in damaged:
                damaged["start"], damaged["end"] = damaged["end"], damaged["start"]
        case "truth":
            parent[key] = "true" if isinstance(value, bool) else True
        case _:
            parent[key] = "2025-13-45" if isinstance(value, str) else "12"
    return damaged, f"{kind} {'.'.join(map(str, path))}"


@pytest.fixture(scope="module")
def official_schema(core_package: Path) -> dict[str, Any]:
    text = (core_package / "openapi" / "fhir.schema.json").read_text()
    schema: dict[str, Any] = json.loads(text.replace("{1,9}})?", "{1,9})?"))  # one brace too many in HL7's decimals
    schema.pop("discriminator", None)
    return schema


def schema_refuses(schema: dict[str, Any], resource: Resource) -> str | None:
    part = {"$ref": f"#/definitions/{resource['resourceType']}", "definitions": schema["definitions"]}
    error = next(iter(jsonschema.Draft6Validator(part).iter_errors(resource)), None)
    return None if error is None else error.message[:120]


def fhircraft_refuses(resource: Resource) -> str | None:
    from pydantic import ValidationError

    type_ = resource["resourceType"]
    module = re.sub(r"(?<!^)([A-Z])", r"_\1", type_).lower()
    model = getattr(importlib.import_module(f"fhircraft.fhir.resources.datatypes.R5.core.{module}"), type_)
    try:
        model.model_validate(copy.deepcopy(resource))
    except ValidationError as error:
        return "; ".join(e["msg"] for e in error.errors())[:300]
    return None


def ours_refuses(resource: Resource) -> set[str]:
    try:
        check(resource)
    except RecordInvalid as error:
        return {"empty" if "with content" in p.message else p.code for p in error.problems}
    return set()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("judges", "examples", "mutations"),
    [
        pytest.param((HL7_SCHEMA,), 1, 12, id="schema"),
        pytest.param((HL7_SCHEMA, FHIRCRAFT), 2, 12, id="schema-and-fhircraft", marks=pytest.mark.slow),
    ],
)
def test_everything_that_other_validators_refuse_is_refused(
    examples_package: Path, official_schema: dict[str, Any], judges: tuple[str, ...], examples: int, mutations: int
) -> None:
    if FHIRCRAFT in judges:
        pytest.importorskip("fhircraft", reason="NOT TESTED: fhircraft is not installed")
    craft_refuses = fhircraft_refuses if FHIRCRAFT in judges else lambda resource: None
    rng = stream("mutations")
    missed, unexplained, seen = [], [], Counter[str]()
    for type_ in resource_types():
        files = sorted(examples_package.glob(f"{type_}-*.json"), key=lambda p: (p.stat().st_size, p.name))
        whole = [
            r for r in (json.loads(f.read_text()) for f in files) if r["resourceType"] == type_ and not problems(r)
        ]
        sound = [r for r in whole[: 2 * examples] if craft_refuses(r) is None][:examples]
        for resource in sound:
            for _ in range(mutations):
                damaged, how = mutate(resource, rng)
                ours = ours_refuses(damaged)
                schema, craft = schema_refuses(official_schema, damaged), craft_refuses(damaged)
                place = f"{type_}/{resource['id']}: {how}"
                seen["mutations"] += 1
                seen["refused"] += bool(ours)
                if not ours and (schema or (craft and not JUDGE_WRONG.search(craft))):
                    missed.append((place, schema, craft))
                if FHIRCRAFT in judges and ours and not schema and not craft and not ours <= OURS_ALONE.keys():
                    unexplained.append((place, sorted(ours)))
    assert seen["mutations"] >= 16 * 12
    assert seen["refused"] > seen["mutations"] // 2
    assert missed == []
    assert unexplained == []
