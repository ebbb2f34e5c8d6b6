"""Unusual patients: drawn symptoms, children, interpreters, several complaints, emergencies."""

from __future__ import annotations

from collections import Counter
from datetime import date

import pytest

from polyclinic.clinics.frontdesk import clinic
from polyclinic.clinics.frontdesk.judges import intake
from polyclinic.clinics.frontdesk.prompts.patient import PatientIntake
from polyclinic.clinics.frontdesk.prompts.replies import EMERGENCY, IntakeReply, intake_form
from polyclinic.clinics.frontdesk.rules.intake_rubric import IntakeRecord
from polyclinic.clinics.frontdesk.rules.notes import TakenIn
from polyclinic.clinics.frontdesk.scenario.config import preset
from polyclinic.clinics.frontdesk.scenario.diseases import (
    Disease,
    childrens_diseases,
    departments,
    emergencies,
    lint_diseases,
    packaged_diseases,
)
from polyclinic.clinics.frontdesk.scenario.load import scenarios
from polyclinic.clinics.frontdesk.scenario.schema import Patient
from polyclinic.clinics.frontdesk.scenario.synthesis import synthesize
from polyclinic.clinics.frontdesk.scenario.warning_signs import cannot_wait, has_warning_sign
from polyclinic.clinics.frontdesk.understudies.hearing import listen
from polyclinic.clinics.frontdesk.understudies.patient import PatientUnderstudy
from polyclinic.clinics.frontdesk.understudies.triage import sounds_urgent
from polyclinic.clinics.frontdesk.variants import VARIANTS
from polyclinic.core.judge import Case
from polyclinic.core.model import Request
from polyclinic.core.transcript import Failed, Noted, Transcript
from polyclinic.core.understudy import Ask
from polyclinic.core.value import plain
from polyclinic.people.patient_axes import PatientAxes
from polyclinic.testing.runs import played

UNUSUAL = "unusual:1:60"


def patients(selector: str) -> list[Patient]:
    return [contact.caller for contact in scenarios(selector, 1) if contact.kind == "visit"]


def test_a_usual_patient_has_two_to_five_varying_symptoms_of_the_list() -> None:
    told: dict[str, set[tuple[str, ...]]] = {}
    lists = {disease.name: disease.symptoms for disease in packaged_diseases()}
    for patient in patients("secondary"):
        if not patient.emergency and not patient.companion:
            assert 2 <= len(patient.symptoms) <= 5
            assert [one for one in lists[patient.disease] if one in patient.symptoms] == list(patient.symptoms)
            told.setdefault(patient.disease, set()).add(patient.symptoms)
            assert not cannot_wait(patient.disease)
    assert sum(len(found) > 1 for found in told.values()) > 50


def test_patients_with_the_same_symptom_word_it_by_their_persona() -> None:
    def opening(**axes: str) -> str:
        prompt = PatientIntake(
            name="Kim So-hyun",
            sex="female",
            birth_date=date(1990, 1, 2),
            phone="1",
            identifier="2",
            address="3",
            diagnosis="",
            symptoms=("a cough",),
            axes=PatientAxes.model_validate(axes),
            staff_says="Hello",
            first=True,
        )
        return str(PatientUnderstudy().play(Ask(prompt, Request("patient", prompt, ()), {})))

    said = [opening(), opening(personality="impatient"), opening(personality="overanxious"), opening(language="A")]
    assert len(set(said)) == len(said) and all("a cough" in words for words in said)


def test_nobody_reports_findings_that_only_an_examination_shows() -> None:
    assert lint_diseases(packaged_diseases()) == []
    seen = Disease(
        name="X", departments=("cardiology",), symptoms=("a scan that showed a wide vessel", "needing an inhaler")
    )
    assert len([fault for fault in lint_diseases([seen]) if "nobody has examined" in fault]) == 2


def test_children_come_with_a_parent_and_emergencies_have_a_department_in_every_hospital() -> None:
    names = {disease.name for disease in packaged_diseases()}
    assert {entry.disease for entry in emergencies()} <= names
    for department in departments():
        assert any(department.name in disease.departments for disease in childrens_diseases()), department.name
        urgent = {entry.disease for entry in emergencies()}
        assert any(department.name in d.departments for d in packaged_diseases() if d.name in urgent), department.name
    found = patients(UNUSUAL)
    year = scenarios(UNUSUAL, 1)[0].at.year
    for patient in found:
        age = year - patient.person.birth_date.year
        assert (patient.companion == "parent") == (age < 18 or (age == 18 and bool(patient.companion)))
        assert bool(patient.companion) == bool(patient.companion_name)
    kinds = Counter(patient.companion for patient in found)
    assert min(kinds["parent"], kinds["interpreter"], sum(patient.emergency for patient in found)) >= 4
    assert sum(bool(patient.others) for patient in found) >= 8


@pytest.mark.parametrize("voice", ["first", "second"])
async def test_an_emergency_gets_help_and_no_appointment_and_a_parents_name_is_not_the_childs(voice: str) -> None:
    results = await played(clinic="frontdesk", scenarios=UNUSUAL, seed=1, options={"voice": voice})
    sent = 0
    for episode in results.episodes:
        stayed = [failed.error for failed in episode.transcript.of(Failed) if failed.where == "part"]
        assert stayed == [], "an interpreter may speak of the patient"
        contact = results.scenarios[episode.scenario]
        if contact.kind != "visit":
            continue
        caller = contact.caller
        if caller.emergency:
            assert episode.value("red_flag") == 1.0 and episode.outcome == "emergency", caller.symptoms
            assert episode.value("intake") is None and episode.value("scheduling") is None
            sent += 1
            continue
        assert episode.value("false_alarm") == (None if caller.warning_sign else 0.0), caller.symptoms
        note = episode.transcript.last_note(TakenIn)
        if caller.companion and episode.outcome != "emergency" and note and note.record and note.record.name:
            assert note.record.name == caller.person.name != caller.companion_name
    assert sent >= 4


