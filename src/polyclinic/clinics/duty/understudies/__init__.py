"""Offline players with explicit habits, for every prompt. Baselines, never to be taken for a language model."""

from polyclinic.clinics.duty.understudies.cast import UNDERSTUDIES
from polyclinic.clinics.duty.understudies.habits import FORGETS, OVERSTEPS, mistake_name
from polyclinic.clinics.duty.understudies.mistakes import MISTAKES

__all__ = ["FORGETS", "MISTAKES", "OVERSTEPS", "UNDERSTUDIES", "mistake_name"]
