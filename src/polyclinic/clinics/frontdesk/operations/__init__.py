"""The hospital as an operation: demand, an appointment book, clinic days and a desk, without the words."""

from __future__ import annotations

from polyclinic.clinics.frontdesk.operations.whatif import whatif

__all__ = ["whatif"]
