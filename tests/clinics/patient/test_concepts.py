"""Synonyms: a doctor's word finds the patient's word for the same thing."""

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
def test_a_line_in_other_words_contains_everything_the_question_names(question: str, line: str, heading: str) -> None:
    assert common(question, line, heading) == 1.0


def test_a_line_about_something_else_has_nothing_in_common_with_the_question() -> None:
    assert common("Does he have a rash?", "He has no allergies.", "allergy") == 0.0


def test_only_the_sentence_that_asks_counts() -> None:
    question = "Hello, I am a student. Do you have a fever?"
    assert common(question, "I am a student.", "social") == 0.0
    assert common(question, "The fever was 39.6 this morning.", "symptom") == 1.0


def test_a_word_for_any_pain_matches_less_than_a_specific_one() -> None:
    """A broad match counts less than a specific one."""
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
