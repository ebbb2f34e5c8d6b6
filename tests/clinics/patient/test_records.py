"""The shipped records: enough of them, fit for use, and no fact that may be told gives the diagnosis away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from polyclinic.clinics.patient.scenario import PatientScenario, scenarios
from polyclinic.clinics.patient.scenario.checks import lint_records
from polyclinic.clinics.patient.scenario.record import Level, Topic
from polyclinic.clinics.patient.scenario.shipped import (
    HELD_OUT_DISEASES,
    diseases,
    shipped_records,
    training_records,
    unseen_records,
)
from polyclinic.errors import UnknownName
from polyclinic.people.profiles import Profile, education_rank, fitting_profiles
from polyclinic.text.phrases import mentioned


def test_there_are_sixty_records_over_fifteen_diseases_of_the_named_systems() -> None:
    records = shipped_records()
    assert len(records) >= 60
    assert len(diseases()) >= 15
    systems = {disease.system for disease in diseases()}
    assert {"liver", "pancreas", "heart", "lungs", "kidneys", "endocrine", "nervous system"} <= systems
    assert {"obstetric", "paediatric", "psychiatric", "head and neck"} <= systems
    names = {disease.name for disease in diseases()}
    assert {"nasopharyngeal carcinoma", "acute appendicitis"} <= names


def test_the_linter_finds_no_fault_in_the_shipped_records() -> None:
    assert lint_records(shipped_records()) == []


def test_every_fact_has_a_level_and_every_record_has_facts_of_all_four_levels() -> None:
    for record in shipped_records():
        levels = Counter(fact.level for fact in record.facts)
        assert set(levels) == set(Level), record.id
        assert len({fact.id for fact in record.facts}) == len(record.facts)
        assert any(fact.topic is Topic.DIAGNOSIS and fact.level is Level.NEVER for fact in record.facts)
        assert all(fact.test for fact in record.at(Level.TEST))


def test_a_parent_speaks_for_small_children() -> None:
    children = [record for record in shipped_records() if record.age < 13]
    assert len(children) >= 8
    for record in children:
        assert record.informant == "parent"
        assert not any(fact.text.startswith("I am ") for fact in record.at(Level.VOLUNTEERED))


def test_no_record_is_both_for_training_and_unseen() -> None:
    train, unseen = training_records(), unseen_records()
    assert not {record.id for record in train} & {record.id for record in unseen}
    assert len(train) + len(unseen) == len(shipped_records())
    assert not {record.disease.name for record in train} & set(HELD_OUT_DISEASES)


def test_no_fact_that_may_be_told_names_the_disease_of_its_record() -> None:
    for record in shipped_records():
        for fact in record.at(Level.VOLUNTEERED, Level.ASKED, Level.TEST):
            assert mentioned(fact.text, record.disease.names) == [], (record.id, fact.text)


def test_further_cases_reuse_the_records_with_other_people() -> None:
    cases = scenarios("ami-01:3")
    assert [case.id for case in cases] == ["ami-01", "ami-01+1", "ami-01+2"]
    assert len({case.profile.id for case in cases}) == 3
    assert {case.record.id for case in cases} == {"ami-01"}


def test_a_case_and_its_person_do_not_contradict_each_other() -> None:
    for case in scenarios("all"):
        assert isinstance(case, PatientScenario)
        if case.record.informant == "parent":
            assert case.profile.children and case.profile.age >= case.record.age + 19
        else:
            assert case.profile.sex == case.record.sex
            assert abs(case.profile.age - case.record.age) <= 5
        if "I teach" in " ".join(fact.text for fact in case.record.facts):
            assert education_rank(case.profile.education) >= education_rank("bachelor")


def test_an_evolving_campaign_runs_one_by_one_or_in_generations() -> None:
    one_by_one = scenarios("evolve:5")
    assert [case.wave for case in one_by_one] == [0, 1, 2, 3, 4]
    assert {case.campaign for case in one_by_one} == {"evolve"}
    assert all("train" in case.tags for case in scenarios("evolve:60"))
    assert [case.wave for case in scenarios("evolve-by-2:5")] == [0, 0, 1, 1, 2]
    assert {case.record.disease.name for case in scenarios("evolve-npc:6")} == {"nasopharyngeal carcinoma"}


def test_a_transfer_learns_on_one_disease_and_is_then_tested_on_five_others() -> None:
    cases = scenarios("transfer-npc:6")
    learning, exam = [case for case in cases if not case.exam], [case for case in cases if case.exam]
    assert {case.record.disease.name for case in learning} == {"nasopharyngeal carcinoma"}
    assert len({case.record.disease.name for case in exam}) == 5
    assert "nasopharyngeal carcinoma" not in {case.record.disease.name for case in exam}
    assert min(case.wave for case in exam) > max(case.wave for case in learning)
    assert len({case.campaign for case in cases}) == 1


def test_a_transfer_from_the_training_cases_is_tested_on_as_many_unseen_ones() -> None:
    cases = scenarios("transfer-train:5")
    assert [("train" in case.tags, case.exam, case.practice) for case in cases] == [(True, False, True)] * 5 + [
        (False, True, False)
    ] * 5


@pytest.mark.parametrize("nonsense", ["evolve-by-0:3", "nowhere", "train:many", "evolve_npc"])
def test_an_unknown_selector_is_refused_with_the_valid_names(nonsense: str) -> None:
    with pytest.raises(UnknownName):
        scenarios(nonsense)


def test_people_for_a_record_are_looked_for_once_for_all_its_cases(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []
    known = fitting_profiles

    def counted(pool: Sequence[Profile], **wanted: Any) -> tuple[Profile, ...]:
        asked.append(wanted["age"])
        return known(pool, **wanted)

    monkeypatch.setattr("polyclinic.clinics.patient.scenario.select.fitting_profiles", counted)
    made = scenarios("unseen:3000", 0)
    assert len(made) == 3000 == len({case.id for case in made})
    assert len(asked) == len({case.record.id for case in made}) < 70
