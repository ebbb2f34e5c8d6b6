"""How an interview is scored."""

from polyclinic.clinics.patient.judges.panel import judges

__all__ = ["judges"]
