"""Offers of company and small services are no slips; offers about treatment and decisions are read as before."""

from __future__ import annotations

import pytest

from polyclinic.clinics.counsel.rules.offers import is_offer, without_offers


@pytest.mark.parametrize(
    "said",
    [
        "Shall I call your daughters?",
        "Would you like me to ring your brother?",
        "May I sit with you for a while?",
        "Can I ask your wife to come?",
        "Is it OK if I stay?",
    ],
)
def test_an_offer_of_company_or_a_small_service_is_an_offer(said: str) -> None:
    assert is_offer(said)


@pytest.mark.parametrize(
    "said",
    [
        "Shall we stop the treatment today?",
        "Shall I bring the form now?",
        "Shall I ask the doctor to stop the drip?",
        "Shall I call your daughters so you can decide?",
        "Should I call you a coward?",
        "Shall I call your daughters, or will you go on like this?",
        "You should call your daughters, shouldn't you?",
        "I shall call your daughters.",
    ],
)
def test_what_presses_or_concerns_treatment_is_no_such_offer(said: str) -> None:
    assert not is_offer(said) and without_offers(said) == said


def test_only_the_offer_is_left_out() -> None:
    assert without_offers("Shall I call your daughters? You must sign.") == "You must sign."
    assert without_offers("Shall I call your daughters?") == ""
