"""Names of tests as clinicians write them, and words that only look like them. A second reader wrote the examples."""

from __future__ import annotations

import pytest

from polyclinic.clinics.patient.rules.meaning import shows_result
from polyclinic.clinics.patient.rules.vocabulary import found
from polyclinic.clinics.patient.rules.vocabulary import tests_in_record as named_tests
from polyclinic.clinics.patient.scenario.record import Level, Record
from polyclinic.clinics.patient.scenario.shipped import shipped_records


def one_with(test: str) -> Record:
    return next(case for case in shipped_records() if test in {each.name for each in case.investigations})


NAMED = [
    ("renal biopsy", "kidney biopsy"),
    ("cranial CT", "brain CT"),
    ("CT head please", "brain CT"),
    ("cerebral MRI", "brain MRI"),
    ("CTPA", "CT pulmonary angiography"),
    ("Have you had a CT pulmonary angiogram?", "CT pulmonary angiography"),
    ("coronary angiogram", "coronary angiography"),
    ("CTA of the neck", "CT angiography"),
    ("PET-CT scan", "PET/CT"),
    ("ultrasound of your liver", "abdominal ultrasound"),
    ("a scan of the pancreas", "abdominal CT"),
    ("tummy ultrasound", "abdominal ultrasound"),
    ("pelvic ultrasound", "transvaginal ultrasound"),
    ("leg doppler", "leg ultrasound"),
    ("OGD", "upper endoscopy"),
    ("cardiac enzymes", "troponin"),
    ("lipid profile", "lipid panel"),
    ("A1c please", "HbA1c"),
    ("crp please", "C-reactive protein"),
    ("wbc and hb", "complete blood count"),
    ("urea and electrolytes", "renal function tests"),
    ("glucose", "blood glucose"),
    ("heart scan", "echocardiogram"),
    ("AXR", "abdominal X-ray"),
]


@pytest.mark.parametrize(("question", "test"), NAMED)
def test_a_test_is_known_by_the_names_that_clinicians_use(question: str, test: str) -> None:
    assert test in named_tests(question, one_with(test))


NOT_NAMED = [
    ("renal biopsy", "liver biopsy"),
    ("skin biopsy", "nasopharyngeal biopsy"),
    ("Have you had an MRI of your spine?", "brain MRI"),
    ("MRI of the left knee", "brain MRI"),
    ("cardiac MRI", "brain MRI"),
    ("wrist X-ray", "chest X-ray"),
    ("Do you take pancreatic enzymes?", "serum lipase"),
    ("Have you had a copper test?", "ceruloplasmin"),
    ("Have you had a scan?", "chest X-ray"),
    ("Is there diabetes or high blood sugar in the family?", "blood glucose"),
    ("Has your mother ever had an ECG?", "ECG"),
    ("Any observations of your own?", "vital signs"),
    ("Do you take your blood pressure tablets?", "vital signs"),
    ("ESR", "C-reactive protein"),
]


@pytest.mark.parametrize(("question", "test"), NOT_NAMED)
def test_another_part_of_the_body_another_person_or_another_thing_names_no_test(question: str, test: str) -> None:
    assert test not in named_tests(question, one_with(test))


def test_a_place_that_holds_the_asked_one_is_told_and_a_test_of_no_place_too() -> None:
    assert "PET/CT" in named_tests("CT of the neck", one_with("PET/CT"))
    family_doctor = named_tests("Has your family doctor done a blood test?", one_with("complete blood count"))
    assert family_doctor, "a doctor is no relative"


def test_a_blood_group_is_told_only_as_it_is() -> None:
    (group,) = [fact for case in shipped_records() for fact in case.at(Level.TEST) if fact.text.startswith("Group: A")]
    assert shows_result(group, "The blood group is group A.")
    assert not shows_result(group, "They said a blood group of B.")


def test_american_spelling_is_a_term_too_and_to_come_back_is_no_part_of_the_body() -> None:
    for british, american in (("haematuria", "hematuria"), ("oedema", "edema"), ("dyspnoea", "dyspnea")):
        assert found(british, "jargon") and found(american, "jargon")
    assert found("Does it go into the back?", "body_parts")
    assert not found("When did it come back?", "body_parts")
