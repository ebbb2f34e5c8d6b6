"""The embedded store: versions, preconditions, all or nothing, and a diary that stays consistent."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from polyclinic.core.records import (
    Create,
    Delete,
    PreconditionFailed,
    RecordConflict,
    RecordGone,
    RecordMissing,
    RecordsError,
    Resource,
    Update,
    version_of,
)
from polyclinic.fhir import scheduling, storage
from polyclinic.fhir.store import FhirStore

Make = Callable[..., Resource]


async def free_slots(store: FhirStore, count: int, schedule: str = "kim-diary") -> list[Resource]:
    query = {"schedule": f"Schedule/{schedule}", "status": "free"}
    return (await store.search("Slot", query, limit=count)).matches


async def statuses(store: FhirStore, schedule: str = "kim-diary") -> str:
    """The diary as letters: f free, b busy, t tentative."""
    found = await store.search("Slot", {"schedule": f"Schedule/{schedule}"})
    return "".join({"free": "f", "busy": "b", "busy-tentative": "t"}[slot["status"]] for slot in found.matches)


async def test_the_version_counts_up_and_earlier_versions_stay_readable(hospital: FhirStore) -> None:
    patient = await hospital.read("Patient", "patient-0")
    assert version_of(patient) == "1"
    await hospital.transact([Update({**patient, "active": False}, if_version="1")])
    current = await hospital.read("Patient", "patient-0")
    assert (version_of(current), current["active"]) == ("2", False)
    old = await hospital.database.read(lambda t: storage.read_version(t, "Patient", "patient-0", "1").resource())
    assert old["active"] is True


async def test_an_update_at_an_old_version_is_refused(hospital: FhirStore) -> None:
    patient = await hospital.read("Patient", "patient-0")
    await hospital.transact([Update(patient)])
    with pytest.raises(PreconditionFailed):
        await hospital.transact([Update(patient, if_version="1")])


async def test_a_deleted_resource_is_gone_and_its_versions_continue_when_it_returns(store: FhirStore) -> None:
    patient = {"resourceType": "Patient", "id": "x", "active": True}
    await store.transact([Create(patient)])
    assert await store.transact([Delete("Patient", "x", if_version="1")]) == [None]
    with pytest.raises(RecordGone):
        await store.read("Patient", "x")
    assert (await store.search("Patient", {"_id": "x"})).matches == []
    created = await store.transact([Create(patient)])
    assert created[0] is not None and version_of(created[0]) == "3"
    with pytest.raises(RecordMissing):
        await store.read("Patient", "never")


async def test_a_resource_with_references_to_it_cannot_be_deleted(hospital: FhirStore) -> None:
    with pytest.raises(RecordConflict, match="refers to it"):
        await hospital.transact([Delete("Organization", "hospital")])
    with pytest.raises(RecordConflict, match="Slot/"):
        await hospital.transact([Delete("Schedule", "kim-diary")])


async def test_a_conditional_creation_happens_once(hospital: FhirStore) -> None:
    condition = {"identifier": "https://polyclinic.example/mrn|MRN-1"}
    found = await hospital.transact([Create({"resourceType": "Patient", "active": True}, if_none_exist=condition)])
    assert found[0] is not None and found[0]["id"] == "patient-1"
    several = {"gender": "female"}
    with pytest.raises(PreconditionFailed, match="several"):
        await hospital.transact([Create({"resourceType": "Patient"}, if_none_exist=several)])


async def test_a_failed_transaction_changes_nothing(hospital: FhirStore, appointment: Make) -> None:
    slots = await free_slots(hospital, 2)
    patient = await hospital.read("Patient", "patient-0")
    changes = [
        Create({"resourceType": "Patient", "id": "new"}),
        Update({**patient, "active": False}),
        *scheduling.book(appointment("a"), slots),
        Update(slots[0], if_version="99"),
    ]
    with pytest.raises(RecordsError):
        await hospital.transact(changes)
    with pytest.raises(RecordMissing):
        await hospital.read("Patient", "new")
    assert version_of(await hospital.read("Patient", "patient-0")) == "1"
    assert await statuses(hospital) == "f" * 12
    assert (await hospital.search("Appointment", {})).matches == []


async def test_a_booking_makes_its_slots_busy_and_nobody_else_gets_them(hospital: FhirStore, appointment: Make) -> None:
    slots = await free_slots(hospital, 3)
    await hospital.transact(scheduling.book(appointment("a"), slots))
    assert await statuses(hospital) == "bbb" + "f" * 9
    booked = await hospital.read("Appointment", "a")
    assert booked["status"] == "booked"
    assert (booked["start"], booked["end"]) == (slots[0]["start"], slots[2]["end"])
    with pytest.raises(PreconditionFailed):
        await hospital.transact(scheduling.book(appointment("b"), slots[2:]))


async def test_no_way_of_writing_books_a_slot_twice(hospital: FhirStore, appointment: Make) -> None:
    slot = (await free_slots(hospital, 1))[0]
    await hospital.transact(scheduling.book(appointment("a"), [slot]))
    times = {"start": slot["start"], "end": slot["end"], "slot": [{"reference": f"Slot/{slot['id']}"}]}
    rival = {**appointment("b"), "status": "booked", **times}
    with pytest.raises(RecordConflict):
        await hospital.transact([Create(rival)])
    with pytest.raises(RecordConflict):
        await hospital.transact([Update({**slot, "status": "busy"}), Create(rival)])
    with pytest.raises(RecordConflict):
        await hospital.transact([Update({**slot, "status": "free"})])
    other = (await free_slots(hospital, 1))[0]
    mine = {**times, "slot": [{"reference": f"Slot/{other['id']}"}]}
    pair = [Create({**rival, "id": "c", **mine}), Create({**rival, "id": "d", **mine})]
    with pytest.raises(RecordConflict, match="both"):
        await hospital.transact(pair)


async def test_an_appointment_written_alone_takes_and_frees_its_slots(hospital: FhirStore, appointment: Make) -> None:
    slot = (await free_slots(hospital, 1))[0]
    times = {"start": slot["start"], "end": slot["end"], "slot": [{"reference": f"Slot/{slot['id']}"}]}
    await hospital.transact([Create({**appointment("a"), "status": "booked", **times})])
    assert await statuses(hospital) == "b" + "f" * 11
    booked = await hospital.read("Appointment", "a")
    await hospital.transact([Update({**booked, "status": "cancelled"})])
    assert await statuses(hospital) == "f" * 12
    await hospital.transact([Update({**booked, "status": "pending"})])
    assert await statuses(hospital) == "t" + "f" * 11


async def test_two_appointments_can_exchange_their_slots(hospital: FhirStore, appointment: Make) -> None:
    first, second = await free_slots(hospital, 2)
    await hospital.transact(scheduling.book(appointment("a"), [first]))
    await hospital.transact(scheduling.book(appointment("b"), [second]))
    a, b = await hospital.read("Appointment", "a"), await hospital.read("Appointment", "b")
    await hospital.transact([Update({**a, **{k: b[k] for k in ("slot", "start", "end")}}),
                             Update({**b, **{k: a[k] for k in ("slot", "start", "end")}})])  # fmt: skip
    assert (await hospital.read("Appointment", "a"))["slot"] == b["slot"]
    assert await statuses(hospital) == "bb" + "f" * 10


async def test_loading_again_adds_only_what_is_missing(hospital: FhirStore) -> None:
    changed = await hospital.read("Patient", "patient-0")
    await hospital.transact([Update({**changed, "active": False})])
    again: list[Resource] = [
        {"resourceType": "Patient", "id": "new"},
        {"resourceType": "Patient", "id": "patient-0", "active": True},
    ]
    assert await hospital.load(again) == 1
    assert (await hospital.read("Patient", "patient-0"))["active"] is False
    with pytest.raises(RecordConflict, match="twice"):
        await hospital.load([{"resourceType": "Patient", "id": "x"}, {"resourceType": "Patient", "id": "x"}])
    with pytest.raises(RecordMissing):
        await hospital.read("Patient", "x")


async def test_an_unknown_search_parameter_is_an_error_in_process(hospital: FhirStore) -> None:
    with pytest.raises(RecordsError, match="colour"):
        await hospital.search("Slot", {"colour": "red"})
