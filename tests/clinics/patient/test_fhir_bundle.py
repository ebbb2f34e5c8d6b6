"""FHIR Bundles: whose resources count for a record, at which visit, and what is refused in one line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from polyclinic.clinics.patient.rules.vocabulary import tests_in_record as named_tests
from polyclinic.clinics.patient.scenario.fhir_bundle import load_fhir_bundle
from polyclinic.clinics.patient.scenario.record import Level, Record, Topic
from polyclinic.errors import DataError


def _condition(id: str, name: str, day: str, **fields: Any) -> dict[str, Any]:
    return {"resourceType": "Condition", "id": id, "code": {"text": name}, "onsetDateTime": day, **fields}


def _loaded(*resources: dict[str, Any], gender: str = "female", birth: str = "1958-07-12") -> Record:
    patient = {"resourceType": "Patient", "id": "p", "gender": gender, "birthDate": birth}
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
    assert "I have no known allergies." in [fact.text for fact in nothing.at(Level.ASKED)]


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
        (
            _condition("c", "Pneumonia", "2024-01-10", category=["x"]),
            "male",
            "not have the form that FHIR requires",
        ),
    ],
)
def test_a_bundle_that_leaves_the_patient_open_is_refused(resource: dict[str, Any], gender: str, says: str) -> None:
    with pytest.raises(DataError, match=says):
        _loaded(resource, gender=gender)


def test_references_by_full_url_are_followed() -> None:
    """The Patient has no id, and the visit and the diagnosis have other ids than the ends of their addresses."""
    patient, visit = "urn:uuid:11", "urn:uuid:22"
    of = {"subject": {"reference": patient}, "encounter": {"reference": visit}}
    named = [{"condition": {"reference": "urn:uuid:33"}}]
    encounter = {"resourceType": "Encounter", "id": "e", "subject": of["subject"], "period": {"start": "2024-01-10"}}
    result = {"resourceType": "Observation", "code": {"text": "CRP"}, "valueInteger": 90, **of}
    of_other = {"subject": {"reference": "urn:uuid:12"}}
    entry = [
        {"fullUrl": patient, "resource": {"resourceType": "Patient", "gender": "female", "birthDate": "1958-07-12"}},
        {"fullUrl": visit, "resource": {**encounter, "diagnosis": named}},
        {"fullUrl": "urn:uuid:33", "resource": _condition("c", "Pneumonia", "2010-01-10", **of)},
        {"fullUrl": "urn:uuid:44", "resource": {**result, "effectiveDateTime": "2024-01-12"}},
    ]
    second = {"resourceType": "Patient", "id": "q", "gender": "male", "birthDate": "2001-01-01"}
    others = [
        {"fullUrl": "urn:uuid:12", "resource": second},
        {"fullUrl": "urn:uuid:55", "resource": _condition("d", "Gout", "2024-02-10", **of_other)},
    ]
    for entries, diagnoses in ((entry, ["Pneumonia"]), ([*entry, *others], ["Pneumonia", "Gout"])):
        found = load_fhir_bundle(json.dumps({"resourceType": "Bundle", "entry": entries}), "bundle.json")
        assert [record.diagnosis for record in found] == diagnoses
        assert (found[0].id, found[0].age) == ("fhir-11", 65)
        assert [test.items for test in found[0].investigations] == [{"CRP": "90"}]


def test_the_only_patient_of_a_bundle_owns_everything() -> None:
    record = _loaded(_condition("c", "Pneumonia", "2024-01-10", subject={"reference": "Patient/elsewhere"}))
    assert record.diagnosis == "Pneumonia"


def test_with_several_patients_a_condition_must_say_whose_it_is() -> None:
    second = {"resourceType": "Patient", "id": "q", "gender": "male", "birthDate": "2001-01-01"}
    with pytest.raises(DataError, match="several patients, and Condition/c does not say whose it is; add its subject"):
        _loaded(second, _condition("c", "Pneumonia", "2024-01-10"))


def _result(name: str, day: str, **fields: Any) -> dict[str, Any]:
    code = {"code": {"text": name}, "effectiveDateTime": day, "valueInteger": 1}
    return {"resourceType": "Observation", **code, **fields}


def test_the_visit_is_the_newest_encounter_that_names_the_diagnosis() -> None:
    def visit(id: str, start: str, end: str) -> dict[str, Any]:
        named = [{"condition": {"reference": "Condition/c"}}]
        period = {"start": start, "end": end}
        return {"resourceType": "Encounter", "id": id, "period": period, "diagnosis": named}

    order = {"resourceType": "MedicationRequest", "status": "active", "authoredOn": "2024-01-13"}
    record = _loaded(
        visit("e2", "2024-01-10", "2024-01-12"),
        visit("e1", "2010-05-01", "2010-05-01"),
        _condition("c", "Diabetes mellitus", "2010-05-01", encounter={"reference": "Encounter/e1"}),
        _result("HbA1c", "2024-01-11", encounter={"reference": "Encounter/e2"}),
        _result("HbA1c", "2010-05-01", valueInteger=9, encounter={"reference": "Encounter/e1"}),
        _result("Creatinine", "2024-01-13"),
        _result("CRP", "2024-01-14"),
        {**order, "medicationCodeableConcept": {"text": "insulin"}},
    )
    assert record.age == 65
    assert [test.items for test in record.investigations] == [{"HbA1c": "1"}, {"Creatinine": "1"}]
    assert not [fact for fact in record.facts if fact.topic is Topic.MEDICATION]


@pytest.mark.parametrize(
    ("onset", "kept"), [("2024", ["Jan", "Feb"]), ("2024-01", ["Jan"]), ("2024-01-09", ["Jan"]), ("2024-01-08", [])]
)
def test_results_are_compared_with_as_much_of_a_date_as_is_known(onset: str, kept: list[str]) -> None:
    results = _result("Jan", "2024-01-10"), _result("Feb", "2024-02-10"), _result("Next", "2025-01-10")
    record = _loaded(_condition("c", "Pneumonia", onset), *results)
    assert [test.name for test in record.investigations] == kept


@pytest.mark.parametrize(
    ("born", "onset", "age"),
    [
        ("1958", "2024-01-10", 66),
        ("1958-07", "2024-01-10", 65),
        ("1958-07", "2024-07-10", 66),
        ("1958-07-12", "2024", 66),
        ("1958-07-12", "2024-07-11", 65),
    ],
)
def test_a_year_or_a_month_alone_is_a_date(born: str, onset: str, age: int) -> None:
    assert _loaded(_condition("c", "Pneumonia", onset), birth=born).age == age


@pytest.mark.parametrize("born", ["58", "1958-13", "soon"])
def test_a_birth_date_that_is_none_is_refused(born: str) -> None:
    with pytest.raises(DataError, match=r"Patient/p: birthDate: must be a date \(1958-07-12\) or a year"):
        _loaded(_condition("c", "Pneumonia", "2024-01-10"), birth=born)


def test_a_rank_that_is_no_number_is_refused_in_one_line() -> None:
    named = [{"condition": {"reference": "Condition/c"}, "rank": "first"}]
    visit = {"resourceType": "Encounter", "id": "e", "diagnosis": named}
    with pytest.raises(DataError, match=r"Encounter/e: diagnosis.rank: must be a whole number from 1, not 'first'\Z"):
        _loaded(visit, _condition("c", "Pneumonia", "2024-01-10"))


@pytest.mark.parametrize(
    "name", ["NKDA", "nka", "N.K.D.A.", "No known drug allergies", "None known", "None", "No drug allergies."]
)
def test_no_allergy_is_told_as_none(name: str) -> None:
    allergy = {"resourceType": "AllergyIntolerance", "code": {"text": name}}
    record = _loaded(_condition("c", "Pneumonia", "2024-01-10"), allergy)
    told = [fact.text for fact in record.facts if fact.topic is Topic.ALLERGY]
    assert told == ["I have no known allergies."]


@pytest.mark.parametrize(
    "value",
    [{"valueString": None}, {"valueQuantity": {"value": None, "unit": "mg"}}],
    ids=["text", "number"],
)
def test_a_value_that_is_empty_is_not_stated(value: dict[str, Any]) -> None:
    empty = {"resourceType": "Observation", "code": {"text": "CRP"}, **value}
    record = _loaded(_condition("c", "Pneumonia", "2024-01-10"), empty)
    assert [test.items for test in record.investigations] == [{"CRP": "not stated"}]


def test_an_old_result_has_its_day_and_a_long_name_of_a_test_is_understood() -> None:
    def observed(id: str, name: str, day: str, visit: str) -> dict[str, Any]:
        here = {"encounter": {"reference": f"Encounter/{visit}"}, "effectiveDateTime": f"{day}T09:00:00Z"}
        value = {"value": 98.1, "unit": "mg/dL"}
        return {"resourceType": "Observation", "id": id, "code": {"text": name}, "valueQuantity": value, **here}

    record = _loaded(
        {"resourceType": "Encounter", "id": "old", "period": {"start": "2015-03-01"}},
        {"resourceType": "Encounter", "id": "now", "period": {"start": "2024-12-15"}},
        _condition("mi", "Myocardial infarction", "2024-12-15", encounter={"reference": "Encounter/now"}),
        observed("o1", "Troponin I.cardiac in Serum or Plasma", "2024-12-15", "now"),
        observed("o2", "Glucose in Blood", "2015-03-01", "old"),
    )
    assert {test.name: list(test.items.values()) for test in record.investigations} == {
        "Troponin I.cardiac in Serum or Plasma": ["98.1 mg/dL"],
        "Glucose in Blood": ["98.1 mg/dL (on 2015-03-01)"],
    }
    assert named_tests("troponin, please", record) == ["Troponin I.cardiac in Serum or Plasma"]
    assert named_tests("glucose", record) == ["Glucose in Blood"]
