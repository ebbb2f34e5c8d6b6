"""Offline players for every prompt. They are only baselines, no substitute for a language model."""

from polyclinic.clinics.patient.understudies.cast import MISTAKES, UNDERSTUDIES

__all__ = ["MISTAKES", "UNDERSTUDIES"]
