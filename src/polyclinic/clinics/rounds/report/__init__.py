"""This clinic's part of a report, and the feedback for a person who played."""

from polyclinic.clinics.rounds.report.feedback import feedback, performance
from polyclinic.clinics.rounds.report.page import report

__all__ = ["feedback", "performance", "report"]
