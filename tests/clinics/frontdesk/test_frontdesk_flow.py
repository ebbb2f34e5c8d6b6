"""What the flow shows its models, and what it does when a contact is retried later."""

from __future__ import annotations

import importlib
import re
from datetime import date
from typing import Any, cast

import pytest

from polyclinic.clinics.frontdesk import clinic
from polyclinic.clinics.frontdesk.prompts import PROMPTS
from polyclinic.clinics.frontdesk.prompts.patient import PatientBooking, PatientCalls, PatientIntake
from polyclinic.clinics.frontdesk.prompts.replies import Choice
from polyclinic.clinics.frontdesk.prompts.staff import StaffBooks
from polyclinic.clinics.frontdesk.rules.notes import Offered
from polyclinic.clinics.frontdesk.scenario.diseases import spoken_names
from polyclinic.clinics.frontdesk.scenario.load import scenarios
from polyclinic.clinics.frontdesk.scenario.schema import Contact
from polyclinic.clinics.frontdesk.state.hospital import Booked, HospitalState
from polyclinic.clinics.frontdesk.understudies.patient import PatientUnderstudy
from polyclinic.clinics.frontdesk.understudies.scheduler import StaffUnderstudy
from polyclinic.core.agent import Agent
from polyclinic.core.episode import Campaign, EpisodeSpec
from polyclinic.core.execute import EpisodeResult, RunContext, run_episode
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.prompt import Prompt, check_prompts
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.models.cast import build_cast
from polyclinic.models.spec import parse_cast
from polyclinic.people.patient_axes import PatientAxes
from polyclinic.runner.build.built_run import reader_of
from polyclinic.runner.registry import load_clinic
from polyclinic.testing.runs import run_once


