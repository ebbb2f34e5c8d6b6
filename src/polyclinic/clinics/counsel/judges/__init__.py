"""How a conversation is scored."""

from polyclinic.clinics.counsel.judges.panel import LIKERT, judges

__all__ = ["LIKERT", "judges"]
