"""The counsellor's sources: the documents, what is found in them, and the sentence that answers a question."""

from polyclinic.clinics.counsel.tools.knowledge import Knowledge, Source, knowledge

__all__ = ["Knowledge", "Source", "knowledge"]
