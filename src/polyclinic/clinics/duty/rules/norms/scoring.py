"""Scores of actions and episodes: Score(y) for candidates, C_norm for compliance, R for the reward of evolution."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from polyclinic.clinics.duty.rules.norms.checker import NormVerdict
from polyclinic.core.message import Frozen


class RewardWeights(Frozen):
    """R = alpha·C_norm + beta·(1 − D_id) + gamma·E_soc."""

    alpha: float = Field(default=0.6, ge=0)
    beta: float = Field(default=0.2, ge=0)
    gamma: float = Field(default=0.2, ge=0)


def violation_size(verdicts: Sequence[NormVerdict]) -> float:
    """Viol(y; N): the summed severities, in units of the gravest norm."""
    return sum(verdict.severity for verdict in verdicts) / 5


def candidate_score(verdicts: Sequence[NormVerdict], align: float, weight: float) -> float:
    """Score(y) = −λ·Viol + (1−λ)·Align."""
    return -weight * violation_size(verdicts) + (1 - weight) * align


def best_candidate(checked: Sequence[tuple[Sequence[NormVerdict], float]], weight: float) -> int:
    """The index of the best candidate: one that breaks nothing always comes before one that does; then the score
    decides.

    So a trait can shape the words but can never outweigh a broken norm. Ties go to the earlier candidate.
    """
    order = [
        (not verdicts, candidate_score(verdicts, align, weight), -index)
        for index, (verdicts, align) in enumerate(checked)
    ]
    return -max(order)[2]


def step_loss(verdicts: Sequence[NormVerdict]) -> float:
    """ℓ_norm(t): the gravest violation of one action on 0…1."""
    return max((verdict.severity for verdict in verdicts), default=0) / 5


def compliance(losses: Sequence[float]) -> float:
    """C_norm = 1 − mean loss over the actions."""
    return 1 - sum(losses) / len(losses) if losses else 1.0


def reward(c_norm: float, d_id: float, e_soc: float, weights: RewardWeights) -> float:
    """R, normalised by the weights so that 1 is the best value."""
    total = weights.alpha + weights.beta + weights.gamma
    parts = weights.alpha * c_norm + weights.beta * (1 - min(max(d_id, 0.0), 1.0)) + weights.gamma * e_soc
    return parts / total if total else 0.0
