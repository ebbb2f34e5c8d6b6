"""Mistakes in a config, a disease table or a foreign dataset are refused with what is wrong and how to fix it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polyclinic.clinics.frontdesk.scenario.config import load_config, preset
from polyclinic.clinics.frontdesk.scenario.diseases import load_diseases
from polyclinic.clinics.frontdesk.scenario.load import lint, scenarios
from polyclinic.clinics.frontdesk.scenario.synthesis import synthesize_hospital
from polyclinic.clinics.frontdesk.tools.opening import Ids, hospital_resources
from polyclinic.errors import DataError

Table = dict[str, Any]
Change = Callable[[Table], object]
DOCTOR, PATIENT = "Dr. Ann Example", "Bo Sample"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("persona: {mood: {grumpy: 1}}", "the axes are personality, language, recall, confusion"),
        ("persona: {personality: {grumpy: 1}}", "no level 'grumpy': the levels are neutral, distrustful"),
        ("persona: {personality: {neutral: 0}}", "weights of personality"),
        ("persona: {confusion: {normal: -1, high: 2}}", "weights of confusion"),
        ("preference: {type: [asap, physician, date], probs: [.nan, 0.5, 0.5]}", "add up"),
        (
            "events: {reschedule_prob: 0.1, cancel_prob: 0.1, delay_minutes: {min: -5, max: 3}}",
            "delay_minutes.min must be at least 1",
        ),
        ("start_date: {min: 2025-13-01, max: 2025-13-02}", "month must be"),
        ("diseases: 5", "diseases"),
        ("diseases: nowhere.csv", "nowhere.csv: there is no such file"),
        ("startdate: 5", "no such parameter; there are: .*start_date"),
        ("just words", "table of parameters"),
        ("a: [", "not YAML"),
    ],
)
def test_a_wrong_config_is_refused_when_run_and_when_linted(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "hospital.yaml"
    path.write_text(text)
    with pytest.raises(DataError, match=words) as refused:
        scenarios(str(path), 1)
    assert "\n" not in str(refused.value)
    assert lint(str(path)) == [str(refused.value)]


def test_broken_toml_is_named_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "hospital.toml"
    path.write_text("= 3")
    assert lint(str(path))[0].startswith(f"{path}:1: this is not TOML")


def test_personas_are_drawn_as_the_config_says(tmp_path: Path) -> None:
    path = tmp_path / "hospital.toml"
    path.write_text(
        'preset = "tertiary"\nhospital_n = 1\n[persona]\npersonality = { verbose = 1, impatient = 1 }\n'
        "language = { A = 1 }\nrecall = { low = 1 }\nconfusion = { high = 1 }\n"
    )
    patients = [contact.caller for contact in scenarios(str(path), 1) if contact.kind == "visit"]
    assert {patient.axes.personality for patient in patients} == {"verbose", "impatient"}
    assert {(patient.axes.language, patient.axes.confusion) for patient in patients} == {("A", "high")}
    assert {(patient.knows_diagnosis, patient.axes.recall) for patient in patients} == {(True, "low"), (False, "none")}


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.json", b"{", "not JSON"),
        ("a.csv", b"disease\xff\xfe", "save it as UTF-8"),
        ("a.csv", b"disease,department,symptoms\nFoo,allergy,itching\n", "no column 'department'; the columns are"),
        ("a.csv", b"disease,departments,symptoms\nFoo,allergy,red, itchy eyes\n", r"disease 1 \(Foo\): more cells"),
        ("a.csv", b"disease,departments,symptoms\nFoo,allergy,\n", r"\(Foo\): symptoms: needs at least one"),
        ("a.csv", b"disease,departments,symptoms,ages\nFoo,allergy,itching,old\n", "as in 18-90"),
        ("a.csv", b"disease,departments,symptoms,sex\nFoo,allergy,itching,man\n", "'female', 'male'"),
        ("a.csv", b"disease,departments,symptoms\n", "no disease in it"),
    ],
)
def test_a_wrong_disease_table_is_refused_in_one_line(name: str, content: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError, match=words) as refused:
        load_diseases(path)
    assert "\n" not in str(refused.value)
    assert lint(str(path)) == [str(refused.value)]


def test_a_table_saved_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbfdisease,departments,symptoms\nFoo,allergy,itching\n")
    assert [disease.name for disease in load_diseases(path)] == ["Foo"]


def test_a_table_with_few_departments_gives_hospitals_with_only_these_or_is_refused(tmp_path: Path) -> None:
    (tmp_path / "few.csv").write_text(
        "disease,departments,symptoms\nFoo,allergy,itching\nBar,nephrology,foamy pee\nBaz,cardiology,a tight chest\n"
    )
    config = tmp_path / "hospital.yaml"
    config.write_text("preset: primary\nhospital_n: 1\ndiseases: few.csv\n")
    for seed in range(3):
        plan = scenarios(str(config), seed)[0].plan
        assert plan is not None and set(plan.department_names) <= {"allergy", "nephrology", "cardiology"}
    config.write_text("preset: secondary\ndiseases: few.csv\n")
    with pytest.raises(DataError, match=r"3 departments only .*may have 9; add .* or lower department_per_hospital"):
        scenarios(str(config), 1)


def dataset() -> Table:
    """A small dataset as the h-adminsim package writes it."""
    return {
        "metadata": {
            "start_date": "2025-04-17",
            "days": 2,
            "time": {"start_hour": 9.0, "end_hour": 18.0, "interval_hour": 0.25},
        },
        "department": {"pulmonary": {"code": "IMPUL", "doctor": [DOCTOR]}},
        "doctor": {
            DOCTOR: {
                "department": "pulmonary",
                "schedule": {"2025-04-17": [[10.0, 11.0]], "2025-04-18": [[9.0, 18.0]]},
                "capacity_per_hour": 4,
                "gender": "male",
                "telecom": [{"value": "+82100000"}],
                "birthDate": "1963-06-15",
            }
        },
        "patient": {
            PATIENT: {
                "attending_physician": DOCTOR,
                "date": "2025-04-17",
                "schedule": [9.25, 9.5],
                "preference": ["doctor", "asap"],
                "symptom_level": "with_history",
                "gender": "female",
                "telecom": [{"value": "+8275129708711"}],
                "birthDate": "1982-09-21",
                "identifier": [{"value": "820921-1133985"}],
                "address": [{"text": "4, Some-ro, Some-si"}],
            }
        },
    }


def written(table: object, tmp_path: Path) -> str:
    path = tmp_path / "hospital_0.json"
    path.write_text(json.dumps(table))
    return str(path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t["patient"][PATIENT].update(attending_physician="Dr. X"), "patient 1 .Bo Sample.*'Dr. X'"),
        (lambda t: t["department"]["pulmonary"]["doctor"].append("Dr. Y"), "doctor Dr. Y: pulmonary names"),
        (lambda t: t["department"]["pulmonary"]["doctor"].clear(), "it has no doctor"),
        (lambda t: t["doctor"][DOCTOR].update(capacity_per_hour=0), "Dr. Ann Example: 0 patients an hour"),
        (lambda t: t["doctor"][DOCTOR]["schedule"].update({"2025-04-17": [[12, 10]]}), "ends before it begins"),
        (lambda t: t["doctor"][DOCTOR]["schedule"].update({"2025-05-17": []}), "2025-05-17 is outside"),
        (lambda t: t["patient"][PATIENT].update(date="2026-01-01"), "2026-01-01 is outside of the 2 days"),
        (lambda t: t["patient"][PATIENT].update(schedule=[20.0, 20.25]), "outside of opening hours"),
        (lambda t: t["patient"][PATIENT].update(schedule=["nine", 9.5]), "'nine' is not a number"),
        (lambda t: t["patient"][PATIENT].update(preference=["asap"]), "two different ones of"),
        (lambda t: t["patient"][PATIENT].update(symptom_level="dunno"), "symptom_level 'dunno': write one of"),
        (lambda t: t["patient"][PATIENT].update(telecom=[]), "'telecom' must be a list"),
        (lambda t: t["patient"][PATIENT].pop("address"), "Bo Sample.*: it has no 'address'"),
        (lambda t: t["metadata"]["time"].update(interval_hour=0), "metadata: the time unit is 0 minutes"),
        (lambda t: t["metadata"]["time"].update(end_hour=8), "open before it closes"),
        (lambda t: t["metadata"].update(days=0), "days must be at least 1, not 0"),
        (lambda t: t.pop("patient"), "no patients on a first visit"),
    ],
)
def test_a_faulty_foreign_dataset_is_refused_with_the_position_of_the_fault(
    change: Change, words: str, tmp_path: Path
) -> None:
    table = dataset()
    change(table)
    path = written(table, tmp_path)
    with pytest.raises(DataError, match=words) as refused:
        scenarios(path, 1)
    assert lint(path) == [str(refused.value)]


@pytest.mark.parametrize(
    ("disease", "symptoms", "knows", "found"),
    [
        ("Heart attack", ["Nausea"], "without_history", (True, False)),
        ("Heart attack", ["Nausea"], "with_history", (False, True)),
        ("Croup", ["Severe breathlessness"], "without_history", (False, True)),
        ("Cough", ["A dry cough"], "without_history", (False, False)),
    ],
)
def test_emergencies_of_a_foreign_dataset_follow_the_definition_of_our_own_hospitals(
    disease: str, symptoms: list[str], knows: str, found: tuple[bool, bool], tmp_path: Path
) -> None:
    table = dataset()
    told = {"disease": disease, "department": ["pulmonary"], "symptom": symptoms}
    table["patient"][PATIENT].update(symptom=told, symptom_level=knows)
    patient = next(contact.caller for contact in scenarios(written(table, tmp_path), 1) if contact.kind == "visit")
    assert (patient.emergency, patient.warning_sign) == found


def test_an_unreadable_foreign_dataset_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{")
    with pytest.raises(DataError, match=r"x\.json:1: this is not JSON"):
        scenarios(str(tmp_path), 1)


def test_later_releases_list_the_visits_of_a_patient_and_only_first_visits_are_taken(tmp_path: Path) -> None:
    plain = scenarios(written(dataset(), tmp_path), 1)
    table = dataset()
    visit = {**table["patient"][PATIENT], "visit_type": "first_visit"}
    later = {**visit, "visit_type": "follow_up_visit", "required_tests": []}
    table["patient"] = {PATIENT: [visit], "Al Later": [later]}
    path = written(table, tmp_path)
    assert scenarios(path, 1) == plain
    assert lint(path) == []


def test_physicians_have_their_family_names_in_the_records(tmp_path: Path) -> None:
    foreign = scenarios(written(dataset(), tmp_path), 1)[0].plan
    korean = synthesize_hospital(preset("primary"), 1, 0)[0].plan
    scottish = synthesize_hospital(preset("primary", locale="scotland"), 1, 0)[0].plan
    for plan, family in ((foreign, -1), (korean, 0), (scottish, -1)):
        assert plan is not None
        found = [
            r for r in hospital_resources(Ids("r", plan.id, "tool", 0), plan) if r["resourceType"] == "Practitioner"
        ]
        for resource, physician in zip(found, (p for d in plan.departments for p in d.physicians), strict=True):
            assert resource["name"][0]["family"] == physician.name.removeprefix("Dr. ").split()[family]


def test_a_config_with_only_a_preset_name_is_that_preset(tmp_path: Path) -> None:
    path = tmp_path / "h.yaml"
    path.write_text("preset: tertiary\n")
    assert load_config(path) == preset("tertiary")
    assert lint(str(path)) == []
