"""Every interaction of the server, each with the scopes that it needs, and a hospital to try them on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import httpx
from starlette.applications import Starlette
from starlette.routing import Match, Route

from polyclinic.core.database import Transaction
from polyclinic.core.records import Create, Resource
from polyclinic.fhir import scheduling
from polyclinic.fhir.server import fhir_app
from polyclinic.fhir.store import FhirStore
from polyclinic.fhir.topics import APPOINTMENT_CHANGE
from tests.fhir.smart_clients import BASE, service_token, smart

OPEN_PATHS = ("/metadata", "/openapi.json", "/.well-known/", "/auth/")
PATIENT = {"resourceType": "Patient", "active": True}
ASYNC = {"Prefer": "respond-async"}
CHANGE = [{"op": "add", "path": "/language", "value": "en"}]
IDENTIFIER = "identifier=https://polyclinic.example/mrn|MRN-0"


class Interaction(NamedTuple):
    """A request, and the scopes that it needs: all of them, or any one if they are separated by `|`."""

    name: str
    method: str
    path: str
    needs: str
    json: Any = None
    form: dict[str, str] | None = None
    headers: dict[str, str] | None = None


def entry(method: str, url: str, resource: Resource | None = None, **request: str) -> Resource:
    made: Resource = {"request": {"method": method, "url": url, **request}}
    return made if resource is None else {**made, "resource": resource}


def bundle(*entries: Resource, kind: str = "transaction") -> Resource:
    return {"resourceType": "Bundle", "type": kind, "entry": list(entries)}


def visit(patient: str = "patient-0", slot: str = "kim-diary-005", **more: Any) -> Resource:
    """A wish for an appointment of a patient on a slot."""
    actor = {"reference": f"Patient/{patient}"}
    taking_part = [{"actor": actor, "status": "accepted"}]
    return {"resourceType": "Appointment", "status": "proposed", "slot": [{"reference": f"Slot/{slot}"}],
            "participant": taking_part, **more}  # fmt: skip


def encounter(patient: str = "patient-0", **more: Any) -> Resource:
    subject = {"reference": f"Patient/{patient}"}
    return {"resourceType": "Encounter", "status": "planned", "subject": subject, **more}


def parameters(*listed: Resource) -> Resource:
    return {"resourceType": "Parameters", "parameter": list(listed)}


def subscription(**more: Any) -> Resource:
    return {"resourceType": "Subscription", "status": "requested", "channelType": {"code": "rest-hook"},
            "topic": APPOINTMENT_CHANGE, "endpoint": "http://x.example", **more}  # fmt: skip


SLOT_TO_HOLD = {"name": "slot", "valueReference": {"reference": "Slot/kim-diary-009"}}
PATCH_IN_A_BUNDLE = parameters(
    {"name": "operation", "part": [
        {"name": "type", "valueCode": "add"}, {"name": "path", "valueString": "Patient"},
        {"name": "name", "valueString": "language"}, {"name": "value", "valueCode": "en"}]}
)  # fmt: skip
INTERACTIONS = [
    Interaction("read", "GET", "/Patient/patient-0", "Patient.r"),
    Interaction("vread", "GET", "/Patient/patient-0/_history/1", "Patient.r"),
    Interaction("history-instance", "GET", "/Patient/patient-0/_history", "Patient.r"),
    Interaction("history-type", "GET", "/Patient/_history", "Patient.s"),
    Interaction("history-system", "GET", "/_history", "*.s"),
    Interaction("search-type", "GET", "/Patient", "Patient.s"),
    Interaction("search-count", "GET", "/Patient?_summary=count&_id=patient-0", "Patient.s"),
    Interaction("search-post", "POST", "/Patient/_search", "Patient.s", form={"gender": "female"}),
    Interaction("search-system", "GET", "/?_type=Patient", "Patient.s"),
    Interaction("search-system-post", "POST", "/_search", "Patient.s", form={"_type": "Patient"}),
    Interaction("search-chain", "GET", "/Patient?organization.name=x", "Patient.s Organization.s"),
    Interaction("search-has", "GET", "/Patient?_has:Encounter:patient:status=planned", "Patient.s Encounter.s"),
    Interaction("search-include", "GET", "/Encounter?_include=Encounter:patient", "Encounter.s"),
    Interaction("search-revinclude", "GET", "/Organization?_revinclude=Patient:organization", "Organization.s"),
    Interaction("create", "POST", "/Patient", "Patient.c", PATIENT),
    Interaction("create-conditional", "POST", "/Patient", "Patient.c Patient.s", PATIENT,
                headers={"If-None-Exist": "gender=other"}),
    Interaction("create-refers-by-search", "POST", "/Encounter", "Encounter.c Patient.s",
                {**encounter(), "subject": {"reference": f"Patient?{IDENTIFIER}"}}),
    Interaction("update", "PUT", "/Patient/patient-0", "Patient.u", {**PATIENT, "id": "patient-0"}),
    Interaction("update-create", "PUT", "/Patient/fresh", "Patient.c Patient.u", {**PATIENT, "id": "fresh"}),
    Interaction("update-conditional", "PUT", f"/Patient?{IDENTIFIER}", "Patient.u Patient.s", PATIENT),
    Interaction("patch", "PATCH", "/Patient/patient-0", "Patient.u Patient.r", CHANGE),
    Interaction("patch-conditional", "PATCH", "/Patient?_id=patient-0", "Patient.u Patient.r Patient.s", CHANGE),
    Interaction("delete", "DELETE", "/Patient/patient-2", "Patient.d"),
    Interaction("delete-conditional", "DELETE", "/Patient?_id=patient-2", "Patient.d Patient.s"),
    Interaction("everything", "GET", "/Patient/patient-0/$everything", "Patient.r"),
    Interaction("validate", "POST", "/Patient/$validate",
                "Patient.r|Patient.c|Patient.u|Patient.d|Patient.s", PATIENT),
    Interaction("transaction-create", "POST", "/", "Patient.c", bundle(entry("POST", "Patient", PATIENT))),
    Interaction("transaction-create-conditional", "POST", "/", "Patient.c Patient.s",
                bundle(entry("POST", "Patient", PATIENT, ifNoneExist="gender=other"))),
    Interaction("transaction-refers-by-search", "POST", "/", "Encounter.c Patient.s",
                bundle(entry("POST", "Encounter", {**encounter(), "subject": {"reference": f"Patient?{IDENTIFIER}"}}))),
    Interaction("transaction-read", "POST", "/", "Patient.r", bundle(entry("GET", "Patient/patient-0"))),
    Interaction("transaction-search", "POST", "/", "Patient.s", bundle(entry("GET", "Patient?gender=female"))),
    Interaction("transaction-include", "POST", "/", "Encounter.s",
                bundle(entry("GET", "Encounter?_include=Encounter:patient"))),
    Interaction("transaction-update", "POST", "/", "Patient.u",
                bundle(entry("PUT", "Patient/patient-0", {**PATIENT, "id": "patient-0"}))),
    Interaction("transaction-patch", "POST", "/", "Patient.u Patient.r",
                bundle(entry("PATCH", "Patient/patient-0", PATCH_IN_A_BUNDLE))),
    Interaction("transaction-delete", "POST", "/", "Patient.d", bundle(entry("DELETE", "Patient/patient-2"))),
    Interaction("transaction-delete-nothing", "POST", "/", "Patient.d", bundle(entry("DELETE", "Patient/nobody"))),
    Interaction("transaction-delete-conditional", "POST", "/", "Patient.d Patient.s",
                bundle(entry("DELETE", "Patient?_id=patient-2"))),
    Interaction("export", "GET", "/$export?_type=Patient", "Patient.r Patient.s", headers=ASYNC),
    Interaction("export-patients", "GET", "/Patient/$export?_type=Patient", "Patient.r Patient.s", headers=ASYNC),
    Interaction("export-status", "GET", "/$export-status/JOB", "Patient.r Patient.s"),
    Interaction("export-file", "GET", "/$export-file/JOB/Patient.ndjson", "Patient.r Patient.s"),
    Interaction("export-delete", "DELETE", "/$export-status/JOB", "Patient.r Patient.s"),
    Interaction("find", "GET", "/Appointment/$find?start=2025-03-24", "Slot.s Schedule.s"),
    Interaction("find-chain", "GET", "/Appointment/$find?start=2025-03-24&organization=Organization/cardiology",
                "Slot.s Schedule.s Practitioner.s PractitionerRole.s"),
    Interaction("find-post", "POST", "/Appointment/$find", "Slot.s Schedule.s",
                parameters({"name": "start", "valueDateTime": "2025-03-24"})),
    Interaction("hold-slots", "POST", "/Slot/$hold", "Slot.u Slot.r", parameters(SLOT_TO_HOLD)),
    Interaction("hold-slot", "POST", "/Slot/kim-diary-009/$hold", "Slot.u Slot.r", parameters()),
    Interaction("hold", "POST", "/Appointment/$hold", "Appointment.c",
                parameters({"name": "appt-resource", "resource": visit()})),
    Interaction("hold-stored", "POST", "/Appointment/wish/$hold", "Appointment.c Appointment.r Appointment.u",
                parameters()),
    Interaction("book", "POST", "/Appointment/$book", "Appointment.c", visit()),
    Interaction("book-refers-by-search", "POST", "/Appointment/$book", "Appointment.c Patient.s",
                visit(subject={"reference": f"Patient?{IDENTIFIER}"})),
    Interaction("book-stored", "POST", "/Appointment/wish/$book", "Appointment.c Appointment.r Appointment.u",
                parameters()),
    Interaction("book-instead", "POST", "/Appointment/$book", "Appointment.c Appointment.r Appointment.u",
                parameters({"name": "appt-resource", "resource": visit()},
                           {"name": "cancelled-appt-id", "valueUri": "booked"})),
    Interaction("subscribe", "POST", "/Subscription", "Subscription.c Appointment.r", subscription()),
    Interaction("subscription-status", "GET", "/Subscription/board/$status", "Subscription.r"),
    Interaction("subscription-events", "GET", "/Subscription/board/$events", "Subscription.r Appointment.r"),
]  # fmt: skip


def guarded_routes(app: Starlette) -> Iterator[tuple[str, Route]]:
    """Method and route of everything that the server really serves, less the addresses that need no token."""
    for route in app.routes:
        assert isinstance(route, Route)
        if not route.path.startswith(OPEN_PATHS):
            yield from ((method, route) for method in (route.methods or set()) - {"HEAD"})


def route_of(app: Starlette, interaction: Interaction) -> tuple[str, str]:
    """The method and the path of the route that serves an interaction."""
    path = interaction.path.partition("?")[0]
    scope = {"type": "http", "method": interaction.method, "path": path, "headers": []}
    for route in app.routes:
        if isinstance(route, Route) and route.matches(scope)[0] is Match.FULL:
            return interaction.method, route.path
    raise AssertionError(f"no route serves {interaction.name}")


@asynccontextmanager
async def guarded_api(hospital: FhirStore) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the server with SMART. Patient 0 has an encounter, a booking, and a wish for another one."""
    slot = await hospital.read("Slot", "kim-diary-000")
    booked = {k: v for k, v in visit(id="booked").items() if k != "slot"}
    await hospital.transact(
        [Create(encounter(id="mine")), Create(subscription(id="board")), *scheduling.book(booked, [slot]),
         Create(visit(slot="kim-diary-003", id="wish"))]
    )  # fmt: skip
    app = fhir_app(hospital, ["fhir.test"], smart=smart(hospital))
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:
        yield client
    await app.state.exports.close()


