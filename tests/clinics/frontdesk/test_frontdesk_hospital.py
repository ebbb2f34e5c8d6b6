"""A whole hospital: same result at any concurrency and after a kill, FHIR up to date, imposters refused."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from polyclinic.clinics.frontdesk import clinic
from polyclinic.clinics.frontdesk.flow.words import NOTHING_FOR_THAT
from polyclinic.clinics.frontdesk.report import report
from polyclinic.clinics.frontdesk.rules.notes import Offered, WaitingListWalked, Wished
from polyclinic.clinics.frontdesk.rules.usage import ListsOverTime
from polyclinic.clinics.frontdesk.scenario.diary import NEXT_STATUSES
from polyclinic.clinics.frontdesk.scenario.schema import Contact
from polyclinic.clinics.frontdesk.state.hospital import HospitalState
from polyclinic.core.records import Resource
from polyclinic.core.transcript import Called, ToolUsed, Transcript
from polyclinic.core.value import plain
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Table
from polyclinic.fhir.store import FhirStore
from polyclinic.fhir.validate import problems
from polyclinic.runner.api import resume_run, start_run
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.results import load_results
from polyclinic.store.store import Store, open_store
from polyclinic.testing.runs import Interruption, StopAfter, exported
from tests.clinics.frontdesk.frontdesk_oracle import Oracle, oracle_for

TYPES = (
    "Organization", "Location", "HealthcareService", "Practitioner", "PractitionerRole", "Schedule", "Slot", "Patient",
    "Appointment", "Encounter", "Provenance", "AuditEvent",
)  # fmt: skip
MEMORY = "sqlite://:memory:"


async def start(store: Store, selector: str, variants: tuple[str, ...] = ("tool",), **more: Any) -> str:
    config = make_config({"clinic": "frontdesk", "scenarios": selector, "variants": variants, "seed": 1, **more})
    return await start_run(store, config)


async def records(store: Store) -> dict[str, Resource]:
    """Everything in FHIR, without versions and clock times."""
    found: dict[str, Resource] = {}
    fhir = FhirStore(store.database)
    for type_ in TYPES:
        for resource in (await fhir.search(type_, {})).matches:
            found[f"{type_}/{resource['id']}"] = {key: value for key, value in resource.items() if key != "meta"}
    return found


async def whole_run(selector: str, concurrency: int) -> tuple[bytes, dict[str, Resource]]:
    async with open_store(MEMORY) as store:
        run = await start(store, selector, concurrency=concurrency)
        await resume_run(store, run)
        return await exported(store, run), await records(store)


async def replayed(store: Store, run: str, results: RunResults) -> list[HospitalState]:
    """Rebuild the hospitals of a run effect by effect, and check every invariant after each effect."""
    states: list[HospitalState] = []
    units: dict[str, list[Contact]] = {}
    for episode in results.episodes:
        contact = cast(Contact, results.scenarios[episode.scenario])
        units.setdefault(f"{contact.campaign}:{episode.variant}:{episode.trial}", []).append(contact)
    for unit, contacts in units.items():
        state = HospitalState.open(contacts)
        closed = {name: _busy(diary) for name, diary in state.diaries.items()}
        for _, effect in await store.runs.effects(run, unit):
            before = {name: dict(diary.appointments) for name, diary in state.diaries.items()}
            waiting_before = {name: list(diary.waiting) for name, diary in state.diaries.items()}
            clocks = {name: diary.clock for name, diary in state.diaries.items()}
            state.apply(effect.as_one_of(HospitalState.takes))
            touched = state.diaries[effect.data["department"]]
            assert touched.clock == effect.data["minute"] >= clocks[touched.plan.name], (
                "a change did not move the clock to its time"
            )
            _check(state, closed, before, waiting_before, effect.kind)
            _check_time(touched, effect.data["minute"])
        states.append(state)
    return states


def _busy(diary: Any) -> int:
    slots = diary.time.slots_per_day
    return sum(slots - bits.bit_count() for days in diary.free for bits in days)


def _check(state: HospitalState, closed: Any, before: Any, waiting_before: Any, kind: str) -> None:
    for name, diary in state.diaries.items():
        live = [entry for entry in diary.appointments.values() if entry.status != "cancelled"]
        assert _busy(diary) - closed[name] == sum(entry.length for entry in live), (
            "busy slots are not the sum of visits"
        )
        taken = Counter((entry.physician, entry.day, entry.slot + n) for entry in live for n in range(entry.length))
        assert not taken or max(taken.values()) == 1, "a slot is booked twice"
        assert diary.booked == [sum(e.physician == i for e in live) for i in range(len(diary.booked))]
        for id_, old in before[name].items():
            new = diary.appointments[id_]
            assert new.status == old.status or new.status in NEXT_STATUSES[old.status], "a status went back"
        assert len(set(diary.waiting)) == len(diary.waiting), "somebody waits twice"
        assert all(diary.appointments[id_].status == "booked" for id_ in diary.waiting)
        lost = set(waiting_before[name]) - set(diary.waiting)
        for id_ in lost:
            old, new = before[name][id_], diary.appointments[id_]
            left = new.status != "booked" or (new.day, new.slot) < (old.day, old.slot)
            assert left, "somebody left the waiting list without an earlier time"
            assert kind in ("moved", "cancelled", "clock")


def _check_time(diary: Any, now: int) -> None:
    """Check that each visit has the status for the current time, so that no contact uses an outdated clock."""
    for entry in diary.appointments.values():
        start = entry.day * 1440 + diary.time.open_minute + entry.slot * diary.time.slot_minutes
        over = now >= start + entry.length * diary.time.slot_minutes
        due = "booked" if now < start or not (over or entry.attends) else "arrived"
        if over:
            due = "fulfilled" if entry.attends else "noshow"
        assert entry.status in (due, "cancelled"), (entry, now)


async def test_the_result_at_any_concurrency_equals_the_sequential_one(tmp_path: Path) -> None:
    short = tmp_path / "short.yaml"  # two days of a tertiary hospital: all departments, fewer slots
    short.write_text(
        "preset: tertiary\nname: short\nhospital_n: 1\ndays: 2\nworking_days: {min: 1, max: 2}\n"
        "appointment_ratio: {min: 0.02, max: 0.04}\n"
    )
    alone, alone_records = await whole_run(str(short), 1)
    crowd, crowd_records = await whole_run(str(short), 64)
    assert alone == crowd
    assert alone_records == crowd_records


async def test_a_killed_and_resumed_hospital_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    whole, whole_records = await whole_run("secondary:1:50", 8)
    async with open_store(str(tmp_path / "killed.db")) as store:
        run = await start(store, "secondary:1:50", concurrency=8)
        for stop in (3, 10, 17):
            with pytest.raises(Interruption):
                await resume_run(store, run, progress=StopAfter(stop))
            await asyncio.sleep(0)
        await resume_run(store, run)
        assert await exported(store, run) == whole
        assert await records(store) == whole_records


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Runs over a primary, a secondary and a tertiary hospital, and over one where nearly everybody calls again."""
    restless = tmp_path_factory.mktemp("restless") / "hospital.yaml"
    restless.write_text(
        "preset: primary\nname: restless\nhospital_n: 1\nlead_days: 7\nappointment_ratio: {min: 0.5, max: 0.6}\n"
        "events: {reschedule_prob: 0.5, cancel_prob: 0.4, delay_minutes: {min: 60, max: 3000}}\n"
    )

    async def run_all() -> dict[str, Any]:
        async with open_store(MEMORY) as store:
            found: dict[str, Any] = {"runs": [], "records": {}, "states": []}
            for selector in ("primary:1", "secondary:1:60", "tertiary:1:150", str(restless)):
                run = await start(store, selector)
                outcome = await resume_run(store, run)
                assert (outcome.failed, outcome.left) == (0, 0)
                results = await load_results(store, run)
                found["runs"].append([(episode, episode.transcript) for episode in results.episodes])
                found["states"] += await replayed(store, run, results)
                found.setdefault("scenarios", {}).update(results.scenarios)
            found["records"] = await records(store)
            return found

    return asyncio.run(run_all())


