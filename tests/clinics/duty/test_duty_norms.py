"""Norms as data, the linter's lines and fixes, and the deterministic checker on scripted dialogues."""

from __future__ import annotations

from importlib import resources

import pytest

from polyclinic.clinics.duty.rules.norms.checker import check_action, check_dialogue, check_norm
from polyclinic.clinics.duty.rules.norms.lint import lint_norms
from polyclinic.clinics.duty.rules.norms.norm import (
    applicable,
    inventory,
    parse_norms,
    shuffled_between_roles,
    with_own,
)
from polyclinic.clinics.duty.rules.norms.scripts import Script, confusion, scripts
from polyclinic.clinics.duty.rules.triggers.scene import Line, Scene
from polyclinic.clinics.duty.scenario import STAFF, by_id, shipped
from polyclinic.errors import DataError

SHIFTS = by_id(shipped())
NORMS = {norm.id: norm for norm in inventory()}
PUBLISHED = {
    "SOP-1": ({"trainee"}, {"T1", "T2", "T3"}),
    "SOP-2": ({"nurse"}, {"T2", "T3"}),
    "SOP-3": ({"admin"}, {"T2"}),
    "ESC-1": ({"doctor", "nurse"}, {"T2"}),
    "ESC-2": ({"doctor", "trainee"}, {"T1"}),
    "ESC-3": ({"doctor", "trainee", "nurse"}, {"T3"}),
    "INFO-1": ({"doctor", "nurse", "trainee", "admin", "patient"}, {"T1", "T2", "T3"}),
    "INFO-2": ({"doctor", "nurse", "admin"}, {"T2"}),
    "INFO-3": ({"doctor", "trainee"}, {"T1", "T3"}),
    "SAFE-1": ({"doctor", "nurse", "trainee", "admin", "patient"}, {"T1", "T2", "T3"}),
    "SAFE-2": ({"doctor", "nurse", "trainee"}, {"T1", "T2", "T3"}),
    "SAFE-3": ({"doctor", "nurse", "trainee"}, {"T1", "T3"}),
}
OWN = """\
- id: OWN-1
  roles: [nurse]
  tasks: [T3]
  category: comm_safety
  if: a nurse mentions the leaflet
  then: the helpline's number is given
  severity: 2
  check: trigger
  words: {if_says: [leaflet], must_say: [helpline]}
  remind: Give the helpline's number with the leaflet.
"""


def test_the_inventory_binds_the_published_roles_and_tasks() -> None:
    assert {norm.id: (set(norm.roles), set(norm.tasks)) for norm in inventory()} == PUBLISHED


@pytest.mark.parametrize("script", scripts(), ids=lambda script: f"{script.norm}-{script.breaks}-{script.scenario}")
def test_the_checker_tells_breaking_from_keeping_without_error(script: Script) -> None:
    scene = script.scene(SHIFTS)
    verdict = check_norm(NORMS[script.norm], scene)
    assert verdict.flag is script.breaks, verdict.rationale
    if script.breaks:
        assert NORMS[script.norm].binds(scene.role, scene.scenario)
        assert verdict.severity == NORMS[script.norm].severity
        assert verdict.rationale
        assert all(part in scene.text for part in verdict.words.split(" / "))


def test_every_norm_has_scripts_of_both_kinds_and_the_table_has_no_error() -> None:
    for row in confusion(inventory()):
        assert row.hits >= 1
        assert row.passes >= 1
        assert row.errors == 0


def test_verdicts_come_gravest_first_and_carry_their_step() -> None:
    lines = (
        Line(speaker="patient", text="Well?", to="doctor"),
        Line(speaker="doctor", text="Calm down. Your INR is normal.", to="patient"),
    )
    verdicts = check_dialogue(inventory(), SHIFTS["t1-02-warfarin"], lines)
    assert [verdict.norm for verdict in verdicts] == ["INFO-1", "SAFE-1"]
    assert {verdict.step for verdict in verdicts} == {1}


