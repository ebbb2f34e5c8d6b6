"""The quick check before the slow pattern of assistants' phrases must never miss one of them."""

from __future__ import annotations

import importlib
import random
import re
from typing import Any

import pytest

from polyclinic.clinics.counsel.rules.part import SIGNS
from polyclinic.core.part_phrases import _ADVISES, _ADVISES_HOLDS, _ASSISTANT, _ASSISTANT_HOLDS
from polyclinic.core.part_signs import Part, broken_by
from polyclinic.text.phrases import Pieces

codes: Any = importlib.import_module("re._constants")
parser: Any = importlib.import_module("re._parser")


def _told(tree: Any, chance: random.Random, taken: set[tuple[int, int]]) -> str:
    """Make a text that the pattern matches; record which branches were taken."""
    said = ""
    for code, value in tree:
        if code is codes.LITERAL:
            said += chr(value)
        elif code is codes.IN:
            said += "x" if value[0][0] is codes.NEGATE else chr(value[0][1])
        elif code is codes.SUBPATTERN:
            said += _told(value[3], chance, taken)
        elif code is codes.BRANCH:
            number = chance.randrange(len(value[1]))
            taken.add((id(value), number))
            said += _told(value[1][number], chance, taken)
        elif code is codes.MAX_REPEAT:
            low, high, inner = value
            for _ in range(chance.randint(low, min(high, low + 2))):
                said += _told(inner, chance, taken)
        elif code is not codes.AT:
            raise AssertionError(code)
    return said


def _branches(tree: Any) -> set[tuple[int, int]]:
    found: set[tuple[int, int]] = set()
    for code, value in tree:
        if code is codes.BRANCH:
            found |= {(id(value), number) for number in range(len(value[1]))}
            for branch in value[1]:
                found |= _branches(branch)
        elif code is codes.SUBPATTERN:
            found |= _branches(value[3])
        elif code is codes.MAX_REPEAT:
            found |= _branches(value[2])
    return found


@pytest.mark.parametrize(("pattern", "holds"), [(_ASSISTANT, _ASSISTANT_HOLDS), (_ADVISES, _ADVISES_HOLDS)])
def test_every_phrase_of_an_assistant_passes_the_quick_check(pattern: re.Pattern[str], holds: Pieces) -> None:
    tree, chance = parser.parse(pattern.pattern), random.Random(1)
    taken: set[tuple[int, int]] = set()
    for _ in range(6_000):
        phrase = _told(tree, chance, taken)
        if pattern.search(phrase):  # the pattern's word boundaries are not generated
            assert holds.in_line(phrase), phrase
    assert taken == _branches(tree), "not every way through the pattern was tried"


@pytest.mark.parametrize("line", ["As an AI, I cannot help.", "How can I help you?", "I'm sorry to hear that."])
def test_an_assistants_phrase_is_found_in_a_whole_line(line: str) -> None:
    found = broken_by(f"Well. {line}", Part())
    assert found is not None
    assert found.kind == "speaks as an assistant"


@pytest.mark.parametrize(
    "line", ["I am Kim, the ill person here.", "As the ill person I speak.", "아픈 사람 김민수입니다"]
)
def test_words_from_the_instructions_of_an_ill_person_are_found(line: str) -> None:
    found = broken_by(line, Part(signs=SIGNS))
    assert found is not None
    assert found.kind == "echo of the instructions"


