"""Exact checks beside the reader: numbers, opposites, and steps that are said word for word."""

from __future__ import annotations

import pytest

from polyclinic.clinics.rounds.rules.contradiction import against, says_the_words
from polyclinic.clinics.rounds.rules.heard import shows_step
from polyclinic.core.reading import Finding


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("She took 100 mg per kilo two hours ago.", "About 345 mg/kg, eight hours ago."),
        ("The duct is 5 mm wide.", "Fourteen millimetres wide with a stone."),
        ("Maybe six hours ago.", "Ninety minutes ago, seen by her husband."),
        ("All of it is on the right.", "Hearing and ringing are on the left."),
        ("The dark half is on the nasal side.", "On the outer (temporal) side in both eyes."),
        ("The obstruction is reversible.", "Scooped limb: fixed obstruction."),
        ("Insulin pushes potassium out of the cells.", "It stops ketone production and drives potassium into cells."),
    ],
)
def test_a_step_with_a_wrong_number_or_side_does_not_count_whatever_the_reader_finds(text: str, step: str) -> None:
    assert against(text, step)
    assert not shows_step(text, step, Finding("yes", text))


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("Around 350 mg/kg, and eight hours have gone by.", "About 345 mg/kg, eight hours ago."),
        ("It began an hour and a half ago, say 90 min.", "Ninety minutes ago, seen by her husband."),
        ("We should act right away, it is on the left.", "Hearing and ringing are on the left."),
        ("Right arm and speech: left MCA.", "Speech and right face and arm: left middle cerebral artery."),
        ("The duct is 1.4 cm wide.", "Fourteen millimetres wide with a stone."),
    ],
)
def test_words_that_fit_a_step_do_not_contradict_it(text: str, step: str) -> None:
    assert against(text, step) == ""
    assert shows_step(text, step, Finding("yes", text))


def test_the_words_of_a_step_count_even_if_the_reader_missed_them() -> None:
    step = "Amiodarone and procainamide lengthen repolarisation."
    assert shows_step("Amiodarone lengthens repolarisation too.", step, Finding("no"))
    assert not says_the_words("Does amiodarone lengthen repolarisation?", step), "a question shows nothing"
    assert not says_the_words("Amiodarone does not lengthen repolarisation.", step)
    assert not says_the_words("I would give magnesium.", step)
