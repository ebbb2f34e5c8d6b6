"""This clinic's part of a report, and the feedback for a person who played."""

from polyclinic.clinics.frontdesk.report.feedback import feedback
from polyclinic.clinics.frontdesk.report.page import report, sample

__all__ = ["feedback", "report", "sample"]
