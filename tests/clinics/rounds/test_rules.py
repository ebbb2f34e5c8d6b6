from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyclinic.clinics.rounds.rules.leak import giveaway_phrases, leak
from polyclinic.clinics.rounds.rules.matching import YEARS_APART, fitting, match_persona
from polyclinic.clinics.rounds.rules.teaching import (
    asks,
    balance,
    harms,
    holds,
    names_in,
    nearest_fact,
    question_share,
    said_falsely,
    tells,
)
from polyclinic.clinics.rounds.rules.thinking import NotJson, read_output, read_thinking, write_thinking
from polyclinic.clinics.rounds.scenario.case import Case, Demographics, Informant, PatientScript
from polyclinic.clinics.rounds.scenario.shipped import case_named, shipped_cases
from polyclinic.clinics.rounds.understudies.tutor import planted_harms
from polyclinic.core.seed import stream
from polyclinic.people.personas import personas

TORSADES = case_named("card-04")


@pytest.mark.parametrize(
    ("words", "heard", "leaks"),
    [
        ("What would you give first?", [], False),
        ("You should give magnesium sulfate.", [], True),
        ("The answer is A.", [], TORSADES.answer == "A"),
        (f"Option {TORSADES.answer} is the right answer.", [], True),
        ("Rhona says intravenous magnesium; what speaks for it?", ["I would give intravenous magnesium."], False),
        ("Yes, it is magnesium sulfate, well done.", ["I would give magnesium sulfate."], True),
        ("Compare Magnesium sulfate with Amiodarone: how do they differ?", [], False),
        ("His magnesium level is 0.45, what does that do?", [], False),
    ],
)
def test_leaks_are_found_and_quotes_are_not(words: str, heard: list[str], leaks: bool) -> None:
    assert bool(leak(TORSADES, words, heard)) is leaks


@pytest.mark.parametrize("case", shipped_cases(), ids=lambda case: case.id)
def test_no_key_question_leaks_and_the_answer_always_does(case: Case) -> None:
    assert not any(leak(case, step.key_question) for step in case.steps)
    assert leak(case, f"The answer is {case.answer_text}.")


def test_cases_without_marked_words_use_the_answers_own() -> None:
    case = Case(
        id="x",
        title="",
        specialty="",
        vignette="A man coughs.",
        question="Which?",
        options={"A": "Bronchoscopy", "B": "Rest"},
        answer="A",
    )
    assert "Bronchoscopy" in giveaway_phrases(case)
    assert leak(case, "I would do a bronchoscopy now.")
    assert not leak(case, "What would you do now?")


def test_every_pitfall_is_caught_when_stated_and_not_when_asked_or_corrected() -> None:
    for case in shipped_cases():
        for pitfall in case.pitfalls:
            assert said_falsely(case, f"Well done. {pitfall.wrong}. What next?") == [pitfall], (case.id, pitfall.wrong)
            assert not said_falsely(case, f"{pitfall.right}."), (case.id, pitfall.right)
        assert not said_falsely(case, " ".join(step.key_question for step in case.steps)), case.id


def test_planted_harms_are_caught_and_our_own_words_are_clean() -> None:
    assert all(harms(sentence) for sentence in planted_harms())
    for case in shipped_cases():
        assert not harms(f"{case.vignette} {case.explanation} {' '.join(step.key_question for step in case.steps)}")


def test_steps_are_recognised_as_asked_told_and_held() -> None:
    for case in shipped_cases():
        for number, step in enumerate(case.steps):
            assert asks(f"Thank you. {step.key_question}", step), (case.id, number)
            assert tells(f"Note this. {step.step_summary}", step), (case.id, number)
            assert holds(f"I see that {step.step_summary}", step)


@given(st.lists(st.integers(0, 50), min_size=2, max_size=10))
def test_balance_is_one_for_equal_shares_and_never_outside_zero_and_one(counts: list[int]) -> None:
    value = balance(counts)
    assert -1e-9 <= value <= 1 + 1e-9
    if len(set(counts)) == 1 and counts[0]:
        assert value == pytest.approx(1.0)


def test_balance_at_its_ends() -> None:
    assert balance([5]) == 1.0
    assert balance([6, 0, 0]) == pytest.approx(0.0)
    assert balance([0, 0]) == 0.0


def test_questions_names_and_facts() -> None:
    assert question_share(["Good. What now? And why?"]) == pytest.approx(2 / 3)
    assert question_share([]) == 0.0
    assert names_in("Ann and Joanna", ["Ann", "Jo"]) == ["Ann"]
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
def test_the_form_of_thinking(monologue: str, images: bool, missing: int, faults: int, blemishes: int) -> None:
    read = read_thinking(monologue, ["Ann", "Ben"], images)
    assert len(read.missing) == missing, read
    assert (len(read.faults) > 0) is (faults > 0), read
    assert len(read.blemishes) == blemishes, read


@pytest.mark.parametrize(
    "text",
    ["", "words", "[]", '{"guidance": "x"}', '{"internal_monologue": "m", "guidance": ""}',
     '{"internal_monologue": 1, "guidance": "x"}',
     '{"internal_monologue": "m", "guidance": "x", "more": 1}'],
)  # fmt: skip
def test_outputs_that_are_not_the_asked_object_are_refused(text: str) -> None:
    with pytest.raises(NotJson):
        read_output(text)


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


def test_without_demographics_tags_decide() -> None:
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
