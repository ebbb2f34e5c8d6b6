"""Contextual style: how a person speaks in this situation. It changes quickly with risk and time pressure."""

from __future__ import annotations

from typing import Literal

from polyclinic.clinics.duty.scenario.schema import AnyDuty
from polyclinic.core.message import Frozen

_STEP = {"low": -0.1, "moderate": 0.0, "high": 0.15}
Pace = Literal["unhurried", "steady", "brisk"]
_PACE: dict[str, Pace] = {"low": "unhurried", "moderate": "steady", "high": "brisk"}


class Style(Frozen):
    """The style in this situation: the pace, and how far some traits differ from their mean."""

    pace: Pace
    caution: Literal["usual", "raised"]
    lean: dict[str, float]

    def words(self) -> str:
        """The style for a prompt."""
        care = " Name the dangers early and check every safety point." if self.caution == "raised" else ""
        return f"Speak at a {self.pace} pace.{care}"


def style_for(scenario: AnyDuty) -> Style:
    """The style for a scenario: high risk makes people say more about what is uncertain, time pressure makes them
    direct.
    """
    return Style(
        pace=_PACE[scenario.time_pressure],
        caution="raised" if scenario.risk == "high" else "usual",
        lean={"uncertainty_communication": _STEP[scenario.risk] / 2, "directness": _STEP[scenario.time_pressure]},
    )


def styled(traits: dict[str, float], style: Style) -> dict[str, float]:
    """The trait targets in this situation: the stable means plus the style's differences, limited to 0…1."""
    return {name: min(max(value + style.lean.get(name, 0.0), 0.0), 1.0) for name, value in traits.items()}
