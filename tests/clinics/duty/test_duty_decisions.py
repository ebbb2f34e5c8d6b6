"""What a person decides on duty decides what offline colleagues say and do, in both voices."""

from __future__ import annotations

import pytest

from polyclinic.clinics.duty.agents import role_view
from polyclinic.clinics.duty.agents.views import spoken
from polyclinic.clinics.duty.prompts.people import ActTurn, PatientTurn
from polyclinic.clinics.duty.prompts.views import MemoryView, PatientSteers, StaffSteers
from polyclinic.clinics.duty.rules.tasks import MATTERS
from polyclinic.clinics.duty.rules.triggers import SceneLine, stated_level
from polyclinic.clinics.duty.scenario.load import by_id, shipped
from polyclinic.clinics.duty.scenario.schema import Role
from polyclinic.clinics.duty.understudies.patient import PatientUnderstudy
from polyclinic.clinics.duty.understudies.staff import StaffUnderstudy
from polyclinic.clinics.duty.understudies.voices import voice
from polyclinic.core.message import user
from polyclinic.core.model import Request, Settings
from polyclinic.core.understudy import Ask

from .conftest import reader

SHIFTS = by_id(shipped())
REVIEW, TRIAGE, DISCHARGE = "t1-11-lithium", "t2-01-chest-pain", "t3-01-heart-failure"
VOICES = ("first", "second")
REFUSALS = (
    *("No. I do not confirm this plan.", "hello", "Not yet.", "Let me think about it.", "Who are you?", "I disagree."),
    *("아니요, 그 계획에 동의하지 않습니다.", "Bananas are yellow.", "I will confirm it later.", "안녕하세요"),
)


def says(shift: str, role: Role, stage: str, *lines: SceneLine, to: Role = "patient", wording: str = "first") -> str:
    """What an offline member of staff says on a calm day after these lines."""
    scenario = SHIFTS[shift]
    steers = StaffSteers(
        task=scenario.task,
        stage=stage,
        shift=1,
        turn=len(lines) + 1,
        turns=9,
        dialogue=spoken(lines),
        calm=True,
        voice=wording,
    )
    prompt = ActTurn(
        role=role,
        matter=MATTERS[scenario.task],
        setting=scenario.setting,
        view=role_view(scenario, role),
        traits=(),
        style="",
        norms=(),
        checklist=(),
        learned=(),
        grounding=(),
        heard=(),
        memory=MemoryView(),
        aim="",
        to=to,
        last=False,
        objections=(),
        steers=steers,
    )
    said = StaffUnderstudy().play(Ask(prompt, Request(role, prompt, (user("x"),), (), Settings(), "e"), {}, reader()))
    return str(said)


def line(speaker: Role, text: str, to: Role = "nurse") -> SceneLine:
    return SceneLine(speaker=speaker, text=text, to=to)


def steps_in(said: str, shift: str) -> int:
    """How many steps of the house's plan a message tells, as staff read it; -1 for all."""
    plan = SHIFTS[shift].house_rules or SHIFTS[shift].protocol
    told = sum(step.casefold() in said.casefold() for step in plan)
    return -1 if told == len(plan) else told


@pytest.mark.parametrize("wording", VOICES)
@pytest.mark.parametrize("answer", REFUSALS)
def test_a_plan_that_nobody_confirmed_is_not_told_to_the_patient(answer: str, wording: str) -> None:
    moves = voice(wording).moves
    for shift, role, stage in (
        (REVIEW, "trainee", "plan"),
        (DISCHARGE, "trainee", "explain"),
        (DISCHARGE, "nurse", "teach"),
    ):
        said = says(shift, role, stage, line("doctor", answer, "trainee"), wording=wording)  # type: ignore[arg-type]
        assert moves["alone"].good not in said
        assert steps_in(said, shift) == 0 and moves["check"].good not in said
        assert moves["not_yet" if stage == "teach" else "not_confirmed"].good in said


@pytest.mark.parametrize("wording", VOICES)
@pytest.mark.parametrize("answer", ["Yes.", "I confirm.", "Go ahead, please.", "Agreed.", "네, 그렇게 하세요."])
def test_a_plan_that_was_confirmed_is_told_whole(answer: str, wording: str) -> None:
    said = says(REVIEW, "trainee", "plan", line("doctor", answer, "trainee"), wording=wording)
    assert voice(wording).moves["alone"].good in said
    assert steps_in(said, REVIEW) == -1


@pytest.mark.parametrize("wording", VOICES)
@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("No, stop only the indapamide and keep the lithium.", "Stop only the indapamide and keep the lithium."),
        ("Double the lithium.", "Double the lithium."),
        ("Yes, but no blood test today.", "Yes, but no blood test today."),
        ("No. Drink two litres a day and come back on Monday.", "Drink two litres a day and come back on Monday."),
        ("I do not agree: he goes home as he is.", "He goes home as he is."),
        ("리튬만 끊고 내일 다시 오세요.", "리튬만 끊고 내일 다시 오세요."),
    ],
)
def test_what_was_ordered_instead_is_passed_on_in_the_same_words(answer: str, told: str, wording: str) -> None:
    said = says(REVIEW, "trainee", "plan", line("doctor", answer, "trainee"), wording=wording)
    assert told in said and steps_in(said, REVIEW) == 0
    assert voice(wording).moves["alone"].good not in said


