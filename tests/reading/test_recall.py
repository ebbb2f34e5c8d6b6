"""What a reader recalls: answers to similar questions, labelled by people other than the author of the text."""

from __future__ import annotations

import numpy as np
import pytest

from polyclinic.core.reading import ReadingKind
from polyclinic.reading.recall import Sample, learn, packed, unpacked
from polyclinic.reading.targets import rival_questions
from polyclinic.reading.vectors import DIMENSIONS
from polyclinic.runner.readings import all_kinds

COUGH, RASH = "a dry cough for two weeks", "an itchy rash on both arms"
SAMPLES = [
    Sample("What brings you in today?", COUGH, True, "A"),
    Sample("What brings you in today?", RASH, False, "A"),
    Sample("Have you noticed anything on your skin?", RASH, True, "A"),
    Sample("Have you noticed anything on your skin?", COUGH, False, "A"),
    Sample("So what has brought you to see me?", COUGH, True, "B"),
    Sample("So what has brought you to see me?", RASH, False, "B"),
    Sample("Any change of the skin at all?", RASH, True, "B"),
    Sample("Any change of the skin at all?", COUGH, False, "B"),
]


def test_a_question_similar_to_a_labelled_question_gets_the_same_answer() -> None:
    recall, _ = learn(SAMPLES)
    assert recall.says("What brings you here today?", COUGH) > 0.2 > -0.2 > recall.says("Anything on the skin?", COUGH)


def test_recall_says_almost_nothing_about_texts_and_targets_that_nobody_labelled() -> None:
    recall, _ = learn(SAMPLES)
    assert abs(recall.says("The invoice was paid on Friday.", "a contract about the roof")) < 0.1


def test_recall_for_an_author_contains_nothing_by_that_author() -> None:
    _, without = learn(SAMPLES)
    alone, _ = learn([sample for sample in SAMPLES if sample.author == "B"])
    for text in ("What brings you here today?", "Anything on the skin?"):
        assert without["A"].says(text, COUGH) == pytest.approx(alone.says(text, COUGH), abs=0.02)


def test_recall_gives_the_same_answers_after_saving_and_loading() -> None:
    recall, _ = learn(SAMPLES)
    again = unpacked(packed(recall), DIMENSIONS)
    assert again.says("What brings you here today?", COUGH) == pytest.approx(
        recall.says("What brings you here today?", COUGH), abs=0.03
    )
    assert np.array_equal(again.text_of, recall.text_of) and packed(again)[:12] == packed(recall)[:12]


def _asked(kind: ReadingKind, about: str = "(B) Croup") -> int:
    facts = dict.fromkeys(kind.fact_names, "Case: a man coughs. Options: (A) Asthma; (B) Croup; (C) Pneumonia")
    facts |= dict.fromkeys(kind.open, about)
    return len(rival_questions(kind, kind.ask(**facts)))


def test_only_a_question_about_one_option_has_rival_questions() -> None:
    kinds = all_kinds()
    assert _asked(kinds["rounds-choice"]) == 2
    assert _asked(kinds["rounds-leak"]) == _asked(kinds["rounds-false"]) == _asked(kinds["patient-told"]) == 0


def test_what_is_not_an_option_has_no_rival_questions_although_the_case_has_options() -> None:
    assert _asked(all_kinds()["rounds-holds"], "The cough sounds like a seal's bark.") == 0
