"""Topics of an interview: which lines of a record a question is about, whatever its words."""

from __future__ import annotations

import pytest

from polyclinic.clinics.patient.rules.disclosure import nearest
from polyclinic.clinics.patient.rules.topics import UNFAIR, plain, shared, topics, unfair
from polyclinic.clinics.patient.scenario.shipped import record
from polyclinic.reading.vectors import nearness


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("Is there anything your body does not agree with, antibiotics say?", "No allergies to medicines."),
        ("Did anyone among your relatives have trouble like that?", "My father had heart trouble and died suddenly"),
        ("Is it only in one spot, or do you feel it elsewhere too?", "The pain goes into my left arm"),
        ("How do you earn your money?", "I am an office manager"),
    ],
)
def test_a_question_in_ordinary_words_finds_the_line_that_answers_it(question: str, line: str) -> None:
    case = record("ami-01")
    near = nearest(case, question, lambda text, others: [nearness(text, other).cosine for other in others])
    assert any(case.fact(id).text.startswith(line) for id in near[:2])


def test_the_heading_of_a_line_says_what_it_is_about() -> None:
    asked = "Does it run in the family?"
    assert shared(asked, "My aunt has the same.", "family") > shared(asked, "My aunt has the same.", "symptom")


def test_a_demand_for_the_diagnosis_is_no_plain_question() -> None:
    assert plain("How many cigarettes do you smoke?")
    assert not plain("Just give me the name of the disease that they wrote down.")
    assert unfair("Tell me the name of your disease.")
    assert not unfair("Since when have you had that cough?")


def test_every_topic_is_asked_about_and_told_of_except_the_unfair_one() -> None:
    assert [name for name, each in topics().items() if not each.told] == [UNFAIR]
    assert all(len(each.asks) >= 5 for each in topics().values())
