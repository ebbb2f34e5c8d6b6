"""`$find`, `$hold` and `$book` as the scheduling guides define them: offers, holds with an end, bookings, moves."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from polyclinic.core.records import Resource, Update
from polyclinic.fhir.datatypes import reference
from polyclinic.fhir.store import FhirStore
from polyclinic.fhir.validate import check
from tests.fhir.conftest import Clock

WEEK = {"start": "2025-03-24T00:00:00Z", "end": "2025-03-28T00:00:00Z"}


def parameters(**named: Any) -> Resource:
    listed = [{"name": name.replace("_", "-"), **value} for name, value in named.items()]
    return {"resourceType": "Parameters", "parameter": listed}


async def find(api: httpx.AsyncClient, **query: str) -> list[Resource]:
    answer = await api.get("/Appointment/$find", params={**WEEK, **query})
    assert answer.status_code == 200, answer.text
    return [e["resource"] for e in answer.json()["entry"] if e["search"]["mode"] == "match"]


async def test_offers_come_in_order_and_have_the_physicians_visit_length(api: httpx.AsyncClient) -> None:
    offers = await find(api, practitioner="Practitioner/kim", max="3")
    assert [offer["start"][11:16] for offer in offers] == ["09:00", "09:15", "09:30"]
    assert all(offer["status"] == "proposed" for offer in offers)
    longer = await find(api, practitioner="Practitioner/kim", duration="30")
    assert [offer["start"][11:16] for offer in longer[:2]] == ["09:00", "09:30"]
    assert [len(offer["slot"]) for offer in longer] == [2] * 6
    for offer in (*offers, *longer):
        check(offer)
    both = await find(api, max="4")
    assert [offer["start"][11:16] for offer in both] == ["09:00", "09:00", "09:15", "09:15"]


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"specialty": "urn:s|heart"}, 12),
        ({"service-type": "visit"}, 12),
        ({"visit-type": "other"}, 0),
        ({"location-reference": "Location/room-1"}, 12),
        ({"location-string": "Room"}, 12),
        ({"location-string": "Cellar"}, 0),
        ({"organization": "Organization/cardiology"}, 24),
        ({"organization": "Organization/hospital"}, 0),
        ({"schedule": "Schedule/park-diary"}, 12),
        ({"end": "2025-03-24T00:59:00Z"}, 6),
        ({"start": "2026-01-01", "end": "2026-02-01"}, 0),
    ],
)
async def test_every_filter_of_the_guides_works(
    api: httpx.AsyncClient, hospital: FhirStore, query: dict[str, str], count: int
) -> None:
    diary = await hospital.read("Schedule", "kim-diary")
    concept = {"coding": [{"system": "urn:s", "code": "heart"}]}
    place = {**diary, "actor": [*diary["actor"], reference("Location", "room-1")], "specialty": [concept]}
    visit = {"concept": {"coding": [{"code": "visit"}]}}
    await hospital.transact([Update({**place, "serviceType": [visit]})])
    assert len(await find(api, max="100", **query)) == count


async def test_an_offer_is_held_by_its_id_and_booked(api: httpx.AsyncClient, hospital: FhirStore) -> None:
    asked = parameters(
        start={"valueDateTime": WEEK["start"]},
        end={"valueDateTime": WEEK["end"]},
        practitioner={"valueReference": {"reference": "Practitioner/kim"}},
        patient_reference={"valueReference": {"reference": "Patient/patient-0"}},
    )
    offer = (await api.post("/Appointment/$find", json=asked)).json()["entry"][0]["resource"]
    chosen = parameters(appt_id={"valueUri": f"Appointment/{offer['id']}"})
    held = (await api.post("/Appointment/$hold", json=chosen)).json()["entry"][0]["resource"]
    assert held["status"] == "pending"
    slot = held["slot"][0]["reference"]
    assert (await api.get(f"/{slot}")).json()["status"] == "busy-tentative"
    assert offer["start"] not in {other["start"] for other in await find(api, practitioner="Practitioner/kim")}
    assert (await api.post("/Appointment/$hold", json=chosen)).status_code == 409
    booked = await api.post(f"/Appointment/{held['id']}/$book", json=parameters())
    assert booked.json()["entry"][0]["resource"]["status"] == "booked"
    assert booked.json()["entry"][0]["resource"]["id"] == held["id"]
    assert (await api.get(f"/{slot}")).json()["status"] == "busy"
    again = await api.post(f"/Appointment/{held['id']}/$book", json=parameters())
    assert again.status_code == 409


@pytest.mark.parametrize("release", ["", "/r4"])
async def test_a_held_appointment_is_booked_with_its_physician_and_for_its_own_patient_only(
    api: httpx.AsyncClient, hospital: FhirStore, release: str
) -> None:
    diary = await hospital.read("Schedule", "kim-diary")
    await hospital.transact([Update({**diary, "actor": [*diary["actor"], reference("Location", "room-1")]})])
    offer = (await find(api, practitioner="Practitioner/kim"))[0]

    def chosen(id_: str, patient: str) -> Resource:
        return parameters(
            appt_id={"valueUri": f"Appointment/{id_}"}, patient_reference={"valueReference": {"reference": patient}}
        )

    first = await api.post(f"{release}/Appointment/$hold", json=chosen(offer["id"], "Patient/patient-0"))
    held = first.json()["entry"][0]["resource"]
    other = await api.post(f"{release}/Appointment/$book", json=chosen(held["id"], "Patient/patient-1"))
    assert other.status_code == 409 and "another patient" in other.text
    assert (await hospital.read("Appointment", held["id"]))["status"] == "pending"
    again = await api.post(f"{release}/Appointment/$book", json=chosen(held["id"], "Patient/patient-0"))
    booked = again.json()["entry"][0]["resource"]
    assert booked["status"] == "booked"
    actors = ["Patient/patient-0", "Practitioner/kim", "Location/room-1"]
    assert [part["actor"]["reference"] for part in booked["participant"]] == actors


async def test_a_hold_ends_with_its_time_and_its_slots_are_free(
    api: httpx.AsyncClient, hospital: FhirStore, clock: Clock
) -> None:
    offer = (await find(api, practitioner="Practitioner/kim"))[0]
    chosen = parameters(appt_resource={"resource": offer}, minutes={"valuePositiveInt": 2})
    held = (await api.post("/Appointment/$hold", json=chosen)).json()["entry"][0]["resource"]
    clock.forward(minutes=3)
    assert (await api.post(f"/Appointment/{held['id']}/$book", json=parameters())).status_code == 409
    assert len(await find(api, practitioner="Practitioner/kim", max="100")) == 12
    ended = await hospital.read("Appointment", held["id"])
    assert ended["status"] == "cancelled"
    check(ended)


async def test_booking_in_place_of_another_appointment_cancels_the_other_one(api: httpx.AsyncClient) -> None:
    first, second = (await find(api, practitioner="Practitioner/kim"))[:2]
    patient = {"valueReference": {"reference": "Patient/patient-1"}}
    made = await api.post(
        "/Appointment/$book", json=parameters(appt_id={"valueUri": first["id"]}, patient_reference=patient)
    )
    old = made.json()["entry"][0]["resource"]
    assert old["subject"] == {"reference": "Patient/patient-1"}
    moved = await api.post(
        "/Appointment/$book",
        json=parameters(appt_id={"valueUri": second["id"]}, cancelled_appt_id={"valueUri": f"Appointment/{old['id']}"}),
    )
    assert moved.json()["entry"][0]["resource"]["start"] == second["start"]
    assert (await api.get(f"/Appointment/{old['id']}")).json()["status"] == "cancelled"
    assert (await api.get(f"/{old['slot'][0]['reference']}")).json()["status"] == "free"


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/Appointment/$find", {"start": "2025-03-28", "end": "2025-03-24"}),
        ("/Appointment/$find", {"start": "soon"}),
        ("/Appointment/$find", {"max": "0"}),
        ("/Appointment/$find", {"practitioner": ""}),
    ],
)
async def test_unreadable_requests_are_refused(api: httpx.AsyncClient, path: str, query: dict[str, str]) -> None:
    answer = await api.get(path, params=query)
    assert answer.status_code == 400
    assert answer.json()["resourceType"] == "OperationOutcome"


async def test_an_id_that_was_never_offered_is_not_found(api: httpx.AsyncClient) -> None:
    for name in ("$hold", "$book"):
        answer = await api.post(f"/Appointment/{name}", json=parameters(appt_id={"valueUri": "Appointment/nobody"}))
        assert answer.status_code in (404, 422), answer.text


async def test_a_search_without_free_slots_says_so(api: httpx.AsyncClient) -> None:
    answer = (await api.get("/Appointment/$find", params={**WEEK, "specialty": "nowhere"})).json()
    assert answer["total"] == 0
    assert answer["entry"][0]["resource"]["issue"][0]["severity"] == "information"
