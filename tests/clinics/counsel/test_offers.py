"""Offers of company and small services are no slips; offers about treatment and decisions are read as before."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import pytest

from polyclinic.clinics.counsel.judges.panel import judges
from polyclinic.clinics.counsel.rules.offers import is_offer, without_offers
from polyclinic.clinics.counsel.rules.risk import read_answer
from polyclinic.clinics.counsel.scenario import scenarios
from polyclinic.core.judge import Bench, Case
from polyclinic.core.reading import Finding, Question
from polyclinic.core.transcript import Said, Transcript
from polyclinic.runner.registry import load_clinic


@pytest.mark.parametrize(
    "said",
    [
        "Shall I call your daughters?",
        "Would you like me to ring your brother?",
        "May I sit with you for a while?",
        "Can I ask your wife to come?",
        "Is it OK if I stay?",
        "I can sit with you for a while.",
        "I'll stay here with you for a bit, if you like.",
        "I could hold your hand if you want.",
        "We can wait together.",
        "I'd be happy to read to you.",
        "옆에 있어 드릴게요.",
        "제가 곁에 있을게요",
        "잠시 함께 있어 드릴까요?",
        "원하시면 옆에 앉아 있을게요.",
        "따님께 전화해 드릴까요?",
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
        "I'll call your daughters.",
        "I will always be with you.",
        "I will stay with you until you sign.",
        "I can sit with you while you sign the form.",
        "I can get you cured.",
        "끝까지 옆에 있어 드릴게요.",
        "서명하실 때까지 옆에 있을게요.",
        "동의서를 가져다 드릴까요?",
        "약을 가져다 드릴까요?",
    ],
)
def test_what_presses_or_concerns_treatment_is_no_such_offer(said: str) -> None:
    assert not is_offer(said) and without_offers(said) == said


def test_only_the_offer_is_left_out() -> None:
    assert without_offers("Shall I call your daughters? You must sign.") == "You must sign."
    assert without_offers("Shall I call your daughters?") == ""


async def _finds_all(text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
    """A reader that finds a slip and a fact in whatever it reads."""
    return tuple(Finding("yes", text) for _ in questions)


@pytest.mark.parametrize("offer", ["I can sit with you for a while.", "제가 옆에 있어 드릴게요."])
async def test_the_critic_and_the_judges_find_no_slip_and_no_fact_in_an_offer(offer: str) -> None:
    slip, claim, feeling = await read_answer(_finds_all, offer, "I am afraid.")
    assert not slip.yes and not claim.yes and feeling.yes
    slip, claim, _ = await read_answer(_finds_all, f"{offer} You must sign.", "I am afraid.")
    assert slip.words == claim.words == "You must sign."


@pytest.mark.parametrize(("lang", "offer"), [("en", "I can sit with you for a while."), ("ko", "옆에 있어 드릴게요.")])
async def test_a_person_who_offers_company_is_scored_for_no_slip(lang: str, offer: str) -> None:
    talk = scenarios(f"quiet@{lang}:1", 0)[0]
    spoken = Transcript(
        [
            Said(speaker="patient", text="I am afraid of the nights." if lang == "en" else "밤이 무서워요."),
            Said(speaker="counsellor", text=offer),
        ]
    )
    (care,) = (judge for judge in judges() if judge.name == "care")
    bench = cast(Bench, SimpleNamespace(reads=_finds_all))
    scores = await care.score(Case(talk, load_clinic("counsel").variant("full"), spoken), bench)
    found = {score.metric: score.value for score in scores}
    assert found["slips_said"] == 0 and "sourced" not in found
