"""A user's own tables: diseases in every format, and datasets of h-adminsim."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from polyclinic.clinics.frontdesk.scenario.diseases import departments, load_diseases
from polyclinic.clinics.frontdesk.scenario.load import scenarios
from polyclinic.clinics.frontdesk.scenario.schema import Contact
from polyclinic.errors import DataError


@pytest.mark.parametrize("suffix", [".csv", ".json", ".toml", ".yaml"])
def test_custom_disease_files_work_in_every_format(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"mine{suffix}"
    row = {"disease": "Desk sneeze", "departments": ["allergy"], "symptoms": ["sneezing at work", "a red nose"]}
    texts = {
        ".csv": "disease,departments,sex,ages,symptoms\nDesk sneeze,allergy,,18-60,sneezing at work; a red nose\n",
        ".json": json.dumps([{**row, "ages": [18, 60]}]),
        ".yaml": json.dumps([{**row, "ages": "18-60"}]),
        ".toml": '[[disease]]\ndisease = "Desk sneeze"\ndepartments = ["allergy"]\nages = "18-60"\n'
        'symptoms = ["sneezing at work", "a red nose"]\n',
    }
    path.write_text(texts[suffix])
    (found,) = load_diseases(path)
    assert (found.name, found.departments, found.ages, len(found.symptoms)) == (
        "Desk sneeze",
        ("allergy",),
        (18, 60),
        2,
    )


def test_a_hospital_uses_the_custom_table(tmp_path: Path) -> None:
    rows = [
        {"disease": f"Thing of {name}", "departments": [name], "symptoms": ["an odd feeling"]}
        for name in sorted(department.name for department in departments())
    ]
    (tmp_path / "mine.json").write_text(json.dumps(rows))
    (tmp_path / "h.toml").write_text('preset = "primary"\nhospital_n = 1\ndiseases = "mine.json"\n')
    visits = [contact.caller for contact in scenarios(str(tmp_path / "h.toml"), 1) if contact.kind == "visit"]
    assert {patient.disease for patient in visits} <= {row["disease"] for row in rows}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Foo,allergie,,,sneezing", "no department"),
        ("Foo,allergy,,,dyspnoea at night", "clinician's word"),
        ("Foo fever,allergy,,,I think it is foo fever", "gives the diagnosis away"),
        ("Foo,allergy,,,", "symptoms"),
        ("Foo,allergy,,5-9,sneezing", "ages from 18"),
        ("Foo,allergy,,,sneezing\nfoo,allergy,,,itching", "appears twice"),
    ],
)
def test_a_faulty_disease_file_is_refused_with_its_reason(line: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(f"disease,departments,sex,ages,symptoms\n{line}\n")
    with pytest.raises(DataError, match=words):
        load_diseases(path)


def h_adminsim_file(shape: str) -> dict[str, Any]:
    """A small dataset as the h-adminsim package writes it, in each of its shapes."""
    person = {
        "gender": "female",
        "telecom": [{"system": "phone", "value": "+8275129708711", "use": "work"}],
        "birthDate": "1982-09-21",
        "identifier": [{"value": "820921-1133985", "use": "official"}],
        "address": [{"type": "postal", "text": "4, Some-ro, Some-si", "use": "home"}],
    }
    table: dict[str, Any] = {
        "metadata": {
            "hospital_name": "hospital_00",
            "start_date": "2025-04-17",
            "end_date": "2025-04-18",
            "days": 2,
            "department_num": 1,
            "doctor_num": 1,
            "time": {"start_hour": 9.0, "end_hour": 18.0, "interval_hour": 0.05},
        },
        "department": {"pulmonary": {"code": "IMPUL", "doctor": ["Dr. Ann Example"]}},
        "doctor": {
            "Dr. Ann Example": {
                "department": "pulmonary",
                "specialty": {"name": "Sleep Medicine", "code": "IMPUL-1"},
                "schedule": {"2025-04-17": [[10.15, 11.299999999999999]], "2025-04-18": [[9.0, 18.0]]},
                "capacity_per_hour": 5,
                "capacity": 45,
                "gender": "male",
                "telecom": [{"system": "phone", "value": "+82100000", "use": "mobile"}],
                "birthDate": "1963-06-15",
            }
        },
    }
    constraint = {
        "preference": ["doctor", "date"],
        "attending_physician": "Dr. Ann Example",
        "valid_from": "2025-04-17",
        "symptom_level": "simple",
        "symptom": {"disease": "Cough", "department": ["pulmonary"], "symptom": ["Coughing"]},
    }
    if shape == "data":
        row = {**person, "department": "pulmonary", "attending_physician": "Dr. Ann Example", "date": "2025-04-17"}
        table["patient"] = {
            "Bo Sample": {
                **row,
                "schedule": [9.2, 9.4],
                "preference": ["doctor", "asap"],
                "symptom_level": "with_history",
            }
        }
    elif shape == "agent":
        table["agent_data"] = [[{"patient": "Bo Sample"}, {"patient": "Bo Sample", **person, "constraint": constraint}]]
    else:
        table["patient"] = [
            {"patient": "Bo Sample", **person, "constraint": {**constraint, "preference": ["physician", "asap"]}}
        ]
    return table


@pytest.mark.parametrize("shape", ["data", "agent", "paper"])
def test_h_adminsim_datasets_are_imported(shape: str, tmp_path: Path) -> None:
    path = tmp_path / "hospital_0.json"
    path.write_text(json.dumps(h_adminsim_file(shape)))
    contacts: list[Contact] = scenarios(str(path), 1)
    plan, visit = contacts[0].plan, contacts[1]
    assert plan is not None
    physician = plan.departments[0].physicians[0]
    assert plan.department_names == ("pulmonology",)
    assert physician.working_days == (0,)
    assert physician.busy == ((0, 23, 23),)
    assert physician.slots_per_visit == 4
    patient = visit.caller
    assert patient.person.name == "Bo Sample" and patient.preferences[0] == "physician"
    assert patient.knows_diagnosis == (shape == "data")
    assert patient.gold_departments == ("pulmonology",)
    if shape != "data":
        assert (patient.disease, patient.symptoms, patient.valid_from) == ("Cough", ("Coughing",), date(2025, 4, 17))
    assert scenarios(str(tmp_path), 1) == contacts


def test_a_foreign_dataset_with_times_off_the_grid_is_refused(tmp_path: Path) -> None:
    table = h_adminsim_file("data")
    table["patient"]["Bo Sample"]["schedule"] = [9.21, 9.4]
    (tmp_path / "x.json").write_text(json.dumps(table))
    with pytest.raises(DataError, match="not on the grid"):
        scenarios(str(tmp_path / "x.json"), 1)
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(DataError, match="not an h-adminsim dataset"):
        scenarios(str(tmp_path / "x.json"), 1)
