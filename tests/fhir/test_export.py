"""Bulk export: asynchronous, a snapshot, one file for each type, no data of others; deleted on request."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from polyclinic.core.records import Create, Delete, Resource, Update
from polyclinic.fhir.codec import loads_object
from polyclinic.fhir.export import Export
from polyclinic.fhir.store import FhirStore
from tests.fhir.conftest import Clock

ASYNC = {"Prefer": "respond-async"}


async def exported(api: httpx.AsyncClient, path: str) -> Resource:
    accepted = await api.get(path, headers=ASYNC)
    assert accepted.status_code == 202, accepted.text
    where = accepted.headers["content-location"]
    for _ in range(3000):
        answer = await api.get(where)
        if answer.status_code != 202:
            break
        assert answer.headers["x-progress"]
        await asyncio.sleep(0.01)
    assert answer.status_code == 200, answer.text
    found: Resource = answer.json()
    return {**found, "status": where}


async def lines(api: httpx.AsyncClient, manifest: Resource) -> dict[str, list[Resource]]:
    found: dict[str, list[Resource]] = {}
    for file in manifest["output"]:
        answer = await api.get(file["url"])
        assert answer.headers["content-type"].startswith("application/fhir+ndjson")
        found[file["type"]] = [loads_object(line) for line in answer.content.splitlines()]
        assert len(found[file["type"]]) == file["count"]
    return found


async def test_everything_is_exported_by_type(api: httpx.AsyncClient, hospital: FhirStore) -> None:
    manifest = await exported(api, "/$export")
    assert manifest["requiresAccessToken"] is False and manifest["error"] == []
    found = await lines(api, manifest)
    assert {type_: len(all_) for type_, all_ in found.items()} == {
        "Location": 1,
        "Organization": 2,
        "Patient": 3,
        "Practitioner": 2,
        "PractitionerRole": 2,
        "Schedule": 2,
        "Slot": 24,
    }
    assert found["Patient"][0] == await hospital.read("Patient", "patient-0")


async def test_types_and_time_can_be_chosen_and_deletions_are_reported(
    api: httpx.AsyncClient, hospital: FhirStore, clock: Clock
) -> None:
    clock.forward(days=1)
    await hospital.transact([Create({"resourceType": "Patient", "id": "new"}), Delete("Patient", "patient-2")])
    manifest = await exported(api, "/$export?_type=Patient,Slot&_since=2025-03-21T00:00:00Z")
    assert [p["id"] for p in (await lines(api, manifest))["Patient"]] == ["new"]
    gone = (await api.get(manifest["deleted"][0]["url"])).json()
    assert [entry["request"]["url"] for entry in gone["entry"]] == ["Patient/patient-2"]


async def test_the_export_of_patients_holds_what_belongs_to_them(api: httpx.AsyncClient, hospital: FhirStore) -> None:
    visit = {"resourceType": "Encounter", "id": "e", "status": "planned", "subject": {"reference": "Patient/patient-0"}}
    await hospital.transact([Create(visit), Create({**visit, "id": "nobodys", "subject": {"display": "x"}})])
    found = await lines(api, await exported(api, "/Patient/$export"))
    assert sorted(found) == ["Encounter", "Patient"]
    assert [e["id"] for e in found["Encounter"]] == ["e"]


async def test_changes_during_an_export_do_not_show_in_it(hospital: FhirStore, clock: Clock, tmp_path: Path) -> None:
    export = Export(["Patient"], hospital.now(), tmp_path)
    clock.forward(minutes=1)
    before = await hospital.read("Patient", "patient-0")
    await hospital.transact(
        [
            Update({**before, "gender": "other"}),
            Create({"resourceType": "Patient", "id": "late"}),
            Delete("Patient", "patient-1"),
        ]
    )
    await export.run(hospital)
    kept = [loads_object(line) for line in (tmp_path / "Patient.ndjson").read_bytes().splitlines()]
    assert [(p["id"], p["meta"]["versionId"]) for p in kept] == [
        ("patient-0", "1"),
        ("patient-1", "1"),
        ("patient-2", "1"),
    ]


async def test_an_export_is_deleted_on_request(api: httpx.AsyncClient) -> None:
    manifest = await exported(api, "/$export?_type=Patient")
    assert (await api.delete(manifest["status"])).status_code == 202
    assert (await api.get(manifest["status"])).status_code == 404
    assert (await api.get(manifest["output"][0]["url"])).status_code == 404


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/$export", {}),
        ("/$export?_type=Shoe", ASYNC),
        ("/$export?_outputFormat=text/csv", ASYNC),
        ("/$export?_since=yesterday", ASYNC),
        ("/$export?_typeFilter=Patient%3Fx", ASYNC),
        ("/Patient/$export?_type=Organization", ASYNC),
    ],
)
async def test_unsupported_export_requests_are_refused(
    api: httpx.AsyncClient, path: str, headers: dict[str, str]
) -> None:
    answer = await api.get(path, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["resourceType"] == "OperationOutcome"


async def test_files_outside_of_an_export_are_not_served(api: httpx.AsyncClient) -> None:
    manifest = await exported(api, "/$export?_type=Patient")
    folder = manifest["output"][0]["url"].rpartition("/")[0]
    for name in ("..%2Fsecret", "Slot.ndjson", "deleted.ndjson"):
        assert (await api.get(f"{folder}/{name}")).status_code == 404
