"""What a clinic says about its training data."""

from __future__ import annotations

from typing import Any

from polyclinic.core.clinic import Clinic
from polyclinic.core.dataset import TrainingData
from polyclinic.errors import ConfigError, UnknownName
from polyclinic.runner.registry import clinics_with, load_clinic


def dataset_room(clinic: Clinic) -> TrainingData[Any]:
    """What the clinic says about its training data; an error with the clinics that have any, when it has none."""
    if clinic.dataset is None:
        raise UnknownName("clinic with a dataset", clinic.name, clinics_with("dataset"))
    return clinic.dataset


def trained_clinic(named: str) -> str:
    """The clinic whose role is trained: the one that is named, else the only one whose dataset has rewards."""
    if named:
        return named
    able = [name for name in clinics_with("dataset") if dataset_room(load_clinic(name)).rewards]
    if len(able) != 1:
        raise ConfigError(f"several clinics can be trained: name one with --clinic ({', '.join(able)})")
    return able[0]
