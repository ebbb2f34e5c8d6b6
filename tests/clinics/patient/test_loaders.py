"""Loaders: files in the schemas of MTSamples, AgentClinic and FHIR become records in which nothing gives the diagnosis
away.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polyclinic.clinics.patient.scenario import load_records, scenarios
from polyclinic.clinics.patient.scenario.agentclinic import load_agentclinic
from polyclinic.clinics.patient.scenario.checks import lint_records
from polyclinic.clinics.patient.scenario.fhir_bundle import load_fhir_bundle
from polyclinic.clinics.patient.scenario.mtsamples import load_mtsamples
from polyclinic.clinics.patient.scenario.own_voice import in_own_voice
from polyclinic.clinics.patient.scenario.record import Level, Record, Topic
from polyclinic.clinics.patient.scenario.report_sections import split_report
from polyclinic.errors import DataError
from polyclinic.text.phrases import mentioned

DATA = Path(__file__).parent / "data"


def texts(record: Record, *levels: Level) -> list[str]:
    return [fact.text for fact in record.at(*levels)]


def test_mtsamples_rows_become_records_and_rows_without_a_diagnosis_are_left_out() -> None:
    eye, croup = load_records(DATA / "mtsamples.csv")
    assert (eye.age, eye.sex, eye.disease.discipline) == (58, "female", "Ophthalmology")
    assert texts(eye, Level.VOLUNTEERED) == ["Painful red right eye."]
    assert "I see rings around lights." in texts(eye, Level.ASKED)
    assert [test.name for test in eye.investigations] == ["physical examination", "laboratory tests"]
    assert eye.investigations[0].items["Pressure"] == "54 mmHg in the right eye."
    assert eye.diagnosis == "Acute angle-closure glaucoma of the right eye"
    assert (croup.age, croup.informant, croup.disease.discipline, croup.diagnosis) == (
        3,
        "parent",
        "Pediatrics",
        "Croup",
    )


def test_a_sentence_that_names_the_disease_is_hidden_from_the_patient_wherever_it_was() -> None:
    eye = load_records(DATA / "mtsamples.csv")[0]
    told = texts(eye, Level.VOLUNTEERED, Level.ASKED, Level.TEST)
    assert not any(mentioned(text, eye.disease.names) for text in told)
    assert "My mother had glaucoma." in texts(eye, Level.NEVER)


def test_a_report_is_split_at_its_headings() -> None:
    assert split_report("CHIEF COMPLAINT:,  Cough.,PLAN:,  Rest.") == {"CHIEF COMPLAINT": "Cough.", "PLAN": "Rest."}


def test_agentclinic_lines_become_records_with_levels() -> None:
    weak, heart = load_records(DATA / "agentclinic.jsonl")
    assert (weak.age, weak.sex) == (35, "female")
    assert texts(weak, Level.VOLUNTEERED) == ["Double vision"]
    assert "It is worse in the evening." in texts(weak, Level.ASKED)
    assert {fact.topic for fact in weak.at(Level.ASKED)} == {
        Topic.SYMPTOM,
        Topic.HISTORY,
        Topic.HABITS,
        Topic.SOCIAL,
        Topic.BACKGROUND,
    }
    assert [test.name for test in weak.investigations] == [
        "vital signs",
        "neurological examination",
        "blood tests",
        "electromyography",
    ]
    assert heart.investigations[-1].items == {"Finding": "ST elevation in V1 to V4"}
    assert "heart attack" in heart.disease.synonyms


def test_a_fhir_bundle_becomes_a_record() -> None:
    (stone,) = load_records(DATA / "bundle.json")
    assert (stone.age, stone.sex, stone.diagnosis) == (66, "male", "Kidney stone")
    assert texts(stone, Level.VOLUNTEERED) == ["Pain in the left flank"]
    asked = texts(stone, Level.ASKED)
    assert {
        "I take amlodipine.",
        "I am allergic to penicillin.",
        "My mother had gout.",
        "Smoking: never smoked",
    } <= set(asked)
    assert "The pain comes in waves." in asked
    assert "My father also had a kidney stone." in texts(stone, Level.NEVER)
    tests = {test.name: test for test in stone.investigations}
    assert tests["kidney CT"].items == {"Calcification in the left ureter": "5 mm"}
    assert tests["kidney CT"].impression == "Ureteral stone"
    assert tests["Creatinine"].items == {"Creatinine": "96 umol/L (60-110)"}
    assert tests["vital signs"].items == {"Systolic": "150 mmHg", "Diastolic": "90 mmHg"}
    assert "Ureteroscopy" in texts(stone, Level.NEVER)


@pytest.mark.parametrize("name", ["mtsamples.csv", "agentclinic.jsonl", "bundle.json"])
def test_a_loaded_file_can_be_used_for_an_interview(name: str) -> None:
    cases = scenarios(str(DATA / name))
    assert cases
    assert all(case.profile and case.record.facts for case in cases)


@pytest.mark.parametrize(
    ("load", "text", "says"),
    [
        (load_mtsamples, "a,b\n1,2\n", "the column 'description' is missing"),
        (
            load_mtsamples,
            "description,medical_specialty,sample_name,transcription,keywords\nx,y,z,nothing,k\n",
            "none of 1 rows",
        ),
        (
            load_mtsamples,
            "description,medical_specialty,sample_name,transcription,keywords\n"
            "x,y,z,CHIEF COMPLAINT: Cough. IMPRESSION: Croup.,k\n",
            "none of 1 rows .* age and sex; write age and sex in the description",
        ),
        (load_agentclinic, "{oops", "file:1: this is not JSON"),
        (load_agentclinic, json.dumps({"OSCE_Examination": {}}), "needs 'Patient_Actor'"),
        (load_agentclinic, "\n", "the file is empty"),
        (
            load_agentclinic,
            json.dumps(
                {"OSCE_Examination": {"Patient_Actor": {"Demographics": "adult man"}, "Correct_Diagnosis": "gout"}}
            ),
            "file:1: Patient_Actor.Demographics: the patient's age cannot be read .* '45-year-old woman'",
        ),
        (
            load_agentclinic,
            json.dumps(
                {
                    "OSCE_Examination": {
                        "Patient_Actor": {"Demographics": "150-year-old man"},
                        "Correct_Diagnosis": "gout",
                    }
                }
            ),
            "file:1: Patient_Actor.Demographics: the patient's age cannot be read .* '45-year-old woman'",
        ),
        (
            load_agentclinic,
            json.dumps(
                {
                    "OSCE_Examination": {
                        "Patient_Actor": {"Demographics": "45-year-old person"},
                        "Correct_Diagnosis": "gout",
                    }
                }
            ),
            "file:1: Patient_Actor.Demographics: the patient's sex cannot be read .* '45-year-old woman'",
        ),
        (
            load_agentclinic,
            json.dumps({"OSCE_Examination": {"Patient_Actor": "she", "Correct_Diagnosis": "gout"}}),
            "file:1: an AgentClinic case has objects",
        ),
        (load_fhir_bundle, "[]", "not a FHIR Bundle"),
        (load_fhir_bundle, '{"resourceType": "Bundle"}', "no Patient"),
        (
            load_fhir_bundle,
            '{"resourceType": "Bundle", "entry": [{"resource": {"resourceType": "Patient", "birthDate": '
            '"1990-01-01"}}]}',
            "no Condition",
        ),
    ],
)
def test_a_file_that_does_not_match_its_format_is_refused_in_one_line(
    load: Callable[[str, str], object], text: str, says: str
) -> None:
    with pytest.raises(DataError, match=says):
        load(text, "file")


def _synthea() -> dict[str, Any]:
    """As Synthea writes R4: every Condition is an encounter diagnosis, and social findings come last."""

    def condition(name: str, day: str, encounter: str) -> dict[str, Any]:
        return {
            "resourceType": "Condition",
            "category": [{"coding": [{"code": "encounter-diagnosis"}]}],
            "code": {"coding": [{"display": name}], "text": name},
            "encounter": {"reference": f"urn:uuid:{encounter}"},
            "onsetDateTime": day,
        }

    def encounter(id: str, day: str) -> dict[str, Any]:
        return {"resourceType": "Encounter", "id": id, "period": {"start": f"{day}T09:00:00Z"}}

    resources = [
        {"resourceType": "Patient", "id": "p", "gender": "female", "birthDate": "1956-03-02"},
        encounter("e1", "1976-05-01"),
        encounter("e2", "2021-06-01"),
        encounter("e3", "2022-06-01"),
        condition("Received higher education (finding)", "1976-05-01", "e1"),
        condition("Acute bronchitis (disorder)", "1990-01-01", "e1"),
        condition("Community acquired pneumonia (disorder)", "2021-06-01", "e2"),
        condition("Full-time employment (finding)", "2022-06-01", "e3"),
        condition("Stress (finding)", "2022-06-01", "e3"),
    ]
    return {"resourceType": "Bundle", "entry": [{"resource": resource} for resource in resources]}


def test_a_synthea_bundle_becomes_a_record_of_the_illness_at_the_age_of_diagnosis() -> None:
    (record,) = load_fhir_bundle(json.dumps(_synthea()), "synthea.json")
    assert (record.diagnosis, record.age) == ("Community acquired pneumonia", 65)
    social = [fact.text for fact in record.facts if fact.topic is Topic.SOCIAL]
    assert social == ["Received higher education.", "Full-time employment.", "Stress."]
    assert texts(record, Level.VOLUNTEERED) == ["I do not feel well."]
    assert "I am 65 years old." in texts(record, Level.ASKED)
    assert any("nothing is volunteered" in finding for finding in lint_records([record]))
    assert any("acute bronchitis" in fact.text for fact in record.facts if fact.topic is Topic.HISTORY)


def test_a_whole_life_in_a_bundle_becomes_one_visit() -> None:
    """Earlier visits' reasons are not today's complaints, and earlier results are not today's."""

    def at(kind: str, id: str, visit: str, day: str, **fields: Any) -> dict[str, Any]:
        encounter = {"encounter": {"reference": f"urn:uuid:{visit}"}, "effectiveDateTime": day}
        return {"resourceType": kind, "id": id, **encounter, **fields}

    count, panel = {"text": "Leukocytes [#/volume] in Blood"}, {"text": "CBC panel"}
    bundle = _synthea()
    visits = {e["resource"]["id"]: e["resource"] for e in bundle["entry"] if "id" in e["resource"]}
    visits["e1"]["reasonCode"] = [{"text": "Normal pregnancy (finding)"}]
    visits["e2"]["reasonCode"] = [{"text": "Cough (finding)"}]
    added = [
        {"resourceType": "Medication", "id": "m", "code": {"text": "lisinopril 10 MG"}},
        {"resourceType": "MedicationRequest", "status": "active", "medicationReference": {"reference": "urn:uuid:m"}},
        {"resourceType": "MedicationRequest", "status": "stopped", "medicationCodeableConcept": {"text": "ibuprofen"}},
        at("Observation", "o2", "e2", "2021-06-01", code=count, valueQuantity={"value": 15.4321, "unit": "10*3/uL"}),
        at("Observation", "o3", "e3", "2022-06-01", code=count, valueQuantity={"value": 6.2, "unit": "10*3/uL"}),
        at("DiagnosticReport", "r2", "e2", "2021-06-01", code=panel, result=[{"reference": "urn:uuid:o2"}]),
        at("DiagnosticReport", "r3", "e3", "2022-06-01", code=panel, result=[{"reference": "urn:uuid:o3"}]),
        at("Procedure", "p1", "e1", "1976-05-01", code={"text": "Appendectomy (procedure)"}),
        at("Procedure", "p2", "e2", "2021-06-01", code={"text": "Plain X-ray of chest (procedure)"}),
    ]
    bundle["entry"] += [{"resource": resource} for resource in added]
    (record,) = load_fhir_bundle(json.dumps(bundle), "synthea.json")
    assert texts(record, Level.VOLUNTEERED) == ["Cough"]
    assert [fact.text for fact in record.facts if fact.topic is Topic.MEDICATION] == ["I take lisinopril 10 MG."]
    assert [(test.name, test.items) for test in record.investigations] == [
        ("CBC panel", {"Leukocytes in Blood": "15.43 10*3/uL"})
    ]
    assert [fact.text for fact in record.facts if fact.topic is Topic.TREATMENT] == ["Plain X-ray of chest"]
    assert not any("is not finished" in finding for finding in lint_records([record]))


