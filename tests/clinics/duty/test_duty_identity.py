"""Traits in words, drift, conservative updates, style and candidate scoring."""

from __future__ import annotations

import random
from statistics import fmean

import pytest

from polyclinic.clinics.duty.rules.norms.checker import Verdict, check_action
from polyclinic.clinics.duty.rules.norms.norm import inventory
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
from polyclinic.clinics.duty.rules.traits.markers import alignment, estimate, express, markers
from polyclinic.clinics.duty.rules.triggers.scene import Scene
from polyclinic.clinics.duty.scenario import by_id, shipped
from polyclinic.clinics.duty.state.style import style_for, styled
from polyclinic.people.traits import COMMUNICATORS, dimensions

SHIFTS = by_id(shipped())
SETTINGS = DriftSettings()


def broken(norm: str, severity: int) -> Verdict:
    return Verdict(norm=norm, role="doctor", flag=True, severity=severity, rationale="x", words="x")


def test_every_dimension_of_every_role_can_be_heard() -> None:
    for role in COMMUNICATORS:
        for dimension in dimensions(role):
            assert dimension.id in markers()


def test_a_markers_own_sentence_is_read_back_as_its_level_and_as_nothing_else() -> None:
    for dimension, scale in markers().items():
        for marker in scale:
            found = estimate([marker.says], list(markers()))
            assert list(found) == [dimension]
            assert found[dimension].value == marker.value


@pytest.mark.parametrize("level", [0.1, 0.37, 0.5, 0.82])
def test_many_expressions_average_to_the_level_they_express(level: float) -> None:
    rng = random.Random(4)
    heard = [estimate([express("directness", level, rng)], ["directness"])["directness"].value for _ in range(1500)]
    assert fmean(heard) == pytest.approx(level, abs=0.02)


def test_staff_markers_break_no_norm_so_traits_never_override_norms() -> None:
    for shift in shipped():
        for role in COMMUNICATORS:
            if role == "patient" or role not in shift.roles:
                continue
            for dimension in dimensions(role):
                words = " ".join(marker.says for marker in markers()[dimension.id])
                assert check_action(inventory(), Scene(shift, role, words, "nurse")) == [], (shift.id, words)
                for marker in markers()[dimension.id][::2]:
                    assert check_action(inventory(), Scene(shift, role, marker.says, "patient")) == [], marker.says


def test_silence_is_no_evidence_about_a_trait() -> None:
    assert estimate(["The chart is on the desk."], ["directness"]) == {}
    assert alignment("The chart is on the desk.", {"directness": 1.0}) == 0.5


def test_alignment_falls_with_distance_from_the_target() -> None:
    words = markers()["directness"][-1].says
    assert alignment(words, {"directness": 1.0}) > alignment(words, {"directness": 0.4})


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


def test_l2_and_cosine_are_there_by_name() -> None:
    target = {"a": 0.6, "b": 0.8}
    assert distance({"a": 0.3, "b": 0.4}, target, "l2") == pytest.approx(0.5)
    assert distance({"a": 0.0, "b": 0.0}, target, "cosine") == pytest.approx(0.0)
    assert distance({"a": 0.3, "b": -0.4}, target, "max") == pytest.approx(0.4)


def test_a_single_odd_episode_moves_no_trait_and_sustained_ones_stay_within_the_bound() -> None:
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