@pytest.mark.parametrize(
    ("symptoms", "sign"),
    [
        (("a sudden very bad pain in the middle of my belly",), True),
        (("Swelling of the mouth, throat, or tongue, which can cause breathing difficulties", "Wheezing"), True),
        (("Seizures (fits)",), True),
        (("Gasping or choking",), True),
        (("Pain that spreads to arms, back, neck, and jaw",), True),
        (("an itchy nose", "fits of coughing that will not stop", "a chesty cough for two weeks"), False),
        (("blood in my pee without pain", "joint pain"), False),
        (("Stiff neck and high temperature (fever)",), True),
        (("a stiff neck", "waking up gasping", "a drooping eyelid"), False),
    ],
)
def test_a_warning_sign_is_found_in_our_words_and_in_those_of_other_hospitals(
    symptoms: tuple[str, ...], sign: bool
) -> None:
    assert has_warning_sign(symptoms) is sign


@pytest.mark.parametrize(
    ("urgency", "sent", "found"),
    [
        ({"emergency": True}, True, {"red_flag": 1.0}),
        ({"emergency": True}, False, {"red_flag": 0.0}),
        ({"warning_sign": True}, True, {}),
        ({"warning_sign": True}, False, {}),
        ({}, True, {"false_alarm": 1.0}),
        ({}, False, {"false_alarm": 0.0}),
    ],
)
def test_emergency_help_for_a_patient_with_a_warning_sign_is_not_judged(
    urgency: dict[str, bool], sent: bool, found: dict[str, float]
) -> None:
    visit = next(contact for contact in scenarios("primary:1:1", 1) if contact.kind == "visit")
    told = {"emergency": False, "warning_sign": False, **urgency}
    contact = visit.model_copy(update={"patient": visit.caller.model_copy(update=told)})
    department = EMERGENCY if sent else visit.caller.home_department
    record = IntakeRecord(name="", sex="", phone="", identifier="", address="", department=department)
    note = TakenIn(record=record, decided=True, rounds=1)
    transcript = Transcript([Noted(topic=note.topic, data=plain(note))])
    scores = {score.metric: score.value for score in intake.apply(Case(contact, VARIANTS["tool"], transcript))}
    assert {name: value for name, value in scores.items() if name in ("red_flag", "false_alarm")} == found
    assert ("intake" in scores) is not (sent and bool(urgency))


async def test_an_emergency_that_is_booked_is_judged_as_missed() -> None:
    cast = "staff=understudy:mistake=misses_emergency,patient=understudy"
    results = await played(clinic="frontdesk", scenarios=UNUSUAL, seed=1, cast=cast)
    missed = [episode for episode in results.episodes if episode.value("red_flag") is not None]
    assert missed and all(episode.value("red_flag") == 0.0 for episode in missed)
    assert {episode.outcome for episode in missed} == {"booked"}


def test_the_form_always_offers_emergency_help() -> None:
    for must_decide in (True, False):
        form = intake_form(("cardiology",), must_decide)
        reply = form.model_validate({**IntakeReply().model_dump(), "department": EMERGENCY})
        assert reply.department == EMERGENCY


def test_phone_and_id_numbers_are_distinguished_by_the_nearest_words() -> None:
    said = "On the card the name is Ahn Tae-young. He can be reached on 010 1234 5678, and"
    heard = listen([f"{said} the ID card says 690807-1255599."])
    assert heard["phone"] == "010 1234 5678" and heard["identifier"] == "690807-1255599"


def test_impossible_shares_are_refused() -> None:
    with pytest.raises(ValueError, match="exclude each other"):
        preset("primary", unusual={"child": 0.6, "emergency": 0.6})
    nobody = synthesize(preset("primary", hospital_n=1, unusual={}), 1)
    assert not any(contact.caller.companion or contact.caller.emergency for contact in nobody if contact.patient)
    assert clinic.name == "frontdesk"


@pytest.mark.parametrize(
    ("said", "urgent"),
    [
        (["Hello. I have severe difficulty breathing."], True),
        (["My father's lips have gone blue."], True),
        (["I have a rash.", "It does not fade when I roll a glass over it."], True),
        (["I have chest pain.", "It goes into my left arm, pain all the way down.", "I am in a cold sweat."], True),
        (["I have chest pain when I walk up the stairs."], False),
        (["I keep waking at night, gasping for air."], False),
        (["There are repeated pauses: I stop breathing, gasp and snore."], False),
        (["I have chest pain.", "I have chest pain.", "As I said, chest pain."], False),
        (["I have trouble with my bank. My mother is breathless."], False),
        (["I have itchy eyes and sneeze every spring."], False),
    ],
)
def test_danger_signs_of_one_sentence_are_counted_once_and_what_comes_and_goes_counts_less(
    said: list[str], urgent: bool
) -> None:
    assert sounds_urgent(said) is urgent
