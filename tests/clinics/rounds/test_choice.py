"""A choice in free words is taken only if it is clear."""

from __future__ import annotations

import pytest

from polyclinic.clinics.rounds.readings import CaseRead
from polyclinic.clinics.rounds.rules import choice
from polyclinic.clinics.rounds.rules.choice import chosen_letter, standing_clauses
from polyclinic.core.reading import Question
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


@pytest.mark.parametrize(
    ("sure", "next_one", "letter"),
    [(0.58, 0.1, ""), (0.62, 0.1, "B"), (0.95, 0.92, ""), (0.95, 0.88, ""), (0.95, 0.82, "B")],
)
def test_the_reader_must_be_sure_of_an_option_and_far_ahead_of_the_next(
    monkeypatch: pytest.MonkeyPatch, sure: float, next_one: float, letter: str
) -> None:
    case = case_named("infe-03")
    asked = CaseRead.from_case(case).chooses()
    sureness = dict(zip(asked, (next_one, sure, *(0.0 for _ in asked[2:])), strict=True))

    class Reader:
        def probability(self, said: str, question: Question) -> float:
            return sureness[question]

    monkeypatch.setattr(choice, "_reader", Reader)
    assert chosen_letter("Get him to theatre", case.options, asked) == letter


def test_what_stands_is_neither_denied_nor_a_reason() -> None:
    assert standing_clauses("Not the scan, B because he is ill") == ["B"]
