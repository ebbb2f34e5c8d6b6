"""Requests for tests: the patient gives what the record has, denies no test that it has had, and names no illness."""

from __future__ import annotations

import re

import pytest

from polyclinic.clinics.patient.prompts.doctor.conclusion import Concludes
from polyclinic.clinics.patient.rules.bare_nouns import asks_by_a_noun
from polyclinic.clinics.patient.rules.meaning import read_question
from polyclinic.clinics.patient.rules.vocabulary import tests_in_record as named_tests
from polyclinic.clinics.patient.scenario.shipped import record, shipped_records
from polyclinic.clinics.patient.understudies.voice import voice
from polyclinic.core.reading import Reads
from tests.clinics.patient.conftest import says

BLOOD = (
    r"blood|serum|C-reactive|function|electrolytes|coagulation|troponin|BNP|D-dimer|lipid|fetoprotein|serology|HbA1c"
)
KINDS = {
    "blood test": BLOOD,
    "any blood tests?": BLOOD,
    "bloods": BLOOD,
    "Have you had any bloods done at all?": BLOOD,
    "Did anybody take your blood?": BLOOD,
    "scan": r"CT|MRI|ultrasound|scan",
    "Have you had a scan?": r"CT|MRI|ultrasound|scan",
    "X-ray": "X-ray",
    "xray please": "X-ray",
    "heart tracing": "ECG",
    "ecg": "ECG",
    "urine test": "urinalysis|urine",
    "biopsy": "biopsy",
    "brain scan": "brain (?:CT|MRI)",
}


@pytest.mark.parametrize("question", KINDS)
def test_a_general_name_brings_a_test_of_its_kind_from_every_record_that_has_one(question: str) -> None:
    for case in shipped_records():
        of_kind = [test.name for test in case.investigations if re.search(KINDS[question], test.name)]
        named = named_tests(question, case)
        assert not of_kind or set(named) & set(of_kind), case.id
        assert len(named) <= 2, case.id


@pytest.mark.parametrize("question", ["blood test", "Have you had a scan?", "urine test", "heart tracing", "biopsy"])
@pytest.mark.parametrize("at", range(0, 66, 6))
async def test_no_test_is_denied_that_the_patient_has_had(question: str, at: int, reads: Reads) -> None:
    case = shipped_records()[at]
    said = await says(reads, case, question)
    had = [test.name for test in case.investigations if re.search(KINDS[question], test.name)]
    assert (voice("first").not_done in said) <= (not had)
    assert not had or "It says:" in said


@pytest.mark.parametrize(
    "question",
    [
        "amylase and lipase",
        "Please check amylase and lipase.",
        "creatinine, please",
        "procalcitonin",
        "lipase",
        "What was your sodium?",
        "bloods: FBC, LFT, amylase",
    ],
)
@pytest.mark.parametrize("id", ["dka-03", "app-02", "pe-01"])
async def test_a_laboratory_request_is_never_answered_with_an_illness(question: str, id: str, reads: Reads) -> None:
    hearsay = voice("first").hearsay.partition("{")[0]
    for seed in range(4):
        assert hearsay not in await says(reads, record(id), question, seed=seed)


@pytest.mark.parametrize(
    "noun", ["haematuria?", "haematuria", "Fever?", "chest pain", "vomiting", "Any weight loss?", "smoking"]
)
async def test_a_bare_noun_asks_the_patient_and_is_no_request_and_no_trick(noun: str, reads: Reads) -> None:
    case = record("pan-03")
    asked = await read_question(reads, case, noun)
    assert not asked.test and not asked.cheat
    said = await says(reads, case, noun)
    assert voice("first").not_done not in said and voice("first").hearsay.partition("{")[0] not in said


@pytest.mark.parametrize(
    "name", ["troponin", "Troponin?", "blood test", "CT", "lipase?", "ABG", "copper", "chest X-ray"]
)
async def test_the_bare_name_of_a_test_is_still_a_request(name: str, reads: Reads) -> None:
    assert not asks_by_a_noun(name)
    assert (await read_question(reads, record("pan-03"), name)).test


@pytest.mark.parametrize(
    "words", ["the diagnosis", "results?", "everything", "Acute pancreatitis?", "Where is it?", "5?"]
)
def test_the_diagnosis_all_and_whole_questions_are_no_bare_nouns(words: str) -> None:
    assert not asks_by_a_noun(words, record("pan-03").disease.names)


async def test_a_demand_for_the_diagnosis_still_brings_out_an_untaught_patients_guess(reads: Reads) -> None:
    said = [await says(reads, record("dka-03"), "What is the diagnosis?", seed=seed) for seed in range(4)]
    assert any(voice("first").hearsay.partition("{")[0] in text for text in said)


async def test_who_orders_what_a_test_measures_gets_the_test(reads: Reads) -> None:
    assert "Lipase: 2840" in await says(reads, record("pan-01"), "Please check amylase and lipase.")
    assert named_tests("sodium and potassium", record("dka-02")) == ["electrolytes"]
    assert named_tests("What was your sodium?", record("dka-02")) == [], "a single value stays a trick"


def test_all_tests_of_a_kind_at_once_and_other_parts_of_the_body_are_not_named() -> None:
    assert named_tests("Give me all your blood tests.", record("pan-01")) == []
    case = next(
        case for case in shipped_records() if {"brain CT", "ECG"} <= {test.name for test in case.investigations}
    )
    assert set(named_tests("a scan of your head", case)) <= {"brain CT", "brain MRI"}
    assert named_tests("kidney biopsy", next(c for c in shipped_records() if named_tests("liver biopsy", c))) == []


def test_a_changed_value_is_still_a_diagnosis() -> None:
    told = Concludes.from_human("Low sodium: she drinks all the time")
    known = {"discipline": "x", "profile": "", "complaint": "", "earlier": "", "heard": "", "notes": ()}
    Concludes.model_validate({**known, "memory": {}, "player": {}}).check_person(told)