def test_what_was_ordered_besides_is_told_with_the_plan() -> None:
    said = says(REVIEW, "trainee", "plan", line("doctor", "Yes. And give him two litres of saline.", "trainee"))
    assert "Give him two litres of saline." in said and steps_in(said, REVIEW) == -1


@pytest.mark.parametrize("wording", VOICES)
def test_an_offline_doctors_confirmation_is_heard_as_one_in_every_shift(wording: str) -> None:
    for shift, scenario in SHIFTS.items():
        if scenario.task != "T2" and "trainee" in scenario.roles:
            proposed = line(
                "trainee", f"I propose this: {', '.join(scenario.house_rules or scenario.protocol)}", "doctor"
            )
            confirmed = says(shift, "doctor", "confirm", proposed, to="trainee", wording=wording)
            told = says(shift, "trainee", "plan", proposed, line("doctor", confirmed, "trainee"), wording=wording)
            assert voice(wording).moves["alone"].good in told, (confirmed, told)


@pytest.mark.parametrize("wording", VOICES)
@pytest.mark.parametrize("proposal", ["hello", "I propose to double the lithium.", "I do not know.", "모르겠습니다"])
def test_the_doctor_confirms_only_what_was_proposed(proposal: str, wording: str) -> None:
    said = says(REVIEW, "doctor", "confirm", line("trainee", proposal, "doctor"), to="trainee", wording=wording)
    start = voice(wording).moves["correct"].good.partition("{")[0]
    assert start in said and steps_in(said, REVIEW) == -1
    told = says(REVIEW, "trainee", "plan", line("doctor", said, "trainee"), wording=wording)
    assert voice(wording).moves["decided"].good in told and steps_in(told, REVIEW) == -1


@pytest.mark.parametrize("wording", VOICES)
@pytest.mark.parametrize("words", ["hello", "What is his troponin?", "Thank you, nurse.", "I see.", "안녕하세요"])
def test_a_nurse_without_a_decision_asks_for_it(words: str, wording: str) -> None:
    moves, heard = voice(wording).moves, line("doctor", words)
    first = says(TRIAGE, "nurse", "act", heard, to="doctor", wording=wording)
    assert moves["await"].good in first and moves["act"].good not in first
    again = says(TRIAGE, "nurse", "act", heard, line("nurse", first, "doctor"), to="doctor", wording=wording)
    assert moves["await_again"].good in again


@pytest.mark.parametrize(
    "words", ["Level 2.", "Discharge him.", "Get an ECG now.", "중증도 2단계입니다.", "Call cardiology."]
)
def test_a_nurse_acts_on_any_order(words: str) -> None:
    assert voice("first").moves["act"].good in says(TRIAGE, "nurse", "act", line("doctor", words), to="doctor")


@pytest.mark.parametrize("wording", VOICES)
@pytest.mark.parametrize("report", ["hello", "Good morning, doctor.", "I will not do that", "안녕하세요"])
def test_a_doctor_without_a_report_lowers_nothing(report: str, wording: str) -> None:
    said = says(TRIAGE, "doctor", "decide", line("nurse", report, "doctor"), to="nurse", wording=wording)
    level = stated_level(said)
    assert level is not None and level[0] == 2, said


@pytest.mark.parametrize("wording", VOICES)
def test_a_doctor_hears_that_an_order_is_refused(wording: str) -> None:
    report = line("nurse", "Chest pressure into the left arm for forty minutes.", "doctor")
    moves = voice(wording).moves
    for words, refused in (
        ("No, I will not do that.", True),
        ("못 합니다. 안 됩니다.", True),
        ("I am doing it.", False),
    ):
        said = says(TRIAGE, "doctor", "settle", report, line("nurse", words, "doctor"), to="nurse", wording=wording)
        assert (moves["take_over"].good in said) is refused, words


def test_the_patient_says_back_the_orders_and_not_who_gave_them() -> None:
    said = (
        "This worries you. The attending wants this. Stop the salt. Please tell me in your own words what you will do."
    )
    heard = spoken([line("trainee", said, "patient")])
    prompt = PatientTurn(
        setting="",
        knows=(),
        story=(),
        concerns=(),
        manner=(),
        heard=heard,
        to="trainee",
        steers=PatientSteers(answered=0, dialogue=heard, traits=()),
    )
    request = Request("patient", prompt, (user("x"),), (), Settings(), "e")
    assert PatientUnderstudy().play(Ask(prompt, request, {}, reader())) == "So stop the salt, that is what I will do."
