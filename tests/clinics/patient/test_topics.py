"""Topics of an interview: which lines of a record a question is about, whatever its words."""

from __future__ import annotations

import pytest

from polyclinic.clinics.patient.rules.disclosure import nearest
from polyclinic.clinics.patient.rules.topics import shared, topics
from polyclinic.clinics.patient.scenario.shipped import record
from polyclinic.clinics.patient.understudies.voice import voice
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


def test_every_topic_has_words_for_asking_and_for_telling() -> None:
    assert all(len(each.asks) >= 5 and each.told for each in topics().values())


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Does it hurt? Is your belly worse when you cough?", '"… your belly worse when you cough", you say…'),
        ("Are you feeling sick at all, or sweaty?", '"… feeling sick at all, or sweaty", you say…'),
        ("How long have you had the pain?", '"… the pain", you say…'),
        ("What did the doctors write in your file?", '"… the doctors write in your file", you say…'),
        ("So what would you say is your diagnosis, in one word?", '"… your diagnosis, in one word", you say…'),
        ("Which disease do you have?", '"Which disease do you have", you say…'),
        ("Tell me all results and what they mean.", ""),
        (
            "Now I would like to hear from you whether anybody in your family has ever had a stroke or a clot.",
            '"… a stroke or a clot", you say…',
        ),
        ("", ""),
    ],
)
def test_the_last_words_of_a_question_that_is_not_answered_are_repeated(question: str, said: str) -> None:
    assert voice("first").echoes(question) == said
