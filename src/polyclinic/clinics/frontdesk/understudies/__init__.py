"""Offline players for every prompt. Baselines, no more."""

from polyclinic.clinics.frontdesk.understudies.cast import MISTAKES, UNDERSTUDIES

__all__ = ["MISTAKES", "UNDERSTUDIES"]
