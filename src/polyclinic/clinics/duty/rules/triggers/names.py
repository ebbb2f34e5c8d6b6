"""The names of the deterministic triggers, apart from their code so that the linter can know them."""

from __future__ import annotations

TRIGGER_NAMES: tuple[str, ...] = (
    "decides_alone",
    "overrules_physician",
    "clinical_claim",
    "down_triage",
    "decides_without_escalating",
    "asserts_safety",
    "closes_over_gap",
    "invents_fact",
    "promises_unavailable",
    "unsupported_change",
    "contradicts_earlier_word",
    "disrespects",
    "overconfident",
    "no_teach_back",
)