def test_a_bundle_with_only_social_findings_is_refused() -> None:
    bundle = _synthea()
    bundle["entry"] = [e for e in bundle["entry"] if "disorder" not in json.dumps(e)]
    with pytest.raises(DataError, match="no illness, only social findings"):
        load_fhir_bundle(json.dumps(bundle), "synthea.json")


@pytest.mark.parametrize(
    ("line", "own", "of_child"),
    [
        ("She sees rings around lights.", "I see rings around lights.", "She sees rings around lights."),
        ("Does not smoke.", "I do not smoke.", "She does not smoke."),
        ("The patient's urine is dark.", "My urine is dark.", "Her urine is dark."),
        ("This 3-year-old girl has a cough.", "I have a cough.", "My daughter has a cough."),
        ("It hurts her when she walks.", "It hurts me when I walk.", "It hurts her when she walks."),
        ("He lives with his wife and drinks wine.", "I live with my wife and drink wine.", None),
        ("A 45-year-old man presents with pain.", "I came in with pain.", None),
        ("His wife noticed that he snores.", "My wife noticed that he snores.", None),
        ("The pain comes in waves.", "The pain comes in waves.", "The pain comes in waves."),
    ],
)
def test_a_line_of_an_imported_record_is_told_by_the_person_who_speaks(
    line: str, own: str, of_child: str | None
) -> None:
    assert in_own_voice(line, "") == own
    assert of_child is None or in_own_voice(line, "daughter") == of_child


@pytest.mark.parametrize("name", ["bundle.json", "mtsamples.csv", "agentclinic.jsonl"])
def test_no_imported_patient_speaks_of_themselves_in_the_third_person(name: str) -> None:
    for case in load_records(DATA / name):
        told = [fact.text for fact in case.spoken]
        assert not [line for line in told if re.match(r"(?:the patient|patient|takes|does)\b", line, re.IGNORECASE)]
        if case.informant == "self":
            assert not [line for line in told if re.match(r"(?:he|she|his|her)\b", line, re.IGNORECASE)]


def test_a_report_of_mtsamples_without_age_or_sex_is_left_out() -> None:
    head = "description,medical_specialty,sample_name,transcription,keywords\n"
    report = "y,z,CHIEF COMPLAINT: Cough. IMPRESSION: Croup.,k\n"
    found = load_mtsamples(f"{head}Unclear,{report}A 3-year-old child,{report}A 3-year-old boy,{report}", "file")
    assert [(record.id, record.age, record.sex) for record in found] == [("mtsamples-3", 3, "male")]
