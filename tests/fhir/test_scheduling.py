"""The life of an appointment: booking, moving, cancelling, and the states between."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from polyclinic.core.records import RecordConflict, Resource, version_of
from polyclinic.fhir import scheduling
from polyclinic.fhir.changes import history
from polyclinic.fhir.store import FhirStore
from polyclinic.fhir.validate import check

Make = Callable[..., Resource]
NOON = datetime(2025, 3, 23, 12, tzinfo=UTC)


async def diary(store: FhirStore) -> list[Resource]:
    return (await store.search("Slot", {"schedule": "Schedule/kim-diary"})).matches


async def booked(store: FhirStore, appointment: Make, first: int, count: int) -> Resource:
    slots = (await diary(store))[first : first + count]
    made = await store.transact(scheduling.book(appointment("a"), slots))
    assert made[-1] is not None
    return made[-1]


async def test_cancelling_keeps_the_appointment_its_reason_and_its_history(
    hospital: FhirStore, appointment: Make
) -> None:
    visit = await booked(hospital, appointment, 0, 2)
    await hospital.transact(scheduling.cancel(visit, (await diary(hospital))[:2], at=NOON, reason="pat"))
    cancelled = await hospital.read("Appointment", "a")
    assert cancelled["status"] == "cancelled"
    assert cancelled["cancellationDate"].startswith("2025-03-23")
    assert cancelled["cancellationReason"]["coding"][0]["code"] == "pat"
    assert check(cancelled) == []
    assert {slot["status"] for slot in await diary(hospital)} == {"free"}
    page = await hospital.database.read(lambda t: history(t, ["Appointment"], "a", 10))
    assert [v.resource()["status"] for v in page.versions] == ["cancelled", "booked"]


async def test_moving_keeps_the_id_and_the_shared_slot(hospital: FhirStore, appointment: Make) -> None:
    visit = await booked(hospital, appointment, 0, 2)
    slots = await diary(hospital)
    await hospital.transact(scheduling.move(visit, slots[:2], slots[1:3]))
    moved = await hospital.read("Appointment", "a")
    assert (version_of(moved), moved["start"], moved["end"]) == ("2", slots[1]["start"], slots[2]["end"])
    assert [slot["status"] for slot in (await diary(hospital))[:4]] == ["free", "busy", "busy", "free"]


async def test_a_visit_goes_through_its_states(hospital: FhirStore, appointment: Make) -> None:
    visit = await booked(hospital, appointment, 0, 1)
    for status in ("arrived", "checked-in", "fulfilled"):
        made = await hospital.transact(scheduling.mark(visit, status))
        assert made[0] is not None
        visit = made[0]
        assert check(visit) == []
    assert (await diary(hospital))[0]["status"] == "busy"
    with pytest.raises(RecordConflict):
        scheduling.cancel(visit, [], at=NOON)
    with pytest.raises(RecordConflict):
        scheduling.mark(visit, "noshow")


async def test_a_waiting_appointment_holds_no_slot_and_can_become_a_booking(
    hospital: FhirStore, appointment: Make
) -> None:
    made = await hospital.transact(scheduling.reserve(appointment("a"), (await diary(hospital))[:1]))
    pending = made[-1]
    assert pending is not None and pending["status"] == "pending"
    assert (await diary(hospital))[0]["status"] == "busy-tentative"
    waiting = (await hospital.transact(scheduling.mark(pending, "waitlist")))[0]
    assert waiting is not None
    assert (await diary(hospital))[0]["status"] == "free"
    again = await hospital.transact(scheduling.book(waiting, (await diary(hospital))[3:4]))
    assert again[-1] is not None and again[-1]["status"] == "booked" and again[-1]["id"] == "a"


async def test_slots_must_be_free_and_consecutive_in_one_diary(hospital: FhirStore, appointment: Make) -> None:
    mine = await diary(hospital)
    other = (await hospital.search("Slot", {"schedule": "Schedule/park-diary"})).matches
    for wrong in ([mine[0], mine[2]], [mine[0], other[1]], [], [{**mine[0], "status": "busy"}]):
        with pytest.raises(RecordConflict):
            scheduling.book(appointment("a"), wrong)
