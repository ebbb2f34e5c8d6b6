"""Trait–norm compatibility: which traits, in which context, make which norm likely to be broken, and how to prevent it.

These rules only say where to look; the checker counts what really happened.
"""

from __future__ import annotations

from collections.abc import Mapping

from polyclinic.clinics.duty.scenario.schema import AnyDuty
from polyclinic.core.message import Frozen


class RiskRule(Frozen):
    """A trait on the wrong side of `bound` puts a norm at risk."""

    dimension: str
    side: str
    bound: float
    norm: str
    suggestion: str


class TraitRisk(Frozen):
    """How much one trait endangers one norm in a context, and what would prevent it."""

    dimension: str
    norm: str
    risk: float
    suggestion: str


RISK_RULES: tuple[RiskRule, ...] = (
    RiskRule(
        dimension="uncertainty_communication",
        side="low",
        bound=0.55,
        norm="SAFE-2",
        suggestion="say how sure you are in every assessment",
    ),
    RiskRule(
        dimension="uncertainty_communication",
        side="low",
        bound=0.5,
        norm="ESC-2",
        suggestion="name the open risk before you reassure",
    ),
    RiskRule(
        dimension="uncertainty_communication",
        side="low",
        bound=0.45,
        norm="INFO-1",
        suggestion="say what has not been measured",
    ),
    RiskRule(
        dimension="perspective_taking",
        side="low",
        bound=0.4,
        norm="SAFE-1",
        suggestion="answer the worry before the facts",
    ),
    RiskRule(
        dimension="emotional_engagement", side="low", bound=0.3, norm="SAFE-1", suggestion="name the feeling you hear"
    ),
    RiskRule(
        dimension="compliance_expectation",
        side="high",
        bound=0.65,
        norm="SAFE-3",
        suggestion="ask for the steps to be told back",
    ),
    RiskRule(dimension="shared_decision", side="low", bound=0.35, norm="SAFE-1", suggestion="offer the choice"),
    RiskRule(dimension="directness", side="high", bound=0.85, norm="SAFE-1", suggestion="add one warm sentence"),
    RiskRule(
        dimension="biomedical_orientation",
        side="high",
        bound=0.8,
        norm="SAFE-3",
        suggestion="use everyday words and ask for teach-back",
    ),
    RiskRule(
        dimension="speaking_up",
        side="low",
        bound=0.5,
        norm="ESC-1",
        suggestion="raise the red flag in the first sentence",
    ),
    RiskRule(
        dimension="speaking_up", side="low", bound=0.5, norm="ESC-3", suggestion="raise the gap before anyone leaves"
    ),
    RiskRule(dimension="thoroughness", side="low", bound=0.5, norm="SAFE-3", suggestion="close with teach-back"),
    RiskRule(
        dimension="help_seeking", side="low", bound=0.55, norm="SOP-1", suggestion="ask the attending before you decide"
    ),
    RiskRule(dimension="initiative", side="high", bound=0.75, norm="SOP-1", suggestion="mark proposals as proposals"),
)
_RISK = {"low": 1.0, "moderate": 1.25, "high": 1.5}
_PRESSURE = {"low": 1.0, "moderate": 1.2, "high": 1.4}


def context_weight(scenario: AnyDuty) -> float:
    """How much a context increases every trait risk: risk level times time pressure."""
    return _RISK[scenario.risk] * _PRESSURE[scenario.time_pressure]


def trait_risks(traits: Mapping[str, float], weight: float) -> list[TraitRisk]:
    """The norms that these traits put at risk, highest risk first. `weight` is the scenario's risk times its time
    pressure.
    """
    found = []
    for rule in RISK_RULES:
        if rule.dimension not in traits:
            continue
        value = traits[rule.dimension]
        beyond = rule.bound - value if rule.side == "low" else value - rule.bound
        if beyond > 0:
            risk = round(min(beyond * 2 * weight, 1.0), 4)
            found.append(TraitRisk(dimension=rule.dimension, norm=rule.norm, risk=risk, suggestion=rule.suggestion))
    return sorted(found, key=lambda item: (-item.risk, item.norm, item.dimension))


def safer_side(dimension: str) -> float:
    """+1 if a higher value is the safer one for this trait, -1 if a lower one is, 0 if no rule says so."""
    sides = [rule.side for rule in RISK_RULES if rule.dimension == dimension]
    if not sides:
        return 0.0
    return 1.0 if sides[0] == "low" else -1.0
