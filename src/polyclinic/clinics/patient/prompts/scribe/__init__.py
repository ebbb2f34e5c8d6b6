"""What the scribe is asked: to keep a long conversation short."""

from __future__ import annotations

from polyclinic.clinics.patient.prompts.scribe.summary import (
    Summarises,
)

__all__ = [
    "Summarises",
]