async def test_no_patient_is_told_a_department_or_an_unknown_diagnosis(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_prompts(PROMPTS) == []
    asked: list[Prompt[Any]] = []
    answer = Agent.answer

    async def watched(self: Agent, prompt: Prompt[Any], *rest: Any, **more: Any) -> Any:
        asked.append(prompt)
        return await answer(self, prompt, *rest, **more)

    monkeypatch.setattr(Agent, "answer", watched)
    await run_once(clinic, variants=("tool",), scenarios="secondary:1:60")
    patients = [
        contact.caller
        for contact in cast("list[Contact]", clinic.scenarios("secondary:1:60", 0))
        if contact.kind == "visit"
    ]
    by_name = {patient.person.name: patient for patient in patients}
    told = {True: 0, False: 0}
    for prompt in asked:
        if not isinstance(prompt, PatientIntake | PatientBooking | PatientCalls):
            continue
        words = " ".join(message.content for message in prompt.render()).lower()
        for department in ("gastroenterology", "cardiology", "nephrology", "rheumatology", "pulmonology", "allergy"):
            assert not re.search(rf"\b{department}\b", words.replace(patients_own(prompt, by_name), ""))
        if isinstance(prompt, PatientIntake):
            patient = by_name[prompt.name]
            known = any(name in words for name in spoken_names(patient.disease))
            assert known == patient.knows_diagnosis
            told[known] += 1
    assert min(told.values()) >= 20


async def test_a_place_that_a_tool_found_is_not_read_back_from_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def parsed(*_: Any) -> None:
        raise AssertionError("a found place was parsed")

    for room in ("booking", "callback", "waiting"):
        monkeypatch.setattr(importlib.import_module(f"polyclinic.clinics.frontdesk.flow.{room}"), "read_place", parsed)
    results = await run_once(clinic, variants=("tool",), scenarios="primary:1:16")
    assert not [episode for episode in results.episodes if episode.failures]
    assert sum(bool(episode.transcript.notes(Offered)) for episode in results.episodes) > 8


def patients_own(prompt: Prompt[Any], by_name: dict[str, Any]) -> str:
    """A diagnosis that the patient knows may contain the name of a department ("nut allergy")."""
    if isinstance(prompt, PatientIntake) and by_name[prompt.name].knows_diagnosis:
        return str(by_name[prompt.name].disease).lower()
    return "(nothing)"


class Wavering(StaffUnderstudy):
    """Searches for a doctor without naming one, asks the patient after the error, and does it again."""

    @answers(StaffBooks)
    def books(self, ask: Ask[StaffBooks]) -> Choice:
        if ask.prompt.problem:
            return Choice(action="ask", question="Whom did you mean?")
        return Choice(action="physician_filter")


@pytest.mark.parametrize(("variant", "rounds"), [("tool", 5), ("tool-8", 8)])
async def test_a_patient_states_one_wish_in_a_limited_number_of_rounds(variant: str, rounds: int) -> None:
    contacts = scenarios("primary:1:3", 1)
    visit = next(contact for contact in contacts if contact.kind == "visit")
    accepts = visit.caller.model_copy(update={"resistance": 1.0})
    visit = visit.model_copy(update={"patient": accepts})
    result = await alone(contacts, visit, staff=Wavering(), variant=variant)
    wished = [event for event in result.transcript.said("patient") if event.data.get("phase") == "booking"]
    assert len(wished) == rounds
    assert result.transcript.notes(Offered)[0].via == "fallback", "tools first, reasoning as the fallback"
    assert result.outcome == "booked"


async def alone(
    contacts: list[Contact],
    visit: Contact,
    *,
    staff: Understudy | None = None,
    variant: str = "tool",
    clock: int | None = None,
) -> EpisodeResult:
    """Run one visit alone, in a hospital whose clock may already be later."""
    state = HospitalState.open(contacts)
    for diary in state.diaries.values():
        if clock is not None:
            diary.advance(clock)
    understudies = {"staff": staff or StaffUnderstudy(), "patient": PatientUnderstudy()}
    players = build_cast(
        parse_cast("all=understudy"), list(understudies), understudies, mistakes=[], reader=reader_of(clinic)
    )
    spec = EpisodeSpec("e", clinic.name, visit.id, variant, 0, 1, campaign=visit.campaign)
    context = RunContext(clinic, players, MemoryJournal(), judges=load_clinic("frontdesk").judges())
    return await run_episode(context, spec, visit, Campaign(state))


async def booked_minute(contacts: list[Contact], visit: Contact, clock: int | None) -> int | None:
    """The start of this visit's appointment in a hospital at this clock time; its score must show no fault. None if the
    staff takes the patient for an emergency.
    """
    result = await alone(contacts, visit, clock=clock)
    if result.outcome == "emergency":
        return None
    assert [score.value for score in result.scores if score.metric == "scheduling"] == [1.0]
    booked = next(effect.appointment for effect in result.effects if isinstance(effect, Booked))
    return HospitalState.open(contacts).plan.time.minute(booked.day, booked.slot)


async def test_a_contact_that_is_retried_later_books_nothing_in_the_past() -> None:
    contacts = scenarios("primary:1:25", 1)
    late = HospitalState.open(contacts).plan.time.minute(3, 5)
    overtaken = 0
    for visit in contacts:
        if visit.kind == "visit" and visit.minute < late and visit.caller.preferences[0] == "asap":
            in_time, later = await booked_minute(contacts, visit, None), await booked_minute(contacts, visit, late)
            assert (in_time is None) == (later is None)
            if in_time is not None and later is not None:
                overtaken += visit.minute < in_time <= late
                assert later > late
    assert overtaken >= 3, "no contact would have booked before the clock"


def intake(**changes: Any) -> PatientIntake:
    own: dict[str, Any] = {
        "name": "Tim Lee",
        "sex": "male",
        "birth_date": date(2019, 1, 1),
        "phone": "1",
        "identifier": "2",
        "address": "3 Elm",
        "diagnosis": "",
        "symptoms": ("a cough",),
        "axes": PatientAxes(),
        "staff_says": "How can I help?",
        "first": True,
    }
    return PatientIntake(**{**own, **changes})


def test_a_parents_prompt_speaks_of_the_child() -> None:
    told = intake(companion="parent", speaker="Ann Lee").render()[0].content
    assert "No doctor has seen your child about this." in told and "First say what your child has" in told
    assert "No doctor has seen you about this." in intake().render()[0].content


def test_a_verbose_patient_may_use_twice_as_many_words() -> None:
    verbose = intake(axes=PatientAxes(personality="verbose"))
    assert (intake().most_words(), verbose.most_words()) == (60, 120)
    assert "at most 120 words" in verbose.render()[-1].content


async def test_staff_who_choose_again_after_an_offer_remember_what_they_offered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    remembered: list[str] = []
    answer = Agent.answer

    async def watched(self: Agent, prompt: Prompt[Any], *rest: Any, **more: Any) -> Any:
        if isinstance(prompt, StaffBooks):
            remembered.extend(message.content for message in rest[0])
        return await answer(self, prompt, *rest, **more)

    monkeypatch.setattr(Agent, "answer", watched)
    contacts = scenarios("secondary:1:20", 0)
    visit = next(contact for contact in contacts if contact.kind == "visit")
    changes_mind = visit.caller.model_copy(update={"resistance": 0.0})
    await alone(contacts, visit.model_copy(update={"patient": changes_mind}), staff=Mistaken())
    assert any(words.startswith("How about") for words in remembered)


class Mistaken(StaffUnderstudy):
    """Searches for a doctor without naming one when the patient has turned an offer down, and then chooses as usual."""

    @answers(StaffBooks)
    def books(self, ask: Ask[StaffBooks]) -> Choice:
        """The first choice after a change of mind is one that the tool refuses."""
        earlier = [message for message in ask.request.messages if message.role == "assistant"]
        if len(earlier) == 2 and not ask.prompt.problem:
            return Choice(action="physician_filter")
        return super().books(ask)
