"""The HTTP interface: interactions, versions, conditions, errors."""

from __future__ import annotations

import base64

import httpx
import orjson
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from polyclinic.fhir.server import fhir_app
from polyclinic.fhir.store import FhirStore

FHIR = {"Content-Type": "application/fhir+json"}
PATCH = {"Content-Type": "application/json-patch+json"}


def text_of(outcome: dict) -> str:  # type: ignore[type-arg]
    return " ".join(issue["details"]["text"] for issue in outcome["issue"])


async def test_create_read_update_delete_and_their_headers(api: httpx.AsyncClient) -> None:
    body = {"resourceType": "Patient", "id": "ignored", "active": True}
    created = await api.post("/Patient", json=body)
    assert created.status_code == 201
    id_ = created.json()["id"]
    assert id_ != "ignored"
    assert created.headers["etag"] == 'W/"1"'
    assert created.headers["location"] == f"http://fhir.test/Patient/{id_}/_history/1"
    assert created.headers["content-type"].startswith("application/fhir+json")
    read = await api.get(f"/Patient/{id_}")
    assert read.json() == created.json()
    assert "last-modified" in read.headers
    updated = await api.put(f"/Patient/{id_}", json={**read.json(), "active": False}, headers={"If-Match": 'W/"1"'})
    assert (updated.status_code, updated.headers["etag"]) == (200, 'W/"2"')
    assert (await api.get(f"/Patient/{id_}/_history/1")).json()["active"] is True
    deleted = await api.delete(f"/Patient/{id_}")
    assert (deleted.status_code, deleted.json()["resourceType"]) == (200, "OperationOutcome")
    assert (await api.get(f"/Patient/{id_}")).status_code == 410
    assert (await api.get(f"/Patient/{id_}/_history/3")).status_code == 410
    assert (await api.delete(f"/Patient/{id_}")).status_code == 200


async def test_an_update_creates_a_resource_under_a_new_id(api: httpx.AsyncClient) -> None:
    made = await api.put("/Patient/mine", json={"resourceType": "Patient", "id": "mine"})
    assert (made.status_code, made.json()["id"]) == (201, "mine")
    again = {"If-None-Match": "*"}
    refused = await api.put("/Patient/mine", json={"resourceType": "Patient", "id": "mine"}, headers=again)
    assert refused.status_code == 412


async def test_updates_patches_and_deletions_check_the_version(api: httpx.AsyncClient) -> None:
    stale = {"If-Match": 'W/"7"'}
    patient = (await api.get("/Patient/patient-0")).json()
    assert (await api.put("/Patient/patient-0", json=patient, headers=stale)).status_code == 412
    operations = [{"op": "replace", "path": "/active", "value": False}]
    refused = await api.patch("/Patient/patient-0", content=orjson.dumps(operations), headers={**PATCH, **stale})
    assert refused.status_code == 412
    assert (await api.delete("/Patient/patient-0", headers=stale)).status_code == 412
    unchanged = await api.get("/Patient/patient-0", headers={"If-None-Match": 'W/"1"'})
    assert (unchanged.status_code, unchanged.content) == (304, b"")


async def test_a_patch_is_checked_like_any_resource(api: httpx.AsyncClient) -> None:
    good = [
        {"op": "replace", "path": "/name/0/family", "value": "Yi"},
        {"op": "test", "path": "/active", "value": True},
    ]
    done = await api.patch("/Patient/patient-0", content=orjson.dumps(good), headers=PATCH)
    assert (done.status_code, done.json()["name"][0]["family"], done.headers["etag"]) == (200, "Yi", 'W/"2"')
    for bad, status in (
        ([{"op": "add", "path": "/gender", "value": "purple"}], 422),
        ([{"op": "remove", "path": "/nowhere"}], 422),
        ([{"op": "replace", "path": "/id", "value": "other"}], 422),
        ([{"op": "test", "path": "/active", "value": False}], 409),
        ({"not": "an array"}, 422),
    ):
        assert (await api.patch("/Patient/patient-0", content=orjson.dumps(bad), headers=PATCH)).status_code == status
    assert (await api.get("/Patient/patient-0")).headers["etag"] == 'W/"2"'


