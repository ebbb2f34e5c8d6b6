"""HL7's own examples: they round-trip through the server, and our index agrees with HL7's expressions on them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from polyclinic.core.records import Resource
from polyclinic.fhir.codec import dumps, loads_object
from polyclinic.fhir.dates import EARLIEST, date_range
from polyclinic.fhir.index import walk
from polyclinic.fhir.match import rows_of
from polyclinic.fhir.parameters import Parameter, data, parameters, resource_types
from polyclinic.fhir.references import references_in
from polyclinic.fhir.server import fhir_app
from polyclinic.fhir.store import FhirStore
from polyclinic.store.opening import open_database
from tools.build_fhir_definitions import build

# HL7's Encounter/example names an Encounter as its care team, which HL7's own definition of Encounter.careTeam forbids.
REFUSED = {"Encounter/example": "Encounter.careTeam[0]"}
# Where our index and HL7's expression differ, and why.
DIFFERENT_BY_INTENT = {
    "series": "a series of samples (SampledData) has no one value to compare a quantity with",
    "contained reference": "a reference into the resource itself cannot be searched for",
}


@pytest.fixture(scope="module")
def examples(examples_package: Path) -> list[Resource]:
    files = sorted(examples_package.glob("*.json"))
    found = [loads_object(path.read_bytes()) for path in files]
    chosen = [r for r in found if r.get("resourceType") in resource_types()]
    assert len(chosen) > 150
    return chosen


@pytest.fixture
async def client(examples: list[Resource]) -> AsyncIterator[httpx.AsyncClient]:
    """A server with an empty resource for every reference of the examples, because many targets do not exist."""
    database = open_database("sqlite://:memory:")
    store = await FhirStore.open(database)
    targets = {tuple(name.split("/")[:2]) for example in examples for name in references_in(example) if "/" in name}
    kept = [
        {"resourceType": type_, "id": id_, "status": "free"}
        for type_, id_ in sorted(targets)
        if type_ in resource_types()
    ]
    await store.load(kept)
    transport = httpx.ASGITransport(app=fhir_app(store, ["fhir.test"]))
    async with httpx.AsyncClient(transport=transport, base_url="http://fhir.test") as opened:
        yield opened
    await database.close()


def without_stamp(resource: Resource) -> Resource:
    meta = {k: v for k, v in resource.get("meta", {}).items() if k not in ("versionId", "lastUpdated")}
    rest = {k: v for k, v in resource.items() if k != "meta"}
    return {**rest, "meta": meta} if meta else rest


async def test_official_examples_survive_a_round_trip(examples: list[Resource], client: httpx.AsyncClient) -> None:
    refused = {}
    for resource in examples:
        path = f"/{resource['resourceType']}/{resource['id']}"
        put = await client.put(path, content=dumps(resource), headers={"Content-Type": "application/fhir+json"})
        if put.status_code == 422:
            refused[path[1:]] = put.json()["issue"][0]["expression"][0]
            continue
        assert put.status_code in (200, 201), (path, put.text)
        got = await client.get(path)
        assert without_stamp(loads_object(got.content)) == without_stamp(resource), path
    assert refused == REFUSED


def test_the_committed_definitions_match_hl7s_package(core_package: Path, tmp_path: Path) -> None:
    build(core_package, tmp_path)
    for name in ("structure.json", "search.json"):
        assert json.loads((tmp_path / name).read_text()) == data(name), name


@pytest.mark.filterwarnings("ignore")
def test_the_index_agrees_with_hl7s_expressions(examples: list[Resource], core_package: Path) -> None:
    import fhirpathpy
    from fhirpathpy.models import models

    model = models["r5"]
    checked, different = 0, []
    compiled: dict[str, Any] = {}
    for resource in examples:
        found = rows_of(resource)
        for parameter in parameters(resource["resourceType"]).values():
            text = _expression(core_package, parameter, resource["resourceType"])
            if text not in compiled:
                compiled[text] = fhirpathpy.compile(text, model)
            hits = [h for h in compiled[text](_plain(resource)) if h is not None]
            theirs = {key for hit in hits for key in _keys(parameter, hit)}
            ours = {_row_key(parameter, row) for row in found if row.parameter == parameter.code}
            checked += 1
            if theirs != ours:
                different.append((f"{resource['resourceType']}/{resource['id']}", parameter.code, theirs ^ ours))
    assert checked > 5000
    assert len(different) <= checked * 0.01
    unexplained = [d for d in different if not all(kind in DIFFERENT_BY_INTENT for kind, _ in d[2])]
    assert unexplained == []


def _plain(resource: Resource) -> Any:
    return json.loads(json.dumps(resource, default=float))


_FILES: dict[str, str] = {}


def _expression(package: Path, parameter: Parameter, type_: str) -> str:
    """HL7's expression for one type, where `resolve()` takes the type from the reference itself."""
    if parameter.definition not in _FILES:
        name = parameter.definition.rpartition("/")[2]
        _FILES[parameter.definition] = json.loads((package / f"SearchParameter-{name}.json").read_text())["expression"]
    text = _FILES[parameter.definition]
    if " and " in text or (".first()" in text and type_ == "Appointment" and parameter.code == "date"):
        return text if " and " in text else "(Appointment.start | Appointment.requestedPeriod.start).first()"
    parts = [p.strip().strip("()") if p.strip().startswith("(") else p.strip() for p in text.split("|")]
    mine = [p for p in parts if p.split(".")[0] in (type_, "Resource") or "." not in p]
    return " | ".join(_resolved(p.replace("Resource.", f"{type_}.")) for p in mine)


