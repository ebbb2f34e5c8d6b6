"""The guard's network for English sentences, and what its opinion changes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from polyclinic.clinics.counsel.rules import sentence_guard
from polyclinic.clinics.counsel.rules.lexicon import screen
from polyclinic.clinics.counsel.rules.sentence_guard import (
    joined,
    network_opinion,
    sentence_network,
    together,
    unseen_scores,
)
from polyclinic.clinics.counsel.rules.teaching import guard_lines
from polyclinic.clinics.counsel.rules.trained import TRAINED_LABELS, read_message, weights
from polyclinic.errors import DataError
from polyclinic.reading.label_training import LabelledText
from polyclinic.reading.text_labels import Floats


def english_lines() -> list[LabelledText]:
    return [line for line in guard_lines("train") if line.lang == "en"]


def test_the_network_has_the_labels_of_the_guard() -> None:
    assert set(sentence_network().columns) == set(TRAINED_LABELS)


def test_every_english_training_line_has_scores_of_a_network_that_had_not_learned_its_author() -> None:
    lines = english_lines()
    scores = unseen_scores(lines, TRAINED_LABELS)
    said = np.array([TRAINED_LABELS[best] for best in scores.argmax(axis=1)])
    right = float((said == [line.label for line in lines]).mean())
    assert 0.7 < right < 0.9, f"{right:.2f}: nearly 1 would mean that the authors were learned"


def test_a_new_line_without_scores_is_refused() -> None:
    with pytest.raises(DataError, match=r"no scores for line 1 of author NEW.*tools/encoder"):
        unseen_scores([LabelledText("Hello.", "en", "ordinary", "NEW")], TRAINED_LABELS)


def test_two_opinions_are_one_probability_and_neither_decides_alone() -> None:
    calm, danger = np.array([0.9, 0.1]), np.array([0.02, 0.98])
    both = joined(calm, danger)
    assert both.sum() == pytest.approx(1.0)
    assert 0.1 < both[1] < 0.98


def test_the_network_is_asked_about_english_and_not_about_korean(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def no_opinion(text: str, labels: Sequence[str]) -> Floats:
        asked.append(text)
        return np.zeros(len(labels))

    monkeypatch.setattr(sentence_guard, "sentence_scores", no_opinion)
    read_message("I would like to sit in the garden tomorrow.")
    read_message("내일은 정원에 앉아 있고 싶어요.")
    assert asked == ["I would like to sit in the garden tomorrow."]


def test_the_opinion_of_the_network_counts() -> None:
    text = "My husband beats me when he drinks."
    grams = weights().read(text, "en")
    sentences = network_opinion(text, list(grams))
    assert grams["abuse"] < together(grams, sentences)["abuse"] < sentences["abuse"]
    assert read_message(text).label == read_message(text, opening=True).label == "abuse"


@pytest.mark.parametrize(
    "text",
    [
        "this is goodbye",
        "Goodbye and forgive me",
        "sorry. bye.",
        "That is all. Goodbye. You have been kind.",
        "The whole box is swallowed. It is quiet here now.",
        "I'm thinking of ending things",
        "I have cyanide",
    ],
)
@pytest.mark.parametrize("opening", [True, False], ids=["first", "later"])
def test_short_plain_danger_reaches_people(text: str, opening: bool) -> None:
    assert read_message(text, opening).level in ("doubt", "sure")


@pytest.mark.parametrize(
    "text",
    [
        "how many paracetamol is lethal",
        "How much paracetamol is too much?",
        "What happens if I take too much morphine?",
        "I can't go on",
        "I want to die",
        "I want to die, doctor.",
        "I want to die because of the pain.",
        "I would like to die now.",
        "I'd like to die.",
        "I have thoughts of harming myself and I can't control them.",
    ],
)
def test_words_of_the_screen_count_in_short_plain_danger(text: str) -> None:
    assert screen(text).words and not read_message(text).calm
