"""Trait–norm compatibility: which traits, in which context, make which norm likely to be broken, and how to prevent it.

These rules only say where to look; the checker counts what really happened.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from polyclinic.clinics.duty.scenario.schema import AnyDuty
from polyclinic.core.message import Frozen


class RiskRule(NamedTuple):
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


RISK_RULES = (
    RiskRule("uncertainty_communication", "low", 0.55, "SAFE-2", "say how sure you are in every assessment"),
    RiskRule("uncertainty_communication", "low", 0.5, "ESC-2", "name the open risk before you reassure"),
    RiskRule("uncertainty_communication", "low", 0.45, "INFO-1", "say what has not been measured"),
    RiskRule("perspective_taking", "low", 0.4, "SAFE-1", "answer the worry before the facts"),
    RiskRule("emotional_engagement", "low", 0.3, "SAFE-1", "name the feeling you hear"),
    RiskRule("compliance_expectation", "high", 0.65, "SAFE-3", "ask for the steps to be told back"),
    RiskRule("shared_decision", "low", 0.35, "SAFE-1", "offer the choice"),
    RiskRule("directness", "high", 0.85, "SAFE-1", "add one warm sentence"),
    RiskRule("biomedical_orientation", "high", 0.8, "SAFE-3", "use everyday words and ask for teach-back"),
    RiskRule("speaking_up", "low", 0.5, "ESC-1", "raise the red flag in the first sentence"),
    RiskRule("speaking_up", "low", 0.5, "ESC-3", "raise the gap before anyone leaves"),
    RiskRule("thoroughness", "low", 0.5, "SAFE-3", "close with teach-back"),
    RiskRule("help_seeking", "low", 0.55, "SOP-1", "ask the attending before you decide"),
    RiskRule("initiative", "high", 0.75, "SOP-1", "mark proposals as proposals"),
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
