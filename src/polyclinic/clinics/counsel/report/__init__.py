"""This clinic's part of a report, and the feedback for a person who played."""

from polyclinic.clinics.counsel.report.feedback import ending, feedback
from polyclinic.clinics.counsel.report.page import report

__all__ = ["ending", "feedback", "report"]
