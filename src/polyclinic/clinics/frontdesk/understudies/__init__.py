"""Offline players for every prompt. They are only baselines."""

from polyclinic.clinics.frontdesk.understudies.cast import MISTAKES, UNDERSTUDIES

__all__ = ["MISTAKES", "UNDERSTUDIES"]
