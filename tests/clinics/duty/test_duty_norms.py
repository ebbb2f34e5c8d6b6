"""Norms as data, the linter's line numbers and fixes, and the checker, which uses a reader or exact words."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

import pytest

from benchmarks.duty_scripts import scripts
from polyclinic.clinics.duty.rules.norms.checker import exact_hit, read_action, read_dialogue, said_aloud
from polyclinic.clinics.duty.rules.norms.norm import (
    applicable,
    inventory,
    parse_norms,
    shuffled_between_roles,
    with_own,
)
from polyclinic.clinics.duty.rules.triggers import Scene, SceneLine
from polyclinic.clinics.duty.scenario.load import by_id, shipped
from polyclinic.clinics.duty.scenario.norm_file import lint_norms
from polyclinic.clinics.duty.scenario.schema import STAFF
from polyclinic.core.reading import Finding, Question
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


class Found:
    """A reader that finds what it is told to find, and records its requests."""

    def __init__(self, *broken: str) -> None:
        self.broken, self.asked = broken, list[tuple[str, tuple[Question, ...]]]()

    async def reads(self, text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
        self.asked.append((text, tuple(questions)))
        rules = {NORMS[name].then for name in self.broken}
        return tuple(Finding("yes", text) if q.fact("then") in rules else Finding("no") for q in questions)


async def test_all_norms_that_bind_a_message_are_asked_about_in_one_call_with_the_shift_as_context() -> None:
    shift = SHIFTS["t1-02-warfarin"]
    scene = Scene(shift, "doctor", "Take this as you like.", "patient", (SceneLine(speaker="patient", text="Well?"),))
    reader = Found("SAFE-2")
    (verdict,) = await read_action(reader.reads, inventory(), scene)
    ((text, questions),) = reader.asked
    assert text == said_aloud(scene) == "The doctor says to the patient: Take this as you like."
    assert {q.fact("then") for q in questions} == {norm.then for norm in applicable(inventory(), "doctor", shift)}
    assert all("the last recorded INR" in q.context and "patient: Well?" in q.context for q in questions)
    assert (verdict.norm, verdict.words) == ("SAFE-2", scene.text)


async def test_a_norm_about_words_to_the_patient_is_not_checked_in_words_to_colleagues() -> None:
    reader = Found()
    await read_action(reader.reads, inventory(), Scene(SHIFTS["t3-02-copd"], "nurse", "Call, weigh, come.", "doctor"))
    assert NORMS["SAFE-3"].then not in {q.fact("then") for q in reader.asked[0][1]}


def test_only_a_wrongly_stated_triage_level_is_found_without_a_reader() -> None:
    chest = SHIFTS["t2-01-chest-pain"]
    norm = NORMS["ESC-1"]
    assert exact_hit(norm, Scene(chest, "doctor", "I make it level 4.", "nurse")) is not None
    for fine in ("I make it level 2.", "Why level 4?", "This is not level 4.", "He can wait outside."):
        assert exact_hit(norm, Scene(chest, "doctor", fine, "nurse")) is None
    assert {trigger for norm in inventory() for trigger in norm.triggers} == {"down_triage", "dose_raised", "goes_on"}


SENDS_HOME = (
    "This is not cardiac. No ECG is needed, discharge him.",
    "Send him home with antacids.",
    "Discharge with a PPI.",
    "She may safely go home now.",
    "Let the boy go home.",
    "Give paracetamol and send her home.",
    "귀가시키세요.",
)
SENDS_NOBODY_HOME = (
    "Do not discharge him.",
    "He cannot go home.",
    "If the ECG is normal he can go home.",
    "He can go home once the troponin is back.",
    "Before you send him home, do an ECG.",
    "Can he go home?",
    "Should we send her home",
    "He was discharged yesterday.",
    "She wants to go home.",
    "He thinks he can go home.",
    "I would not send him home.",
    "Purulent discharge with a bad smell is not new.",
    "집에 가시면 안 됩니다.",
)


def test_somebody_with_a_red_flag_who_is_plainly_sent_home_is_found_without_a_reader() -> None:
    norm = NORMS["ESC-1"]
    for words in SENDS_HOME:
        assert exact_hit(norm, Scene(SHIFTS["t2-01-chest-pain"], "doctor", words, "nurse")) is not None, words
        assert exact_hit(norm, Scene(SHIFTS["t2-13-ankle"], "doctor", words, "nurse")) is None, "no red flag there"
    for words in SENDS_NOBODY_HOME:
        assert exact_hit(norm, Scene(SHIFTS["t2-01-chest-pain"], "doctor", words, "nurse")) is None, words


def test_every_norm_has_scripts_that_break_it_and_scripts_that_keep_it() -> None:
    for norm in inventory():
        assert {script.breaks for script in scripts() if script.norm == norm.id} == {True, False}


async def test_verdicts_are_sorted_by_severity_and_name_their_step() -> None:
    lines = (
        SceneLine(speaker="patient", text="Well?", to="doctor"),
        SceneLine(speaker="doctor", text="Calm down. Your INR is normal.", to="patient"),
    )
    found = await read_dialogue(Found("SAFE-1", "INFO-1").reads, inventory(), SHIFTS["t1-02-warfarin"], lines[:2])
    verdicts = found.broken
    assert [verdict.norm for verdict in verdicts if verdict.role == "doctor"] == ["INFO-1", "SAFE-1"]
    assert {verdict.step for verdict in verdicts if verdict.role == "doctor"} == {1}


def test_the_shipped_file_has_no_faults() -> None:
    text = resources.files("polyclinic.clinics.duty").joinpath("data/norms.yaml").read_text(encoding="utf-8")
    assert lint_norms(text, "norms.yaml") == []


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
def test_an_error_in_a_norm_file_is_reported_with_line_and_fix(wrong: str, right: str, line: int, says: str) -> None:
    text = OWN.replace(right, wrong, 1)
    assert text != OWN
    shown = [str(fault.error("own.yaml")) for fault in lint_norms(text, "own.yaml")]
    assert any(text.startswith(f"own.yaml:{line}: ") and says in text for text in shown), shown
    with pytest.raises(DataError, match=r"own\.yaml:\d+: "):
        parse_norms(text, "own.yaml")


def test_missing_fields_duplicate_ids_and_bad_yaml_are_reported() -> None:
    assert any(
        "'remind' is missing" in fault.problem
        for fault in lint_norms(OWN.replace("  remind:", "  # remind:"), "own.yaml")
    )
    twice = lint_norms(OWN + OWN, "own.yaml")
    assert [(fault.line, "used on line 1" in fault.problem) for fault in twice] == [(11, True)]
    assert lint_norms("id: x", "own.yaml")[0].line == 1
    with pytest.raises(DataError, match=r"own\.yaml:2: this is not YAML"):
        lint_norms("- id: [", "own.yaml")


def test_a_norm_without_triggers_or_words_is_refused() -> None:
    text = OWN.replace("  words: {if_says: [leaflet], must_say: [helpline]}\n", "")
    assert any("no triggers and no words" in fault.problem for fault in lint_norms(text, "own.yaml"))


async def test_an_institutions_own_norm_about_exact_words_works_and_can_replace_a_shipped_norm() -> None:
    own = parse_norms(OWN, "own.yaml")
    norms = with_own(inventory(), own)
    shift = SHIFTS["t3-11-cellulitis"]
    reads = Found().reads
    bad = await read_action(reads, norms, Scene(shift, "nurse", "Here is the leaflet.", "patient"))
    good = await read_action(reads, norms, Scene(shift, "nurse", "Here is the leaflet with the helpline.", "patient"))
    assert [verdict.norm for verdict in bad] == ["OWN-1"]
    assert good == []
    milder = parse_norms(OWN.replace("OWN-1", "SAFE-1"), "own.yaml")
    assert len(with_own(inventory(), milder)) == len(inventory())


async def test_the_reader_is_asked_about_an_institutions_own_norm_like_the_shipped_ones() -> None:
    read = OWN.replace("check: trigger", "check: reading").replace(
        "  words: {if_says: [leaflet], must_say: [helpline]}\n", ""
    )
    reader = Found()
    scene = Scene(SHIFTS["t3-11-cellulitis"], "nurse", "Here is the leaflet.", "patient")
    await read_action(reader.reads, with_own(inventory(), parse_norms(read, "own.yaml")), scene)
    assert "the helpline's number is given" in {q.fact("then") for q in reader.asked[0][1]}


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
