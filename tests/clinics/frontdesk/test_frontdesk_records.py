"""FHIR writes: what a killed contact left on another server is not written twice; ids never collide."""

from __future__ import annotations

from polyclinic.clinics.frontdesk.scenario.config import preset
from polyclinic.clinics.frontdesk.scenario.slots import earliest
from polyclinic.clinics.frontdesk.scenario.synthesis import synthesize_hospital
from polyclinic.clinics.frontdesk.state import Appointment, Diary, HospitalState
from polyclinic.clinics.frontdesk.tools.opening import Ids, hospital_resources, load_hospital
from polyclinic.clinics.frontdesk.tools.records import HospitalRecords
from polyclinic.fhir.schema import create_tables
from polyclinic.fhir.store import FhirStore
from polyclinic.store.store import open_store


def entry_at(diary: Diary, patient: str, now: int) -> Appointment:
    place = earliest(diary, now)
    assert place is not None
    length = diary.plan.physicians[place.physician].slots_per_visit
    return Appointment(
        f"{patient}-appointment", patient, "N", place.physician, place.day, place.slot, length, "asap", 0, True
    )


async def test_a_contact_that_runs_again_lets_its_own_changes_stand() -> None:
    contacts = synthesize_hospital(preset("primary"), 1, 0)
    state = HospitalState.open(contacts)
    plan, caller = state.plan, contacts[1].caller
    diary = next(iter(state.diaries.values()))
    ids = Ids("r", plan.id, "tool", 0)
    async with open_store("sqlite://:memory:") as store:
        await store.database.write(create_tables)
        home = FhirStore(store.database)
        await load_hospital(home, ids, plan)
        await load_hospital(home, ids, plan)
        entry = entry_at(diary, caller.id, -100)
        for _ in range(2):
            staged = home.stage()
            HospitalRecords(staged, ids, plan, apart=True).book(caller.id, None, diary, entry, -100)
            await staged.commit()
        later = Appointment(entry.id, caller.id, "N", entry.physician, entry.day, entry.slot + 1, 1, "asap", 0, True)
        for _ in range(2):
            staged = home.stage()
            HospitalRecords(staged, ids, plan, apart=True).move(diary, entry, later)
            await staged.commit()
        for _ in range(2):
            staged = home.stage()
            HospitalRecords(staged, ids, plan, apart=True).cancel(diary, later, -50)
            await staged.commit()
        appointment = await home.read("Appointment", ids.record_id(entry.id))
        busy = await home.search("Slot", {"status": "busy"})
    assert (appointment["status"], appointment["meta"]["versionId"]) == ("cancelled", "3")
    assert busy.matches == []


def test_ids_of_runs_variants_and_trials_never_collide_and_stay_short() -> None:
    plan = synthesize_hospital(preset("tertiary"), 1, 0)[0].plan
    assert plan is not None
    seen: set[str] = set()
    for run in ("frontdesk-ab12cd", "frontdesk-ab12cd-2"):
        for variant in ("tool", "reasoning"):
            for trial in (0, 1):
                ids = Ids(run, plan.id, variant, trial)
                found = {f"{r['resourceType']}/{r['id']}" for r in hospital_resources(ids, plan)}
                assert not found & seen
                assert max(len(name.partition("/")[2]) for name in found) <= 64
                seen |= found
    strange = Ids("frontdesk-ab12cd", "ward of näme with spaces", "tool", 0)
    assert strange.hospital.isascii() and " " not in strange.hospital
