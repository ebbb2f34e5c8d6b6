"""How a session is scored."""

from polyclinic.clinics.rounds.judges.panel import judges

__all__ = ["judges"]
