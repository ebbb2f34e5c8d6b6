"""Who calls back, when, and with what result: moves, waiting lists, and patients who cannot be called."""

from __future__ import annotations

from collections import Counter
from typing import Any

from polyclinic.clinics.frontdesk import clinic
from polyclinic.clinics.frontdesk.report.operations import operations
from polyclinic.clinics.frontdesk.report.rows import rows_of
from polyclinic.clinics.frontdesk.rules.notes import CalledBack, WaitingListWalked
from polyclinic.clinics.frontdesk.scenario.config import preset
from polyclinic.clinics.frontdesk.scenario.foresight import Foresight
from polyclinic.clinics.frontdesk.scenario.synthesis import synthesize_hospital
from polyclinic.core.transcript import Changed
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Table
from polyclinic.fhir.store import FhirStore
from polyclinic.runner.api import resume_run, start_run
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.results import load_results
from polyclinic.store.store import open_store
from polyclinic.testing.runs import run_once

BUSY = "tertiary:1:500"
SWAPS = "staff=understudy:mistake=swaps_numbers,patient=understudy"


def walks(results: RunResults[Any]) -> list[WaitingListWalked]:
    found = [episode.transcript.last_note(WaitingListWalked) for episode in results.episodes]
    return [walked for walked in found if walked is not None]


def at_a_glance(results: RunResults[Any]) -> dict[str, Any]:
    """The figures of the report's first table, by the first line of their names."""
    table = next(block for block in operations(rows_of(results)) if isinstance(block, Table))
    return {str(row[0]).partition("\n")[0]: row[1] for row in table.rows}


def test_as_many_patients_call_back_as_the_papers_rates_say() -> None:
    for level, moves, cancels in (("tertiary", 0.15, 0.10), ("secondary", 0.10, 0.05), ("primary", 0.10, 0.05)):
        kinds: Counter[str] = Counter(
            contact.kind for seed in range(3) for contact in synthesize_hospital(preset(level), seed, 0)
        )
        for kind, rate in (("move", moves), ("cancel", cancels)):
            expected = rate * kinds["visit"]
            assert abs(kinds[kind] - expected) < 4 * expected**0.5, (level, kind, kinds)


def test_moves_happen_at_every_level_when_everybody_follows_the_rules() -> None:
    """A cancelled time reaches the waiting list also where there are few cancellations, as in a secondary hospital."""
    for level, least in (("primary", 0.008), ("secondary", 0.008), ("tertiary", 0.03)):
        booked = moved = 0
        for seed in (1, 2, 3) if level != "tertiary" else (2,):
            contacts = synthesize_hospital(preset(level), seed, 0)
            patients = list({contact.caller.id: contact.caller for contact in contacts[1:-1]}.values())
            number_of = {patient.id: number for number, patient in enumerate(patients)}
            assert contacts[0].plan is not None
            desk = Foresight(contacts[0].plan, patients)
            for contact in contacts[1:-1]:
                number = number_of[contact.caller.id]
                if contact.kind == "visit":
                    booked += desk.book(number, contact.minute) is not None
                else:
                    moved += (desk.move if contact.kind == "move" else desk.cancel)(number, contact.minute)
        assert moved >= least * booked, (level, moved, booked)


async def test_patients_call_back_at_any_time_before_their_visit_and_hardly_ever_too_late() -> None:
    results = await run_once(clinic, scenarios=BUSY, variants=("tool",), seed=1)
    called = {contact.caller.id: contact.minute for contact in results.scenarios.values() if contact.kind == "visit"}
    after: list[float] = []
    for episode in results.episodes:
        contact, event = results.scenarios[episode.scenario], episode.transcript.last_note(CalledBack)
        if event is not None:
            after.append((contact.minute - called[contact.caller.id]) / 60)
    ends = Counter(episode.outcome for episode in results.episodes)
    assert ends["too_late"] <= 0.02 * len(after)
    later_than_an_hour, next_day = (sum(hours > limit for hours in after) for limit in (1, 15))
    assert later_than_an_hour > 0.6 * len(after), "most callers do not ring within the hour of their booking"
    assert next_day > 0.2 * len(after)
    assert ends["waiting"] > 40 and ends["cancelled"] > 30
    assert sum(len(walked.moved) for walked in walks(results)) >= 8, "cancelled times reach the waiting list"
    glance = at_a_glance(results)
    assert glance["cancelled while on the list"] > 0
    left = (
        "moved up from the list",
        "on the list until their visit",
        "cancelled while on the list",
        "still on the list",
    )
    assert glance["put on a waiting list"] == sum(glance[way] for way in left), "everybody leaves the list in one way"


async def test_staff_who_go_through_the_waiting_list_find_the_same_times_as_the_rule() -> None:
    results = await run_once(clinic, scenarios="tertiary:1:150", variants=("tool-list",), seed=1)
    found = walks(results)
    steps = [step for walked in found for step in walked.steps]
    assert steps and all(step.right for step in steps), "`due` is the time that the rule finds"
    due = [tuple(step.id for step in walked.steps if step.due is not None) for walked in found]
    assert [walked.moved for walked in found] == due and any(due)
    scores = {score.value for episode in results.episodes for score in episode.scores if score.metric == "waiting_list"}
    assert scores == {1.0}


async def test_taking_a_later_time_from_the_waiting_list_is_an_error() -> None:
    cast = "staff=understudy:mistake=late,patient=understudy"
    results = await run_once(clinic, scenarios="tertiary:1:150", variants=("reasoning-list",), cast=cast, seed=1)
    wrong = [step for walked in walks(results) for step in walked.steps if not step.right]
    assert wrong and all(step.due is not None for step in wrong)


async def test_a_wrong_phone_number_is_in_fhir_and_keeps_the_patient_from_moving_up() -> None:
    async with open_store("sqlite://:memory:") as store:
        config = {"clinic": "frontdesk", "scenarios": "tertiary:1:150", "variants": ("tool",), "seed": 1, "cast": SWAPS}
        run = await start_run(store, make_config(config))
        await resume_run(store, run)
        results = await load_results(store, run)
        patients = (await FhirStore(store.database).search("Patient", {"_count": "1000"})).matches
    swapped = [
        patient
        for patient in patients
        if "telecom" in patient and patient["telecom"][0]["value"] == patient["identifier"][0]["value"]
    ]
    assert len(swapped) > 0.9 * len(patients), "what the staff wrote down is what the hospital knows"
    found = walks(results)
    missed = {id_ for walked in found for id_ in walked.unreached}
    assert missed, "there were free times for patients whom nobody could call"
    glance = at_a_glance(results)
    assert glance["not reached, of those on the list"] == len(missed) < sum(len(walked.unreached) for walked in found)
    for episode in results.episodes:
        walked = episode.transcript.last_note(WaitingListWalked)
        if walked is not None and walked.unreached:
            assert not set(walked.moved) & missed
            changed = {event.what.removeprefix("appointment ") for event in episode.transcript.of(Changed)}
            assert not changed & set(walked.unreached)
    reached = [score for episode in results.episodes for score in episode.scores if score.metric == "reached"]
    assert reached and min(score.value for score in reached) == 0
