"""Scopes are enforced on every interaction: the matrix of scopes and interactions, and what a patient's token shows."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from polyclinic.core.records import Create, Resource
from polyclinic.fhir.server import fhir_app
from polyclinic.fhir.smart.scopes import granted, parse_scope
from polyclinic.fhir.store import FhirStore
from tests.fhir.smart_clients import BASE, Launch, service_token, smart

PATIENT = {"resourceType": "Patient", "active": True}
ASYNC = {"Prefer": "respond-async"}
FHIR = {"Content-Type": "application/fhir+json"}


def entry(method: str, url: str, resource: Resource | None = None) -> Resource:
    made: Resource = {"request": {"method": method, "url": url}}
    return made if resource is None else {**made, "resource": resource}


def bundle(*entries: Resource) -> Resource:
    return {"resourceType": "Bundle", "type": "transaction", "entry": list(entries)}


NEW_SLOT = {"resourceType": "Appointment", "status": "proposed", "slot": [{"reference": "Slot/kim-diary-005"}],
            "participant": [{"actor": {"reference": "Patient/patient-0"}, "status": "accepted"}]}  # fmt: skip
PARAMETERS: Resource = {"resourceType": "Parameters", "parameter": [{"name": "appt-resource", "resource": NEW_SLOT}]}
HOLD = {
    "resourceType": "Parameters",
    "parameter": [{"name": "slot", "valueReference": {"reference": "Slot/kim-diary-009"}}],
}
PATCH = [{"op": "add", "path": "/language", "value": "en"}]
# An interaction, and the scope letters that it needs for Patient (or for the named types).
INTERACTIONS: list[tuple[str, str, str, Any, str]] = [
    ("read", "GET", "/Patient/patient-0", None, "Patient.r"),
    ("vread", "GET", "/Patient/patient-0/_history/1", None, "Patient.r"),
    ("history-instance", "GET", "/Patient/patient-0/_history", None, "Patient.r"),
    ("history-type", "GET", "/Patient/_history", None, "Patient.s"),
    ("history-system", "GET", "/_history", None, "*.s"),
    ("search-type", "GET", "/Patient", None, "Patient.s"),
    ("search-post", "POST", "/Patient/_search", {"form": {"gender": "female"}}, "Patient.s"),
    ("search-system", "GET", "/?_type=Patient", None, "Patient.s"),
    ("search-chain", "GET", "/Patient?organization.name=x", None, "Patient.s Organization.s"),
    ("search-has", "GET", "/Patient?_has:Encounter:patient:status=planned", None, "Patient.s Encounter.s"),
    ("create", "POST", "/Patient", PATIENT, "Patient.c"),
    ("create-conditional", "POST", "/Patient", {"json": PATIENT, "headers": {"If-None-Exist": "gender=other"}},
     "Patient.c Patient.s"),
    ("update", "PUT", "/Patient/patient-1", {**PATIENT, "id": "patient-1"}, "Patient.u"),
    ("update-create", "PUT", "/Patient/fresh", {**PATIENT, "id": "fresh"}, "Patient.c Patient.u"),
    ("patch", "PATCH", "/Patient/patient-0", PATCH, "Patient.u"),
    ("patch-conditional", "PATCH", "/Patient?_id=patient-0", PATCH, "Patient.u Patient.s"),
    ("delete", "DELETE", "/Patient/patient-2", None, "Patient.d"),
    ("delete-conditional", "DELETE", "/Patient?_id=patient-2", None, "Patient.d Patient.s"),
    ("everything", "GET", "/Patient/patient-0/$everything", None, "Patient.r"),
    ("validate", "POST", "/Patient/$validate", PATIENT, "Patient.r|Patient.c|Patient.u|Patient.d|Patient.s"),
    ("transaction-create", "POST", "/", bundle(entry("POST", "Patient", PATIENT)), "Patient.c"),
    ("transaction-read", "POST", "/", bundle(entry("GET", "Patient/patient-0")), "Patient.r"),
    ("transaction-search", "POST", "/", bundle(entry("GET", "Patient?gender=female")), "Patient.s"),
    ("transaction-delete", "POST", "/", bundle(entry("DELETE", "Patient/patient-2")), "Patient.d"),
    ("export", "GET", "/$export?_type=Patient", {"headers": ASYNC}, "Patient.r Patient.s"),
    ("export-patients", "GET", "/Patient/$export?_type=Patient", {"headers": ASYNC}, "Patient.r Patient.s"),
    ("find", "GET", "/Appointment/$find?start=2025-03-24", None, "Slot.s"),
    ("hold-slot", "POST", "/Slot/$hold", HOLD, "Slot.u"),
    ("hold", "POST", "/Appointment/$hold", PARAMETERS, "Appointment.c"),
    ("book", "POST", "/Appointment/$book", NEW_SLOT, "Appointment.c"),
]  # fmt: skip


@pytest.fixture
async def guarded(hospital: FhirStore) -> AsyncIterator[httpx.AsyncClient]:
    app = fhir_app(hospital, ["fhir.test"], smart=smart(hospital))
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:
        yield client


async def ask(api: httpx.AsyncClient, method: str, path: str, body: Any, token: str) -> httpx.Response:
    more: dict[str, Any] = {}
    headers = {"Authorization": f"Bearer {token}"}
    if isinstance(body, dict) and body.keys() <= {"json", "headers", "form"}:
        headers |= body.get("headers", {})
        if "json" in body:
            more["json"] = body["json"]
        if "form" in body:
            more["data"] = body["form"]
    elif body is not None:
        more["json"] = body
    return await api.request(method, path, headers=headers, **more)


@pytest.mark.parametrize(("name", "method", "path", "body", "needs"), INTERACTIONS, ids=[i[0] for i in INTERACTIONS])
async def test_every_interaction_needs_exactly_its_scopes(
    guarded: httpx.AsyncClient, name: str, method: str, path: str, body: Any, needs: str
) -> None:
    """An interaction works with only the scopes that it needs. Without one of these it fails, even with all others."""
    alternatives = needs.split("|")
    required = alternatives[0].split()
    types = ("Patient", "Organization", "Encounter", "Slot", "Appointment")
    everything = [f"{type_}.{letter}" for type_ in types for letter in "cruds"]
    for missing in required if "|" not in needs else [needs]:
        kept = [one for one in everything if one not in missing.split("|")] if missing != "*.s" else ["Patient.cruds"]
        token = await service_token(guarded, " ".join(f"system/{one}" for one in kept))
        refused = await ask(guarded, method, path, body, token)
        assert refused.status_code == 403, (name, missing, refused.text)
        assert refused.json()["issue"][0]["code"] == "forbidden"
    token = await service_token(guarded, " ".join(f"system/{one}" for one in required))
    done = await ask(guarded, method, path, body, token)
    assert done.status_code < 400, (name, needs, done.text)


async def test_without_a_valid_token_nothing_is_done(guarded: httpx.AsyncClient) -> None:
    good = await service_token(guarded, "system/*.cruds")
    for name, method, path, body, _ in INTERACTIONS:
        for token in ("", "x", good[:-4] + "AAAA", "eyJhbGciOiJub25lIn0.e30."):
            answer = await ask(guarded, method, path, body, token)
            assert answer.status_code == 401, (name, token)
            assert answer.headers["www-authenticate"].startswith("Bearer")
    for path in ("/metadata", "/openapi.json", "/.well-known/smart-configuration", "/auth/jwks"):
        assert (await guarded.get(path)).status_code == 200


async def test_a_patients_token_reads_and_changes_only_that_patients_data(
    guarded: httpx.AsyncClient, hospital: FhirStore
) -> None:
    def visit(id_: str, patient: str) -> Resource:
        return {
            "resourceType": "Encounter",
            "id": id_,
            "status": "planned",
            "subject": {"reference": f"Patient/{patient}"},
        }

    await hospital.transact([Create(visit("mine", "patient-0")), Create(visit("other", "patient-1"))])
    launched = await Launch(guarded, "launch/patient patient/*.cruds").tokens("patient-0")
    token = launched.json()["access_token"]

    async def status(method: str, path: str, body: Any = None) -> int:
        return (await ask(guarded, method, path, body, token)).status_code

    assert await status("GET", "/Patient/patient-0") == 200
    assert await status("GET", "/Patient/patient-1") == 403
    assert await status("GET", "/Encounter/mine") == 200
    assert await status("GET", "/Encounter/other") == 403
    assert await status("GET", "/Encounter/other/_history") == 403
    assert await status("GET", "/Encounter/other/_history/1") == 403
    assert await status("GET", "/Patient/patient-1/$everything") == 403
    assert await status("GET", "/Encounter/_history") == 403
    assert await status("GET", "/$export") in (400, 403)
    found = (await ask(guarded, "GET", "/Encounter", None, token)).json()
    assert [e["resource"]["id"] for e in found["entry"]] == ["mine"]
    people = (await ask(guarded, "GET", "/Patient?gender=female", None, token)).json()
    assert [e["resource"]["id"] for e in people["entry"]] == ["patient-0"]
    everywhere = (await ask(guarded, "GET", "/?_type=Patient,Encounter", None, token)).json()
    assert [e["resource"]["id"] for e in everywhere["entry"]] == ["mine", "patient-0"]
    brought = (await ask(guarded, "GET", "/Organization?_revinclude=Patient:organization", None, token)).json()
    assert [e["resource"]["id"] for e in brought["entry"] if e["search"]["mode"] == "include"] == ["patient-0"]
    assert await status("GET", "/Organization?_has:Patient:organization:gender=female") == 403
    assert await status("POST", "/Encounter", {**visit("x", "patient-1")}) == 403
    assert await status("POST", "/Encounter", {**visit("x", "patient-0")}) == 201
    assert await status("PUT", "/Encounter/mine", visit("mine", "patient-1")) == 403
    assert await status("PUT", "/Encounter/other", visit("other", "patient-0")) == 403
    assert await status("DELETE", "/Encounter/other") == 403
    assert await status("GET", "/Slot?status=free") == 200
    booked = await ask(guarded, "POST", "/Appointment/$book", NEW_SLOT, token)
    assert booked.status_code == 201
    others = {**NEW_SLOT, "slot": [{"reference": "Slot/kim-diary-007"}],
              "participant": [{"actor": {"reference": "Patient/patient-1"}, "status": "accepted"}]}  # fmt: skip
    assert await status("POST", "/Appointment/$book", others) == 403


async def test_a_subscription_needs_permission_to_read_what_it_reports(guarded: httpx.AsyncClient) -> None:
    asked = {"resourceType": "Subscription", "status": "requested", "channelType": {"code": "rest-hook"},
             "topic": "https://polyclinic.example/fhir/SubscriptionTopic/appointment-change",
             "endpoint": "http://x.example"}  # fmt: skip
    few = await service_token(guarded, "system/Subscription.cruds")
    assert (await ask(guarded, "POST", "/Subscription", asked, few)).status_code == 403
    more = await service_token(guarded, "system/Subscription.cruds system/Appointment.r")
    assert (await ask(guarded, "POST", "/Subscription", asked, more)).status_code == 201


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("system/Patient.cruds", "cruds"), ("patient/*.rs", "rs"), ("user/Slot.read", "rs"), ("user/Slot.write", "cud"),
        ("user/*.*", "cruds"), ("system/Patient.", None), ("system/Patient.sr", None), ("Patient.r", None),
        ("system/Patient.rs?gender=male", None), ("openid", None),
    ],
)  # fmt: skip
def test_scopes_are_read_as_smart_defines_them(text: str, letters: str | None) -> None:
    scope = parse_scope(text)
    assert (None if scope is None else scope.letters) == (None if letters is None else frozenset(letters))


def test_a_client_gets_no_more_than_it_may_ask_for() -> None:
    allowed = ("system/Patient.rs", "system/Slot.cruds", "openid")
    asked = "system/Patient.r system/Patient.c system/*.rs system/Slot.write openid fhirUser user/Patient.r"
    assert granted(asked, allowed) == ["system/Patient.r", "system/Slot.write", "openid"]
