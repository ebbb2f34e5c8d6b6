"""Words for one thing: a doctor's word finds the patient's."""

from __future__ import annotations

from collections import Counter

import pytest

from polyclinic.clinics.patient.rules.concepts import common, concepts


@pytest.mark.parametrize(
    ("question", "line", "heading"),
    [
        ("Any oedema?", "My legs are swollen.", "symptom"),
        ("Have you had a tumble?", "I fell beside the bed last night.", "symptom"),
        ("What contraception are you using?", "I have a copper coil since last year.", "symptom"),
        ("Did your mum have this?", "Nobody had anything like this.", "family"),
        ("Tell me honestly about the booze.", "I drink a bottle of wine every day.", "habits"),
    ],
)
def test_a_line_in_other_words_has_all_that_a_question_names(question: str, line: str, heading: str) -> None:
    assert common(question, line, heading) == 1.0


def test_what_a_question_names_and_a_line_does_not_is_not_in_common() -> None:
    assert common("Does he have a rash?", "He has no allergies.", "allergy") == 0.0


def test_only_the_sentence_that_asks_counts() -> None:
    question = "Hello, I am a student. Do you have a fever?"
    assert common(question, "I am a student.", "social") == 0.0
    assert common(question, "The fever was 39.6 this morning.", "symptom") == 1.0


def test_a_pain_may_be_any_pain() -> None:
    """What is broad counts less than what is named."""
    joints = "Are your joints sore?"
    assert common(joints, "My knees are worn out.", "history") > common(joints, "My belly hurts.", "symptom") > 0


def test_no_word_is_listed_twice_for_one_thing() -> None:
    twice = [
        (name, word)
        for name, each in concepts().items()
        for word, times in Counter((*each.words, *each.asked, *each.told)).items()
        if times > 1
    ]
    assert twice == []
