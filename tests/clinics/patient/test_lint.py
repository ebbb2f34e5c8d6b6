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


NEUROLOGY = """      - name: neurological examination
        items: {Neck: not stiff, Limbs: normal}
"""
DISCIPLINE = "discipline: Internal Medicine"


def findings(text: str) -> list[str]:
    return lint_records(read_case_file(text, "case.yaml"))


def test_a_valid_case_has_no_findings() -> None:
    assert findings(GOOD) == []


PLANTED: dict[str, tuple[str, str, str]] = {
    "nothing volunteered": (
        "volunteered: [My head throbs on the left side.]",
        "volunteered: []",
        "nothing is volunteered",
    ),
    "topic missing": ("      family: [My mother has the same.]\n", "", "nothing is known about family"),
    "few symptoms": ("Light hurts my eyes., I have thrown up once., It lasts a whole day., ", "", "at least 3"),
    "no pertinent negative": (", I have no numbness.", "", "what the patient does not have"),
    "few investigations": (NEUROLOGY, "", "1 investigation(s); at least 2"),
    "empty result": ("Limbs: normal", "Limbs: '-'", "'Limbs' has no result"),
    "nothing kept back": ("    diagnosis: Migraine without aura\n", "    diagnosis: ''\n", "no fact is hidden"),
    "empty diagnosis": ("    diagnosis: Migraine without aura\n", "    diagnosis: ''\n", "the diagnosis is empty"),
    "social finding as diagnosis": ("Migraine without aura", "Received higher education (finding)", "is no illness"),
    "code system tag": ("Migraine without aura", "Migraine (disorder)", "tag of a code system"),
    "few synonyms": ("synonyms: [migraine attack, hemicrania]", "synonyms: []", "fewer than 2 synonyms"),
    "broader name is no synonym": (DISCIPLINE, f"{DISCIPLINE}\n  broader: [headache]", "not among the synonyms"),
    "unknown discipline": (DISCIPLINE, "discipline: Headaches", "'Headaches' is not one of the 20 disciplines"),
    "unknown consult": (DISCIPLINE, f"{DISCIPLINE}\n  consult: [Headaches]", "consult: 'Headaches' is not one"),
    "consult is the discipline": (DISCIPLINE, f"{DISCIPLINE}\n  consult: [Internal Medicine]", "already treats"),
    "urgent without red flag": (DISCIPLINE, f"{DISCIPLINE}\n  urgent: true", "no line is a red flag"),
    "repeated line": ("Light hurts my eyes.,", "Light hurts my eyes., Light hurts my eyes.,", "appears 2 times"),
    "repeated test": ("name: neurological examination", "name: vital signs", "merge its items"),
    "line torn at a comma": ("I live with my cat.", "I live alone, near the sea.", "in the middle of a sentence"),
    "line names the disease": ("My mother has the same.", "My mother has migraine.", "names the disease ('migraine')"),
    "test names the disease": (
        "name: neurological examination",
        "name: migraine score",
        "the test name 'migraine score'",
    ),
    "laboratory values in speech": ("I live with my cat.", "My sugar was 14.2 mmol/L.", "a laboratory's result"),
    "small child tells": ("age: 30", "age: 3", "set 'informant: parent'"),
    "patient speaks of a child": ("My head throbs", "My son has a head that throbs", "the informant is the patient"),
    "parent of an adult": ("sex: female", "sex: male\n    informant: parent", "a parent as informant does not fit"),
    "child in the first person": ("age: 30", "age: 3\n    informant: parent", "a parent tells the story"),
    "contradiction": ("[I do not smoke.]", "[I do not smoke., I smoke a pack a day.]", "contradict each other"),
    "allergic to own medicine": (
        "No allergies.",
        "I get a rash from this painkiller.",
        "contradicts 'I take a painkiller",
    ),
    "very long line": ("I live with my cat.", "I live with my cat" + " and my cat" * 20 + ".", "short sentences"),
    "placeholder left": ("I live with my cat.", "TODO", "is not finished"),
    "women only": ("sex: female", "sex: male", "cannot be true of a male patient"),
    "men only": ("I have thrown up once.", "My prostate hurts.", "cannot be true of a female patient"),
    "illness of the other sex": ("diagnosis: Migraine without aura", "diagnosis: Prostate cancer", "cannot have"),
    "pregnant at this age": ("age: 30", "age: 70", "'I am pregnant.' at 70 years"),
    "months and years": ("age: 30", "age: 30\n    age_months: 7", "age 30 and age_months 7 do not agree"),
    "age told otherwise": ("I live with my cat.", "I am 54 years old.", "but the record says 30 years"),
    "child with a grown ups life": ("age: 30", "age: 8", "'I work as a nurse.' at 8 years"),
    "impossible vital sign": ("Temperature: 36.8 C", "Temperature: 58 C", "is not possible (30 to 43)"),
    "blood pressure upside down": ("118/74 mmHg", "74/118 mmHg", "the larger one"),
    "normal range upside down": ("Limbs: normal", "Sodium: 140 mmol/L (145-135)", "the lower end of the normal range"),
    "fever denied and measured": ("Temperature: 36.8 C", "Body temperature: 38.9 C", "contradicts the measured"),
}
"""One fault for each check: what is replaced in a good case, by what, and what the linter says then."""

NEEDED = {
    "women only": ("It lasts a whole day.", "My periods have stopped."),
    "pregnant at this age": ("It lasts a whole day.", "I am pregnant."),
    "child with a grown ups life": ("I live with my cat.", "I work as a nurse."),
    "fever denied and measured": ("I have no numbness.", "I have no fever."),
}
"""What must stand in the good case before the fault is one."""


@pytest.mark.parametrize("name", CHECKS)
def test_each_check_finds_its_fault(name: str) -> None:
    good = GOOD.replace(*NEEDED.get(name, ("", "")))
    old, new, says = PLANTED[name]
    assert good.count(old) == 1
    assert findings(good) == []
    found = findings(good.replace(old, new))
    assert any(says in line and line.startswith("mig-01: ") for line in found), found
    assert any(says in line for line in CHECKS[name](read_case_file(good.replace(old, new), "case.yaml")[0]))


def test_there_are_at_least_thirty_checks_and_each_has_a_name() -> None:
    assert len(CHECKS) >= 30
    assert all(re.fullmatch(r"[a-z ]+", name) for name in CHECKS)


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
