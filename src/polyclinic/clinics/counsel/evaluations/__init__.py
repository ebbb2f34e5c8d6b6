"""Measuring the guard: labelled utterances, how each judge labels them, and the figures."""

from polyclinic.clinics.counsel.evaluations.figures import Judged, JudgeName, Utterance, summarise
from polyclinic.clinics.counsel.evaluations.guard import HALVES, evaluate_guard, evaluations, read_rows
from polyclinic.clinics.counsel.evaluations.tables import sections

__all__ = [
    "HALVES",
    "JudgeName",
    "Judged",
    "Utterance",
    "evaluate_guard",
    "evaluations",
    "read_rows",
    "sections",
    "summarise",
]
