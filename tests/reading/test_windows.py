"""Longer messages: one sentence decides, and the reader finds it."""

from __future__ import annotations

import numpy as np
import pytest

from polyclinic.core.reading import ReadingKind
from polyclinic.reading.longer import messages
from polyclinic.reading.sets import Labelled
from polyclinic.reading.windows import FOUND, fit_gather, found, gathered, windows

MOOD = ReadingKind("mood", who=("patient",), question="Is the person glad?")
TOLD = ReadingKind("told", who=("patient",), question="Is it told: {fact}?", open=("fact",))
AGREES = ReadingKind("agrees", who=("patient",), question="Does the person agree?", stance=True, quiet=("mood",))
WHOLE = ReadingKind("whole", who=("patient",), question="Is it one question?", stance=True)
KINDS = {kind.name: kind for kind in (MOOD, TOLD, AGREES, WHOLE)}


def line(kind: ReadingKind, text: str, label: bool, about: str = "", **facts: str) -> Labelled:
    return Labelled(kind.ask(**facts), text, label, author="A", split="train", about=about)


LONG = "This morning the porter brought me down in the lift, and we talked about the weather all the way along."


def test_each_sentence_of_a_long_text_is_a_window_and_short_ones_join_the_next() -> None:
    told = "It began on Monday evening, when I was putting the bins out as I always do."
    assert windows(f"{LONG} No. I never had any pain there. {told}") == (
        LONG,
        "No. I never had any pain there.",
        told,
    )
    assert windows("One sentence alone") == ("One sentence alone",)
    assert windows("") == ("",)


def test_a_text_as_short_as_the_training_lines_is_read_whole() -> None:
    assert windows("I slept badly. It still hurts here.") == ("I slept badly. It still hurts here.",)


def test_every_window_names_the_speaker() -> None:
    text = f"The nurse says to the patient: {LONG} Take it in the morning. Call us when you feel dizzy or sick again."
    assert windows(text) == (
        f"The nurse says to the patient: {LONG}",
        "The nurse says to the patient: Take it in the morning.",
        "The nurse says to the patient: Call us when you feel dizzy or sick again.",
    )


def test_a_very_long_text_has_at_most_ten_windows_and_loses_no_word() -> None:
    text = " ".join(f"This is sentence number {number} of many." for number in range(37))
    assert len(windows(text)) <= 10
    assert " ".join(windows(text)) == text


def test_one_clear_sentence_in_a_long_message_is_found() -> None:
    scores = {
        LONG: -3.0,
        "Yes, let us do it exactly that way, please.": 4.0,
        "The nurse is kind to me these days.": -2.0,
    }

    def read(text: str) -> float:
        return scores.get(text, -1.0)

    chance = np.random.default_rng(1)
    rows = []
    for number in range(200):
        label = number % 2 == 0
        sentences = [*chance.normal(-2.5, 0.6, 3), 3.0 if label else -2.5]
        chance.shuffle(sentences)
        rows.append((found(-1.0, sentences), label))
    weights = fit_gather({"mood": rows})
    assert gathered(read, " ".join(scores), weights, "mood") > 0
    assert gathered(read, f"{LONG} The nurse is kind to me these days. {LONG}", weights, "mood") < 0
    assert gathered(read, "The nurse is kind to me these days.", weights, "mood") == -2.0
    assert gathered(read, " ".join(scores), {}, "mood") == -1.0


def test_the_score_of_the_whole_text_counts_by_itself_too() -> None:
    text = f"{LONG} The nurse is kind to me these days. {LONG}"
    no_weights = {"mood": np.zeros(len(FOUND) + 1)}
    assert gathered(lambda _: -1.0, text, no_weights, "mood") < 0 < gathered(lambda _: 2.0, text, no_weights, "mood")


def test_one_clear_sentence_decides_only_where_its_kind_says_so() -> None:
    clear = "This will cure you, I give you my word."
    text, no_weights = f"{LONG} {clear} {LONG}", {"mood": np.zeros(len(FOUND) + 1)}

    def score(clearly: float, alone: float) -> float:
        return gathered(lambda part: clearly if part == clear else -2.0, text, no_weights, "mood", alone=alone)

    assert score(3.0, 0.82) > 0 > score(3.0, 0.0)
    assert score(1.0, 0.82) < 0, "a sentence that is not clear by itself does not decide"


def test_combined_weights_are_the_same_each_time() -> None:
    rows = [(np.linspace(-2, 2, len(FOUND)) * sign, sign > 0) for sign in (1, -1, 0.5, -0.5)]
    one, other = fit_gather({"mood": rows})["mood"], fit_gather({"mood": rows})["mood"]
    assert one.tobytes() == other.tobytes()


@pytest.fixture
def lines() -> list[Labelled]:
    mood = [line(MOOD, f"I am glad number {number}.", True) for number in range(6)]
    mood += [line(MOOD, f"I am sad number {number}.", False) for number in range(6)]
    told = [line(TOLD, f"My knee hurts {number}.", True, about="knee", fact="knee pain") for number in range(3)]
    told += [line(TOLD, f"My ear rings {number}.", True, about="ear", fact="ringing") for number in range(3)]
    agrees = [line(AGREES, "Fine by me.", True), line(AGREES, "Rather not.", False)]
    return [*mood, *told, *agrees, line(WHOLE, "What is it?", True)]


def test_generated_messages_keep_the_deciding_line_and_no_added_line_changes_the_label(lines: list[Labelled]) -> None:
    made = messages(lines, KINDS)
    for row in made:
        if row.question.kind == "mood":
            assert ("glad" in row.text) == row.label
            assert row.text.count("glad") <= 1
        if row.question.kind == "told":
            own, other = ("knee", "ear") if row.about == "knee" else ("ear", "knee")
            assert f"My {own}" in row.text
            assert row.text.count(f"My {own}") == 1 or f"My {other}" in row.text
        if row.question.kind == "agrees":
            assert ("Fine by me." in row.text) != ("Rather not." in row.text)
    assert {row.question.kind for row in made} == {"mood", "told", "agrees"}
    assert [row.text for row in made] == [row.text for row in messages(lines, KINDS)]
