"""Who speaks when in a session."""

from polyclinic.clinics.rounds.flow.session import flow

__all__ = ["flow"]