def _resolved(part: str) -> str:
    head, marker, target = part.partition(".where(resolve() is ")
    if not marker:
        return part
    return f"{head}.where(reference.contains('{target.rstrip(')')}/') or type = '{target.rstrip(')')}')"


def _token_keys(hit: Any) -> Iterator[tuple[str, str]]:
    if isinstance(hit, bool):
        yield "", str(hit).lower()
    elif isinstance(hit, str):
        yield "", hit
    elif "coding" in hit or ("text" in hit and "value" not in hit):
        for coding in hit.get("coding", []):
            if "code" in coding:
                yield coding.get("system", ""), coding["code"]
    elif "value" in hit and hit.get("system") in ("phone", "email", "fax", "url", "sms", "pager", "other"):
        yield "", hit["value"]
    elif "value" in hit:
        yield hit.get("system", ""), hit["value"]
    elif "code" in hit:
        yield hit.get("system", ""), hit["code"]


def _keys(parameter: Parameter, hit: Any) -> Iterator[tuple[str, str]]:
    """The search values of a value found by fhirpathpy, computed without our extractor.

    By FHIR's own rules, a concept or reference that is only text has no search value.
    """
    match parameter.kind:
        case "token":
            yield from _token_keys(hit)
        case "reference":
            if isinstance(hit, str):
                yield "", hit.split("|")[0]
            elif str(hit.get("reference", "")).startswith("#"):
                yield "contained reference", str(hit)
            elif "reference" in hit:
                reference = hit["reference"].split("/_history/")[0]
                local = "/" in reference and ":" not in reference
                yield (reference.split("/")[0], reference.split("/")[1]) if local else ("", reference)
        case "string":
            for text in [hit] if isinstance(hit, str) else _strings(hit):
                yield "string", text
        case "uri":
            yield "", hit
        case "date":
            yield "date", str(_low(hit))
        case _:
            measured = "value" in hit or "low" in hit or "high" in hit
            yield ("quantity", "") if measured else ("series", str(hit))


def _low(hit: Any) -> int:
    """The start of a date, in microseconds."""
    if isinstance(hit, dict) and "event" in hit:
        return min(date_range(event)[0] for event in hit["event"])
    if isinstance(hit, dict):
        return date_range(hit["start"])[0] if "start" in hit else EARLIEST
    return date_range(str(hit))[0]


def _strings(hit: dict[str, Any]) -> Iterator[str]:
    parts = (
        "text",
        "family",
        "given",
        "prefix",
        "suffix",
        "line",
        "city",
        "district",
        "state",
        "postalCode",
        "country",
    )
    for part in parts:
        yield from (text for text in walk(hit, (part,)) if text)


def _row_key(parameter: Parameter, row: Any) -> tuple[str, str]:
    match parameter.kind:
        case "string":
            return "string", row.system
        case "date":
            return "date", str(row.low)
        case "quantity" | "number":
            return "quantity", ""
        case "reference" if any(path.type == "canonical" for path in parameter.paths):
            return "", row.value.split("|")[0]
        case _:
            return row.system, row.value
