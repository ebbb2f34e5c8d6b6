"""Small parts: dates, JSON, JSON Patch, and the two ways of matching a search."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from polyclinic.core.records import RecordConflict, RecordsError
from polyclinic.fhir.codec import BadJson, dumps_text, loads, loads_object
from polyclinic.fhir.conditions import Filter, Missing
from polyclinic.fhir.dates import date_range, instant, instant_text
from polyclinic.fhir.match import matches, rows_of, sort
from polyclinic.fhir.paging import page
from polyclinic.fhir.parameters import resource_types
from polyclinic.fhir.patch import BadPatch, apply_patch
from polyclinic.fhir.query import pairs, parse_search
from polyclinic.fhir.store import FhirStore

DAY = 86_400_000_000


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("2024", 366 * DAY),
        ("2025-02", 28 * DAY),
        ("2025-12", 31 * DAY),
        ("2025-02-03", DAY),
        ("2025-02-03T04:05Z", 60_000_000),
        ("2025-02-03T04:05:06+09:00", 1_000_000),
        ("2025-02-03T04:05:06.12Z", 10_000),
        ("2025-02-03T04:05:06.1234567Z", 1),
    ],
)
def test_a_date_covers_the_whole_of_its_smallest_unit(text: str, length: int) -> None:
    low, high = date_range(text)
    assert high - low == length


def test_dates_are_compared_in_utc() -> None:
    assert (
        date_range("2025-03-24T09:00:00+09:00")[0]
        == date_range("2025-03-24T00:00:00Z")[0]
        == instant("2025-03-24T00:00:00Z")
    )
    assert instant_text(instant("2025-03-24T09:00:00.25+09:00")) == "2025-03-24T00:00:00.250Z"
    assert date_range("9999")[1] > date_range("9999-12-31")[0]


@pytest.mark.parametrize(
    "text", ["", "25", "2025-13", "2025-02-30", "2025-1-1", "2025-01-01T25:00:00Z", "x", "2025-01-01 10:00"]
)
def test_an_invalid_date_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        date_range(text)


def test_json_keeps_decimals_and_invalid_json_is_refused() -> None:
    text = '{"a":1.50,"b":[0.10,-2.0],"c":"1.5, 2.0","d":3}'
    assert dumps_text(loads(text)) == text
    for bad in (b"", b"{", b'{"a":NaN}', b"\xff", b'{"a":1e999}', b'{"a":"\\ud800"}', b"[1]"):
        with pytest.raises(BadJson):
            loads_object(bad)


DOCUMENT: dict[str, Any] = {"resourceType": "Patient", "id": "x", "name": [{"family": "A"}, {"family": "B"}], "a/b": 1}


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ({"op": "add", "path": "/name/1", "value": {"family": "C"}}, ["A", "C", "B"]),
        ({"op": "add", "path": "/name/-", "value": {"family": "C"}}, ["A", "B", "C"]),
        ({"op": "remove", "path": "/name/0"}, ["B"]),
        ({"op": "replace", "path": "/name/0/family", "value": "Z"}, ["Z", "B"]),
        ({"op": "move", "from": "/name/0", "path": "/name/1"}, ["B", "A"]),
        ({"op": "copy", "from": "/name/0", "path": "/name/-"}, ["A", "B", "A"]),
        ({"op": "test", "path": "/a~1b", "value": 1}, ["A", "B"]),
    ],
)
def test_each_patch_operation_works(operation: dict[str, Any], expected: list[str]) -> None:
    before = json.dumps(DOCUMENT)
    assert [name["family"] for name in apply_patch(DOCUMENT, [operation])["name"]] == expected
    assert json.dumps(DOCUMENT) == before


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "add", "path": "/name/5", "value": 1},
        {"op": "add", "path": "/name/01", "value": 1},
        {"op": "replace", "path": "/none", "value": 1},
        {"op": "remove", "path": "name"},
        {"op": "move", "from": "/name", "path": "/name/0"},
        {"op": "sing", "path": "/name"},
        {"op": "add", "path": "/name"},
        {"op": "replace", "path": "", "value": []},
        {"op": "add", "path": "/resourceType", "value": "Slot"},
        "no operation",
    ],
)
def test_a_patch_of_a_path_that_does_not_exist_is_refused(operation: Any) -> None:
    with pytest.raises(BadPatch):
        apply_patch(DOCUMENT, [operation])


def test_a_patch_test_distinguishes_true_from_one() -> None:
    with pytest.raises(RecordConflict):
        apply_patch(DOCUMENT, [{"op": "test", "path": "/a~1b", "value": True}])


QUERIES: list[tuple[str, dict[str, str]]] = [
    ("Patient", {"name": "pet"}),
    ("Patient", {"name:contains": "al", "_sort": "-birthdate"}),
    ("Patient", {"name:exact": "Chalmers"}),
    ("Patient", {"birthdate": "ge1960", "_sort": "family"}),
    ("Patient", {"birthdate": "lt1975-06"}),
    ("Patient", {"gender:not": "male", "_sort": "-_id"}),
    ("Patient", {"identifier": "urn:oid:1.2.36.146.595.217.0.1|12345"}),
    ("Patient", {"general-practitioner:missing": "false"}),
    ("Patient", {"organization": "Organization/1"}),
    ("Patient", {"deceased": "true"}),
    ("Practitioner", {"active": "true", "_sort": "name"}),
    ("Observation", {"code": "http://loinc.org|29463-7,http://loinc.org|85354-9"}),
    ("Observation", {"date": "ap2016-03-28", "_sort": "date"}),
    ("Observation", {"date": "ne2016-03-28"}),
    ("Observation", {"value-quantity": "gt6"}),
    ("Observation", {"value-quantity": "le6.3||", "_sort": "-value-quantity"}),
    ("Observation", {"subject": "Patient/example", "_sort": "-date,code"}),
    ("Encounter", {"date": "sa2012", "_sort": "-date"}),
    ("Encounter", {"date": "eb2014"}),
    ("Encounter", {"location.name": "x", "_sort": "status"}),
    ("Condition", {"onset-date": "le2012-06", "_sort": "_id"}),
    ("Condition", {"clinical-status": "active", "category": "encounter-diagnosis"}),
    ("Appointment", {"date": "gt2013", "actor": "Practitioner/example"}),
    ("Slot", {"start": "ge2013-12-25T09:15:00Z", "_sort": "-start"}),
    ("Slot", {"schedule": "Schedule/example", "status": "free,busy"}),
    ("Slot", {"status:not": "busy", "start:missing": "false"}),
    ("Organization", {"_tag": "HTEST", "_sort": "name"}),
    ("AuditEvent", {"agent:identifier": "Grahame", "_sort": "-date"}),
    ("QuestionnaireResponse", {"questionnaire:missing": "false"}),
    ("Communication", {"instantiates-uri:below": "http://example.org"}),
]


async def test_memory_and_database_match_and_sort_in_the_same_way(store: FhirStore, examples_package: Path) -> None:
    resources = [json.loads(path.read_text()) for path in sorted(examples_package.glob("*.json"))]
    mine = {(r["resourceType"], r["id"]): r for r in resources if r["resourceType"] in resource_types()}
    await store.load(mine.values())
    some = 0
    for type_, query in QUERIES:
        stored = (await store.search(type_, query)).matches
        search = parse_search(type_, pairs(query))
        flat = [c for c in search.conditions if isinstance(c, Filter | Missing)]
        if len(flat) == len(search.conditions):
            everything = (await store.search(type_, {})).matches
            found = [r for r in everything if all(matches(rows_of(r), c) for c in flat)]
            assert [r["id"] for r in stored] == [r["id"] for r in sort(found, search)], (type_, query)
        some += bool(stored)
    assert some > 20


SCHEDULE_SEARCHES = [
    {"schedule": "kim-diary", "status": "free", "start": "ge2025"},
    {"schedule": "kim-diary"},
    {"schedule.actor": "Practitioner/kim", "status": "free"},
    {"schedule": "kim-diary,park-diary", "_sort": "-start"},
]


@pytest.mark.parametrize("query", SCHEDULE_SEARCHES)
async def test_a_schedules_slots_are_found_by_their_own_index(hospital: FhirStore, query: dict[str, str]) -> None:
    if hospital.database.dialect == "postgres":
        pytest.skip("with so few rows PostgreSQL rightly reads the whole table")
    statement = page(parse_search("Slot", pairs(query)), 10)
    plan = await hospital.database.read(lambda t: t.execute(f"EXPLAIN QUERY PLAN {statement.text}", statement.values))
    assert "USING INDEX fhir_slot (schedule=?" in str(plan)


async def test_a_sort_reads_only_the_rows_of_its_resource(hospital: FhirStore) -> None:
    if hospital.database.dialect == "postgres":
        pytest.skip("with so few rows PostgreSQL rightly reads the whole table")
    statement = page(parse_search("Patient", [("_sort", "family")]), 10)
    plan = await hospital.database.read(lambda t: t.execute(f"EXPLAIN QUERY PLAN {statement.text}", statement.values))
    assert "fhir_index_owner (id=?" in str(plan)


async def test_a_search_with_too_deep_nesting_is_refused(store: FhirStore) -> None:
    with pytest.raises(RecordsError, match="nests"):
        await store.search("Organization", {".".join(["partof"] * 9): "x"})
