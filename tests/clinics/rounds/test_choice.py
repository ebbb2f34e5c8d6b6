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
        ("I'd go for B here, waiting is too slow", "B"),
        ("Option b for me", "B"),
        ("b) for me", "B"),
        ("Final answer: B", "B"),
        ("A surgeon should open it now", "B"),
        ("He has hepatitis C but needs surgery", "B"),
        ("B without a doubt", "B"),
        ("B over A, he is too ill for a scan", "B"),
        ("B and C", ""),
        ("B? or the scan?", ""),
        ("why would anyone wait for an MRI", ""),
        ("B is wrong", ""),
        ("anything but B", ""),
        ("everything but B", ""),
        ("B is incorrect", ""),
        ("B is a trap", ""),
        ("B isn't it", ""),
        ("I disagree with A", ""),
        ("surgery would be dangerous", ""),
        ("I'm torn between surgery and the scan", ""),
        ("no idea, ask the surgeon", ""),
        ("I really can't say", ""),
    ],
)
def test_words_that_choose_nothing_are_no_choice(said: str, letter: str) -> None:
    case = case_named("infe-03")
    assert chosen_letter(said, case.options, CaseRead.from_case(case).chooses()) == letter
