"""Courtesies around a question: they go, and the question stays."""

from __future__ import annotations

import pytest

from polyclinic.clinics.patient.rules.concepts import common
from polyclinic.clinics.patient.rules.courtesy import without_courtesy


@pytest.mark.parametrize(
    "asked",
    [
        "Mind telling me when this kicked off?",
        "Would you mind telling me when this kicked off?",
        "Do you happen to remember when this kicked off?",
        "Hello, so, could you tell me when this kicked off?",
        "If you don’t mind me asking, when this kicked off?",
        "When this kicked off, if I may ask?",
        "Is it okay if I ask when this kicked off?",
    ],
)
def test_only_the_question_stays(asked: str) -> None:
    assert without_courtesy(asked).rstrip("?") == "When this kicked off"


@pytest.mark.parametrize(
    "asked",
    ["Do you remember things well?", "Who minds her in the day?", "Do you say no to salt?", "Now it hurts?", "Mind?"],
)
def test_a_question_about_the_same_words_keeps_them(asked: str) -> None:
    assert without_courtesy(asked) == asked


def test_a_courtesy_names_nothing() -> None:
    """ "Mind" once named a childminder, and "remember" the memory."""
    plain, line = "When did this start?", "It started last evening."
    for asked in ("Mind telling me when this started?", "Do you remember when this started?"):
        assert common(asked, line, "complaint") == common(plain, line, "complaint")
