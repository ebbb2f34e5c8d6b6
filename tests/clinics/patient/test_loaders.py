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
from polyclinic.clinics.patient.scenario.mtsamples import load_mtsamples, split_report
from polyclinic.clinics.patient.scenario.own_voice import in_own_voice
from polyclinic.clinics.patient.scenario.record import Level, Record, Topic
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
        (load_agentclinic, "{oops", "file:1: this is not JSON"),
        (load_agentclinic, json.dumps({"OSCE_Examination": {}}), "needs 'Patient_Actor'"),
        (load_agentclinic, "\n", "the file is empty"),
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


def _condition(id: str, name: str, day: str, **fields: Any) -> dict[str, Any]:
    return {"resourceType": "Condition", "id": id, "code": {"text": name}, "onsetDateTime": day, **fields}


def _loaded(*resources: dict[str, Any], gender: str = "female") -> Record:
    patient = {"resourceType": "Patient", "id": "p", "gender": gender, "birthDate": "1958-07-12"}
    bundle = {"resourceType": "Bundle", "entry": [{"resource": resource} for resource in (patient, *resources)]}
    return load_fhir_bundle(json.dumps(bundle), "bundle.json")[0]


def _status(code: str) -> dict[str, Any]:
    return {"coding": [{"code": code}]}


@pytest.mark.parametrize(
    "named",
    [
        [
            {"condition": {"reference": "Condition/gout"}, "rank": 2},
            {"condition": {"reference": "Condition/mi"}, "rank": 1},
        ],
        [{"condition": [{"reference": {"reference": "urn:uuid:mi"}}]}],
    ],
    ids=["R4", "R5"],
)
def test_the_diagnosis_is_the_one_that_the_encounter_names(named: list[dict[str, Any]]) -> None:
    visit = {"resourceType": "Encounter", "id": "e", "period": {"start": "2024-01-10"}, "diagnosis": named}
    here = {"encounter": {"reference": "Encounter/e"}}
    record = _loaded(
        visit,
        _condition("gout", "Gout", "2024-01-10", **here),
        _condition("mi", "Acute myocardial infarction", "2024-01-10", **here),
        _condition("later", "Seborrheic dermatitis", "2024-06-01"),
    )
    assert record.diagnosis == "Acute myocardial infarction"
    assert [fact.text for fact in record.facts if fact.topic is Topic.HISTORY] == ["I have gout."]


def test_what_was_refuted_or_has_passed_is_not_told_as_true() -> None:
    allergy = {"resourceType": "AllergyIntolerance"}
    record = _loaded(
        _condition("c", "Pneumonia", "2024-01-10"),
        _condition("a", "Asthma", "1970-01-10", clinicalStatus=_status("resolved")),
        _condition("l", "Lung cancer", "2024-02-10", verificationStatus=_status("refuted")),
        {**allergy, "code": {"text": "Allergy to penicillin (finding)"}},
        {**allergy, "code": {"text": "Peanut allergy"}, "verificationStatus": _status("entered-in-error")},
        {**allergy, "code": {"text": "Egg allergy"}, "clinicalStatus": _status("resolved")},
        {**allergy, "code": {"coding": [{"code": "300913006"}]}},
    )
    assert record.diagnosis == "Pneumonia"
    told = {fact.text for fact in record.facts if fact.topic in (Topic.HISTORY, Topic.ALLERGY)}
    assert told == {"I had asthma.", "I am allergic to penicillin."}
    nothing = _loaded(
        _condition("c", "Pneumonia", "2024-01-10"), {**allergy, "code": {"text": "No known drug allergy"}}
    )
    assert "I have no known allergies." in texts(nothing, Level.ASKED)


def test_what_came_after_the_visit_is_left_out() -> None:
    at = {"encounter": {"reference": "Encounter/e"}}
    later = {"encounter": {"reference": "Encounter/death"}, "effectiveDateTime": "2024-03-01"}
    cause = {"code": {"text": "Cause of Death"}, "valueCodeableConcept": {"text": "Pneumonia"}}
    order = {"resourceType": "MedicationRequest", "status": "active"}
    record = _loaded(
        {"resourceType": "Encounter", "id": "e", "period": {"start": "2024-01-10"}},
        {"resourceType": "Encounter", "id": "death", "period": {"start": "2024-03-01"}},
        _condition("c", "Pneumonia", "2024-01-10", **at),
        {"resourceType": "Observation", "id": "o", **cause, **later},
        {**order, "medicationCodeableConcept": {"text": "insulin"}, "authoredOn": "2024-06-01"},
        {**order, "medicationCodeableConcept": {"text": "lisinopril"}, "authoredOn": "2020-06-01"},
        {
            **order,
            **at,
            "medicationCodeableConcept": {"text": "amoxicillin"},
            "reasonReference": [{"reference": "Condition/c"}],
        },
    )
    assert record.investigations == ()
    assert [fact.text for fact in record.facts if fact.topic is Topic.MEDICATION] == ["I take lisinopril."]
    assert [fact.text for fact in record.facts if fact.topic is Topic.TREATMENT] == ["amoxicillin"]


def test_a_bundle_of_two_patients_becomes_two_records() -> None:
    second = {"resourceType": "Patient", "id": "q", "gender": "male", "birthDate": "2001-01-01"}
    of_first, of_second = ({"subject": {"reference": f"Patient/{id}"}} for id in "pq")
    bundle = {
        "resourceType": "Bundle",
        "entry": [
            {"resource": {"resourceType": "Patient", "id": "p", "gender": "female", "birthDate": "1958-07-12"}},
            {"resource": second},
            {"resource": _condition("c", "Pneumonia", "2024-01-10", **of_first)},
            {"resource": _condition("d", "Gout", "2024-02-10", **of_second)},
        ],
    }
    found = load_fhir_bundle(json.dumps(bundle), "bundle.json")
    assert [(record.id, record.age, record.diagnosis) for record in found] == [
        ("fhir-p", 65, "Pneumonia"),
        ("fhir-q", 23, "Gout"),
    ]


def test_results_keep_their_bounds_and_whole_numbers() -> None:
    result = {"resourceType": "Observation"}
    record = _loaded(
        _condition("c", "Pneumonia", "2024-01-10"),
        {**result, "code": {"text": "CRP"}, "valueQuantity": {"value": 5, "comparator": "<", "unit": "mg/L"}},
        {**result, "code": {"text": "Pain score"}, "valueInteger": 0},
        {**result, "code": {"text": "Pregnant"}, "valueBoolean": False},
    )
    assert [test.items for test in record.investigations] == [
        {"CRP": "<5 mg/L"},
        {"Pain score": "0"},
        {"Pregnant": "no"},
    ]


@pytest.mark.parametrize(
    ("resource", "gender", "says"),
    [
        (_condition("c", "Pneumonia", "2024-01-10"), "unknown", "gender: must be female or male"),
        (_condition("c", "Pneumonia", "1940-01-10"), "male", "would be -19 years old on 1940-01-10"),
        (_condition("c", "", "2024-01-10"), "male", "Condition/c is the diagnosis and has only a code"),
        (_condition("c", "Pneumonia", "2024-01-10", category=["x"]), "male", "has not the form that FHIR asks for"),
    ],
)
def test_a_bundle_that_leaves_the_patient_open_is_refused(resource: dict[str, Any], gender: str, says: str) -> None:
    with pytest.raises(DataError, match=says):
        _loaded(resource, gender=gender)
