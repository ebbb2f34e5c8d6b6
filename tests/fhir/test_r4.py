"""R4 at the interface: output is valid by other people's R4 models, input becomes R5, and nothing is lost."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

import httpx
import pytest

from polyclinic.core.records import Create, Resource
from polyclinic.fhir.r4.mapping import TYPES, to_r4, to_r5
from polyclinic.fhir.store import FhirStore
from polyclinic.fhir.validate import check
from tests.fhir.r4_models import r4_problems

VISIT: Resource = {
    "resourceType": "Appointment",
    "id": "a",
    "status": "cancelled",
    "serviceType": [
        {"concept": {"coding": [{"code": "v"}]}, "reference": {"reference": "HealthcareService/h"}},
        {"reference": {"reference": "HealthcareService/i"}},
    ],
    "reason": [{"concept": {"text": "cough"}}, {"reference": {"reference": "Condition/c"}}],
    "cancellationReason": {"text": "snow"},
    "cancellationDate": "2025-01-01T08:00:00Z",
    "priority": {"text": "3"},
    "note": [{"text": "ring twice"}],
    "patientInstruction": [{"concept": {"text": "come early"}}],
    "replaces": [{"reference": "Appointment/b"}],
    "start": "2025-01-02T09:00:00Z",
    "end": "2025-01-02T09:15:00Z",
    "subject": {"reference": "Patient/p"},
    "participant": [
        {"actor": {"reference": "Patient/p"}, "required": True, "status": "accepted"},
        {"actor": {"reference": "Practitioner/d"}, "required": False, "status": "accepted"},
    ],
}
EXAMPLES: list[Resource] = [
    VISIT,
    {"resourceType": "Slot", "id": "s", "status": "free", "schedule": {"reference": "Schedule/d"},
     "appointmentType": [{"text": "walk-in"}], "serviceType": [{"concept": {"text": "x"}}],
     "start": "2025-01-02T09:00:00Z", "end": "2025-01-02T09:15:00Z"},
    {"resourceType": "Schedule", "id": "d", "name": "Diary", "actor": [{"reference": "Practitioner/d"}],
     "serviceType": [{"concept": {"text": "x"}, "reference": {"reference": "HealthcareService/h"}}]},
    {"resourceType": "HealthcareService", "id": "h", "name": "Clinic",
     "contact": [{"telecom": [{"system": "phone", "value": "1"}]}],
     "availability": [{"availableTime": [{"daysOfWeek": ["mon"], "availableStartTime": "09:00:00",
                                          "availableEndTime": "17:00:00"}]}]},
    {"resourceType": "Location", "id": "l", "status": "active", "name": "Room", "form": {"text": "room"},
     "hoursOfOperation": [{"availableTime": [{"daysOfWeek": ["tue"], "availableStartTime": "08:00:00"}]}]},
    {"resourceType": "Organization", "id": "o", "name": "Hospital", "description": "old",
     "contact": [{"telecom": [{"system": "phone", "value": "2"}]}, {"address": {"city": "Busan"}},
                 {"purpose": {"text": "bills"}, "name": [{"text": "Kim"}]}]},
    {"resourceType": "Practitioner", "id": "d", "communication": [{"language": {"text": "Korean"}}]},
    {"resourceType": "PractitionerRole", "id": "r", "contact": [{"telecom": [{"system": "phone", "value": "3"}]}]},
    {"resourceType": "Patient", "id": "p", "name": [{"family": "Lee"}], "birthDate": "1980-01-01"},
    {"resourceType": "AppointmentResponse", "id": "q", "appointment": {"reference": "Appointment/a"},
     "actor": {"reference": "Patient/p"}, "participantStatus": "accepted"},
    {"resourceType": "Encounter", "id": "e", "status": "in-progress",
     "subjectStatus": {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/encounter-subject-status",
                                   "code": "arrived"}]},
     "class": [{"coding": [{"system": "urn:x", "code": "AMB"}]}], "serviceType": [{"concept": {"text": "x"}}],
     "subject": {"reference": "Patient/p"}, "participant": [{"actor": {"reference": "Practitioner/d"}}],
     "actualPeriod": {"start": "2025-01-02T09:00:00Z"}, "reason": [{"value": [{"concept": {"text": "cough"}}]}],
     "diagnosis": [{"condition": [{"reference": {"reference": "Condition/c"}}], "use": [{"text": "billing"}]}],
     "dietPreference": [{"text": "none"}], "location": [{"location": {"reference": "Location/l"}}]},
]  # fmt: skip


@pytest.mark.parametrize("resource", EXAMPLES, ids=[each["resourceType"] for each in EXAMPLES])
def test_nothing_is_lost_from_r5_to_r4_and_back(resource: Resource) -> None:
    check(resource)
    out = to_r4(resource)
    assert r4_problems(out) == ""
    assert to_r5(out) == resource


def test_every_type_that_is_offered_has_an_example() -> None:
    assert {each["resourceType"] for each in EXAMPLES} == set(TYPES)


@pytest.mark.parametrize(
    ("inside", "outside"),
    [("planned", "planned"), ("completed", "finished"), ("on-hold", "onleave"), ("in-progress", "in-progress"),
     ("discharged", "finished"), ("discontinued", "cancelled"), ("cancelled", "cancelled")],
)  # fmt: skip
def test_encounters_have_r4s_statuses(inside: str, outside: str) -> None:
    encounter = {"resourceType": "Encounter", "status": inside, "class": [{"coding": [{"code": "AMB"}]}]}
    assert to_r4(encounter)["status"] == outside
    assert r4_problems(to_r4(encounter)) == ""


async def test_the_r4_capability_statement_claims_only_what_exists(api: httpx.AsyncClient) -> None:
    statement = (await api.get("/r4/metadata")).json()
    assert statement["fhirVersion"] == "4.0.1"
    assert [r["type"] for r in statement["rest"][0]["resource"]] == sorted(TYPES)
    assert r4_problems(statement) == ""
    assert (await api.get("/metadata")).json()["fhirVersion"] == "5.0.0"
    for type_ in TYPES:
        answer = await api.get(f"/r4/{type_}?_count=5")
        assert answer.status_code == 200 and "fhirVersion=4.0" in answer.headers["content-type"]
        for entry in answer.json().get("entry", []):
            assert r4_problems(entry["resource"]) == ""
            assert entry["fullUrl"].startswith("http://fhir.test/r4/")
    for path in ("/r4/Condition", "/r4/$everything", "/r4/Subscription"):
        assert (await api.get(path)).status_code == 404


async def _booked(api: httpx.AsyncClient) -> str:
    """An appointment with an element that R4 does not have."""
    visit = {
        "resourceType": "Appointment",
        "status": "proposed",
        "reason": [{"concept": {"text": "cough"}}],
        "recurrenceId": 3,
        "participant": [{"actor": {"reference": "Patient/patient-0"}, "status": "accepted"}],
    }
    return str((await api.post("/Appointment", json=visit)).json()["id"])


async def test_a_json_patch_uses_r4s_names_and_keeps_what_r4_does_not_have(api: httpx.AsyncClient) -> None:
    id_ = await _booked(api)
    patch = [
        {"op": "replace", "path": "/reasonCode/0/text", "value": "fever"},
        {"op": "add", "path": "/comment", "value": "bring the letter"},
    ]
    headers = {"content-type": "application/json-patch+json"}
    answer = await api.patch(f"/r4/Appointment/{id_}", json=patch, headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.json()["reasonCode"] == [{"text": "fever"}] and r4_problems(answer.json()) == ""
    stored = (await api.get(f"/Appointment/{id_}")).json()
    assert stored["reason"] == [{"concept": {"text": "fever"}}] and stored["note"][0]["text"] == "bring the letter"
    assert stored["recurrenceId"] == 3 and "comment" not in stored
    wrong = [{"op": "replace", "path": "/reason/0/concept/text", "value": "x"}]
    assert (await api.patch(f"/r4/Appointment/{id_}", json=wrong, headers=headers)).status_code in (400, 422)


async def test_a_fhirpath_patch_and_a_patch_in_a_bundle_work_in_r4(api: httpx.AsyncClient) -> None:
    id_ = await _booked(api)
    replace = [
        {"name": "type", "valueCode": "replace"},
        {"name": "path", "valueString": "Appointment.status"},
        {"name": "value", "valueCode": "waitlist"},
    ]
    parameters = {"resourceType": "Parameters", "parameter": [{"name": "operation", "part": replace}]}
    answer = await api.patch(f"/r4/Appointment/{id_}", json=parameters)
    assert answer.status_code == 200 and answer.json()["status"] == "waitlist"
    patch = json.dumps([{"op": "add", "path": "/comment", "value": "by the side door"}]).encode()
    binary = {"contentType": "application/json-patch+json", "data": base64.b64encode(patch).decode()}
    entry = {
        "resource": {"resourceType": "Binary", **binary},
        "request": {"method": "PATCH", "url": f"Appointment/{id_}"},
    }
    for kind in ("transaction", "batch"):
        bundle = {"resourceType": "Bundle", "type": kind, "entry": [entry]}
        done = (await api.post("/r4/", json=bundle)).json()
        assert done["entry"][0]["response"]["status"].startswith("200"), done
    assert (await api.get(f"/r4/Appointment/{id_}")).json()["comment"] == "by the side door"
    assert (await api.get(f"/Appointment/{id_}")).json()["recurrenceId"] == 3


async def test_an_export_through_r4_is_written_in_r4(api: httpx.AsyncClient) -> None:
    id_ = await _booked(api)
    begun = await api.get("/r4/$export", headers={"prefer": "respond-async"})
    assert begun.status_code == 202, begun.text
    where = begun.headers["content-location"]
    assert where.startswith("http://fhir.test/r4/$export-status/")
    while (status := await api.get(where)).status_code == 202:
        await asyncio.sleep(0.01)
    files = {file["type"]: file["url"] for file in status.json()["output"]}
    assert set(files) <= set(TYPES) and "Appointment" in files
    for url in files.values():
        for line in (await api.get(url)).text.splitlines():
            assert r4_problems(json.loads(line)) == ""
    visits = [json.loads(line) for line in (await api.get(files["Appointment"])).text.splitlines()]
    assert next(visit for visit in visits if visit["id"] == id_)["reasonCode"] == [{"text": "cough"}]
    refused = await api.get("/r4/$export?_type=Condition", headers={"prefer": "respond-async"})
    assert refused.status_code == 400


async def test_an_r4_client_books_reads_and_follows_page_links(api: httpx.AsyncClient, hospital: FhirStore) -> None:
    page = (await api.get("/r4/Slot?schedule=Schedule/kim-diary&status=free&_count=5")).json()
    following = next(link["url"] for link in page["link"] if link["relation"] == "next")
    assert following.startswith("http://fhir.test/r4/Slot?")
    assert len((await api.get(following)).json()["entry"]) == 5
    visit: dict[str, Any] = {
        "resourceType": "Appointment",
        "status": "proposed",
        "reasonCode": [{"text": "cough"}],
        "comment": "ring twice",
        "slot": [{"reference": "Slot/kim-diary-000"}],
        "participant": [{"actor": {"reference": "Patient/patient-0"}, "required": "required", "status": "accepted"}],
    }
    booked = await api.post("/r4/Appointment/$book", json=visit)
    assert booked.status_code == 201, booked.text
    shown = booked.json()
    assert shown["status"] == "booked" and shown["reasonCode"] == [{"text": "cough"}] and "subject" not in shown
    assert booked.headers["location"].startswith("http://fhir.test/r4/Appointment/")
    inside = await hospital.read("Appointment", shown["id"])
    assert inside["subject"] == {"reference": "Patient/patient-0"} and inside["reason"] == [
        {"concept": {"text": "cough"}}
    ]
    updated = await api.put(f"/r4/Appointment/{shown['id']}", json={**shown, "comment": "ring once"})
    assert updated.status_code == 200 and updated.json()["comment"] == "ring once"
    found = (await api.get("/r4/Appointment?patient=Patient/patient-0&_include=Appointment:slot")).json()
    assert [e["search"]["mode"] for e in found["entry"]] == ["match", "include"]
    offers = (await api.get("/r4/Appointment/$find?start=2025-03-24&max=2")).json()
    assert [r4_problems(e["resource"]) for e in offers["entry"]] == ["", ""]


async def test_r4_bundles_work_and_wrong_bodies_are_refused(api: httpx.AsyncClient) -> None:
    visit = {"resourceType": "Encounter", "id": "e", "status": "arrived", "class": {"code": "AMB"}}
    bundle = {"resourceType": "Bundle", "type": "transaction",
              "entry": [{"resource": visit, "request": {"method": "PUT", "url": "Encounter/e"}}]}  # fmt: skip
    done = await api.post("/r4", json=bundle)
    assert done.json()["entry"][0]["resource"]["status"] == "arrived"
    assert (await api.get("/Encounter/e")).json()["status"] == "in-progress"
    assert (await api.get("/r4/Encounter?status=arrived")).json()["total"] == 1
    assert (await api.get("/r4/Encounter?status=finished")).json()["total"] == 0
    r5_only = {"resourceType": "Appointment", "status": "proposed", "reason": [], "participant": []}
    assert (await api.post("/r4/Appointment", json=r5_only)).status_code == 422
    broken = {"resourceType": "Encounter", "status": "arrived", "class": {"code": "AMB"}, "diagnosis": [{}]}
    answer = await api.post("/r4/Encounter", json=broken)
    assert answer.status_code == 400 and answer.json()["resourceType"] == "OperationOutcome"


async def test_what_r4_does_not_have_is_kept_in_extensions_and_comes_back(
    api: httpx.AsyncClient, hospital: FhirStore
) -> None:
    kept = {**VISIT, "slot": []}
    del kept["slot"]
    await hospital.transact([Create(kept)])
    shown = (await api.get("/r4/Appointment/a")).json()
    assert {e["url"].rpartition(".")[2] for e in shown["extension"]} == {"cancellationDate", "replaces"}
