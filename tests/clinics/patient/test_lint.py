"""The linter says what is missing or contradictory in a case file, record by record."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from polyclinic.clinics.patient import clinic
from polyclinic.clinics.patient.scenario.casefile import read_case_file
from polyclinic.clinics.patient.scenario.checks import CHECKS, lint_records
from polyclinic.clinics.patient.scenario.record import Topic
from polyclinic.clinics.patient.scenario.shipped import shipped_records
from polyclinic.errors import DataError

GOOD = """
disease:
  name: migraine
  synonyms: [migraine attack, hemicrania]
  system: nervous system
  discipline: Internal Medicine
records:
  - id: mig-01
    age: 30
    sex: female
    volunteered: [My head throbs on the left side.]
    asked:
      symptom: [Light hurts my eyes., I have thrown up once., It lasts a whole day., I have no numbness.]
      history: [I have had such days since I was fifteen.]
      medication: [I take a painkiller when it comes.]
      family: [My mother has the same.]
      habits: [I do not smoke.]
      social: [I live with my cat.]
      allergy: [No allergies.]
    tests:
      - name: vital signs
        items: {Temperature: 36.8 C, Blood pressure: 118/74 mmHg}
      - name: neurological examination
        items: {Neck: not stiff, Limbs: normal}
    diagnosis: Migraine without aura
"""


def findings(text: str) -> list[str]:
    return lint_records(read_case_file(text, "case.yaml"))


def test_a_valid_case_has_no_findings() -> None:
    assert findings(GOOD) == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("volunteered: [My head throbs on the left side.]", "volunteered: []", "nothing is volunteered"),
        ("      family: [My mother has the same.]\n", "", "nothing is known about family"),
        ("Light hurts my eyes., I have thrown up once., It lasts a whole day., ", "", "at least 3"),
        ("My mother has the same.", "My mother has migraine.", "names the disease ('migraine')"),
        ("synonyms: [migraine attack, hemicrania]", "synonyms: []", "fewer than 2 synonyms"),
        ("discipline: Internal Medicine", "discipline: Headaches", "not one of the 20 disciplines"),
        ("age: 30", "age: 3", "set 'informant: parent'"),
        ("sex: female", "sex: male\n    informant: parent", "a parent as informant does not fit"),
        ("I have thrown up once.", "My periods have stopped.", ""),
        ("118/74 mmHg", "74/118 mmHg", "the larger one"),
        ("Temperature: 36.8 C", "Temperature: 58 C", "is not possible"),
        ("36.8 C", "38.9 C", ""),
        ("habits: [I do not smoke.]", "habits: [I do not smoke., I smoke a pack a day.]", "contradict each other"),
        ("Light hurts my eyes.,", "Light hurts my eyes., Light hurts my eyes.,", "appears 2 times"),
        ("name: neurological examination", "name: vital signs", "merge its items"),
    ],
)
def test_each_fault_is_reported(old: str, new: str, says: str) -> None:
    assert old in GOOD
    found = findings(GOOD.replace(old, new))
    if says:
        assert any(says in line and line.startswith("mig-01: ") for line in found), found
    else:
        assert found == []


def test_a_man_with_periods_and_a_denied_fever_are_contradictions() -> None:
    male = GOOD.replace("sex: female", "sex: male").replace("I have thrown up once.", "My periods have stopped.")
    assert any("cannot be true of a male patient" in line for line in findings(male))
    hot = GOOD.replace("36.8 C", "38.9 C").replace("I have thrown up once.", "I have no fever.")
    assert any("contradicts the measured temperature" in line for line in findings(hot))


def test_a_duplicate_id_is_found() -> None:
    records = read_case_file(GOOD, "case.yaml")
    assert lint_records([*records, *records])[0] == "mig-01: the id is used 2 times"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("records: [", "case.yaml:2: this is not YAML"),
        ("- 1\n- 2", "a mapping"),
        ("disease: {name: x}\nrecords: []", "at least one record"),
        ("records:\n  - id: a", "'disease' is missing"),
        (GOOD.replace("    age: 30", "    aeg: 30"), "unknown key 'aeg'"),
        (GOOD.replace("age: 30", "age: old"), "record 'mig-01'"),
        (GOOD.replace("      symptom: [", "      symptoms: ["), "no topic 'symptoms'"),
        (
            GOOD.replace("volunteered: [My head throbs on the left side.]", "volunteered: [{txt: hm}]"),
            "a fact must be a line",
        ),
    ],
)
def test_an_unreadable_file_is_refused_with_the_position_of_the_fault(text: str, says: str) -> None:
    with pytest.raises(DataError) as error:
        read_case_file(text, "case.yaml")
    assert says in str(error.value)
    assert "case.yaml" in str(error.value)


def test_lint_reads_a_file_or_the_shipped_records(tmp_path: Path) -> None:
    assert clinic.faults_in("") == []
    good = tmp_path / "case.yaml"
    good.write_text(GOOD)
    assert clinic.faults_in(str(good)) == []
    good.write_text(GOOD.replace("id: mig-01", "nid: mig-01"))
    assert "unknown key 'nid'" in clinic.faults_in(str(good))[0]
    assert "cases are read from" in clinic.faults_in(str(tmp_path / "case.doc"))[0]
    assert "there is no such file" in clinic.faults_in(str(tmp_path / "none.yaml"))[0]


def test_there_are_at_least_thirty_checks_and_each_has_a_name() -> None:
    assert len(CHECKS) >= 30
    assert all(re.fullmatch(r"[a-z ]+", name) for name in CHECKS)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("      allergy: [No allergies.]\n", "", "nothing is known about allergy"),
        ("      social: [I live with my cat.]\n", "", "nothing is known about social"),
        (", I have no numbness.", "", "no symptom line says what the patient does not have"),
        ("Migraine without aura", "Received higher education (finding)", "is no illness"),
        ("Migraine without aura", "Migraine (disorder)", "tag of a code system"),
        ("I live with my cat.", "I live alone, near the sea.", "in the middle of a sentence"),
        ("I live with my cat.", "My sugar was 14.2 mmol/L.", "a laboratory's result"),
        ("I live with my cat.", "TODO", "is not finished"),
        ("Limbs: normal", "Limbs: '-'", "'Limbs' has no result"),
        ("Limbs: normal", "Sodium: 140 mmol/L (145-135)", "the lower end of the normal range"),
        ("discipline: Internal Medicine", "discipline: Internal Medicine\n  urgent: true", "no line is a red flag"),
        (
            "discipline: Internal Medicine",
            "discipline: Internal Medicine\n  consult: [Internal Medicine]",
            "already treats the disease",
        ),
    ],
)
def test_each_new_check_finds_its_fault(old: str, new: str, says: str) -> None:
    assert old in GOOD
    assert any(says in finding for finding in findings(GOOD.replace(old, new))), findings(GOOD.replace(old, new))


def test_a_record_with_a_medicine_that_the_patient_is_allergic_to_is_a_fault() -> None:
    text = GOOD.replace("I take a painkiller when it comes.", "I take ibuprofen when it comes.")
    found = findings(text.replace("No allergies.", "I get a rash from ibuprofen."))
    assert any("contradicts" in finding and "ibuprofen" in finding for finding in found)


def test_every_shipped_record_has_allergies_medicines_family_social_history_and_pertinent_negatives() -> None:
    assert len(shipped_records()) == 66
    assert lint_records(shipped_records()) == []
    for record in shipped_records():
        topics = {fact.topic for fact in record.facts}
        assert {Topic.ALLERGY, Topic.MEDICATION, Topic.FAMILY, Topic.SOCIAL} <= topics, record.id
