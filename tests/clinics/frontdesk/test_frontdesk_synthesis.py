"""Hospitals from a config: the presets, exact slots, calls in time, custom tables, foreign datasets."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from polyclinic.clinics.frontdesk.scenario.config import HospitalConfig, load_config, preset
from polyclinic.clinics.frontdesk.scenario.diseases import departments, lint_diseases, packaged_diseases
from polyclinic.clinics.frontdesk.scenario.load import scenarios
from polyclinic.clinics.frontdesk.scenario.synthesis import synthesize, synthesize_hospital
from polyclinic.errors import ConfigError, DataError, UnknownName
from polyclinic.people.locales import load_locale
from tests.people.registration import age_on, identifier_faults

TABLE_8 = {
    "gastroenterology": 35,
    "cardiology": 19,
    "pulmonology": 27,
    "endocrinology/metabolism": 15,
    "nephrology": 5,
    "hematology/oncology": 49,
    "infectious diseases": 42,
    "allergy": 18,
    "rheumatology": 18,
}


def test_the_disease_table_has_the_counts_of_the_paper_and_no_fault() -> None:
    diseases = packaged_diseases()
    assert len(diseases) == 194
    assert Counter(name for disease in diseases for name in disease.departments) == TABLE_8
    assert lint_diseases(diseases) == []
    assert all(len(disease.symptoms) >= 4 for disease in diseases)
    assert {department.name for department in departments()} == set(TABLE_8)
    assert all(len(department.specialties) >= 3 for department in departments())


@pytest.mark.parametrize(
    ("level", "unit", "n_departments", "n_physicians", "days", "capacities", "events"),
    [
        ("primary", 15, (2, 3), (1, 1), (5, 7), (4,), (0.10, 0.05)),
        ("secondary", 15, (7, 9), (1, 2), (3, 4), (1, 2, 4), (0.10, 0.05)),
        ("tertiary", 3, (9, 9), (2, 3), (3, 4), (1, 2, 4, 5, 10, 20), (0.15, 0.10)),
    ],
)
def test_presets_are_those_of_the_paper(
    level: str,
    unit: int,
    n_departments: tuple[int, int],
    n_physicians: tuple[int, int],
    days: tuple[int, int],
    capacities: tuple[int, ...],
    events: tuple[float, float],
) -> None:
    config = preset(level)
    assert (config.slot_minutes, config.capacities, config.hospital_n, config.days) == (unit, capacities, 3, 7)
    assert (config.events.reschedule_prob, config.events.cancel_prob) == events
    for number in range(2):
        plan = synthesize_hospital(config, 3, number)[0].plan
        assert plan is not None
        assert n_departments[0] <= len(plan.departments) <= n_departments[1]
        for department in plan.departments:
            assert n_physicians[0] <= len(department.physicians) <= n_physicians[1]
            for physician in department.physicians:
                assert days[0] <= len(physician.working_days) <= days[1]
                assert physician.capacity_per_hour in capacities
                assert physician.slots_per_visit * unit * physician.capacity_per_hour == 60


def test_slots_are_exact_where_floats_miscount() -> None:
    plan = synthesize_hospital(
        preset("tertiary", start_hour={"min": 9, "max": 9}, end_hour={"min": 18, "max": 18}), 1, 0
    )[0].plan
    assert plan is not None
    time = plan.time
    assert time.slots_per_day == 180
    wrong = 0
    for slot in range(180):
        minute = time.minute(0, slot)
        assert time.first_after(minute - 1) == (0, slot)
        assert time.first_after(minute) == (0, slot + 1)
        wrong += int((9 + slot * 0.05 - 9) / 0.05) != slot
    assert wrong > 0, "the float way counts rightly here, so this test shows nothing"


def test_calls_come_in_order_within_opening_hours_and_callbacks_after_the_first_call() -> None:
    config = preset("secondary")
    contacts = synthesize_hospital(config, 11, 0)
    plan = contacts[0].plan
    assert plan is not None
    assert (contacts[0].kind, contacts[-1].kind) == ("opening", "closing")
    minutes = [contact.minute for contact in contacts]
    assert minutes == sorted(minutes)
    assert min(minutes) == -config.lead_days * 1440
    calls = [contact for contact in contacts if contact.patient is not None]
    for contact in calls:
        assert plan.time.open_minute <= contact.minute % 1440 <= plan.time.close_minute
        assert contact.minute <= plan.time.end_minute
    assert {contact.minute // 1440 for contact in calls} == set(range(-3, 7))
    visits = {contact.caller.id: contact for contact in calls if contact.kind == "visit"}
    for contact in calls:
        if contact.kind != "visit":
            visit = visits[contact.caller.id]
            assert contact.after == visit.id and visit.minute < contact.minute
    assert len({contact.id for contact in contacts}) == len(contacts)


def test_patients_match_the_departments_and_physicians_of_their_hospital() -> None:
    contacts = synthesize(preset("tertiary"), 5, 1)
    plan = contacts[0].plan
    assert plan is not None
    visits = [contact.caller for contact in contacts if contact.kind == "visit"]
    assert len({patient.person.name for patient in visits}) == len(visits)
    table = {disease.name: disease for disease in packaged_diseases()}
    pack = load_locale("korea")
    kinds = Counter(patient.preferences for patient in visits)
    assert len(kinds) == 6
    for patient in visits:
        disease = table[patient.disease]
        assert patient.home_department in patient.gold_departments
        assert set(patient.gold_departments) <= set(disease.departments)
        if "physician" in patient.preferences:
            assert len(patient.gold_departments) == 1
        assert patient.axes.recall == ("high" if patient.knows_diagnosis else "none")
        assert not disease.sex or disease.sex == patient.person.sex
        if patient.companion != "parent":
            assert disease.ages[0] <= age_on(patient.person, plan.time.start_date) <= disease.ages[1]
        assert not identifier_faults(pack, patient.person.identifier, patient.person.sex, patient.person.birth_date)
    share = sum(patient.knows_diagnosis for patient in visits) / len(visits)
    assert 0.75 < share < 0.85
    first = Counter(patient.preferences[0] for patient in visits)
    assert 0.35 < first["asap"] / len(visits) < 0.45 and 0.15 < first["date"] / len(visits) < 0.25


def test_the_same_seed_gives_the_same_hospital_and_another_seed_a_different_one() -> None:
    config = preset("primary")
    assert synthesize(config, 4, 1) == synthesize(config, 4, 1)
    assert synthesize(config, 4, 1) != synthesize(config, 5, 1)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"time_unit": 0.07}, "whole number of minutes"),
        ({"working_days": {"min": 3, "max": 9}}, "working_days"),
        ({"capacity_per_hour": {"min": 3, "max": 3}}, "capacity"),
        ({"preference": {"type": ["asap", "date"], "probs": [0.5, 0.6]}}, "add up"),
        ({"preference": {"type": ["soon"], "probs": [1.0]}}, "preference types"),
        ({"start_hour": {"min": 12, "max": 10}}, "min 12 is above max 10"),
        ({"end_hour": {"min": 9, "max": 9}}, "open before it closes"),
        ({"department_per_hospital": {"min": 1, "max": 12}}, "departments"),
        (
            {"events": {"reschedule_prob": 0.8, "cancel_prob": 0.5, "delay_minutes": {"min": 0, "max": 5}}},
            "delay_minutes",
        ),
        ({"nonsense": 1}, "nonsense: there is no such parameter"),
    ],
)
def test_an_impossible_config_is_refused_with_the_reason(changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    path = tmp_path / "hospital.yaml"
    path.write_text(json.dumps({"preset": "secondary", **changes}))
    with pytest.raises(DataError, match=words):
        load_config(path)


def test_config_files_change_a_preset_in_toml_and_yaml(tmp_path: Path) -> None:
    toml, yaml = tmp_path / "h.toml", tmp_path / "h.yaml"
    toml.write_text('preset = "primary"\nhospital_n = 1\ndays = 10\nlocale = "scotland"\n')
    yaml.write_text("preset: primary\nhospital_n: 1\ndays: 10\nlocale: scotland\n")
    assert load_config(toml) == load_config(yaml)
    contacts = scenarios(str(toml), 1)
    assert contacts[0].plan is not None and contacts[0].plan.time.days == 10
    assert contacts[1].caller.person.identifier.isdigit()


def test_busy_times_lie_within_the_working_days_and_opening_hours() -> None:
    config = preset("secondary", busy_schedule_prob=1.0)
    plan = synthesize_hospital(config, 2, 0)[0].plan
    assert plan is not None
    for department in plan.departments:
        for physician in department.physicians:
            assert [day for day, _, _ in physician.busy] == list(physician.working_days)
            for _, first, length in physician.busy:
                assert 0.3 < length / plan.time.slots_per_day < 0.7
                assert first >= 0 and first + length <= plan.time.slots_per_day


def test_each_selector_selects_what_it_names() -> None:
    assert len([c for c in scenarios("7", 1) if c.kind == "visit"]) == 7
    assert {c.level for c in scenarios("", 1)} == {"primary", "secondary", "tertiary"}
    two = scenarios("primary:2:5", 1)
    assert len({c.campaign for c in two}) == 2 and len([c for c in two if c.kind == "visit"]) == 10
    none, half, full = (
        [c.caller.knows_diagnosis for c in scenarios(f"history-{name}:1", 1) if c.kind == "visit"]
        for name in ("none", "half", "all")
    )
    assert not any(none) and all(full) and 0.4 < sum(half) / len(half) < 0.6
    assert sum(c.claims is not None for c in scenarios("imposters:30", 1)) == 30
    assert {c.campaign for c in scenarios("paper:1:2", 1)} == {"primary-0", "secondary-0", "tertiary-0"}
    assert len({c.campaign for c in scenarios("history:1:2", 1)}) == 3
    (alone,) = scenarios("walk-in", 1)
    assert alone.kind == "visit" and alone.plan is not None
    with pytest.raises(UnknownName, match="tertiary"):
        scenarios("tertiery", 1)
    for nonsense in ("primary:x", "primary:1:2:3", "primary:0"):
        with pytest.raises(ConfigError):
            scenarios(nonsense, 1)
    with pytest.raises(DataError, match="no such file"):
        scenarios("missing.toml", 1)


def test_every_parameter_of_the_papers_table_is_in_the_config() -> None:
    wanted = {
        "hospital_n", "start_date", "days", "time_unit", "start_hour", "end_hour", "department_per_hospital",
        "physician_per_department", "working_days", "capacity_per_hour", "busy_schedule_prob", "busy_schedule_ratio",
        "appointment_ratio", "preference", "symptom",
    }  # fmt: skip
    assert wanted <= set(HospitalConfig.model_fields)


def test_nobody_has_complaints_that_only_the_other_sex_can_have() -> None:
    only = {"male": ("testicle", "scrotum", "prostate", "semen"), "female": ("period", "womb", "smear", "monthly")}
    for disease in packaged_diseases():
        for sex, words in only.items():
            if disease.sex != sex:
                said = [symptom for symptom in disease.symptoms if any(word in symptom for word in words)]
                assert not said, f"{disease.name}: {said}"


def test_the_history_sets_differ_only_in_what_patients_know() -> None:
    def known(name: str) -> list[tuple[Any, ...]]:
        visits = [contact for contact in scenarios(f"{name}:1", 7) if contact.kind == "visit"]
        return [
            (
                v.minute,
                v.caller.person,
                v.caller.disease,
                v.caller.preferences,
                v.caller.attends,
                v.caller.axes.personality,
            )
            for v in visits
        ]

    none, half, everyone = (known(name) for name in ("history-none", "history-half", "history-all"))
    assert none == half == everyone
    shares = [
        [contact.caller.knows_diagnosis for contact in scenarios(f"{name}:1", 7) if contact.kind == "visit"]
        for name in ("history-none", "history-half", "history-all")
    ]
    assert not any(shares[0]) and all(shares[2])
    assert 0.35 < sum(shares[1]) / len(shares[1]) < 0.65
    assert all(
        (contact.caller.axes.recall == "none") is not contact.caller.knows_diagnosis
        for contact in scenarios("history-half:1", 7)
        if contact.kind == "visit"
    )


def test_the_imposters_selector_takes_only_one_number() -> None:
    with pytest.raises(ConfigError, match="write imposters or imposters:calls"):
        scenarios("imposters:1:2", 1)
