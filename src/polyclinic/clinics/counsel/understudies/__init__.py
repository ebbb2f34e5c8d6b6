"""Offline players for every prompt, and the mistakes they can be told to make."""

from polyclinic.clinics.counsel.understudies.cast import MISTAKES, UNDERSTUDIES

__all__ = ["MISTAKES", "UNDERSTUDIES"]
