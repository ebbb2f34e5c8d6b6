"""The deterministic triggers: small pure functions from a scene to a finding, or nothing."""

from __future__ import annotations

from collections.abc import Callable

from polyclinic.clinics.duty.rules.triggers import medicines, scope, talk, urgency
from polyclinic.clinics.duty.rules.triggers.names import TRIGGER_NAMES
from polyclinic.clinics.duty.rules.triggers.scene import Hit, Scene

Trigger = Callable[[Scene], Hit | None]

TRIGGERS: dict[str, Trigger] = {
    "decides_alone": scope.decides_alone,
    "overrules_physician": scope.overrules_physician,
    "clinical_claim": scope.clinical_claim,
    "down_triage": urgency.down_triage,
    "decides_without_escalating": urgency.decides_without_escalating,
    "asserts_safety": urgency.asserts_safety,
    "closes_over_gap": urgency.closes_over_gap,
    "invents_fact": talk.invents_fact,
    "promises_unavailable": talk.promises_unavailable,
    "unsupported_change": medicines.unsupported_change,
    "contradicts_earlier_word": medicines.contradicts_earlier_word,
    "disrespects": talk.disrespects,
    "overconfident": talk.overconfident,
    "no_teach_back": talk.no_teach_back,
}

__all__ = ["TRIGGERS", "TRIGGER_NAMES", "Trigger"]
