"""Teaching sessions as training data for a tutor."""

from polyclinic.clinics.rounds.dataset.teaching import dataset

__all__ = ["dataset"]