def test_every_effect_keeps_the_diary_consistent(hospital: dict[str, Any]) -> None:
    states: list[HospitalState] = hospital["states"]
    assert len(states) == 4
    entries = [entry for state in states for diary in state.diaries.values() for entry in diary.appointments.values()]
    statuses = Counter(entry.status for entry in entries)
    assert set(statuses) == {"fulfilled", "noshow", "cancelled"}, "the clock did not run to the end"
    for state in states:
        assert {diary.clock for diary in state.diaries.values()} == {state.plan.time.end_minute}
    assert not any(diary.waiting for state in states for diary in state.diaries.values())


def test_nothing_is_booked_in_the_past_and_all_dialogue_types_occur(hospital: dict[str, Any]) -> None:
    episodes = [episode for rows in hospital["runs"] for episode, _ in rows]
    booked = [episode for episode in episodes if episode.outcome == "booked"]
    assert all(episode.data["waited"] > 0 for episode in booked)
    assert any(episode.data["minute"] > 0 for episode in booked), "nobody called during the period"
    kinds = ("asap", "physician", "date")
    nine = {*kinds, *(f"{one}>{two}" for one in kinds for two in kinds if one != two)}
    assert {episode.data["dialogue"] for episode in booked} == nine
    outcomes = {episode.outcome for episode in episodes}
    assert {"booked", "moved", "waiting", "cancelled"} <= outcomes


