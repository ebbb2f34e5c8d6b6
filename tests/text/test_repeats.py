"""What counts as said before."""

from __future__ import annotations

import pytest

from polyclinic.text.repeats import said_before, without_repeats


@pytest.mark.parametrize(
    ("line", "earlier"),
    [
        ("What is the patient's medical history?", "What is your medical history?"),
        ("Could you please describe your pain?", "Can you describe the pain?"),
        ("Have a blood test.", "Please have a blood test."),
        ("언제부터 배가 아프세요?", "언제부터 배가 아프세요"),
        ("And you?", "And you"),
    ],
)
def test_a_line_with_nearly_the_same_words_was_said_before(line: str, earlier: str) -> None:
    assert said_before(line, ["Where is it?", earlier]) == earlier


@pytest.mark.parametrize(
    ("line", "earlier"),
    [
        ("When did the pain start?", "How did the pain start?"),
        ("Please have a urine test.", "Please have a blood test."),
        ("Do you have any other illnesses?", "Do you have any other symptoms?"),
        ("어디가 아프세요?", "언제 아프세요?"),
        ("", "And you?"),
    ],
)
def test_another_question_was_not_said_before(line: str, earlier: str) -> None:
    assert said_before(line, [earlier]) == ""


def test_lines_without_their_repeats_keep_their_order() -> None:
    assert without_repeats(["Where is it?", "Any fever?", "Where is it", "Since when?"]) == [
        "Where is it?",
        "Any fever?",
        "Since when?",
    ]
