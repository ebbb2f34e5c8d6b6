"""One action to check: who says what to whom, in which scenario, after which words."""

from __future__ import annotations

from dataclasses import dataclass

from polyclinic.clinics.duty.scenario.schema import AnyDuty, Role
from polyclinic.core.message import Frozen


class SceneLine(Frozen):
    """One message already spoken."""

    speaker: Role
    text: str
    to: str = ""


@dataclass(frozen=True)
class Scene:
    """The candidate action and everything a checker may look at."""

    scenario: AnyDuty
    role: Role
    text: str
    to: str = ""
    before: tuple[SceneLine, ...] = ()


class Hit(Frozen):
    """A trigger's finding: why, and the words that it is based on."""

    rationale: str
    words: str


def scenes(scenario: AnyDuty, lines: tuple[SceneLine, ...]) -> list[Scene]:
    """Every message of a dialogue as an action to check."""
    return [Scene(scenario, line.speaker, line.text, line.to, lines[:index]) for index, line in enumerate(lines)]
