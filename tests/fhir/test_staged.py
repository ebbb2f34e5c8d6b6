"""Staging: an episode sees its own changes, and they are applied together at its end or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest

from polyclinic.core.database import Transaction
from polyclinic.core.records import (
    Create,
    Delete,
    Key,
    PreconditionFailed,
    RecordChange,
    RecordConflict,
    RecordGone,
    RecordMissing,
    Resource,
    Update,
    version_of,
)
from polyclinic.fhir import scheduling, storage
from polyclinic.fhir.plain_changes import ChangeStep
from polyclinic.fhir.store import FhirStore

Make = Callable[..., Resource]
FREE = {"schedule": "Schedule/kim-diary", "status": "free"}


def booking(appointment: Make, id_: str, slot: str) -> ChangeStep:
    """An appointment on one slot, to be booked in a later step."""

    def booked(found: list[Resource | None]) -> list[RecordChange]:
        free, none = found
        assert free is not None and none is None
        return scheduling.book(appointment(id_), [free])

    return [("Slot", slot), ("Appointment", id_)], booked


async def test_searches_see_staged_changes_in_order_and_the_store_does_not(
    hospital: FhirStore, appointment: Make
) -> None:
    staged = hospital.stage()
    before = (await staged.search("Slot", FREE, limit=4)).matches
    await staged.transact(scheduling.book(appointment("a"), before[:2]))
    after = (await staged.search("Slot", FREE, limit=2)).matches
    assert [s["id"] for s in after] == [s["id"] for s in before[2:4]]
    assert [s["id"] for s in (await staged.search("Slot", {**FREE, "_sort": "-start"}, limit=1)).matches] == [
        "kim-diary-011"
    ]
    assert [a["id"] for a in (await staged.search("Appointment", {"patient": "Patient/patient-0"})).matches] == ["a"]
    assert len((await hospital.search("Slot", FREE)).matches) == 12
    with pytest.raises(RecordMissing):
        await hospital.read("Appointment", "a")


async def test_chains_and_reverse_chains_include_staged_changes(hospital: FhirStore, appointment: Make) -> None:
    staged = hospital.stage()
    slots = (await staged.search("Slot", FREE, limit=1)).matches
    await staged.transact(scheduling.book(appointment("a"), slots))
    by_slot = await staged.search("Appointment", {"slot.status": "busy"})
    by_doctor = await staged.search("Slot", {"schedule.actor:Practitioner.name": "kim", "status": "busy"})
    by_visit = await staged.search("Patient", {"_has:Appointment:patient:status": "booked"})
    none = await staged.search("Patient", {"_has:Appointment:patient:status": "fulfilled"})
    assert [r["id"] for f in (by_slot, by_doctor, by_visit, none) for r in f.matches] == [
        "a",
        "kim-diary-000",
        "patient-0",
    ]


async def test_resources_that_were_only_fetched_change_nothing_and_hide_nothing(hospital: FhirStore) -> None:
    staged = hospital.stage()
    found = await staged.fetch([("Slot", "kim-diary-003"), ("Patient", "none"), ("Patient", "patient-0")])
    assert [r and r["id"] for r in found] == ["kim-diary-003", None, "patient-0"]
    assert staged.changes == []
    slot = await hospital.read("Slot", "kim-diary-000")
    await hospital.transact([Update({**slot, "status": "busy-unavailable"})])
    assert len((await staged.search("Slot", FREE)).matches) == 11


async def test_includes_follow_staged_references(hospital: FhirStore, appointment: Make) -> None:
    staged = hospital.stage()
    await staged.transact(scheduling.book(appointment("a"), (await staged.search("Slot", FREE, limit=1)).matches))
    found = await staged.search("Appointment", {"_include": ["Appointment:patient", "Appointment:slot"]})
    assert {r["id"] for r in found.included} == {"patient-0", "kim-diary-000"}
    back = await staged.search("Slot", {"_id": "kim-diary-000", "_revinclude": "Appointment:slot"})
    assert [r["id"] for r in back.included] == ["a"]


async def test_the_net_effect_is_one_conditional_change_per_resource(hospital: FhirStore, appointment: Make) -> None:
    staged = hospital.stage()
    slots = (await staged.search("Slot", FREE, limit=2)).matches
    await staged.transact(scheduling.book(appointment("a"), slots[:1]))
    visit = await staged.read("Appointment", "a")
    held = [await staged.read("Slot", slots[0]["id"])]
    await staged.transact(scheduling.move(visit, held, slots[1:]))
    bundle = staged.bundle()
    assert [e["request"] for e in bundle["entry"]] == [
        {"method": "PUT", "url": "Appointment/a", "ifNoneMatch": "*"},
        {"method": "PUT", "url": f"Slot/{slots[1]['id']}", "ifMatch": 'W/"1"'},
    ]


async def test_applying_inside_an_open_transaction_commits_with_it(hospital: FhirStore, appointment: Make) -> None:
    staged = hospital.stage()
    await staged.transact(scheduling.book(appointment("a"), (await staged.search("Slot", FREE, limit=2)).matches))

    def end_then_fail(transaction: object) -> None:
        staged.apply(transaction, datetime(2025, 3, 21, tzinfo=UTC))  # type: ignore[arg-type]
        raise RuntimeError("the episode's end failed")

    with pytest.raises(RuntimeError):
        await hospital.database.write(end_then_fail)
    assert len((await hospital.search("Slot", FREE)).matches) == 12
    await hospital.database.write(lambda transaction: staged.apply(transaction))
    assert len((await hospital.search("Slot", FREE)).matches) == 10
    assert (await hospital.read("Appointment", "a"))["status"] == "booked"


async def test_a_faster_writer_makes_the_whole_episode_fail(hospital: FhirStore, appointment: Make) -> None:
    first, second = hospital.stage(), hospital.stage()
    for staged, id_ in ((first, "a"), (second, "b")):
        await staged.transact([Create({"resourceType": "Patient", "id": f"new-{id_}"})])
        await staged.transact(scheduling.book(appointment(id_), (await staged.search("Slot", FREE, limit=1)).matches))
    await first.commit()
    with pytest.raises(PreconditionFailed):
        await second.commit()
    with pytest.raises(RecordMissing):
        await hospital.read("Patient", "new-b")


async def test_a_staged_view_refuses_what_the_store_would_refuse(hospital: FhirStore, appointment: Make) -> None:
    staged = hospital.stage()
    slots = (await staged.search("Slot", FREE, limit=1)).matches
    await staged.transact(scheduling.book(appointment("a"), slots))
    with pytest.raises(PreconditionFailed):
        await staged.transact(scheduling.book(appointment("b"), slots))
    with pytest.raises(RecordConflict):
        await staged.transact([Create(appointment("a"))])
    visit = await staged.read("Appointment", "a")
    with pytest.raises(RecordConflict, match="not free"):
        await staged.transact([Create({**visit, "id": "c"})])
    await staged.transact([Update({**visit, "status": "cancelled"})])
    assert (await staged.read("Slot", slots[0]["id"]))["status"] == "free"
    await staged.transact([Delete("Appointment", "a")])
    with pytest.raises(RecordGone):
        await staged.read("Appointment", "a")
    assert staged.changes == []


@pytest.mark.parametrize("inside", [True, False])
async def test_a_deferred_step_uses_the_state_at_the_time_it_is_applied(
    hospital: FhirStore, appointment: Make, inside: bool
) -> None:
    slot = ("Slot", "kim-diary-000")

    def cancelled(found: list[Resource | None]) -> list[RecordChange]:
        own, taken = found
        assert own is not None and taken is not None and taken["status"] == "busy"
        return scheduling.cancel(own, [taken], at=datetime(2025, 3, 1, tzinfo=UTC))

    staged = hospital.stage()
    assert not staged.pending
    staged.later(*booking(appointment, "a", slot[1]))
    staged.later([("Appointment", "a"), slot], cancelled)
    assert staged.pending and staged.changes == []
    stored = await hospital.read(*slot)
    await hospital.transact([Update({**stored, "comment": "moved to room 2"}, version_of(stored))])
    if inside:
        await hospital.database.write(staged.apply)
    else:
        await staged.commit()
        assert not staged.pending
    assert (await hospital.read("Appointment", "a"))["status"] == "cancelled"
    after = await hospital.read(*slot)
    assert (after["status"], after["comment"]) == ("free", "moved to room 2")


async def test_steps_without_common_resources_are_applied_together(
    hospital: FhirStore, appointment: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked: list[int] = []
    lock_keys = storage.lock_keys

    def counted(transaction: Transaction, keys: Sequence[Key]) -> list[storage.Stored]:
        locked.append(len(keys))
        return lock_keys(transaction, keys)

    monkeypatch.setattr(storage, "lock_keys", counted)
    staged = hospital.stage()
    staged.later(*booking(appointment, "a", "kim-diary-000"))
    staged.later(*booking(appointment, "b", "kim-diary-001"))
    await hospital.database.write(staged.apply)
    assert locked == [4]
    assert [(await hospital.read("Appointment", id_))["status"] for id_ in ("a", "b")] == ["booked", "booked"]
    assert len((await hospital.search("Slot", FREE)).matches) == 10


@pytest.mark.parametrize("listed", [True, False])
async def test_a_step_sees_changes_to_slots_that_the_earlier_steps_did_not_name(
    hospital: FhirStore, appointment: Make, listed: bool
) -> None:
    slot = "kim-diary-000"
    stored = await hospital.read("Slot", slot)
    await hospital.transact(scheduling.book(appointment("a"), [stored]))

    def cancelled(found: list[Resource | None]) -> list[RecordChange]:
        assert found[0] is not None
        return [Update({**found[0], "status": "cancelled"}, version_of(found[0]))]

    def created(found: list[Resource | None]) -> list[RecordChange]:
        return [Create({**appointment("b"), "status": "booked", **scheduling.span([stored])})]

    staged = hospital.stage()
    staged.later([("Appointment", "a")], cancelled)
    staged.later(*(booking(appointment, "b", slot) if listed else ([], created)))
    await hospital.database.write(staged.apply)
    assert (await hospital.read("Slot", slot))["status"] == "busy"
    assert version_of(await hospital.read("Slot", slot)) == "4"  # booked, freed, booked again


async def test_a_step_with_unknown_effects_is_applied_alone(hospital: FhirStore, appointment: Make) -> None:
    def nameless(found: list[Resource | None]) -> list[RecordChange]:
        return [Create({"resourceType": "Patient", "active": True})]

    def removed(found: list[Resource | None]) -> list[RecordChange]:
        return [Delete("Appointment", "a")]

    staged = hospital.stage()
    staged.later([], nameless)
    staged.later(*booking(appointment, "a", "kim-diary-000"))
    staged.later([], removed)
    made = await hospital.database.write(staged.apply)
    assert [resource and resource["resourceType"] for resource in made] == ["Patient", "Slot", "Appointment", None]
    assert (await hospital.read("Slot", "kim-diary-000"))["status"] == "free"


async def test_a_step_may_modify_the_resources_it_is_given(hospital: FhirStore, appointment: Make) -> None:
    await hospital.transact(scheduling.book(appointment("a"), [await hospital.read("Slot", "kim-diary-000")]))

    def cancelled(found: list[Resource | None]) -> list[RecordChange]:
        own = found[0]
        assert own is not None
        own["status"] = "cancelled"
        return [Update(own, version_of(own))]

    staged = hospital.stage()
    staged.later([("Appointment", "a")], cancelled)
    await hospital.database.write(staged.apply)
    assert (await hospital.read("Slot", "kim-diary-000"))["status"] == "free"
    assert [found["id"] for found in (await hospital.search("Appointment", {"status": "cancelled"})).matches] == ["a"]


async def test_deferred_steps_are_applied_completely_or_not_at_all(hospital: FhirStore, appointment: Make) -> None:
    def booked(found: list[Resource | None]) -> list[RecordChange]:
        return scheduling.book(appointment("a"), [slot for slot in found if slot is not None])

    def lost(found: list[Resource | None]) -> list[RecordChange]:
        raise RecordMissing("the records lack it")

    staged = hospital.stage()
    staged.later([("Slot", "kim-diary-000")], booked)
    staged.later([("Slot", "none")], lost)
    with pytest.raises(RecordMissing, match="lack it"):
        await hospital.database.write(staged.apply)
    assert len((await hospital.search("Slot", FREE)).matches) == 12