SCRIPT = "My left calf has been sore since the weekend. The midwife measured 120/80 at home."


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("What is the current blood pressure?", "My blood pressure is 140/90."),
        ("What is the sodium?", "I have low sodium."),
        ("What is the PR interval in the tracing?", "The PR interval in the tracing is long."),
    ],
)
def test_a_patient_who_states_what_their_script_does_not_say_is_out_of_character(said: str, line: str) -> None:
    found = broken_by(line, Part(own=("patient",), said=said, known=SCRIPT))
    assert found is not None and found.kind == "knows what is hidden"
    assert broken_by(line, Part(own=("patient",), said=said)) is None, "without a script nothing is hidden"


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("What was your blood pressure?", "The midwife got 120/80."),
        ("What is the sodium?", "I do not know my sodium."),
        ("How long has the left calf been sore?", "The left calf has been sore since the weekend."),
    ],
)
def test_a_patient_may_say_what_their_script_says_and_that_they_do_not_know(said: str, line: str) -> None:
    assert broken_by(line, Part(own=("patient",), said=said, known=SCRIPT)) is None


def test_a_student_does_not_speak_of_their_own_symptoms() -> None:
    line = "What causes the swelling in my left calf?"
    found = broken_by(line, Part(own=("Isla",), may_advise=True))
    assert found is not None and found.kind == "speaks for the other"
    assert broken_by(line, Part(own=("patient",))) is None


def test_a_parent_does_not_call_their_child_your_son() -> None:
    line = "No, it is not possible that your son has an allergy."
    found = broken_by(line, Part(own=("patient", "child", "parent")))
    assert found is not None and found.kind == "speaks for the other"
    assert broken_by("How is your son?", Part(own=("patient",))) is None


def test_a_statement_of_the_other_is_not_mirrored_unless_they_asked_for_it() -> None:
    line = "I suspect that my cough is a sign of high blood pressure."
    said = "I suspect that your cough is a sign of high blood pressure."
    found = broken_by(line, Part(own=("patient",), said=said))
    assert found is not None and found.kind == "echo of the other"
    assert broken_by(line, Part(own=("patient",), said=f"{said} Please say it back to me.")) is None


@pytest.mark.parametrize("line", ["I am the patient.", "I'm a patient with a sore knee.", "As a patient I worry."])
def test_people_do_not_call_themselves_patients(line: str) -> None:
    found = broken_by(line, Part(own=("patient",)))
    assert found is not None and found.kind == "third person"
    assert broken_by("I'm a patient of Dr Reid.", Part(own=("patient",))) is None


def test_particulars_with_labels_are_a_form_and_spoken_ones_are_not() -> None:
    found = broken_by("Name: Kim Min-su. Sex: male. Phone: 010-1234. Address: Seoul.", Part())
    assert found is not None
    assert found.kind == "form instead of speech"
    assert broken_by("My name is Kim Min-su, and my phone number is 010-1234. Address: the old mill.", Part()) is None
    assert (
        broken_by("It says: Right eye: deeply red; Right pupil: mid-wide; Left eye: shallow chamber.", Part()) is None
    )


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("Do you smoke?", "Do you smoke?"),
        ("Thank you. Where is the pain?", "Where is the pain?"),
        ("I see. What worries you most?", "I see. What worries you most?"),
        ("담배 피우세요?", "담배 피우세요?"),
        ("네, 감사합니다. 언제부터 아프셨어요?", "언제부터 아프셨어요?"),
    ],
)
def test_a_short_question_that_is_only_asked_back_is_an_echo(said: str, line: str) -> None:
    found = broken_by(line, Part(own=("patient",), said=said))
    assert found is not None and found.kind == "echo of the other"


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("Do you smoke?", "Do I smoke?"),
        ("Do you smoke?", "Do you smoke? I gave up last year."),
        ("Good morning. How are you?", "How are you?"),
        ("Tuesday at ten?", "Tuesday at ten?"),
        ("Since Sunday?", "Since Sunday?"),
        ("안녕하세요?", "안녕하세요?"),
    ],
)
def test_people_greet_back_and_repeat_a_question_before_they_answer(said: str, line: str) -> None:
    assert broken_by(line, Part(own=("patient",), said=said)) is None


