"""Holding a slot for a while, and booking it with the hold."""

from __future__ import annotations

import httpx
import pytest

from polyclinic.core.records import Resource
from polyclinic.fhir.server import fhir_app
from polyclinic.fhir.store import FhirStore


def hold_body(*slots: str, minutes: int | None = None) -> Resource:
    parameter: list[Resource] = [{"name": "slot", "valueReference": {"reference": f"Slot/{slot}"}} for slot in slots]
    if minutes is not None:
        parameter.append({"name": "minutes", "valuePositiveInt": minutes})
    return {"resourceType": "Parameters", "parameter": parameter}


def visit(*slots: str, patient: str = "patient-0") -> Resource:
    return {
        "resourceType": "Appointment",
        "status": "proposed",
        "slot": [{"reference": f"Slot/{slot}"} for slot in slots],
        "participant": [{"actor": {"reference": f"Patient/{patient}"}, "status": "accepted"}],
    }


def with_hold(appointment: Resource, token: str) -> Resource:
    parameter = [{"name": "appointment", "resource": appointment}, {"name": "hold", "valueString": token}]
    return {"resourceType": "Parameters", "parameter": parameter}


def value(parameters: Resource, name: str) -> str:
    found = next(p for p in parameters["parameter"] if p["name"] == name)
    return str(next(v for k, v in found.items() if k.startswith("value")))


async def test_a_held_slot_is_booked_only_with_its_token(api: httpx.AsyncClient) -> None:
    held = await api.post("/Slot/$hold", json=hold_body("kim-diary-000", "kim-diary-001", minutes=10))
    assert held.status_code == 200, held.text
    assert value(held.json(), "expires") == "2025-03-20T12:10:00.000Z"
    assert (await api.get("/Slot/kim-diary-000")).json()["status"] == "busy-tentative"
    assert value(held.json(), "hold") not in (await api.get("/Slot/kim-diary-000")).text
    slots = ("kim-diary-000", "kim-diary-001")
    assert (await api.post("/Slot/kim-diary-000/$hold", json=hold_body())).status_code == 409
    assert (await api.post("/Appointment/$book", json=visit(*slots))).status_code == 409
    assert (await api.post("/Appointment/$book", json=with_hold(visit(*slots), "guess"))).status_code == 409
    token = value(held.json(), "hold")
    booked = await api.post("/Appointment/$book", json=with_hold(visit(*slots), token))
    assert booked.status_code == 201, booked.text
    assert booked.json()["status"] == "booked"
    assert booked.json()["start"] == "2025-03-24T09:00:00+09:00"
    assert booked.json()["end"] == "2025-03-24T09:30:00+09:00"
    assert (await api.get("/Slot/kim-diary-001")).json()["status"] == "busy"


async def test_an_expired_hold_is_free_again_for_search_hold_and_booking(hospital: FhirStore, clock: object) -> None:
    transport = httpx.ASGITransport(app=fhir_app(hospital, ["fhir.test"]))
    async with httpx.AsyncClient(transport=transport, base_url="http://fhir.test") as api:
        for slot in ("kim-diary-000", "kim-diary-001", "kim-diary-002"):
            assert (await api.post(f"/Slot/{slot}/$hold", json=hold_body(minutes=5))).status_code == 200
        free = "/Slot?schedule=kim-diary&status=free&_summary=count"
        assert (await api.get(free)).json()["total"] == 9
        clock.forward(minutes=5)  # type: ignore[attr-defined]
        assert (await api.post("/Appointment/$book", json=visit("kim-diary-000"))).status_code == 201
        assert (await api.get(free)).json()["total"] == 11
        assert len((await hospital.search("Slot", {"schedule": "kim-diary", "status": "free"})).matches) == 11
        assert (await api.post("/Slot/kim-diary-001/$hold", json=hold_body())).status_code == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (visit(), 422),
        ({k: v for k, v in visit().items() if k != "slot"}, 400),
        (visit("kim-diary-000", "kim-diary-000"), 400),
        (visit("nowhere"), 404),
        (visit("kim-diary-000", "kim-diary-002"), 409),
        (visit("kim-diary-000", "park-diary-001"), 409),
        (with_hold({"resourceType": "Patient"}, "x"), 400),
        ({"resourceType": "Patient"}, 422),
    ],
)
async def test_an_invalid_booking_is_refused(api: httpx.AsyncClient, body: Resource, status: int) -> None:
    answer = await api.post("/Appointment/$book", json=body)
    assert answer.status_code == status, answer.text
    assert (await api.get("/Slot?status:not=free&_summary=count")).json()["total"] == 0


async def test_booking_a_waiting_appointment_keeps_its_id_and_happens_once(api: httpx.AsyncClient) -> None:
    waiting = {**visit("kim-diary-004"), "id": "w", "status": "waitlist"}
    assert (await api.put("/Appointment/w", json=waiting)).status_code == 201
    booked = await api.post("/Appointment/$book", json=waiting)
    assert (booked.status_code, booked.json()["id"], booked.headers["etag"]) == (201, "w", 'W/"2"')
    again = {**waiting, "slot": [{"reference": "Slot/kim-diary-005"}]}
    assert (await api.post("/Appointment/$book", json=again)).status_code == 409


async def test_cancelling_by_put_frees_the_slots(api: httpx.AsyncClient) -> None:
    booked = (await api.post("/Appointment/$book", json=visit("kim-diary-000"))).json()
    cancelled = await api.put(f"/Appointment/{booked['id']}", json={**booked, "status": "cancelled"})
    assert cancelled.status_code == 200, cancelled.text
    assert (await api.get("/Slot/kim-diary-000")).json()["status"] == "free"
