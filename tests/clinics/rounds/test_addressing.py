"""A student's question reaches whom it is meant for, with or without a mark."""

from __future__ import annotations

import pytest

from polyclinic.clinics.rounds.prompts.people import Present, Sheet
from polyclinic.clinics.rounds.prompts.student import StudentActs
from polyclinic.core.reply import Unreadable
from polyclinic.people.students import students
from tests.clinics.rounds.cases import case_named


@pytest.mark.parametrize(
    "typed",
    [
        "When did it start?",
        "when did it start",
        "Does it hurt when I press here?",
        "Where is the pain?",
        "Have you had this before?",
        "Any allergies?",
        "Do you take any medicines?",
        "How long has he been like this?",
        "Is there anyone in the family with heart disease?",
        "I'd like to ask the patient whether he takes any medicines",
        "Can I ask her what she was doing when she fell?",
        "What is the pain like?",
        "What does it feel like?",
        "How did she fall?",
        "Tell me more about the dizziness, please.",
        "I am sorry to hear that. When did you last eat?",
        "Why did you come today?",
        "Did anybody see her faint?",
        "When did the skin change colour?",
        "Did the leg swell suddenly?",
        "Was the stool black?",
        "Has the lump grown?",
        "How often were the headaches?",
        "when was the last period",
        "Which foods made things worse?",
        "What happened first?",
        "Since when is the eye red?",
        "Was there blood in the urine?",
        "Does the leg feel warm?",
        "Is the skin dry?",
        "Have you had an ECG before?",
        "Does it hurt during the scan?",
        "Hello, may I ask when it started",
        "When you cough, does it hurt",
        "any pain at night",
    ],
)
def test_a_question_about_the_patient_goes_to_the_patient_without_a_mark(typed: str) -> None:
    asked = StudentActs.from_human(typed)
    assert (asked.patient_question, asked.expert_question) == (typed, "")


@pytest.mark.parametrize(
    "typed",
    [
        "What is a PR interval?",
        "What does troponin measure?",
        "How does a pacemaker work?",
        "Could you explain the QT interval?",
        "I'd like to ask the expert about escape rhythms",
        "What is meant by heart block?",
        "Why does potassium matter for the heart?",
        "What causes the skin to change colour?",
        "Why does the skin change colour in the cold?",
        "How does the eye focus?",
    ],
)
def test_a_question_of_general_knowledge_goes_to_the_expert_without_a_mark(typed: str) -> None:
    asked = StudentActs.from_human(typed)
    assert (asked.patient_question, asked.expert_question) == ("", typed)


def test_a_mark_decides_and_is_left_out() -> None:
    asked = StudentActs.from_human("expert: when did it start? ;; Patient: what is a PR interval?")
    assert (asked.patient_question, asked.expert_question) == ("what is a PR interval?", "when did it start?")
    asked = StudentActs.from_human("When did it start? What is a PR interval?")
    assert (asked.patient_question, asked.expert_question) == ("When did it start?", "What is a PR interval?")
    assert StudentActs.from_human("pass").words() == "" == StudentActs.from_human("Nothing.").words()


@pytest.mark.parametrize(
    "typed",
    [
        "What are cannon waves?",
        "Which drugs lengthen the QT interval?",
        "The ECG is slow.",
        "hello",
        "ECG?",
        "What did the ECG show?",
        "Was the last troponin raised?",
        "Did the CT show a bleed?",
        "When was penicillin discovered?",
        "Which nerve supplies the hand?",
        "Tutor, can you give me a hint?",
        "What did the tutor mean?",
        "Could you give us a hint?",
        "Is that right?",
        "Are we on the right track?",
        "The skin changed colour.",
        "What a rash.",
        "When I press here it hurts.",
        "Have a seat, it hurts less.",
    ],
)
def test_in_doubt_the_person_is_told_how_to_ask(typed: str) -> None:
    with pytest.raises(ValueError, match="write patient: and your question, or expert: and your question"):
        StudentActs.from_human(typed)


def test_nobody_asks_a_patient_who_is_not_there() -> None:
    sheet = Sheet.from_case(case_named("card-03"))
    prompt = StudentActs(student=students(1)[0], sheet=sheet, pictures=(), history=(), room=Present(patient=False))
    with pytest.raises(Unreadable, match="no patient today"):
        prompt.check_person(StudentActs.from_human("When did it start?"))
    prompt.check_person(StudentActs.from_human("What is a PR interval?"))
