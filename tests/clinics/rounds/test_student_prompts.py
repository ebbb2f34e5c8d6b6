"""What a student's prompt says about the room and about its own earlier words."""

from __future__ import annotations

from typing import Any

import pytest

from polyclinic.clinics.rounds.scenario.shipped import shipped_cases
from polyclinic.clinics.rounds.state import LEFT_OUT, Room
from polyclinic.clinics.rounds.variants import VARIANTS

from .conftest import Play, Played

CASE = shipped_cases()[0]


def texts(played: Played, *roles: str) -> list[str]:
    requests = [request for role in roles for request in played.of(role)]
    return ["\n".join(str(message.content) for message in request.messages) for request in requests]


@pytest.mark.parametrize("variant", [name for name, variant in VARIANTS.items() if variant.tutor == "none"])
async def test_without_a_tutor_no_prompt_speaks_of_one(play: Play, variant: str) -> None:
    prompts = texts(await play(CASE, variant), "student", "patient", "specialist")
    assert prompts
    assert not [prompt for prompt in prompts if "tutor" in prompt.casefold()]


@pytest.mark.parametrize(
    ("variant", "there"),
    [
        ("full", "one of several students on a teaching round, with a tutor and a patient."),
        ("one-student", "the only student on a teaching round, with a tutor and a patient."),
        ("without-patient", "one of several students on a teaching round, with a tutor; the patient is not there."),
        ("untutored", "one of several students on a teaching round, with a patient; nobody teaches today."),
    ],
)
async def test_a_student_is_told_once_who_it_is_and_who_is_in_the_room(play: Play, variant: str, there: str) -> None:
    played = await play(CASE, variant)
    for request in played.of("student"):
        student: Any = request.prompt
        text = str(request.messages[0].content)
        assert there in text
        assert text.count(f"You are {student.student.name}, {student.student.year}.") == 1


def test_everybody_has_their_own_earlier_words_whole() -> None:
    report, question, guidance = ("a long thought " * 70).strip(), "how so " * 60, "think again " * 90
    room = Room(patient="patient")
    for _ in range(4):
        now = room.begin_round("I feel ill.")
        now.analyses["Ann"], now.patient_questions["Ann"], now.guidance = report, question, guidance
        now.expert_answers["Ann"] = (question, "It means this.")
    room.begin_round("Still ill.")
    own = [line.text for line in room.heard_by_student("Ann", ["Ann", "Bob"]) if line.speaker == "Ann"]
    assert own == [report, question, question] * 4
    assert [line.text for line in room.heard_by_tutor() if line.speaker == "tutor"] == [guidance] * 4
    assert room.own_last("Ann") == report


def test_the_patients_newest_answer_follows_the_questions_that_were_asked_aloud() -> None:
    room = Room(patient="patient")
    room.begin_round("I feel ill.").patient_questions.update(Ann="Since when?", Bob="Where does it hurt?")
    room.begin_round("Since noon, here.").patient_questions.update(Bob="Does it come and go?")
    room.begin_round("It stays.")
    ann = [(line.speaker, line.to, line.text) for line in room.heard_by_student("Ann", ["Ann", "Bob"])]
    assert ann == [
        ("patient", "", "I feel ill."),
        ("Ann", "patient", "Since when?"),
        ("patient", "", "Since noon, here."),
        ("Bob", "patient", "Does it come and go?"),
        ("patient", "", "It stays."),
    ]
    assert [line.text for line in room.heard_by_tutor()] == [
        "I feel ill.",
        "Since noon, here.",
        "Does it come and go?",
        "It stays.",
    ]


def test_of_many_questions_to_the_patient_a_student_hears_its_own_and_four_others() -> None:
    room = Room(patient="patient")
    room.begin_round("I feel ill.").patient_questions.update({f"S{number}": f"Why {number}?" for number in range(20)})
    room.begin_round("Because.")
    assert sum(line.to == "patient" for line in room.heard_by_student("S9", [])) == 5


def test_only_the_newest_of_endless_reports_is_whole_and_the_others_say_that_they_are_shortened() -> None:
    room = Room(patient="patient")
    for number in range(3):
        room.begin_round("I feel ill.").analyses["Ann"] = f"{number} " + "and so on " * 1000
    room.begin_round("Still ill.")
    first, second, newest = (line.text for line in room.heard_by_student("Ann", ["Ann"]) if line.speaker == "Ann")
    assert newest == "2 " + "and so on " * 1000
    assert all(text.endswith(LEFT_OUT) and len(text) < 1400 for text in (first, second))
