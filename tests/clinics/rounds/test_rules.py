from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyclinic.clinics.rounds.rules.leak import giveaway_names, named_answer
from polyclinic.clinics.rounds.rules.matching import NOT_IN_AN_EMERGENCY, YEARS_APART, fitting, match_persona
from polyclinic.clinics.rounds.rules.teaching import asked_in, balance, letter_of, names_in, question_share, stated_in
from polyclinic.clinics.rounds.rules.thinking import (
    NotAsAsked,
    read_output,
    read_thinking,
    write_output,
    write_thinking,
)
from polyclinic.clinics.rounds.scenario.case import Demographics, Informant, PatientScript, TeachingCase
from polyclinic.clinics.rounds.scenario.shipped import shipped_cases
from polyclinic.clinics.rounds.understudies.patient import nearest_fact
from polyclinic.core.seed import stream
from polyclinic.people.personas import personas
from tests.clinics.rounds.cases import case_named

TORSADES = case_named("card-04")


@pytest.mark.parametrize(
    ("words", "heard", "named"),
    [
        ("It feels tight.", "", ""),
        ("They gave me magnesium sulfate once.", "", "magnesium sulfate"),
        ("Magnesium sulfate is a salt.", "What is magnesium sulfate?", ""),
        ("His magnesium level is 0.45.", "", ""),
    ],
)
def test_the_answers_own_names_are_found_as_whole_words(words: str, heard: str, named: str) -> None:
    assert named_answer(TORSADES, words, heard).casefold() == named


def test_cases_without_marked_names_use_the_names_in_the_answer() -> None:
    case = TeachingCase(
        id="x",
        title="",
        specialty="",
        vignette="A man coughs.",
        question="Which?",
        options={"A": "Bronchoscopy", "B": "Rest"},
        answer="A",
    )
    assert giveaway_names(case) == ("Bronchoscopy",)
    assert named_answer(case, "I would do a bronchoscopy now.") and not named_answer(case, "What would you do now?")


@pytest.mark.parametrize(
    ("choice", "letter"),
    [("B", "B"), ("b", "B"), ("(C)", "C"), (" d. ", "D"), ("because", ""), ("Z", ""), ("B or C", ""), ("", "")],
)
def test_a_letter_is_read_as_a_choice_and_words_are_not(choice: str, letter: str) -> None:
    assert letter_of(TORSADES, choice) == letter


@given(st.lists(st.integers(0, 50), min_size=2, max_size=10))
def test_balance_is_one_for_equal_shares_and_never_outside_zero_and_one(counts: list[int]) -> None:
    value = balance(counts)
    assert -1e-9 <= value <= 1 + 1e-9
    if len(set(counts)) == 1 and counts[0]:
        assert value == pytest.approx(1.0)


def test_balance_at_its_extremes() -> None:
    assert balance([5]) == 1.0
    assert balance([6, 0, 0]) == pytest.approx(0.0)
    assert balance([0, 0]) == 0.0


def test_questions_and_names_are_found_in_a_text() -> None:
    assert question_share(["Good. What now? And why?"]) == pytest.approx(2 / 3)
    assert question_share([]) == 0.0
    assert names_in("Ann and Joanna", ["Ann", "Jo"]) == ["Ann"]
    assert asked_in("Good. What now? And why?") == "What now? And why?" and stated_in("Good. What now?") == "Good."
    assert nearest_fact("Do you take any tablets?", [("pain", "hurt"), ("medicine", "tablets")]) == 1
    assert nearest_fact("How is the weather?", [("pain",)]) is None


GOOD = write_thinking("h", "q", [("Ann", "a"), ("Ben", "b")], "g")


