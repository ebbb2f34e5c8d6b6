"""Faults that an attack on the server found: thousands of parameters, web pages, half-open requests, long writes."""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import httpx
import pytest

from polyclinic.core.records import Resource
from polyclinic.fhir import resources as build
from polyclinic.fhir.datatypes import reference
from polyclinic.fhir.query import MAX_PARAMETERS
from polyclinic.fhir.store import FhirStore
from polyclinic.serving.connections import BoundedRequests

JSON = {"Content-Type": "application/fhir+json"}
NEW: Resource = {"resourceType": "Patient", "id": "new", "active": True}
Serve = Callable[..., Any]


async def patients(store: FhirStore) -> int:
    return len((await store.search("Patient", {})).matches)


@pytest.mark.parametrize("name", ["name", "_id", "organization.name", "_has", "nonsense", "birthdate"])
async def test_three_thousand_parameters_are_refused_without_a_server_error(api: httpx.AsyncClient, name: str) -> None:
    name, value = {"birthdate": (name, "2000-01-01"), "_has": ("_has:Appointment:actor:status", "x")}.get(
        name, (name, "a")
    )
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    found = await api.get("/Patient?" + "&".join([f"{name}={value}"] * (3000 if len(name) < 20 else 1000)))
    sent = await api.post("/Patient/_search", content="&".join([f"{name}={value}"] * 900), headers=form)
    assert (found.status_code, sent.status_code) == (400, 400)
    assert "at most 100 parameters" in found.json()["issue"][0]["details"]["text"]
    most = await api.get(f"/Patient?{'&'.join([f'{name}={value}'] * MAX_PARAMETERS)}")
    assert most.status_code == 200, most.text
    once = await api.get(f"/Patient?{name}={value}")
    assert most.json()["total"] == once.json()["total"]


async def test_a_condition_of_three_thousand_parameters_deletes_nothing(
    api: httpx.AsyncClient, hospital: FhirStore
) -> None:
    before = await patients(hospital)
    assert (await api.delete(f"/Patient?{'&'.join(['name=a'] * 3000)}")).status_code == 400
    assert await patients(hospital) == before


@pytest.mark.parametrize("path", ["/Patient", "/", "/Appointment/$book", "/Slot/$hold", "/Patient/_search"])
async def test_a_post_without_a_content_type_is_refused(api: httpx.AsyncClient, hospital: FhirStore, path: str) -> None:
    before = await patients(hospital)
    sent = await api.post(path, content=b'{"resourceType": "Patient"}')
    assert "content-type" not in sent.request.headers
    assert sent.status_code == 415
    assert await patients(hospital) == before


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("evil.example", 421),
        ("evil.example:8080", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost.evil.example", 421),
        ("", 421),
        ("[", 421),
        ("localhost:8080", 200),
        ("127.0.0.1", 200),
        ("[::1]:8080", 200),
        ("fhir.test", 200),
        ("FHIR.test", 200),
    ],
)
async def test_only_known_hosts_are_answered(api: httpx.AsyncClient, host: str, status: int) -> None:
    assert (await api.get("/Patient", headers={"Host": host})).status_code == status


@pytest.mark.parametrize(
    "headers", [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}]
)
async def test_nothing_is_written_on_behalf_of_another_origin(
    api: httpx.AsyncClient, hospital: FhirStore, headers: dict[str, str]
) -> None:
    before = await patients(hospital)
    assert (await api.post("/Patient", json=NEW, headers={**headers, **JSON})).status_code == 403
    assert await patients(hospital) == before
    own = {"Origin": "http://fhir.test", "Sec-Fetch-Site": "same-origin", **JSON}
    assert (await api.post("/Patient", json=NEW, headers=own)).status_code == 201


class Hasty(BoundedRequests):
    headers_s, body_idle_s, body_s = 0.4, 0.4, 1.2


BEGIN = b"POST /Patient HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 27\r\n"