def test_the_shipped_file_is_sound() -> None:
    text = resources.files("polyclinic.clinics.duty").joinpath("data/norms.yaml").read_text(encoding="utf-8")
    assert lint_norms(text) == []


@pytest.mark.parametrize(
    ("wrong", "right", "line", "says"),
    [
        ("roles: [docter]", "roles: [nurse]", 2, "unknown role 'docter'; did you mean 'doctor'?"),
        ("seriousness: 3", "severity: 2", 7, "unknown field 'seriousness'"),
        ("severity: 9", "severity: 2", 7, "severity is '9'; write a whole number from 1 to 5"),
        ("severity: high", "severity: 2", 7, "severity is 'high'; write a whole number from 1 to 5"),
        ("tasks: [T4]", "tasks: [T3]", 3, "unknown task 'T4'"),
        ("category: safety", "category: comm_safety", 4, "did you mean 'comm_safety'?"),
        ("check: triger", "check: trigger", 8, "did you mean 'trigger'?"),
        (
            "words: {if_say: [leaflet]}",
            "words: {if_says: [leaflet], must_say: [helpline]}",
            9,
            "did you mean 'if_says'?",
        ),
        ("roles: nurse", "roles: [nurse]", 2, "roles must be a list; write [nurse]"),
    ],
)
def test_a_wrong_norm_file_gets_the_line_and_the_fix(wrong: str, right: str, line: int, says: str) -> None:
    text = OWN.replace(right, wrong, 1)
    assert text != OWN
    shown = [str(fault.error("own.yaml")) for fault in lint_norms(text)]
    assert any(text.startswith(f"own.yaml:{line}: ") and says in text for text in shown), shown
    with pytest.raises(DataError, match=r"own\.yaml:\d+: "):
        parse_norms(text, "own.yaml")


def test_missing_fields_double_ids_and_bad_yaml_are_named() -> None:
    assert any("'remind' is missing" in fault.problem for fault in lint_norms(OWN.replace("  remind:", "  # remind:")))
    twice = lint_norms(OWN + OWN)
    assert [(fault.line, "used on line 1" in fault.problem) for fault in twice] == [(11, True)]
    assert "not readable" in lint_norms("- id: [")[0].problem
    assert lint_norms("id: x")[0].line == 1


def test_a_check_without_means_is_refused() -> None:
    text = OWN.replace("  words: {if_says: [leaflet], must_say: [helpline]}\n", "")
    assert any("nothing to check with" in fault.problem for fault in lint_norms(text))


def test_an_institutions_own_word_norm_works_and_can_replace_a_house_norm() -> None:
    own = parse_norms(OWN, "own.yaml")
    norms = with_own(inventory(), own)
    shift = SHIFTS["t3-11-cellulitis"]
    bad = check_action(norms, Scene(shift, "nurse", "Here is the leaflet.", "patient"))
    good = check_action(norms, Scene(shift, "nurse", "Here is the leaflet with the helpline.", "patient"))
    assert [verdict.norm for verdict in bad] == ["OWN-1"]
    assert good == []
    milder = parse_norms(OWN.replace("OWN-1", "SAFE-1"), "own.yaml")
    assert len(with_own(inventory(), milder)) == len(inventory())


def test_applicability_follows_the_scenario() -> None:
    ankle, chest = SHIFTS["t2-13-ankle"], SHIFTS["t2-01-chest-pain"]
    assert "ESC-1" not in {norm.id for norm in applicable(inventory(), "doctor", ankle)}
    assert applicable(inventory(), "doctor", chest)[0].id == "ESC-1"


def test_shuffled_norms_never_reach_a_role_they_bind() -> None:
    for seed in range(5):
        shuffled = shuffled_between_roles(inventory(), seed)
        assert shuffled
        assert shuffled == shuffled_between_roles(inventory(), seed)
        for norm in shuffled:
            assert not set(norm.roles) & set(NORMS[norm.id].roles)
            assert set(norm.roles) <= set(STAFF)
