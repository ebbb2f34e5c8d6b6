"""What tokens may not do by detours: through topics, exports, references, includes, histories and patches."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from polyclinic.core.records import Create, Resource, Update
from polyclinic.fhir.notifications import Notifier
from polyclinic.fhir.store import FhirStore
from polyclinic.fhir.topics import SLOT_CHANGE, built_in_topics
from tests.fhir.scope_matrix import encounter, exported, guarded_api, parameters, shown, subscription, visit
from tests.fhir.smart_clients import BASE, Launch, service_token


@pytest.fixture
async def guarded(hospital: FhirStore) -> AsyncIterator[httpx.AsyncClient]:
    async with guarded_api(hospital) as api:
        yield api


@pytest.fixture
async def own(guarded: httpx.AsyncClient) -> httpx.AsyncClient:
    """A client with the token of patient 0."""
    launched = await Launch(guarded, "launch/patient patient/*.cruds").tokens("patient-0")
    guarded.headers["Authorization"] = f"Bearer {launched.json()['access_token']}"
    return guarded


async def with_scopes(api: httpx.AsyncClient, *scopes: str) -> httpx.AsyncClient:
    api.headers["Authorization"] = f"Bearer {await service_token(api, ' '.join(f'system/{one}' for one in scopes))}"
    return api


def ids(answer: httpx.Response, mode: str = "match") -> list[str]:
    found = [e for e in answer.json().get("entry", []) if e["search"]["mode"] == mode]
    return [e["resource"]["id"] for e in found]


async def test_a_patients_token_reads_writes_books_and_cancels_what_is_the_patients_own(
    own: httpx.AsyncClient, hospital: FhirStore
) -> None:
    await hospital.transact([Create(encounter("patient-1", id="other"))])
    assert ids(await own.get("/Encounter")) == ["mine"]
    assert ids(await own.get("/Patient?gender=female")) == ["patient-0"]
    assert ids(await own.get("/?_type=Patient,Encounter")) == ["mine", "patient-0"]
    assert ids(await own.get("/Organization?_revinclude=Patient:organization"), "include") == ["patient-0"]
    assert (await own.get("/Slot?status=free")).status_code == (await own.get("/Practitioner/kim")).status_code == 200
    assert (await own.get("/PractitionerRole?practitioner.name=kim")).json()["total"] == 1
    assert (await own.post("/Encounter", json=encounter())).status_code == 201
    mine = await hospital.read("Patient", "patient-0")
    assert (await own.put("/Patient/patient-0", json={**mine, "language": "ko"})).status_code == 200
    offer = (await own.get("/Appointment/$find?start=2025-03-24")).json()["entry"][0]["resource"]
    who = {"name": "patient-reference", "valueReference": {"reference": "Patient/patient-0"}}
    chosen = parameters({"name": "appt-id", "valueUri": offer["id"]}, who)
    held = (await own.post("/Appointment/$hold", json=chosen)).json()["entry"][0]["resource"]
    booked = await own.post(f"/Appointment/{held['id']}/$book", json=parameters())
    assert booked.json()["entry"][0]["resource"]["status"] == "booked", booked.text
    cancel = [{"op": "replace", "path": "/status", "value": "cancelled"}]
    assert (await own.patch(f"/Appointment/{held['id']}", json=cancel)).status_code == 200
    assert (await hospital.read("Slot", offer["slot"][0]["reference"][5:]))["status"] == "free"


@pytest.mark.parametrize(
    "other",
    [
        {"subject": {"reference": "Patient/patient-1"}},
        {"subject": {"reference": f"{BASE}/Patient/patient-1"}},
        {"subject": {"reference": "Patient?identifier=MRN-1"}},
        {"subject": {"type": "Patient", "identifier": {"value": "MRN-1"}}},
        {"participant": [{"actor": {"reference": "Patient/patient-1"}, "status": "accepted"}],
         "supportingInformation": [{"reference": "Patient/patient-0"}]},
    ],
    ids=["id", "address", "search", "identifier", "by-the-way"],
)  # fmt: skip
async def test_a_patients_token_cannot_book_for_somebody_else(own: httpx.AsyncClient, other: Resource) -> None:
    wish = {**visit(slot="park-diary-004"), **other}
    asked = [
        ("/Appointment/$book", wish),
        ("/Appointment/$hold", parameters({"name": "appt-resource", "resource": wish})),
        ("/Appointment", {**wish, "status": "booked", "start": "2025-03-24T10:00:00+09:00",
                          "end": "2025-03-24T10:15:00+09:00"}),
    ]  # fmt: skip
    for path, body in asked:
        answer = await own.post(path, json=body)
        # A search for another patient finds nothing, so such a reference cannot be resolved at all.
        assert answer.status_code == (412 if "?" in str(other) else 403), (path, answer.text)
    assert (await own.get("/Slot/park-diary-004")).json()["status"] == "free"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("DELETE", "/Slot/kim-diary-008", None),
        ("PUT", "/Practitioner/kim", {"resourceType": "Practitioner", "id": "kim"}),
        ("POST", "/Organization", {"resourceType": "Organization", "name": "x"}),
        ("POST", "/Slot/$hold", parameters({"name": "slot", "valueReference": {"reference": "Slot/kim-diary-008"}})),
        ("POST", "/Subscription", subscription(owner={"reference": "Patient/patient-0"}, managingEntity=None)),
    ],
)
async def test_a_patients_token_does_not_change_what_belongs_to_the_hospital(
    own: httpx.AsyncClient, method: str, path: str, body: Any
) -> None:
    sent = {k: v for k, v in body.items() if v is not None} if body else None
    assert (await own.request(method, path, json=sent)).status_code in (403, 422)


async def test_a_patch_tells_nothing_about_a_resource_that_the_token_may_not_change(own: httpx.AsyncClient) -> None:
    for born in ("1981-05-17", "1990-01-01"):
        test = [{"op": "test", "path": "/birthDate", "value": born}]
        assert (await own.patch("/Patient/patient-1", json=test)).status_code == 403
    old = {"resourceType": "Patient", "id": "patient-1"}
    assert (await own.put("/Patient/patient-1", json=old, headers={"If-Match": 'W/"7"'})).status_code == 403


async def test_a_history_shows_no_version_that_belonged_to_another_patient(
    own: httpx.AsyncClient, hospital: FhirStore
) -> None:
    await hospital.transact([Create(encounter("patient-1", id="moved"))])
    await hospital.transact([Update(encounter("patient-0", id="moved"))])
    versions = (await own.get("/Encounter/moved/_history")).json()["entry"]
    assert [e["resource"]["meta"]["versionId"] for e in versions] == ["2"]
    assert (await own.get("/Encounter/moved/_history/1")).status_code == 403


async def test_includes_do_not_go_through_what_is_hidden(guarded: httpx.AsyncClient) -> None:
    query = "/Slot?_count=1&_include=Slot:schedule&_include:iterate=Schedule:actor"
    everything = await with_scopes(guarded, "Slot.s", "Schedule.r", "Practitioner.r")
    assert ids(await everything.get(query), "include") == ["kim", "kim-diary"]
    gap = await with_scopes(guarded, "Slot.s", "Practitioner.r")
    assert ids(await gap.get(query), "include") == []
    hidden = await with_scopes(guarded, "Patient.r", "Location.r", "Practitioner.r")
    found = (await hidden.get("/Patient/patient-0/$everything")).json()
    assert {each["resourceType"] for each in shown(found)} == {"Bundle", "Patient"}


async def test_a_built_in_topic_cannot_be_made_to_report_other_types(
    guarded: httpx.AsyncClient, hospital: FhirStore
) -> None:
    topic = next(iter(built_in_topics()))
    about_patients = {**topic, "resourceTrigger": [{"resource": "Patient", "supportedInteraction": ["update"]}]}
    client = await with_scopes(guarded, "Subscription.cruds", "SubscriptionTopic.cruds", "Appointment.r")
    answer = await client.put(f"/SubscriptionTopic/{topic['id']}", json=about_patients)
    assert answer.status_code == 422 and "built in" in answer.text
    await hospital.load([about_patients])
    sent: list[bytes] = []

    def hook(request: httpx.Request) -> httpx.Response:
        sent.append(request.content)
        return httpx.Response(200)

    notifier = Notifier(hospital, BASE, httpx.AsyncClient(transport=httpx.MockTransport(hook)))
    await notifier.step()
    await hospital.transact([Update({**await hospital.read("Patient", "patient-0"), "language": "ko"})])
    assert await notifier.step() == 0 and b"Patient/" not in b"".join(sent)
    custom = subscription(topic="https://x.example/topic")
    assert (await client.post("/Subscription", json=custom)).status_code == 403
    await notifier.close()


async def test_an_export_is_found_only_by_who_started_it(guarded: httpx.AsyncClient) -> None:
    job = await exported(guarded)
    app = await Launch(guarded, "user/*.cruds").tokens()
    headers = {"Authorization": f"Bearer {app.json()['access_token']}"}
    for path in (f"/$export-status/{job}", f"/$export-file/{job}/Patient.ndjson"):
        assert (await guarded.get(path, headers=headers)).status_code == 404
    same = await with_scopes(guarded, "Slot.rs", "Patient.s")
    assert (await same.get(f"/$export-file/{job}/Patient.ndjson")).status_code == 403


async def test_the_index_page_counts_only_what_may_be_searched(guarded: httpx.AsyncClient) -> None:
    client = await with_scopes(guarded, "Slot.rs")
    page = (await client.get("/", headers={"Accept": "text/html"})).text
    assert ">Slot<" in page and ">Patient<" not in page


async def test_waiting_events_cannot_be_turned_to_another_address(guarded: httpx.AsyncClient) -> None:
    """The subscription reports appointments; the client may read slots only."""
    client = await with_scopes(guarded, "Subscription.cruds", "Slot.rs")
    elsewhere = subscription(id="board", topic=SLOT_CHANGE, endpoint="http://other.example")
    assert (await client.put("/Subscription/board", json=elsewhere)).status_code == 403


async def test_the_hold_of_an_appointment_cannot_be_used_for_another_one(own: httpx.AsyncClient) -> None:
    held = (await own.post("/Appointment/wish/$hold", json=parameters())).json()["entry"][0]["resource"]
    second = {"name": "appointment", "resource": visit(slot=held["slot"][0]["reference"][5:])}
    stolen = parameters(second, {"name": "hold", "valueString": "Appointment/wish"})
    assert (await own.post("/Appointment/$book", json=stolen)).status_code in (400, 409)
    assert (await own.get("/Appointment/wish")).json()["status"] == "pending"


async def test_a_refusal_does_not_name_resources_that_the_token_may_not_read(guarded: httpx.AsyncClient) -> None:
    client = await with_scopes(guarded, "Patient.cruds")
    batch = {"resourceType": "Bundle", "type": "batch",
             "entry": [{"request": {"method": "DELETE", "url": "Patient/patient-0"}}]}  # fmt: skip
    alone, inside = await client.delete("/Patient/patient-0"), await client.post("/", json=batch)
    assert alone.status_code == 409 and inside.json()["entry"][0]["response"]["status"].startswith("409")
    for answer in (alone, inside):
        assert "Patient/patient-0 cannot be deleted" in answer.text
        assert not any(name in answer.text for name in ("Encounter/", "Appointment/")), answer.text
