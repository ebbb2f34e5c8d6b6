"""Find a clinic's training data."""

from __future__ import annotations

from typing import Any

from polyclinic.core.clinic import Clinic
from polyclinic.core.dataset import TrainingData
from polyclinic.errors import ConfigError, UnknownName
from polyclinic.runner.registry import clinics_with, load_clinic


def dataset_room(clinic: Clinic) -> TrainingData[Any]:
    """The training data of a clinic. If it has none, the error names the clinics that have some."""
    if clinic.dataset is None:
        raise UnknownName("clinic with a dataset", clinic.name, clinics_with("dataset"))
    return clinic.dataset


def trained_clinic(named: str) -> str:
    """The clinic whose role is trained: the one that is named, else the only clinic whose dataset has rewards."""
    if named:
        return named
    able = [name for name in clinics_with("dataset") if dataset_room(load_clinic(name)).rewards]
    if len(able) != 1:
        raise ConfigError(f"several clinics can be trained: name one with --clinic ({', '.join(able)})")
    return able[0]