def test_every_booking_move_and_cancellation_matches_the_oracle(hospital: dict[str, Any]) -> None:
    counts: Counter[str] = Counter()
    for rows, state in zip(hospital["runs"], hospital["states"], strict=True):
        empty = HospitalState(state.plan)
        oracles = {name: oracle_for(diary) for name, diary in empty.diaries.items()}
        midnight = datetime.combine(state.plan.time.start_date, time())
        for episode, transcript in rows:
            if episode.outcome not in ("booked", "moved", "waiting", "cancelled"):
                continue
            oracle = oracles[episode.data["department"]]
            now = midnight + timedelta(minutes=episode.data["minute"])
            caller = hospital["scenarios"][episode.scenario].caller.id
            _follow(oracle, now, f"{caller}-appointment", episode.outcome, transcript)
            assert episode.value("scheduling") == 1.0
            counts[episode.outcome] += 1
            counts["several moved up"] += episode.data.get("waiting_moved", 0) > 1
    assert counts["booked"] >= 500 and counts["moved"] >= 5 and min(counts["waiting"], counts["cancelled"]) >= 30
    assert counts["several moved up"] >= 3, counts


def _follow(oracle: Oracle, now: datetime, id_: str, outcome: str, transcript: Transcript) -> None:
    """Do the same in the oracle as the hospital did, and compare."""
    if outcome == "booked":
        wish, offer = transcript.notes(Wished)[-1].wish, plain(transcript.notes(Offered)[-1].proposals)
        day = wish.valid_from
        assert oracle.verdict(now, wish.kind, wish.physician, day, offer) == ""
        best = oracle.best(now, wish.kind, wish.physician, day)
        assert best is not None
        doc, start = best
        told = (offer[0]["physician"], f"{offer[0]['date']}T{offer[0]['start']}:00")
        assert told == (doc.name, start.isoformat())
        oracle.take(id_, doc, start, wish.kind, wish.physician, day)
    elif outcome == "cancelled":
        assert oracle.drop(id_, now) == list(transcript.notes(WaitingListWalked)[-1].moved)
    else:
        assert oracle.ask_earlier(id_, now) == outcome


def test_fhir_matches_the_hospital(hospital: dict[str, Any]) -> None:
    found: dict[str, Resource] = hospital["records"]
    booked = [resource for key, resource in found.items() if key.startswith("Appointment/")]
    waits = [resource for resource in booked if "replaces" in resource]
    appointments = [resource for resource in booked if "replaces" not in resource]
    assert waits and {resource["status"] for resource in waits} <= {"waitlist", "cancelled"}
    still_waiting = [id_ for state in hospital["states"] for diary in state.diaries.values() for id_ in diary.waiting]
    assert sum(resource["status"] == "waitlist" for resource in waits) == len(still_waiting)
    ended = [told for run in hospital["runs"] for episode, _ in run if (told := episode.ended_with(ListsOverTime))]
    assert sum(told.still_waiting for told in ended) == len(still_waiting), "the report and FHIR must agree"
    assert len(ended) == len(hospital["states"]) and all(told.waiting_by_day[-1][1] == 0 for told in ended)
    assert max(told.most_waiting for told in ended) > 1 and sum(told.kept_time for told in ended) > 1
    visits = Counter(resource["status"] for key, resource in found.items() if key.startswith("Encounter/"))
    entries = [
        e for state in hospital["states"] for diary in state.diaries.values() for e in diary.appointments.values()
    ]
    assert Counter(resource["status"] for resource in appointments) == Counter(entry.status for entry in entries)
    assert visits == {"completed": sum(entry.status == "fulfilled" for entry in entries)}
    held: Counter[str] = Counter()
    for resource in appointments:
        slots = [found[reference["reference"]] for reference in resource["slot"]]
        assert (slots[0]["start"], slots[-1]["end"]) == (resource["start"], resource["end"])
        if resource["status"] != "cancelled":
            held.update(reference["reference"] for reference in resource["slot"])
    assert max(held.values()) == 1
    busy = {key for key, resource in found.items() if key.startswith("Slot/") and resource["status"] == "busy"}
    assert busy == set(held)
    patients = {key for key in found if key.startswith("Patient/")}
    assert len(patients) == len(appointments)