@pytest.mark.parametrize(
    "pieces",
    [
        [b""],
        [b"GET / HT"],
        [b"GET / HTTP/1.1\r\n", *[b"X-A: b\r\n"] * 30],
        [BEGIN + b"\r\n"],
        [BEGIN + b"\r\n" + b"{"],
        [BEGIN.replace(b"27", b"2700") + b"\r\n", *[b" "] * 60],
        [b"GET /metadata HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HT"],
    ],
    ids=["nothing", "half a line", "dripping headers", "no body", "half a body", "dripping body", "second request"],
)
async def test_a_half_open_request_is_closed(serve: Serve, pieces: list[bytes]) -> None:
    server = serve(protocol=Hasty)
    host, _, port = server.base.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    began = time.monotonic()

    async def send() -> None:
        for piece in pieces:
            writer.write(piece)
            await asyncio.sleep(0.1)

    sending = asyncio.create_task(send())
    with suppress(ConnectionResetError):  # the server closes the connection
        while await asyncio.wait_for(reader.read(65536), 10):
            pass
    took = time.monotonic() - began
    sending.cancel()
    writer.close()
    assert took < 4
    async with httpx.AsyncClient(base_url=server.base) as client:
        assert (await client.get("/metadata")).status_code == 200


async def test_a_slow_request_within_bounds_is_answered(serve: Serve) -> None:
    server = serve(protocol=Hasty)
    host, _, port = server.base.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    for piece in (BEGIN, b"\r\n", b'{"resourceType"', b': "Patient"'):
        writer.write(piece)
        await asyncio.sleep(0.15)
    writer.write(b"}")
    assert (await asyncio.wait_for(reader.readline(), 10)).split()[1] == b"201"
    writer.close()


def bundle(entries: list[Resource]) -> Resource:
    return {"resourceType": "Bundle", "type": "transaction", "entry": entries}


def posted(resource: Resource, full_url: str | None = None) -> Resource:
    entry: Resource = {"resource": resource, "request": {"method": "POST", "url": resource["resourceType"]}}
    return {**entry, "fullUrl": full_url} if full_url else entry


@pytest.mark.parametrize("entries", [600, pytest.param(5000, marks=pytest.mark.slow)])
async def test_readers_do_not_wait_for_a_long_transaction(serve: Serve, entries: int) -> None:
    server = serve([{"resourceType": "Patient", "id": "there"}], readers=2)
    many = bundle(
        [
            posted({"resourceType": "Patient", "name": [{"family": f"F{number}", "given": ["A"]}], "gender": "other"})
            for number in range(entries)
        ]
    )
    slowest, reads = 0.0, 0
    async with httpx.AsyncClient(base_url=server.base, timeout=120) as client:
        began = time.monotonic()
        writing = asyncio.create_task(client.post("/", json=many, headers={**JSON, "Prefer": "return=minimal"}))
        while not writing.done():
            asked = time.monotonic()
            assert (await client.get("/Patient/there")).status_code == 200
            slowest, reads = max(slowest, time.monotonic() - asked), reads + 1
            await asyncio.sleep(0.01)
        took = time.monotonic() - began
        assert (await writing).status_code == 200
    assert reads > 1
    assert slowest < max(1.5, took / 2), f"{entries} entries: {took:.2f} s, {reads} reads, the slowest {slowest:.3f} s"


@pytest.mark.parametrize(
    "reference", ["Patient/nobody", "urn:uuid:6d1f6a0e-0000-4000-8000-000000000000", "http://fhir.test/Patient/nobody"]
)
async def test_a_reference_to_a_missing_resource_is_refused(
    api: httpx.AsyncClient, appointment: Callable[..., Resource], reference: str
) -> None:
    visit = appointment("visit")
    visit["participant"][0]["actor"] = {"reference": reference}
    answers = [
        await api.post("/", json=bundle([posted(visit)]), headers=JSON),
        await api.post("/Appointment", json=visit, headers=JSON),
        await api.put("/Appointment/visit", json=visit, headers=JSON),
    ]
    assert [answer.status_code for answer in answers] == [422, 422, 422]
    assert "refers to" in answers[0].json()["issue"][0]["details"]["text"]
    assert (await api.get("/Appointment/visit")).status_code == 404


async def test_references_within_a_bundle_and_to_existing_resources_are_accepted(
    api: httpx.AsyncClient, hospital: FhirStore, appointment: Callable[..., Resource]
) -> None:
    url = "urn:uuid:6d1f6a0e-0000-4000-8000-000000000001"
    visit = appointment("visit")
    visit["participant"][0]["actor"] = {"reference": url}
    sent = bundle([posted(visit), posted({"resourceType": "Patient"}, url)])
    assert (await api.post("/", json=sent, headers=JSON)).status_code == 200
    old = build.appointment("old", patient=reference("Patient", "unknown"))
    await hospital.load([old])
    changed = {**old, "comment": "x"} if "comment" in old else {**old, "description": "changed"}
    assert (await api.put("/Appointment/old", json=changed, headers=JSON)).status_code == 200


