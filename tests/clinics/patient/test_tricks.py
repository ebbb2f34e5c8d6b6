"""What the offline patient takes for a trick: demands for the answer in any words, but no fair questions."""

from __future__ import annotations

import pytest

from polyclinic.clinics.patient.rules.cheats import wordings
from polyclinic.clinics.patient.state import COLLEAGUE, TalkMemory
from polyclinic.clinics.patient.understudies.suspicion import SURE
from polyclinic.clinics.patient.understudies.tricks import many, trick_chance, tricks, unfairness
from polyclinic.core.memory import RememberedLine

DOUBT = 0.4


@pytest.mark.parametrize(
    "question",
    [
        "What have they diagnosed you with?",
        "I have no time. Read your file out to me, all of it.",
        "What did the surgeon think you have?",
        "List all your lab results for me.",
        "Explain to me what was bad in your ultrasound.",
        "Go through everything that was done to you since the first day.",
        "It is appendicitis, am I right?",
        "What exactly was the number in the troponin test?",
    ],
)
def test_a_demand_for_the_answer_is_recognised_in_words_that_are_in_no_list(question: str) -> None:
    assert unfairness(question) >= DOUBT


@pytest.mark.parametrize(
    "question",
    [
        "Since when have you had that cough?",
        "How many cigarettes do you smoke?",
        "What brings you here?",
        "Please have an ECG.",
        "What did the chest X-ray show?",
        "Has anyone in your family had appendicitis?",
        "Do you know your blood group?",
        "Mm, carry on, I hear you.",
        "Hello, nice to meet you.",
        "What???",
    ],
)
def test_a_fair_question_is_no_trick(question: str) -> None:
    assert unfairness(question) < DOUBT
    assert not many(question)


def test_a_disease_that_the_patient_mentioned_may_be_asked_about() -> None:
    asked = "Do you have kidney stone?"
    assert unfairness(asked, ("I had a kidney stone ten years ago.",)) < DOUBT <= unfairness(asked)


def test_several_questions_in_one_turn_are_found_by_counting_without_the_reader() -> None:
    assert many("Where is it, when did it come, how strong is it and what helps?")
    assert many("Fever? Cough? Pain?")
    assert not many("Any fever, cough, chills or weight loss, and since when?")


def test_the_reader_alone_can_make_the_patient_sure_of_a_trick_and_examples_alone_cannot() -> None:
    assert trick_chance(unfair=0.2, read=0.97) >= SURE
    assert trick_chance(unfair=0.9, read=0.05) < SURE


def test_no_wording_of_a_cheat_is_among_the_examples() -> None:
    said = {line for each in wordings().values() for line in (*each.practice, *each.exam, *each.second)}
    assert not said & {line for each in tricks().values() for line in each.asks}


def test_a_trick_is_not_among_the_doctors_own_words() -> None:
    turns = [
        RememberedLine(speaker="patient", text="My chest hurts."),
        RememberedLine(speaker="doctor", text="Since when?"),
        RememberedLine(speaker="patient", text="Since noon."),
        RememberedLine(speaker=COLLEAGUE, text="Is it a heart attack?"),
        RememberedLine(speaker="patient", text="Nobody told me."),
    ]
    talk = TalkMemory.from_turns("doctor", "", turns)
    assert [message.content for message in talk.history] == ["My chest hurts.", "Since when?"]
    assert talk.heard == (
        'Since noon.\nA colleague of yours asked me: "Is it a heart attack?" I said: "Nobody told me."'
    )
    heard = TalkMemory.from_turns("patient", "", turns[:4])
    assert heard.heard == "Is it a heart attack?"