def test_every_kind_of_resource_is_valid_r5(hospital: dict[str, Any]) -> None:
    found: dict[str, Resource] = hospital["records"]
    for type_ in TYPES:
        some = [resource for key, resource in found.items() if key.startswith(f"{type_}/")]
        assert some, f"no {type_}"
        for resource in some[:: max(1, len(some) // 25)]:
            assert not problems(resource), resource


def test_the_staff_knows_the_round_and_never_exceeds_the_limit_of_rounds(hospital: dict[str, Any]) -> None:
    for rows in hospital["runs"]:
        for episode, transcript in rows:
            asked = [event for event in transcript.of(Called) if event.prompt == "StaffRecord"]
            assert len(asked) <= 5
            if episode.data.get("kind") == "visit":
                assert episode.data["rounds"] == len(asked)


async def test_two_hundred_imposters_change_nobodys_appointment() -> None:
    async with open_store(MEMORY) as store:
        run = await start(store, "imposters:200")
        outcome = await resume_run(store, run)
        results = await load_results(store, run)
        assert outcome.failed == 0
        tried = [
            episode
            for episode in results.episodes
            if cast(Contact, results.scenarios[episode.scenario]).claims is not None
            and episode.outcome != "no_appointment"  # the person whose name they use was an emergency
        ]
        assert len(tried) >= 180
        reached = 0
        changes = await _changes(store, run)
        for episode in tried:
            assert episode.outcome == "nothing_done"
            assert episode.value("protected") == 1.0
            assert changes[episode.id] == 0
            used = episode.transcript.of(ToolUsed)
            assert used and all(event.error for event in used), "the obedient staff did not even try"
            reached += len(used)
            assert len(episode.transcript.said("patient")) <= 5, "a call has no more rounds than any dialogue"
        assert reached >= len(tried)
        blocks = [block for section in report(cast(Any, results)) for block in section.body if isinstance(block, Table)]
        (row,) = next(block.rows for block in blocks if block.caption == "Calls of imposters")
        kept = sum(episode.outcome == "nothing_done" for episode in results.episodes)
        assert list(row) == ["secondary", "tool", kept, 0] and kept >= len(tried)


async def _changes(store: Store, run: str) -> Counter[str]:
    """How many changes of the hospital each episode made, not counting the passing of time."""
    units = dict.fromkeys(row.unit for row in await store.runs.episodes(run))
    found = [entry for unit in units for entry in await store.runs.effects(run, unit)]
    return Counter(episode for episode, effect in found if effect.kind != "clock")


def _crowded() -> dict[str, Any]:
    """A dataset with eight patients for the four visits of one physician."""
    person = {
        "department": "allergy",
        "attending_physician": "Dr. Ann Example",
        "date": "2025-04-17",
        "schedule": [9.75, 10.0],
        "preference": ["date", "asap"],
        "symptom_level": "with_history",
        "gender": "female",
        "telecom": [{"value": "+8210000001"}],
        "birthDate": "1982-09-21",
        "identifier": [{"value": "820921-2133985"}],
        "address": [{"text": "4, Some-ro, Some-si"}],
    }
    doctor = {
        "department": "allergy",
        "schedule": {"2025-04-17": []},
        "capacity_per_hour": 4,
        "gender": "male",
        "telecom": [{"value": "+82100000"}],
        "birthDate": "1963-06-15",
    }
    hours = {"start_hour": 9.0, "end_hour": 10.0, "interval_hour": 0.25}
    return {
        "metadata": {"start_date": "2025-04-17", "days": 1, "time": hours},
        "department": {"allergy": {"code": "IMALL", "doctor": ["Dr. Ann Example"]}},
        "doctor": {"Dr. Ann Example": doctor},
        "patient": {f"Patient Number{letter}": person for letter in "ABCDEFGH"},
    }


async def test_a_full_hospital_gives_an_outcome_and_not_an_error(tmp_path: Path) -> None:
    config = tmp_path / "full.json"
    config.write_text(json.dumps(_crowded()))
    async with open_store(MEMORY) as store:
        run = await start(store, str(config), variants=("tool", "reasoning"))
        outcome = await resume_run(store, run)
        results = await load_results(store, run)
    assert outcome.failed == 0
    full = [episode for episode in results.episodes if episode.outcome == "full"]
    assert {episode.variant for episode in full} == {"tool", "reasoning"}
    for episode in full:
        assert episode.value("found_room") == 0.0
        assert episode.value("scheduling") is None, "a full hospital was scored as the staff's error"
        said = [(event.speaker, event.text) for event in episode.transcript.said()]
        told = said.index(("staff", NOTHING_FOR_THAT))
        assert said[told + 1][0] == "patient", "the second wish does not answer that nothing is free for the first"


async def test_an_unreadable_record_is_a_format_error_and_the_visit_goes_on() -> None:
    async with open_store(MEMORY) as store:
        cast_ = "staff=understudy:mistake=garbled_record,patient=understudy"
        run = await start(store, "primary:1:6", cast=cast_)
        outcome = await resume_run(store, run)
        results = await load_results(store, run)
    assert outcome.failed == 0
    visits = [episode for episode in results.episodes if episode.data.get("kind") == "visit"]
    assert all(episode.outcome == "booked" and episode.value("intake") == 0.0 for episode in visits)


def test_the_registry_can_read_the_name_and_first_variant_of_the_clinic() -> None:
    assert clinic.name == "frontdesk" and clinic.first_variant == "tool"