@pytest.mark.parametrize("kind", ["transaction", "batch"])
async def test_a_duplicate_full_url_is_refused(api: httpx.AsyncClient, hospital: FhirStore, kind: str) -> None:
    before = await patients(hospital)
    url = "urn:uuid:6d1f6a0e-0000-4000-8000-000000000002"
    entries = [posted({"resourceType": "Patient"}, url), posted({"resourceType": "Patient"}, url.upper())]
    twice = {**bundle(entries), "type": kind}
    answer = await api.post("/", json=twice, headers=JSON)
    assert (answer.status_code, answer.json()["issue"][0]["expression"]) == (400, ["Bundle.entry[1].fullUrl"])
    assert await patients(hospital) == before


PATCHED = b'[{"op": "replace", "path": "/active", "value": true, "value": false}]'
IN_BUNDLE = b"""{"resourceType": "Bundle", "type": "%s", "entry": [
    {"request": {"method": "%s", "url": "%s"}, "resource": %s}]}"""
TWICE = b'{"resourceType": "Patient", "active": true, "name": [{"family": "Kim", "family": "Lee"}]}'
PARAMETERS = b"""{"resourceType": "Parameters", "parameter": [{"name": "operation", "part": [
    {"name": "type", "valueCode": "delete"},
    {"name": "path", "valueString": "a", "valueString": "Patient.active"}]}]}"""


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/Patient", TWICE),
        ("POST", "/r4/Patient", TWICE),
        ("POST", "/Patient", b'{"resourceType": "Patient", "active": true, "active": true}'),
        ("POST", "/Patient", rb'{"resourceType": "Patient", "active": true, "\u0061ctive": false}'),
        (
            "POST",
            "/Patient",
            b'{"resourceType": "Patient", "id" : "a", "language":"x\\":", "active":true, "active":false}',
        ),
        ("POST", "/Observation", b'{"resourceType": "Observation", "valueQuantity": {"value": 1.50, "value": 15}}'),
        ("PUT", "/Patient/patient-0", b'{"resourceType": "Patient", "id": "patient-1", "id": "patient-0"}'),
        ("PUT", "/r4/Patient/patient-0", b'{"resourceType": "Patient", "id": "patient-1", "id": "patient-0"}'),
        ("PATCH", "/Patient/patient-0", PATCHED),
        ("PATCH", "/r4/Patient/patient-0", PATCHED),
        ("PATCH", "/Patient/patient-0", PARAMETERS),
        ("POST", "/", IN_BUNDLE % (b"transaction", b"POST", b"Patient", TWICE)),
        ("POST", "/", IN_BUNDLE % (b"batch", b"POST", b"Patient", TWICE)),
        (
            "POST",
            "/",
            IN_BUNDLE
            % (
                b"transaction",
                b"PATCH",
                b"Patient/patient-0",
                b'{"resourceType": "Binary", "data": "%s"}' % base64.b64encode(PATCHED),
            ),
        ),
        ("POST", "/Patient/$validate", TWICE),
        ("POST", "/Appointment/$find", b'{"resourceType": "Parameters", "parameter": [], "parameter": []}'),
    ],
)
async def test_a_duplicate_key_is_refused_wherever_it_is(
    api: httpx.AsyncClient, hospital: FhirStore, method: str, path: str, body: bytes
) -> None:
    before = (await patients(hospital), await hospital.read("Patient", "patient-0"))
    media = "application/json-patch+json" if body is PATCHED else JSON["Content-Type"]
    answer = await api.request(method, path, content=body, headers={"Content-Type": media})
    assert (answer.status_code, answer.json()["resourceType"]) == (400, "OperationOutcome")
    assert "occurs twice in one object" in answer.json()["issue"][0]["details"]["text"]
    assert (await patients(hospital), await hospital.read("Patient", "patient-0")) == before


async def test_the_same_key_in_different_objects_and_in_a_text_is_accepted(api: httpx.AsyncClient) -> None:
    sent = {"resourceType": "Patient", "name": [{"family": 'Kim "active": true, "active": no'}, {"family": "Lee"}]}
    answer = await api.post("/Patient", json=sent, headers=JSON)
    assert (answer.status_code, answer.json()["name"]) == (201, sent["name"])
