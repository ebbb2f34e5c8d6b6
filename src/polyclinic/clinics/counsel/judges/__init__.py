"""How a conversation is scored."""

from polyclinic.clinics.counsel.judges.panel import LIKERT, judges, view

__all__ = ["LIKERT", "judges", "view"]
