"""Measuring the guard: labelled utterances, how each judge labels them, and the figures."""

from polyclinic.clinics.counsel.evaluations.guard import evaluations

__all__ = ["evaluations"]
