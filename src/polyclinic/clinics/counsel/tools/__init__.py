"""The counsellor's sources: the documents, what is found in them, and the sentences that answer a question."""

from polyclinic.clinics.counsel.tools.asked import Nearest
from polyclinic.clinics.counsel.tools.knowledge import Knowledge, Source, knowledge

__all__ = ["Knowledge", "Nearest", "Source", "knowledge"]
