"""The names of the exact triggers, and those of earlier versions. They are separate from the code so that the linter
can use them.
"""

from __future__ import annotations

TRIGGER_NAMES: tuple[str, ...] = ("down_triage",)
READ_NOW: tuple[str, ...] = (
    "decides_alone",
    "overrules_physician",
    "clinical_claim",
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
