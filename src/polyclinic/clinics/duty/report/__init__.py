"""This clinic's part of a report, and the feedback for a person who played."""

from polyclinic.clinics.duty.report.feedback import OWN_METRICS, ending, feedback, misleading, performance
from polyclinic.clinics.duty.report.page import report, rulebook

__all__ = ["OWN_METRICS", "ending", "feedback", "misleading", "performance", "report", "rulebook"]
