"""Offline players for every prompt. Baselines, never to be taken for a language model."""

from polyclinic.clinics.patient.understudies.cast import MISTAKES, UNDERSTUDIES

__all__ = ["MISTAKES", "UNDERSTUDIES"]
