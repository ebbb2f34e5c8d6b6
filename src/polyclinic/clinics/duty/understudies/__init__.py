"""Offline players with explicit habits, for every prompt. Baselines, never to be taken for a language model."""

from polyclinic.clinics.duty.understudies.cast import MISTAKES, UNDERSTUDIES
from polyclinic.clinics.duty.understudies.habits import FORGETS, OVERSTEPS

__all__ = ["FORGETS", "MISTAKES", "OVERSTEPS", "UNDERSTUDIES"]
