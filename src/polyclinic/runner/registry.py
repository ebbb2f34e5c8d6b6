"""Which clinics there are: every package under `polyclinic.clinics`, entry points, and folders named in POLYCLINIC_PATH."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path

import polyclinic.clinics
from polyclinic.core.clinic import Clinic
from polyclinic.errors import ConfigError, UnknownName

GROUP = "polyclinic.clinics"
PATH_VARIABLE = "POLYCLINIC_PATH"


@lru_cache(maxsize=1)
def clinic_modules() -> dict[str, str]:
    """Clinic name to the module that exports it. Nothing is imported yet."""
    found = {
        info.name: f"polyclinic.clinics.{info.name}"
        for info in pkgutil.iter_modules(polyclinic.clinics.__path__)
        if info.ispkg
    }
    for point in entry_points(group=GROUP):
        found.setdefault(point.name, point.value)
    for folder in filter(None, os.environ.get(PATH_VARIABLE, "").split(os.pathsep)):
        if not Path(folder).is_dir():
            raise ConfigError(f"{PATH_VARIABLE} names '{folder}', which is not a folder")
        for info in pkgutil.iter_modules([folder]):
            if info.ispkg and (Path(folder) / info.name / "flow.py").exists():
                found.setdefault(info.name, info.name)
                if folder not in sys.path:
                    sys.path.append(folder)
    return dict(sorted(found.items()))


def load_clinic(name: str) -> Clinic:
    """The clinic of that name, or an error with the names there are."""
    modules = clinic_modules()
    if name not in modules:
        raise UnknownName("clinic", name, modules)
    module = importlib.import_module(modules[name])
    clinic = getattr(module, "clinic", None)
    if not isinstance(clinic, Clinic):
        raise ConfigError(f"the package {modules[name]} must export `clinic = Clinic(...)`")
    return clinic
