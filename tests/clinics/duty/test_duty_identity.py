"""Traits in words, drift, conservative updates, style and candidate scoring."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from polyclinic.clinics.duty.rules.norms.checker import NormVerdict
from polyclinic.clinics.duty.rules.norms.scoring import (
    RewardWeights,
    best_candidate,
    candidate_score,
    compliance,
    reward,
    step_loss,
)
from polyclinic.clinics.duty.rules.traits.compatibility import context_weight, trait_risks
from polyclinic.clinics.duty.rules.traits.drift import DriftSettings, conservative_step, detect, distance
from polyclinic.clinics.duty.rules.traits.hearing import alignment, listened_to, persona_heard, shares
from polyclinic.clinics.duty.scenario.load import by_id, shipped
from polyclinic.clinics.duty.state.style import style_for, styled
from polyclinic.clinics.duty.understudies.voices import voice
from polyclinic.core.reading import Finding, Question

SHIFTS = by_id(shipped())
SETTINGS = DriftSettings()


def broken(norm: str, severity: int) -> NormVerdict:
    return NormVerdict(norm=norm, role="doctor", flag=True, severity=severity, rationale="x", words="x")


class Shows:
    """A reader that finds these manners in every message."""

    def __init__(self, *about: str) -> None:
        self.about, self.calls = about, 0

    async def reads(self, text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
        self.calls += 1
        return tuple(Finding("yes", text) if q.fact("about") in self.about else Finding("no") for q in questions)


@pytest.mark.parametrize("name", ["first", "second"])
def test_every_dimension_of_every_member_of_staff_has_its_own_words_in_both_voices(name: str) -> None:
    for role in ("doctor", "nurse", "trainee"):
        for dimension in listened_to(role):
            manner = voice(name).manner[dimension.id]
            assert manner.shows and manner.lacks and manner.shows != manner.lacks
    assert voice("first").moves.keys() == voice("second").moves.keys()
    for key, move in voice("first").moves.items():
        assert voice("second").moves[key].habit == move.habit
        assert not move.bad or voice("second").moves[key].bad != move.bad


async def test_one_call_for_each_message_asks_about_all_manners() -> None:
    reader = Shows("comes to the point")
    found = await shares(reader.reads, "doctor", ["One.", "Two."])
    assert reader.calls == 2
    assert found["directness"] == 1.0
    assert found["shared_decision"] == 0.0
    assert "comes to the point: very strongly" in persona_heard("doctor", found)
    assert await shares(reader.reads, "admin", ["One."]) == {}


async def test_alignment_is_higher_where_a_strong_trait_shows() -> None:
    reader = Shows("comes to the point")
    strong = await alignment(reader.reads, "doctor", "Now.", {"directness": 0.9})
    weak = await alignment(reader.reads, "doctor", "Now.", {"directness": 0.2})
    assert strong > weak
    assert await alignment(Shows().reads, "doctor", "Now.", {"directness": 0.9}) == 0.5


def test_a_feasible_candidate_always_beats_a_better_aligned_violation() -> None:
    assert best_candidate([([broken("SAFE-1", 1)], 1.0), ([], 0.0)], weight=0.1) == 1
    assert best_candidate([([], 0.2), ([], 0.9)], weight=0.9) == 1
    assert best_candidate([([broken("SOP-1", 5)], 0.5), ([broken("SAFE-1", 2)], 0.5)], weight=0.7) == 1
    assert candidate_score([broken("SOP-1", 5)], 1.0, 0.7) == pytest.approx(-0.7 + 0.3)


def test_compliance_and_reward_follow_their_definitions() -> None:
    assert step_loss([broken("SAFE-1", 2), broken("SOP-1", 5)]) == 1.0
    assert compliance([0.4, 0.0]) == pytest.approx(0.8)
    weights = RewardWeights(alpha=0.6, beta=0.2, gamma=0.2)
    assert reward(1.0, 0.0, 1.0, weights) == pytest.approx(1.0)
    assert reward(0.5, 0.5, 0.0, weights) == pytest.approx(0.4)


def test_one_odd_episode_is_no_drift_but_three_are() -> None:
    target = {"directness": 0.6, "shared_decision": 0.6}
    calm = [{"directness": 0.6, "shared_decision": 0.62}] * 4
    odd = {"directness": 0.1, "shared_decision": 0.6}
    assert not detect([*calm, odd], target, SETTINGS).drift
    report = detect([*calm, odd, odd, odd], target, SETTINGS)
    assert report.drift
    assert report.top[0][0] == "directness"
    assert report.top[0][1] < 0


def test_l2_and_cosine_can_be_chosen_by_name() -> None:
    target = {"a": 0.6, "b": 0.8}
    assert distance({"a": 0.3, "b": 0.4}, target, "l2") == pytest.approx(0.5)
    assert distance({"a": 0.0, "b": 0.0}, target, "cosine") == pytest.approx(0.0)
    assert distance({"a": 0.3, "b": -0.4}, target, "max") == pytest.approx(0.4)


def test_a_single_odd_episode_moves_no_trait_and_several_move_it_within_the_bound() -> None:
    steady = [0.6, 0.61, 0.59]
    assert conservative_step(0.6, 0.01, [*steady, 0.0], 0.01, SETTINGS) == 0.0
    step = conservative_step(0.6, 0.01, [0.1, 0.1, 0.1], 0.01, SETTINGS)
    assert -SETTINGS.max_step <= step < 0
    assert conservative_step(0.6, 0.01, [0.0] * 3, 0.0001, SETTINGS) == -SETTINGS.max_step


def test_a_certain_trait_moves_less_than_an_uncertain_one() -> None:
    heard = [0.75, 0.75, 0.75]
    certain = conservative_step(0.6, 0.002, heard, 0.01, SETTINGS)
    open_ = conservative_step(0.6, 0.02, heard, 0.01, SETTINGS)
    assert 0 < certain < open_


def test_trait_risk_grows_with_the_context() -> None:
    quiet, tense = SHIFTS["t1-03-metformin"], SHIFTS["t2-01-chest-pain"]
    traits = {"uncertainty_communication": 0.4}
    calm = trait_risks(traits, context_weight(quiet))
    sharp = trait_risks(traits, context_weight(tense))
    assert calm[0].norm == "SAFE-2"
    assert sharp[0].risk > calm[0].risk
    assert trait_risks({"uncertainty_communication": 0.9}, 2.0) == []


def test_style_reacts_to_risk_and_time_pressure_within_bounds() -> None:
    tense, quiet = style_for(SHIFTS["t2-01-chest-pain"]), style_for(SHIFTS["t1-03-metformin"])
    assert (tense.pace, tense.caution) == ("brisk", "raised")
    assert quiet.caution == "usual"
    assert styled({"directness": 0.5}, tense)["directness"] > 0.5
    assert styled({"directness": 0.99}, tense)["directness"] == 1.0
