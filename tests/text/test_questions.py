"""One place says whether a sentence asks, with or without its mark."""

from __future__ import annotations

import time

import pytest

from polyclinic.text.questions import asks_something, in_question_order, without_lead


@pytest.mark.parametrize(
    "text",
    [
        "What a day.",
        "What a long night it was",
        "When it hurts I lie down.",
        "When volumes are small, the tissue is suspect.",
        "How I miss him",
        "How much I miss him",
        "What I need is rest.",
        "What helps most is the quiet.",
        "What is done is done.",
        "Where I come from, people stay at home.",
        "Which is why I cried",
        "Who knows",
        "Do it now",
        "Have a seat",
        "Have it done by noon.",
        "Have your tablets doubled.",
        "Do the exercises every day.",
        "Is what it is",
        "Can't sleep",
        "Will is my son",
        "Did it already.",
        "Was there all night.",
        "Has a cough since May",
        "Does hurt a bit",
        "May he rest in peace",
        "Would that I could",
        "Should you need me, call.",
        "Had I known, I would have come.",
        "So do I",
        "Any pain you have will pass.",
        "Any time.",
        "They told me what it was, and I cried.",
        "Don't tell me why.",
        "A scan will tell us more.",
        "Dr Bell did my hip",
        "The rash, which is itchy, came in May.",
    ],
)
def test_a_statement_or_an_order_that_begins_like_a_question_is_none(text: str) -> None:
    assert not asks_something(text)


@pytest.mark.parametrize(
    "text",
    [
        "It hurts?",
        "He said “really?”",
        "did it hurt",
        "what is a drip",
        "who decides for me then",
        "where to sign",
        "what's new",
        "which pills are for the night",
        "whose notes are these",
        "how long have i got",
        "how bad is it",
        "since when has he been ill",
        "what happens after he is gone",
        "does chemo hurt",
        "is the tube painful",
        "do the tablets make me sick",
        "should I stop, or wait",
        "isn't that dangerous",
        "wat does DNR mean",
        "so is it cancer",
        "any allergies",
        "Any operations I should know about",
        "anything else",
        "my kidneys are going, what do they do with that machine",
        "When you cough, does it hurt",
        "when's lunch",
    ],
)
def test_a_question_needs_no_mark(text: str) -> None:
    assert asks_something(text)


@pytest.mark.parametrize(
    "text",
    [
        "Hello doctor, may I ask when it started",
        "Please tell me about the drip.",
        "I'd like to know how it works.",
        "I would like to understand the scan",
        "I was wondering about morphine",
        "Could you explain hospice",
        "Sorry, excuse me, can I ask you something",
        "Mr Nolan did you sleep",
    ],
)
def test_a_polite_or_indirect_question_asks(text: str) -> None:
    assert asks_something(text)


@pytest.mark.parametrize(
    "text",
    [
        "인공호흡기가 뭔가요",
        "투석 안하면 얼마나 사나요",
        "치료를 안 받아도 됩니까",
        "많이 아픈가요, 마지막에",
        "이게 될까",
        "의향서는 어디서 쓰는 거예요",
        "심폐소생술 좀 알려주세요",
        "주무실 때도 깨워야 하나",
        "절차가 궁금합니다",
    ],
)
def test_a_korean_question_is_known_by_its_ending(text: str) -> None:
    assert asks_something(text)


@pytest.mark.parametrize(
    "text",
    [
        "아프니까 누워 있어요",
        "제가 먼저 갈 거니까요",
        "피가 나",
        "눈물이 나요",
        "보고 싶은 우리 누나",
        "그런 건 아냐",
        "남은 건 분노",
        "언제나 고마워요",
        "누구나 쓸 수 있어요",
        "몇 년 전에 수술했어요",
        "의사가 설명해 줬어요",
        "알려 주셔서 감사합니다",
        "뭐라고 해야 할지 모르겠어요",
        "어디 있는지 알아요",
        "궁금하지 않아요",
    ],
)
def test_a_korean_reason_or_statement_is_no_question(text: str) -> None:
    assert not asks_something(text)


def test_what_may_be_an_order_or_an_exclamation_is_not_surely_a_question() -> None:
    loose = ("would you stop it", "isn't that silly", "is the ECG done", "what is a drip")
    assert all(map(in_question_order, loose)) and not any(in_question_order(text, surely=True) for text in loose)
    sure = ("did you sleep", "since when has it been red", "how many tablets did you take")
    assert all(in_question_order(text, surely=True) for text in sure)


def test_greetings_names_and_polite_words_come_before_a_sentence() -> None:
    assert without_lead("Good morning, Mrs Kim, and may I ask: Did it hurt?") == "did it hurt?"
    assert without_lead("Dr Bell did my hip") == "dr bell did my hip" and without_lead("Soon") == "soon"


def test_a_very_long_sentence_is_read_in_no_time() -> None:
    began = time.perf_counter()
    for text in (
        "any " + "word, " * 2_000 + "is",
        "what " + "x " * 2_000,
        "if " + ", do " * 2_000,
        "so " * 2_000,
        "뭐 " * 8_000,
    ):
        asks_something(text)
    assert time.perf_counter() - began < 1


def test_a_korean_question_word_counts_only_before_the_ending() -> None:
    assert asks_something("이게 뭐 그런 거야") and not asks_something("그런 거지 뭐") and not asks_something("뭐 그래")


@pytest.mark.parametrize("text", ["눈물만 나요", "땀나요", "아이 생각나요"])
def test_a_korean_feeling_that_comes_up_is_no_question(text: str) -> None:
    assert not asks_something(text)
    assert asks_something(f"{text}?")
