"""The prompts of the scribe, who summarises a long conversation."""

from __future__ import annotations

from polyclinic.clinics.patient.prompts.scribe.summary import (
    Summarises,
)

__all__ = [
    "Summarises",
]
