"""A choice in free words is taken only if it is clear."""

from __future__ import annotations

import pytest

from polyclinic.clinics.rounds.readings import CaseRead
from polyclinic.clinics.rounds.rules.choice import chosen_letter
from tests.clinics.rounds.cases import case_named


@pytest.mark.parametrize(
    ("said", "letter"),
    [
        ("B", "B"),
        ("Surgical exploration and debridement, because it spreads or smells", "B"),
        ("He needs surgery now", "B"),
        ("A or B", ""),
        ("maybe A or B", ""),
        ("either A or C", ""),
        ("everything except B", ""),
        ("I would first ask how quickly the pain came on", ""),
    ],
)
def test_words_that_choose_nothing_are_no_choice(said: str, letter: str) -> None:
    case = case_named("infe-03")
    assert chosen_letter(said, case.options, CaseRead.from_case(case).chooses()) == letter
