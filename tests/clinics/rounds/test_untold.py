"""What people at the bedside are told about tests, and lines with which they fall out of their part."""

from __future__ import annotations

from typing import Any

import pytest

from polyclinic.clinics.rounds.agents.people import _NOT_AT_THE_BEDSIDE, _called_by_relation
from polyclinic.clinics.rounds.prompts.patient import PatientAnswers, untold_tests
from polyclinic.clinics.rounds.scenario.case import PatientScript
from polyclinic.core.part import Part, out_of_part
from polyclinic.core.part_signs import broken_by

SCRIPT = PatientScript(chief_complaint="My sister is drowsy.", story="The nurse took her temperature, it was high.")


def _told(*asked: str) -> str:
    prompt = PatientAnswers(style="", speaker="brother", script=SCRIPT, questions=asked, **untold_tests(asked, SCRIPT))
    return prompt.render()[-1].content


def test_questions_about_tests_that_nobody_told_the_speaker_about_are_not_put_to_them() -> None:
    told = _told("What does the ECG show?", "What is the ecg?", "What is her temperature?", "Since when is she drowsy?")
    assert "you do not know about the ECG: nobody has told you" in told
    assert "- What is her temperature?" in told and "- Since when is she drowsy?" in told
    assert "ECG show" not in told and "ecg?" not in told


def test_a_speaker_who_is_asked_only_about_such_tests_is_told_to_say_that_they_do_not_know() -> None:
    told = _told("What does the ECG show?", "And the T wave?")
    assert "ask you about the ECG and the T wave" in told and "- " not in told


def test_a_prompt_without_such_tests_says_nothing_about_them() -> None:
    assert "nobody has told you" not in _told("Since when is she drowsy?")


@pytest.mark.parametrize(
    "line",
    [
        "My sister's ECG shows no signs of heart problems.",
        "My son is stiff. The medication he is taking is not mentioned in the list.",
        "The pain is there, and the D-dimer test measures clotting.",
        "I am a husband, and I am present at the hospital.",
        "I am your son, who is stiff as a board.",
        "I woke up. The students asked about the blood.",
        "I am a computer program, not a medical professional.",
        "I am a medical assistant.",
        "I am sorry, but I do not have access to the ECG readings.",
        "The rhythm strip, lead II, is showing a big thump in my throat.",
    ],
)
def test_lines_of_a_small_model_are_out_of_character(line: str) -> None:
    signs = (_NOT_AT_THE_BEDSIDE, _called_by_relation("husband"))
    assert broken_by(line, Part(own=("patient",), others=("student",), signs=signs)) is not None


@pytest.mark.parametrize(
    "line",
    [
        "They looked at her ECG, I do not know what it shows.",
        "I am her husband.",
        "I am a mother of two.",
        "I am a medical assistant at a school, so I called at once.",
    ],
)
def test_ordinary_lines_stay_in_character(line: str) -> None:
    signs = (_NOT_AT_THE_BEDSIDE, _called_by_relation("mother"))
    assert broken_by(line, Part(own=("patient",), others=("student",), signs=signs)) is None


def test_a_student_who_repeats_an_experts_statement_is_out_of_character() -> None:
    expert = "The normal rhythm is a steady pattern of impulses through the heart. Is that clear?"
    fields: dict[str, Any] = {"who": "the student Liam", "own": ("Liam",), "may_advise": True, "reads": False}
    part = Part(**fields, said="I feel great.", heard=(expert,))
    found = out_of_part("The normal rhythm is a steady pattern of impulses through the heart.", part)
    assert found is not None and found.kind == "echo of the other"
    assert out_of_part("I think the rhythm here is not a steady pattern.", part) is None
    assert out_of_part("Harris believes that the weight has stopped.", Part(who="Harris", own=("Harris",))) is not None
