"""Imported notes keep what they say: lists, parts of an examination, ages in months, reports without single results."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from polyclinic.cli.main import invoke
from polyclinic.clinics.patient.scenario.agentclinic import load_agentclinic
from polyclinic.clinics.patient.scenario.fhir_bundle import load_fhir_bundle
from polyclinic.clinics.patient.scenario.mtsamples import COLUMNS, load_mtsamples
from polyclinic.clinics.patient.scenario.own_voice import in_own_voice
from polyclinic.clinics.patient.scenario.record import Level, Record, Topic
from polyclinic.clinics.patient.scenario.select import left_out, lint, scenarios
from polyclinic.clinics.patient.scenario.set_phrases import in_plain_words
from polyclinic.errors import DataError


def told(record: Record, topic: Topic) -> list[str]:
    return [fact.text for fact in record.spoken if fact.topic is topic]


def mtsamples(transcription: str) -> Record:
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(COLUMNS)
    rows.writerow(["A consult.", " Consult - History and Phy.", " Dyspnea", transcription, "lungs"])
    return load_mtsamples(out.getvalue(), "rows.csv")[0]


LUNGS = (
    "CHIEF COMPLAINT:,  Shortness of breath.,HPI:,  The patient is a 71-year-old gentleman with 3 days of cough. "
    " He denies chest pain.,PAST MEDICAL HISTORY:,1.  Gout.,2.  Hypertension.,MEDICATIONS:,1.  Albuterol 2 puffs "
    "q.4h. p.r.n.,2.  Lisinopril 10 mg daily.,ALLERGIES:,  NKDA.,FAMILY HISTORY:,  Positive for gout in his father."
    ",SOCIAL HISTORY:,  He smokes.  He lives alone.,REVIEW OF SYSTEMS:,  As above.,PHYSICAL EXAMINATION:,VITAL SIGNS:  "
    "Pulse 104.,GENERAL:  Elderly man in distress.,LUNGS:  Diffuse wheezes.  No crackles.,EKG:,  Sinus tachycardia."
    ",IMPRESSION:,1.  Acute exacerbation of COPD.,2.  Hypertension, controlled.,PLAN:,1.  Admit."
)


def test_a_numbered_list_becomes_lines_without_numbers() -> None:
    record = mtsamples(LUNGS)
    assert record.diagnosis == "Acute exacerbation of COPD"
    assert told(record, Topic.HISTORY) == ["Gout.", "Hypertension."]
    assert told(record, Topic.MEDICATION) == ["Albuterol 2 puffs q.4h. p.r.n.", "Lisinopril 10 mg daily."]


def test_every_part_of_an_examination_is_kept() -> None:
    tests = {test.name: test.items for test in mtsamples(LUNGS).investigations}
    assert tests["physical examination"] == {
        "General": "Elderly man in distress.",
        "Lungs": "Diffuse wheezes. No crackles.",
    }
    assert tests["vital signs"] == {"Finding 1": "Pulse 104."}
    assert tests["ECG"] == {"Finding 1": "Sinus tachycardia."}


def test_rows_that_make_no_case_are_named_with_what_they_lack(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = ["A consult.", "Consult", "Dyspnea", LUNGS, ""]
    ageless = ["A consult.", "Consult", "Dyspnea", LUNGS.replace("71-year-old gentleman", "patient"), ""]
    operation = ["An operation.", "Surgery", "Hernia", "PROCEDURE:,  Repair of a hernia.", ""]
    file = tmp_path / "rows.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([COLUMNS, operation, whole, ageless, operation])
    said = [
        "rows.csv: 2 of 4 rows left out, no impression, assessment or diagnosis: rows 1, 4",
        "rows.csv: 1 of 4 rows left out, the patient's age cannot be read: row 3",
    ]
    assert [case.id for case in scenarios(str(file))] == ["mtsamples-2"]
    assert left_out(str(file)) == left_out(f"{file}:1") == said
    assert lint(str(file))[-2:] == said
    for command in (["scenarios", "list"], ["run", "--store", f"sqlite:///{tmp_path}/store.db"]):
        assert invoke([*command, "patient", "--scenarios", str(file)]) == 0
        assert [f"note: {line}" in capsys.readouterr().err for line in said[:1]] == [True], command


def test_set_phrases_of_notes_are_told_in_plain_words() -> None:
    record = mtsamples(LUNGS)
    assert told(record, Topic.ALLERGY) == ["I have no known allergies."]
    assert told(record, Topic.SYMPTOM)[1:] == ["I have no chest pain."]
    assert told(record, Topic.FAMILY) == ["Positive for gout in my father."]
    assert (told(record, Topic.HABITS), told(record, Topic.SOCIAL)) == (["I smoke."], ["I live alone."])


@pytest.mark.parametrize(
    ("topic", "note", "plain"),
    [
        (Topic.FAMILY, "Noncontributory.", "There is no illness in the family that matters here."),
        (Topic.MEDICATION, "None.", "Takes no medicines."),
        (Topic.SYMPTOM, "As per HPI.", ""),
        (Topic.HISTORY, "See above", ""),
        (Topic.HISTORY, "None of her earlier illnesses was treated.", "None of her earlier illnesses was treated."),
        (Topic.SYMPTOM, "Negative for fever.", "Negative for fever."),
    ],
)
def test_only_a_whole_line_counts_as_a_set_phrase(topic: Topic, note: str, plain: str) -> None:
    assert in_plain_words(topic, note) == plain


@pytest.mark.parametrize(
    ("note", "plain"),
    [
        ("She denies any fever, cough or rash.", "I have no fever, cough or rash."),
        ("Denies experiencing weight loss.", "I have no weight loss."),
        ("He denies smoking.", "I do not smoke."),
        ("I deny fever.", "I have no fever."),
        ("He denies vomiting.", "I have no vomiting."),
        ("She denied any chest pain.", "I had no chest pain."),
        ("Patient denies taking any medicines.", "I do not take any medicines."),
        ("She denies that she fell.", "I deny that I fell."),
    ],
)
def test_a_patient_has_none_of_what_a_note_says_is_denied(note: str, plain: str) -> None:
    assert in_own_voice(note, "") == plain


@pytest.mark.parametrize(
    ("stated", "age", "sex"),
    [
        ("남/42세", 42, "male"),
        ("42세 (여)", 42, "female"),
        ("여자 환자, 62세. 20세 때 수술", 62, "female"),
        ("M/67", 67, "male"),
        ("45 y/o F", 45, "female"),
        ("3개월 전부터 기침하는 51세 여성", 51, "female"),
        ("여자친구와 사는 30세 남성", 30, "male"),
    ],
)
def test_age_and_sex_are_read_in_korean_and_in_brief_forms(stated: str, age: int, sex: str) -> None:
    record = osce(Demographics=stated)
    assert (record.age, record.sex) == (age, sex)


def test_an_infant_s_months_are_read_in_korean() -> None:
    assert osce(Demographics="생후 7개월 남아").age_months == 7


def test_a_case_without_a_readable_age_is_refused_with_its_line() -> None:
    with pytest.raises(DataError, match=r"cases\.jsonl.*1.*age cannot be read"):
        osce(Demographics="남성 환자")


def osce(diagnosis: str = "Myasthenia gravis", **actor: Any) -> Record:
    case = {
        "Patient_Actor": {
            "Demographics": "35-year-old woman",
            "History": "She sees double.",
            "Symptoms": {"Primary_Symptom": "Double vision", "Secondary_Symptoms": []},
            **actor,
        },
        "Correct_Diagnosis": diagnosis,
    }
    return load_agentclinic(json.dumps({"OSCE_Examination": case}), "cases.jsonl")[0]


def test_symptoms_written_as_one_text_are_not_taken_letter_by_letter() -> None:
    record = osce(Symptoms={"Primary_Symptom": "Double vision", "Secondary_Symptoms": "Weak arms, drooping lids"})
    assert "Weak arms, drooping lids" in told(record, Topic.SYMPTOM)
    assert all(len(text) > 1 for text in told(record, Topic.SYMPTOM))


def test_lists_and_named_parts_are_told_as_lines() -> None:
    record = osce(
        Past_Medical_History=["Gout", "Appendectomy at 12"],
        Social_History={"Tobacco": "Never", "Occupation": "Designer"},
        Review_of_Systems="None",
    )
    assert told(record, Topic.HISTORY) == ["Gout", "Appendectomy at 12"]
    assert (told(record, Topic.HABITS), told(record, Topic.SOCIAL)) == (["Tobacco: Never"], ["Occupation: Designer"])
    assert told(record, Topic.SYMPTOM)[-1] == "I have noticed nothing else."


@pytest.mark.parametrize(
    ("stated", "age", "age_text"),
    [
        ("6-month-old boy", 0, "6 months"),
        ("3-week-old girl", 0, "0 months"),
        ("18-month-old girl", 1, "18 months"),
        ("Adult male, age 58", 58, "58 years"),
        ("58 y/o male", 58, "58 years"),
    ],
)
def test_ages_are_read_as_they_are_written(stated: str, age: int, age_text: str) -> None:
    record = osce(Demographics=stated, History="It began last week.")
    assert (record.age, record.age_text) == (age, age_text)


def test_an_abbreviated_diagnosis_is_the_shipped_disease_and_no_other_name_of_it_is_told() -> None:
    record = osce("Inferior STEMI", History="He is worried that it is a heart attack. It began two years ago.")
    assert record.disease.name == "acute myocardial infarction"
    assert not any("heart attack" in fact.text for fact in record.spoken)


def test_a_year_is_no_ear() -> None:
    assert osce("Gout", History="She has had pain in the big toe for years.").disease.discipline == "Internal Medicine"


def bundle(*resources: dict[str, Any], born: str = "1958-07-12") -> Record:
    visit: dict[str, Any] = {"resourceType": "Encounter", "id": "v", "period": {"start": "2024-03-02"}}
    visit["diagnosis"] = [{"condition": {"reference": "Condition/c"}}]
    ill = {"resourceType": "Condition", "id": "c", "code": {"text": "Gout"}, "encounter": {"reference": "Encounter/v"}}
    patient = {"resourceType": "Patient", "id": "p", "gender": "male", "birthDate": born}
    held = [{"resource": resource} for resource in (patient, visit, ill, *resources)]
    return load_fhir_bundle(json.dumps({"resourceType": "Bundle", "entry": held}), "bundle.json")[0]


def test_a_report_that_has_only_a_conclusion_is_a_test_with_findings() -> None:
    record = bundle({"resourceType": "DiagnosticReport", "code": {"text": "X-ray"}, "conclusion": "No fracture. Gout."})
    assert [fact.text for fact in record.results("X-ray")] == ["Finding 1: No fracture."]
    assert "Finding 2: Gout." in [fact.text for fact in record.at(Level.NEVER)]


def test_social_findings_that_are_over_are_told_as_past_and_never_as_illness() -> None:
    home = {"resourceType": "Condition", "code": {"text": "Homeless (finding)"}, "abatementDateTime": "2003-01-01"}
    record = bundle(home)
    assert told(record, Topic.SOCIAL) == ["In the past: homeless."]
    assert not told(record, Topic.HISTORY)


@pytest.mark.parametrize(
    ("born", "age_text"), [("2023-09-03", "5 months"), ("2022-03-02", "2 years"), ("2023", "1 year")]
)
def test_a_small_childs_age_is_told_in_months_where_they_are_known(born: str, age_text: str) -> None:
    assert bundle(born=born).age_text == age_text


def test_tags_annotations_and_doses_are_read() -> None:
    record = bundle(
        {"resourceType": "AllergyIntolerance", "code": {"text": "Peanut (substance)"}},
        {
            "resourceType": "MedicationStatement",
            "medication": {"concept": {"text": "apixaban"}},
            "adherence": {"code": {"coding": [{"code": "not-taking"}]}},
        },
        {
            "resourceType": "MedicationStatement",
            "medicationCodeableConcept": {"text": "colchicine"},
            "dosage": [{"text": "one tablet at night."}],
        },
        {"resourceType": "Observation", "code": {"text": "Score"}, "valueQuantity": {"value": 2, "unit": "{score}"}},
    )
    assert told(record, Topic.ALLERGY) == ["I am allergic to Peanut."]
    assert told(record, Topic.MEDICATION) == ["I take colchicine, one tablet at night."]
    assert [fact.text for fact in record.results("Score")] == ["Score: 2"]
