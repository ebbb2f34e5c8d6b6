"""This clinic's part of a report, and the feedback for a person who played."""

from polyclinic.clinics.rounds.report.feedback import OWN_METRICS, ending, feedback, performance
from polyclinic.clinics.rounds.report.page import report

__all__ = ["OWN_METRICS", "ending", "feedback", "performance", "report"]