async def test_conditional_create_update_and_delete(api: httpx.AsyncClient) -> None:
    mrn = "identifier=https://polyclinic.example/mrn|MRN-2"
    body = {"resourceType": "Patient", "identifier": [{"system": "https://polyclinic.example/mrn", "value": "MRN-2"}]}
    same = await api.post("/Patient", json=body, headers={"If-None-Exist": mrn})
    assert (same.status_code, same.json()["id"]) == (200, "patient-2")
    put = await api.put(f"/Patient?{mrn}", json=body)
    assert (put.status_code, put.json()["id"], put.headers["etag"]) == (200, "patient-2", 'W/"2"')
    assert (await api.put("/Patient?gender=female", json=body)).status_code == 412
    assert (await api.delete(f"/Patient?{mrn}")).status_code == 200
    assert (await api.get("/Patient/patient-2")).status_code == 410
    assert (await api.delete("/Patient")).status_code == 400


async def test_the_prefer_header_decides_what_comes_back(api: httpx.AsyncClient) -> None:
    body = {"resourceType": "Patient", "active": True}
    minimal = await api.post("/Patient", json=body, headers={"Prefer": "return=minimal"})
    assert (minimal.status_code, minimal.content) == (201, b"")
    outcome = await api.post("/Patient", json=body, headers={"Prefer": "return=OperationOutcome"})
    assert outcome.json()["resourceType"] == "OperationOutcome"


async def test_only_json_is_supported(api: httpx.AsyncClient) -> None:
    for request in (
        api.get("/Patient/patient-0", headers={"Accept": "application/fhir+xml"}),
        api.get("/Patient/patient-0?_format=xml"),
        api.get("/metadata", headers={"Accept": "text/turtle"}),
    ):
        assert (await request).status_code == 406
    sent = await api.post("/Patient", content=b"<Patient/>", headers={"Content-Type": "application/fhir+xml"})
    assert sent.status_code == 415
    assert (await api.get("/Patient/patient-0?_format=json", headers={"Accept": "application/xml"})).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/Nonsense", None, 404),
        ("GET", "/Patient/none", None, 404),
        ("GET", "/Patient/a b", None, 404),
        ("GET", "/Patient/patient-0/_history/9", None, 404),
        ("GET", "/Patient/patient-0/_history/x", None, 404),
        ("GET", "/no/such/path/here", None, 404),
        ("DELETE", "/", None, 405),
        ("POST", "/Patient", b"{", 400),
        ("POST", "/Patient", b"[]", 400),
        ("POST", "/Patient", b'{"resourceType": "Slot"}', 422),
        ("POST", "/Patient", b'{"resourceType": "Patient", "active": "yes"}', 422),
        ("POST", "/Patient", b'{"resourceType": "Patient", "colour": "red"}', 422),
        ("PUT", "/Patient/x", b'{"resourceType": "Patient", "id": "y"}', 400),
        ("POST", "/", b'{"resourceType": "Bundle", "type": "document"}', 400),
        ("GET", "/Slot?start=yesterday", None, 400),
        ("GET", "/Slot?_sort=colour", None, 400),
        ("GET", "/Slot?_count=-1", None, 400),
        ("GET", "/Slot?_page=xyz", None, 400),
        ("GET", "/Slot?status:below=free", None, 400),
        ("GET", "/_history?_since=never", None, 400),
        ("POST", "/Appointment/$book", b'{"resourceType": "Appointment"}', 422),
        ("POST", "/Slot/$hold", b'{"resourceType": "Parameters"}', 400),
    ],
)
async def test_every_error_is_an_operation_outcome(
    api: httpx.AsyncClient, method: str, path: str, body: bytes | None, status: int
) -> None:
    answer = await api.request(method, path, content=body, headers=FHIR if body is not None else {})
    assert answer.status_code == status, answer.text
    outcome = answer.json()
    assert outcome["resourceType"] == "OperationOutcome"
    assert outcome["issue"][0]["severity"] == "error"
    assert text_of(outcome)


