"""What each contact writes to FHIR. A contact that runs again writes nothing twice, and ids never collide."""

from __future__ import annotations

from collections import defaultdict

from polyclinic.clinics.frontdesk.rules.intake_rubric import IntakeRecord
from polyclinic.clinics.frontdesk.scenario.config import preset
from polyclinic.clinics.frontdesk.scenario.diary import Appointment, Diary
from polyclinic.clinics.frontdesk.scenario.slots import earliest
from polyclinic.clinics.frontdesk.scenario.synthesis import synthesize_hospital
from polyclinic.clinics.frontdesk.state.hospital import HospitalState
from polyclinic.clinics.frontdesk.tools.opening import Ids, hospital_resources, load_hospital
from polyclinic.clinics.frontdesk.tools.records import HospitalRecords
from polyclinic.core.records import Resource
from polyclinic.fhir.resources import SERVICES
from polyclinic.fhir.schema import create_tables
from polyclinic.fhir.store import FhirStore
from polyclinic.fhir.validate import check
from polyclinic.store.store import open_store


def entry_at(diary: Diary, patient: str, now: int) -> Appointment:
    place = earliest(diary, now)
    assert place is not None
    length = diary.plan.physicians[place.physician].slots_per_visit
    return Appointment(
        f"{patient}-appointment", patient, "N", place.physician, place.day, place.slot, length, "asap", 0, True
    )


async def test_a_contact_that_runs_again_keeps_its_own_changes() -> None:
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
            HospitalRecords(staged, ids, plan, apart=True).move(diary, entry, later, -90)
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


async def test_a_visit_writes_its_location_its_provenance_and_its_encounter() -> None:
    contacts = synthesize_hospital(preset("primary"), 1, 0)
    state = HospitalState.open(contacts)
    plan, caller = state.plan, contacts[1].caller
    diary = next(iter(state.diaries.values()))
    ids = Ids("r", plan.id, "tool", 0)
    record = IntakeRecord(
        name="Ana Lee",
        sex="female",
        phone="1",
        identifier="",
        address="12, Jungang-ro, Mapo-gu, Seoul 04321",
        department=diary.plan.name,
    )
    async with open_store("sqlite://:memory:") as store:
        await store.database.write(create_tables)
        home = FhirStore(store.database)
        await load_hospital(home, ids, plan)
        entry = entry_at(diary, caller.id, -100)
        diary.add(entry)
        staged = home.stage()
        desk = HospitalRecords(staged, ids, plan)
        desk.book(caller.id, record, diary, entry, -100)
        desk.wait(diary, entry, -90)
        await staged.commit()
        code = diary.plan.code
        for type_ in ("Slot", "Schedule", "Appointment"):
            assert (await home.search(type_, {"specialty": code})).matches, type_
            assert (await home.search(type_, {"service-type": f"{SERVICES}|{code}"})).matches, type_
        assert (await home.search("Slot", {"specialty": "nowhere"})).matches == []
        place = {"location": f"Location/{ids.unit(diary.plan).location_id}"}
        assert len((await home.search("Appointment", place)).matches) == 2
        assert (await home.search("Slot", {"schedule.actor:Location.name": diary.plan.name}, limit=1)).matches
        assert [p["name"][0]["given"] for p in (await home.search("Patient", {"address-city": "seoul"})).matches]
        waiting = (await home.search("Appointment", {"status": "waitlist"})).matches
        assert [w["replaces"][0]["reference"] for w in waiting] == [f"Appointment/{ids.record_id(entry.id)}"]
        for status in ("arrived", "fulfilled"):
            desk.mark(diary, [(entry.id, status)], 500)
            await staged.commit()
            (visit,) = (await home.search("Encounter", {"appointment": waiting[0]["replaces"][0]["reference"]})).matches
            assert visit["status"] == ("in-progress" if status == "arrived" else "completed")
        for type_ in ("Provenance", "AuditEvent"):
            left = await home.search(type_, {"patient": f"Patient/{ids.record_id(caller.id)}"})
            assert len(left.matches) == 2, type_
            for resource in left.matches:
                check(resource)
        for resource in (visit, *waiting, *(await home.search("Patient", {})).matches):
            check(resource)


def test_each_code_has_one_display_text_in_a_whole_hospital() -> None:
    plan = synthesize_hospital(preset("tertiary"), 1, 0)[0].plan
    assert plan is not None
    displays: dict[tuple[str, str], set[str]] = defaultdict(set)
    for resource in hospital_resources(Ids("r", plan.id, "tool", 0), plan):
        for system, code, display in codings(resource):
            displays[system, code].add(display)
    assert len(displays) > 10
    assert {code: found for code, found in displays.items() if len(found) != 1} == {}


def codings(value: object) -> list[tuple[str, str, str]]:
    """System, code and display of every coding that has all three, at any depth."""
    if isinstance(value, list):
        return [found for item in value for found in codings(item)]
    if not isinstance(value, dict):
        return []
    own: Resource = value
    mine = [(own["system"], own["code"], own["display"])] if {"system", "code", "display"} <= own.keys() else []
    return mine + [found for item in own.values() for found in codings(item)]
