"""What a clinic says about its training data."""

from __future__ import annotations

from typing import Any

from polyclinic.core.clinic import Clinic
from polyclinic.core.dataset import TrainingData
from polyclinic.errors import UnknownName
from polyclinic.runner.registry import clinics_with


def dataset_room(clinic: Clinic) -> TrainingData[Any]:
    """What the clinic says about its training data; an error with the clinics that have any, when it has none."""
    if clinic.dataset is None:
        raise UnknownName("clinic with a dataset", clinic.name, clinics_with("dataset"))
    return clinic.dataset
