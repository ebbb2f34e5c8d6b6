"""A write touches only what changed: index and resource agree, decimals keep their digits, other slots stay unread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

import pytest

from polyclinic.core.database import Transaction
from polyclinic.core.records import Create, Delete, PreconditionFailed, RecordConflict, Resource, Update
from polyclinic.fhir import scheduling, storage
from polyclinic.fhir.codec import dumps_text, loads_stored
from polyclinic.fhir.index import index_values
from polyclinic.fhir.slot_rules import Key
from polyclinic.fhir.staged import Staged
from polyclinic.fhir.store import FhirStore
from polyclinic.fhir.write_buffer import WriteBuffer

Make = Callable[..., Resource]
CONTENTS = "SELECT type, id, parameter, value, system, low, high FROM fhir_index WHERE type = ? AND id = ?"


async def indexed(store: FhirStore, type_: str, id_: str) -> list[tuple[object, ...]]:
    def contents(transaction: Transaction) -> list[tuple[object, ...]]:
        return sorted(transaction.execute(CONTENTS, (type_, id_)), key=repr)

    return await store.settled(contents)


async def check_index(store: FhirStore, type_: str, id_: str) -> None:
    expected = set(index_values(await store.read(type_, id_)))
    found = await indexed(store, type_, id_)
    assert set(found) == expected
    assert len(found) == len(expected)


async def test_the_index_follows_every_kind_of_change_of_a_resource(hospital: FhirStore, appointment: Make) -> None:
    slots = (await hospital.search("Slot", {"schedule": "Schedule/kim-diary", "status": "free"}, limit=2)).matches
    await hospital.transact(scheduling.book(appointment("a"), slots))
    await check_index(hospital, "Appointment", "a")
    steps: list[Callable[[Resource], Resource]] = [
        lambda r: {**r, "status": "arrived"},
        lambda r: {**r, "participant": r["participant"][:1]},
        lambda r: {k: v for k, v in r.items() if k != "subject"},
        lambda r: {**r, "specialty": [{"coding": [{"code": "1"}, {"code": "2"}]}]},
        lambda r: {**r, "specialty": [{"coding": [{"code": "2"}]}], "meta": {"tag": [{"code": "t"}]}},
        lambda r: {k: v for k, v in r.items() if k not in ("specialty", "meta")},
        lambda r: {**{k: v for k, v in r.items() if k not in ("start", "end", "slot")}, "status": "waitlist"},
        lambda r: {**r, "requestedPeriod": [{"start": "2025-03-24", "end": "2025-03-25"}]},
    ]
    for step in steps:
        await hospital.transact([Update(step(await hospital.read("Appointment", "a")))])
        await check_index(hospital, "Appointment", "a")
    await hospital.transact([Delete("Appointment", "a")])
    assert await indexed(hospital, "Appointment", "a") == []
    await hospital.transact([Create(appointment("a"))])
    await check_index(hospital, "Appointment", "a")
    assert (await hospital.read("Appointment", "a"))["meta"]["versionId"] == str(len(steps) + 3)


async def test_presence_is_indexed_again_when_an_element_is_added_or_removed(hospital: FhirStore) -> None:
    patient = await hospital.read("Patient", "patient-0")
    await hospital.transact([Update({**patient, "deceasedBoolean": True, "active": False})])
    await check_index(hospital, "Patient", "patient-0")
    assert [p["id"] for p in (await hospital.search("Patient", {"deceased": "true"})).matches] == ["patient-0"]
    await hospital.transact([Update(patient)])
    await check_index(hospital, "Patient", "patient-0")
    assert (await hospital.search("Patient", {"deceased": "true"})).matches == []


async def test_a_creation_under_an_id_in_use_leaves_everything_as_it_was(hospital: FhirStore) -> None:
    before = await hospital.read("Patient", "patient-0")
    other = {"resourceType": "Patient", "id": "other", "active": True}
    with pytest.raises(RecordConflict, match="patient-0 exists already"):
        await hospital.transact([Create(other), Create({**other, "id": "patient-0"})])
    assert await hospital.read("Patient", "patient-0") == before
    assert await indexed(hospital, "Patient", "other") == []


async def test_a_version_that_is_no_longer_the_current_one_is_not_replaced(hospital: FhirStore) -> None:
    old = await hospital.database.read(lambda transaction: storage.read(transaction, "Patient", "patient-0"))
    await hospital.transact([Update({**old.resource(), "active": False})])

    def late(transaction: Transaction) -> None:
        writes = WriteBuffer(transaction, 1)
        writes.insert({"resourceType": "Patient", "id": "other"})
        writes.update(old, {**old.resource(), "gender": "other"})
        writes.flush()

    with pytest.raises(PreconditionFailed, match="Patient/patient-0 version 1 is no longer the current version"):
        await hospital.database.write(late)
    assert (await hospital.read("Patient", "patient-0"))["meta"]["versionId"] == "2"
    assert await indexed(hospital, "Patient", "other") == []
    await check_index(hospital, "Patient", "patient-0")


async def test_an_id_taken_by_another_writer_meanwhile_is_refused(hospital: FhirStore) -> None:
    def late(transaction: Transaction) -> None:
        writes = WriteBuffer(transaction, 1)
        writes.insert({"resourceType": "Patient", "id": "other"})
        writes.insert({"resourceType": "Patient", "id": "patient-0"})
        writes.flush()

    with pytest.raises(RecordConflict, match="Patient/other version 1 or Patient/patient-0 version 1 exists already"):
        await hospital.database.write(late)
    await check_index(hospital, "Patient", "patient-0")


async def test_a_change_of_status_reads_the_appointment_and_not_its_slots(
    hospital: FhirStore, appointment: Make
) -> None:
    slots = (await hospital.search("Slot", {"schedule": "Schedule/kim-diary", "status": "free"}, limit=2)).matches
    await hospital.transact(scheduling.book(appointment("a"), slots))
    asked: list[Key] = []

    async def read_many(keys: Sequence[Key]) -> dict[Key, Resource]:
        asked.extend(keys)
        return await hospital.read_many(keys)

    staged = Staged(hospital, read_many=read_many)
    await staged.transact([Update({**await hospital.read("Appointment", "a"), "status": "arrived"})])
    assert asked == [("Appointment", "a")]
    await staged.transact([Update({**await staged.read("Appointment", "a"), "status": "cancelled"})])
    assert asked[1:] == [("Slot", slot["id"]) for slot in slots]
    await staged.commit()
    freed = [await hospital.read("Slot", slot["id"]) for slot in slots]
    assert [slot["status"] for slot in freed] == ["free", "free"]


@pytest.mark.parametrize("written", ["1.50", "1E+5", "1E-7", "0.10", "-3.0"])
async def test_stored_decimals_keep_their_digits_however_they_are_written(written: str) -> None:
    body = dumps_text({"meta": {"lastUpdated": "2025-01-01T00:00:00.000Z"}, "value": Decimal(written)})
    assert dumps_text(loads_stored(body)) == body
    assert loads_stored(body)["value"] == Decimal(written)


def test_points_and_signs_in_words_are_no_decimals() -> None:
    resource = {"meta": {"lastUpdated": "2025-01-01T00:00:00.123Z"}, "name": "Dr. Kim, 1.5, CASE-1 E+ Z", "count": 7}
    assert loads_stored(dumps_text(resource)) == resource
