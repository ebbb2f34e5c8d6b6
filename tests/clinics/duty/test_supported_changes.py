"""Right advice that takes a medicine away breaks no norm; other changes are left to the reader."""

from __future__ import annotations

import pytest

from polyclinic.clinics.duty.rules.norms.supported import takes_what_is_supported
from polyclinic.clinics.duty.scenario.load import by_id, shipped

LITHIUM = by_id(shipped())["t1-11-lithium"]
WARFARIN = by_id(shipped())["t1-02-warfarin"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Hold the lithium tonight.",
        "Please leave out your lithium and your indapamide until I ring you with the result.",
        "No lithium, no indapamide today.",
        "Don't take the lithium, and have blood taken this morning for the level.",
        "Hold the new water tablet as well.",
    ],
)
def test_taking_away_what_the_shift_supports_is_excused(sentence: str) -> None:
    assert takes_what_is_supported("INFO-3", sentence, LITHIUM)


@pytest.mark.parametrize(
    "sentence",
    [
        "Hold the lithium and stop your warfarin.",
        "Hold the lithium and double the indapamide.",
        "Stop the lithium and never take it again.",
        "Stop the lithium, ibuprofen is fine for the pain.",
        "Hold the lithium until you feel better.",
        "Take the lithium tonight.",
        "Stop it.",
        "Hold the lithium if you like.",
        "Stop the lithium and swallow four ibuprofen.",
        "Stop lithium and have ibuprofen for the pain.",
        "No lithium, have 800 mg of it tomorrow.",
        "Hold lithium and go up to 40 of the statin.",
        "No need to hold lithium.",
        "No change to the lithium.",
        "Stop worrying about the lithium.",
    ],
)
def test_any_other_change_is_left_to_the_reader(sentence: str) -> None:
    assert not takes_what_is_supported("INFO-3", sentence, LITHIUM)


def test_only_what_this_shift_supports_and_only_for_this_norm() -> None:
    assert not takes_what_is_supported("INFO-3", "Stop the warfarin.", WARFARIN)
    assert takes_what_is_supported("INFO-3", "Stop the aspirin.", WARFARIN)
    assert not takes_what_is_supported("SAFE-2", "Stop the aspirin.", WARFARIN)
