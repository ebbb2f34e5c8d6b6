"""All known clinics: every package under `polyclinic.clinics`, entry points, and folders named in
POLYCLINIC_PATH.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
import traceback
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from pydantic import ValidationError

import polyclinic.clinics
from polyclinic.core.clinic import Clinic
from polyclinic.core.files import first_fault
from polyclinic.core.scenario import Scenario
from polyclinic.errors import ConfigError, UnknownName, UserError

GROUP = "polyclinic.clinics"
PATH_VARIABLE = "POLYCLINIC_PATH"
TEMPLATE = "demo"
"""The clinic that `polyclinic new` copies. It is small, so checks of an installation run it too."""


@lru_cache(maxsize=1)
def clinic_modules() -> dict[str, str]:
    """The module of each clinic, by the clinic's name. Nothing is imported yet."""
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
            if info.ispkg and _has_flow(Path(folder) / info.name):
                found.setdefault(info.name, info.name)
                if folder not in sys.path:
                    sys.path.append(folder)
    return dict(sorted(found.items()))


def _has_flow(folder: Path) -> bool:
    """Whether a package is a clinic: it has a `flow` module, which every clinic has, as a file or as a folder."""
    return (folder / "flow.py").exists() or (folder / "flow" / "__init__.py").exists()


def clinics_with(room: str) -> list[str]:
    """The clinics that have this room. Only its file or folder is looked for; no clinic is imported."""
    found = []
    for name, module in clinic_modules().items():
        spec = find_spec(module)
        places = (spec.submodule_search_locations or ()) if spec is not None else ()
        if any(Path(place, f"{room}.py").is_file() or Path(place, room).is_dir() for place in places):
            found.append(name)
    return found


def load_clinic(name: str) -> Clinic:
    """Load the clinic of that name. For an unknown name, the error lists the known ones."""
    modules = clinic_modules()
    if name not in modules:
        folder = Path("clinics", name)
        if folder.is_dir():
            raise ConfigError(
                f"the clinic {folder} is not found yet: run `export {PATH_VARIABLE}={folder.parent.resolve()}`"
            )
        if Path(name).suffix in (".toml", ".yaml", ".json"):
            raise ConfigError(f"'{name}' is not a clinic: a run file is given with --config {name}")
        raise UnknownName("clinic", name, modules)
    try:
        module = importlib.import_module(modules[name])
    except UserError:
        raise
    except Exception as error:
        raise ConfigError(
            f"the clinic {name} cannot be loaded: {_place(error)}{type(error).__name__}: {error}"
        ) from error
    clinic = getattr(module, "clinic", None)
    if not isinstance(clinic, Clinic):
        raise ConfigError(f"the package {modules[name]} must export `clinic = Clinic(...)`")
    return clinic


def read_scenarios(clinic: Clinic, bodies: Mapping[str, str]) -> dict[str, Scenario]:
    """Read the scenarios that a store holds.

    If the clinic has changed since they were saved, the error says so in one line.
    """
    found: dict[str, Scenario] = {}
    for id, body in bodies.items():
        try:
            found[id] = clinic.read_scenario(body)
        except ValidationError as error:
            fix = f"another version of the clinic {clinic.name} saved it: use that version, or start a new run"
            raise first_fault(error, f"scenario {id}", fix=fix) from None
    return found


def _place(error: Exception) -> str:
    """Where a clinic's own code broke, as file:line."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}: "
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename}:{frames[-1].lineno}: " if frames else ""
