"""Who speaks when in one interview."""

from polyclinic.clinics.patient.flow.interview import flow

__all__ = ["flow"]
