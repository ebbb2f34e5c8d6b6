"""The exact triggers: small pure functions from a scene to a finding, or nothing. All else is read by meaning."""

from __future__ import annotations

from collections.abc import Callable

from polyclinic.clinics.duty.rules.triggers import levels
from polyclinic.clinics.duty.rules.triggers.scene import Hit, Scene
from polyclinic.clinics.duty.scenario.trigger_names import READ_NOW, TRIGGER_NAMES

Trigger = Callable[[Scene], Hit | None]

TRIGGERS: dict[str, Trigger] = {"down_triage": levels.down_triage}

__all__ = ["READ_NOW", "TRIGGERS", "TRIGGER_NAMES", "Trigger"]