@pytest.mark.parametrize(
    "line",
    [
        "She has been having chest pain for two days.",
        "No, she's never smoked, and her chest feels tight.",
        "She feels dizzy when she stands up.",
    ],
)
def test_a_patient_does_not_call_herself_she(line: str) -> None:
    said = "How long has it lasted?"
    found = broken_by(line, Part(own=("patient",), said=said, sex="female"))
    assert found is not None and found.kind == "third person"
    assert broken_by(line, Part(own=("patient",), said=said, sex="male")) is None
    assert broken_by(line, Part(own=("patient",), said=said)) is None, "the sex is not known"
    assert broken_by(line, Part(own=("patient",), said="What about your mother?", sex="female")) is None


@pytest.mark.parametrize(
    "line",
    ["She's not well, my sister.", "She was at the door, the nurse.", "She is my friend.", "My wife, she has it."],
)
def test_she_may_be_somebody_else(line: str) -> None:
    assert broken_by(line, Part(own=("patient",), said="How long has it lasted?", sex="female")) is None


@pytest.mark.parametrize(
    "line",
    [
        "I recommend that you rest and drink water.",
        "Hi there! What can I do for you today?",
        "You should drink plenty of water and rest.",
        "Your feelings are completely valid.",
        "Thank you for sharing that with me.",
        "I do apologise for any inconvenience.",
        "Could I please have your date of birth?",
        "Please contact a local crisis line.",
        "Would you like to tell me more about that?",
        "I am here to ensure that you are comfortable.",
    ],
)
def test_a_lay_person_does_not_do_what_helpers_do(line: str) -> None:
    found = broken_by(f"It hurts. {line}", Part(own=("patient",), others=("doctor",)))
    assert found is not None and found.kind == "speaks as an assistant"
    reported = f"My sister told me: {line.rpartition('! ')[2].rstrip('.')}, and so on."
    assert broken_by(reported, Part(own=("patient",), others=("doctor",))) is None


@pytest.mark.parametrize(
    "line",
    [
        "You should see my knee, it is like a melon.",
        "What can I do for you to believe me? What can I do?",
        "Can I have your name, please? I want to complain.",
        "I'd recommend that place to nobody.",
        "You need to get more sleep, by the look of you.",
        "A lady rang. 'How can I help you today?' she asked, and I laughed.",
        'Twenty years of "and how did that make you feel", and now I could throw a cushion at you.',
        "'무엇을 도와드릴까요' 이러더니 그러고 끝이던데요.",
    ],
)
def test_rude_and_quoted_words_are_in_character(line: str) -> None:
    assert broken_by(line, Part(own=("patient",), others=("doctor",), said="How did that make you feel?")) is None


def test_a_line_in_quotation_marks_is_the_speakers_own() -> None:
    assert broken_by('"How can I help you today?"', Part()) is not None
    assert broken_by('"The patient has a dull ache."', Part(own=("patient",))) is not None


@pytest.mark.parametrize(
    "line",
    [
        "마음이 무거우시군요. 제가 도와드릴게요.",
        "원하시는 답을 제공하지 못했습니다.",
        "가벼운 방법을 사용해 보세요.",
        "네, 그 마음이 전해집니다.",
        "형편은 연금과 저축입니다. 신앙은 불교입니다.",
        "약값이 들까 봐 아픔을 숨김.",
    ],
)
def test_a_korean_patient_does_not_speak_as_a_helper_or_read_out_their_card(line: str) -> None:
    assert broken_by(line, Part(own=("patient",), others=("counsellor",), signs=SIGNS)) is not None


@pytest.mark.parametrize(
    "line",
    [
        "딸이 도와줘서 지내요.",
        "마음이 무거워요.",
        "형편은 빠듯해요. 성당에 다녀요.",
        "생각해 볼게요.",
        "아프다고 말을 못 하고 숨겼어요.",
    ],
)
def test_ordinary_korean_lines_of_patients_are_accepted(line: str) -> None:
    assert broken_by(line, Part(own=("patient",), others=("counsellor",))) is None