async def exported(api: httpx.AsyncClient) -> str:
    """The id of a finished export of patients that the service started."""
    token = await service_token(api, "system/*.cruds")
    headers = {**ASYNC, "Authorization": f"Bearer {token}"}
    where = (await api.get("/$export?_type=Patient", headers=headers)).headers["content-location"]
    while (await api.get(where, headers=headers)).status_code == 202:
        await asyncio.sleep(0)
    return str(where).rpartition("/")[2]


async def ask(api: httpx.AsyncClient, interaction: Interaction, token: str, job: str = "none") -> httpx.Response:
    """Send the request of an interaction."""
    headers = {"Authorization": f"Bearer {token}", **(interaction.headers or {})}
    path = interaction.path.replace("JOB", job)
    return await api.request(interaction.method, path, headers=headers, json=interaction.json, data=interaction.form)


def shown(value: Any) -> Iterator[Resource]:
    """All resources in a response, at any depth."""
    if isinstance(value, dict):
        if "resourceType" in value:
            yield value
        for item in value.values():
            yield from shown(item)
    elif isinstance(value, list):
        for item in value:
            yield from shown(item)


async def everything_stored(store: FhirStore) -> list[tuple[Any, ...]]:
    """All rows of resources and holds, to see whether something changed."""

    def rows(transaction: Transaction) -> list[tuple[Any, ...]]:
        found = transaction.execute("SELECT type, id, version, body FROM fhir_resource ORDER BY type, id")
        return [*map(tuple, found), *map(tuple, transaction.execute("SELECT slot, token FROM fhir_hold"))]

    return await store.database.read(rows)