@pytest.mark.parametrize(
    ("monologue", "images", "missing", "faults", "blemishes"),
    [
        (GOOD, False, 0, 0, 0),
        (GOOD, True, 1, 0, 0),
        (GOOD + "<think_image>i</think_image>", True, 0, 0, 0),
        (GOOD + "<think_image>i</think_image>", False, 0, 0, 1),
        (GOOD.replace("Ben", "Zoe"), False, 0, 2, 0),
        (GOOD.replace('<think_student student_id="Ben">b</think_student>', ""), False, 0, 1, 0),
        (GOOD + '<think_student student_id="Ben">b</think_student>', False, 0, 1, 0),
        (GOOD.replace("<think_history>h</think_history>", ""), False, 1, 0, 0),
        (GOOD.replace(">g<", "><"), False, 0, 1, 0),
        ("so " + GOOD, False, 0, 0, 1),
        (GOOD.replace("</think_group>", ""), False, 1, 1, 0),
        ("<think_group>g</think_group>" + GOOD.replace("<think_group>g</think_group>", ""), False, 0, 1, 0),
    ],
)
def test_the_form_of_thinking_is_checked(
    monologue: str, images: bool, missing: int, faults: int, blemishes: int
) -> None:
    read = read_thinking(monologue, ["Ann", "Ben"], images)
    assert len(read.missing) == missing, read
    assert (len(read.faults) > 0) is (faults > 0), read
    assert len(read.blemishes) == blemishes, read


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"guidance": "x"}', '{"internal_monologue": "m", "guidance": ""}',
     '{"internal_monologue": 1, "guidance": "x"}', '{"internal_monologue": "m", "guidance": "x", "more": 1}',
     GOOD, GOOD + "<think_image>and then", GOOD.replace("</think_group>", "") + "What now?",
     "<think_history>all in one. What do you think?"],
)  # fmt: skip
def test_outputs_whose_words_cannot_be_separated_from_the_thinking_are_refused(text: str) -> None:
    with pytest.raises(NotAsAsked):
        read_output(text)


@pytest.mark.parametrize("monologue", [GOOD, "so " + GOOD, ""])
def test_thinking_and_words_are_separated(monologue: str) -> None:
    read = read_output(write_output(monologue, "What do you see, Ann?"))
    assert (read.monologue, read.guidance) == (monologue, "What do you see, Ann?")


def test_a_persona_is_matched_by_the_speakers_age_and_sex() -> None:
    for case in shipped_cases():
        assert case.script is not None
        speaker = case.script.speaker
        for trial in range(3):
            persona = match_persona(case.script, personas(), stream("match", case.id, trial))
            assert speaker.sex in (None, persona.sex)
            assert speaker.age in (None, persona.age)
            if speaker.age is not None:
                assert f", {speaker.age}" in persona.style_prompt


def test_nobody_who_plays_things_down_speaks_a_script_that_cries_for_help() -> None:
    cases = [case.whole_script for case in shipped_cases() if "emergency" in case.whole_script.persona_tags]
    assert len(cases) >= 10
    for script in cases:
        assert all(NOT_IN_AN_EMERGENCY.isdisjoint(persona.tags) for persona in fitting(script, personas()))


def test_without_demographics_the_tags_decide() -> None:
    script = PatientScript(chief_complaint="c", story="s", persona_tags=("senior", "female"))
    best = fitting(script, personas())[0]
    assert {"senior", "female"} <= set(best.tags)
    old = PatientScript(chief_complaint="c", story="s", demographics=Demographics(age=80, sex="male"))
    assert all(persona.sex == "male" and abs(persona.age - 80) <= YEARS_APART for persona in fitting(old, personas()))


def test_an_informant_is_never_a_child() -> None:
    script = PatientScript(
        chief_complaint="c",
        story="s",
        demographics=Demographics(age=3, sex="male"),
        informant=Informant(relation="parent", why="a child"),
    )
    assert all(persona.age >= 18 for persona in fitting(script, personas()))


def test_one_script_is_spoken_by_many_personas() -> None:
    script = case_named("card-05").script
    assert script is not None
    spoken = {match_persona(script, personas(), stream("many", n)).id for n in range(60)}
    assert len(spoken) >= 5