async def test_a_browser_gets_a_page_and_a_program_gets_the_capabilities(api: httpx.AsyncClient) -> None:
    page = await api.get("/", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert page.headers["content-type"].startswith("text/html")
    assert '<a href="http://fhir.test/Slot">Slot</a></td><td>24</td>' in page.text
    assert "http" not in page.text.replace("http://fhir.test", "")
    assert (await api.get("/")).json()["resourceType"] == "CapabilityStatement"


async def test_history_works_for_a_resource_a_type_and_the_system(api: httpx.AsyncClient) -> None:
    patient = (await api.get("/Patient/patient-0")).json()
    await api.put("/Patient/patient-0", json={**patient, "active": False})
    await api.delete("/Patient/patient-1")
    one = (await api.get("/Patient/patient-0/_history")).json()
    assert [e["response"]["etag"] for e in one["entry"]] == ['W/"2"', 'W/"1"']
    gone = (await api.get("/Patient/patient-1/_history")).json()
    assert [e["request"]["method"] for e in gone["entry"]] == ["DELETE", "POST"]
    of_type = (await api.get("/Patient/_history")).json()
    assert len(of_type["entry"]) == 5
    seen: list[tuple[str, str]] = []
    url = "/_history?_count=7"
    while url:
        page = (await api.get(url)).json()
        seen += [(e["fullUrl"], e["response"]["etag"]) for e in page["entry"]]
        url = next((link["url"] for link in page["link"] if link["relation"] == "next"), "")
    assert len(seen) == len(set(seen)) == 38


async def test_the_server_can_be_mounted_under_a_path(hospital: FhirStore) -> None:
    app = Starlette(routes=[Mount("/fhir", app=fhir_app(hospital, ["web.test"]))])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://web.test") as client:
        page = (await client.get("/fhir/Slot?_count=1")).json()
        assert [link["url"].split("?")[0] for link in page["link"]] == ["http://web.test/fhir/Slot"] * 2
        assert page["entry"][0]["fullUrl"].startswith("http://web.test/fhir/Slot/")
        assert (await client.get(page["link"][1]["url"])).status_code == 200
        assert (await client.get("/fhir/metadata")).json()["implementation"]["url"] == "http://web.test/fhir"
        assert (await client.get("/fhir/Nonsense")).json()["resourceType"] == "OperationOutcome"


async def test_everything_about_a_patient_can_be_requested(api: httpx.AsyncClient) -> None:
    body = {
        "resourceType": "Appointment",
        "status": "proposed",
        "slot": [{"reference": "Slot/kim-diary-003"}],
        "participant": [
            {"actor": {"reference": "Patient/patient-0"}, "status": "accepted"},
            {"actor": {"reference": "Practitioner/kim"}, "status": "accepted"},
        ],
    }
    assert (await api.post("/Appointment/$book", json=body)).status_code == 201
    found = (await api.get("/Patient/patient-0/$everything")).json()
    types = sorted(e["resource"]["resourceType"] for e in found["entry"])
    assert types == ["Appointment", "Organization", "Patient", "Practitioner", "Slot"]
    only = (await api.get("/Patient/patient-0/$everything?_type=Appointment")).json()
    assert [e["resource"]["resourceType"] for e in only["entry"]] == ["Appointment"]
    assert (await api.get("/Patient/none/$everything")).status_code == 404


async def test_a_transaction_is_atomic_and_resolves_references_between_its_entries(api: httpx.AsyncClient) -> None:
    patient = {"resourceType": "Patient", "name": [{"family": "Neu"}]}
    urn = "urn:uuid:61ebe359-bfdc-4613-8bf2-c5e300945f0a"
    observation = {
        "resourceType": "Observation",
        "status": "final",
        "code": {"text": "weight"},
        "subject": {"reference": urn},
        "performer": [{"reference": "Practitioner?name=kim"}],
    }
    bundle = {
        "resourceType": "Bundle",
        "type": "transaction",
        "entry": [
            {"resource": observation, "request": {"method": "POST", "url": "Observation"}},
            {"fullUrl": urn, "resource": patient, "request": {"method": "POST", "url": "Patient"}},
            {"request": {"method": "GET", "url": "Patient?name=neu"}},
            {"request": {"method": "DELETE", "url": "Location/room-1"}},
        ],
    }
    answer = await api.post("/", json=bundle)
    assert answer.status_code == 200, answer.text
    entries = answer.json()["entry"]
    assert answer.json()["type"] == "transaction-response"
    assert [e["response"]["status"] for e in entries] == ["201 Created", "201 Created", "200 OK", "200 OK"]
    made = entries[0]["resource"]
    assert made["subject"]["reference"] == f"Patient/{entries[1]['resource']['id']}"
    assert made["performer"] == [{"reference": "Practitioner/kim"}]
    assert entries[2]["resource"]["total"] == 1


async def test_a_failed_transaction_names_its_entry_and_changes_nothing(api: httpx.AsyncClient) -> None:
    good = {"resource": {"resourceType": "Patient", "id": "n"}, "request": {"method": "PUT", "url": "Patient/n"}}
    wrong = {"resource": {"resourceType": "Slot", "status": "free"}, "request": {"method": "POST", "url": "Slot"}}
    stale = {
        "resource": {"resourceType": "Patient", "id": "patient-0"},
        "request": {"method": "PUT", "url": "Patient/patient-0", "ifMatch": 'W/"9"'},
    }
    for second, status in ((wrong, 422), (stale, 412), ({}, 400), ({"request": {"method": "PUT", "url": "Slot"}}, 400)):
        bundle = {"resourceType": "Bundle", "type": "transaction", "entry": [good, second]}
        answer = await api.post("/", json=bundle)
        assert answer.status_code == status, answer.text
        assert (await api.get("/Patient/n")).status_code == 404
    answer = await api.post("/", json={"resourceType": "Bundle", "type": "transaction", "entry": [good, wrong]})
    assert "Bundle.entry[1].resource.end" in answer.json()["issue"][0]["expression"][0]


async def test_each_entry_of_a_batch_is_independent(api: httpx.AsyncClient) -> None:
    patch = base64.b64encode(b'[{"op": "replace", "path": "/active", "value": false}]').decode()
    entries = [
        {"resource": {"resourceType": "Patient"}, "request": {"method": "POST", "url": "Patient"}},
        {"request": {"method": "GET", "url": "Patient/none"}},
        {"resource": {"resourceType": "Binary", "contentType": "application/json-patch+json", "data": patch},
         "request": {"method": "PATCH", "url": "Patient/patient-0"}},
        "nonsense",
    ]  # fmt: skip
    answer = (await api.post("/", json={"resourceType": "Bundle", "type": "batch", "entry": entries})).json()
    assert [e["response"]["status"][:3] for e in answer["entry"]] == ["201", "404", "200", "400"]
    assert answer["entry"][2]["resource"]["active"] is False


async def test_decimals_keep_their_digits(api: httpx.AsyncClient) -> None:
    body = (
        b'{"resourceType":"Observation","id":"w","status":"final","code":{"text":"weight"},'
        b'"valueQuantity":{"value":70.50,"unit":"kg"}}'
    )
    assert (await api.put("/Observation/w", content=body, headers=FHIR)).status_code == 201
    assert b'"value":70.50' in (await api.get("/Observation/w")).content
    operations = orjson.dumps([{"op": "replace", "path": "/status", "value": "amended"}])
    await api.patch("/Observation/w", content=operations, headers=PATCH)
    assert b'"value":70.50' in (await api.get("/Observation/w")).content
