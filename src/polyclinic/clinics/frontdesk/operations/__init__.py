"""The hospital as an operation, without dialogues: demand, an appointment book, clinic days and a desk."""

from __future__ import annotations

from polyclinic.clinics.frontdesk.operations.whatif import whatif

__all__ = ["whatif"]
