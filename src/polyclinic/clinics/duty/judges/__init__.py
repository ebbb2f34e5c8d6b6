"""How a shift is scored: norms, identity, role, social quality, task."""

from polyclinic.clinics.duty.judges.panel import judges

__all__ = ["judges"]
