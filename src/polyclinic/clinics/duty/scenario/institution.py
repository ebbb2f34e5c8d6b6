"""What an institution brings to a run: its own norm file and its own survey."""

from __future__ import annotations

from pathlib import Path

from polyclinic.core.files import read_text
from polyclinic.core.services import Services
from polyclinic.people.traits import Communicator, Prior
from polyclinic.people.traits_survey import read_priors, shipped_priors


def own_norms(services: Services) -> tuple[str, str] | None:
    """Name and text of the norm file that the option `norms` names; None where there is none."""
    path = services.options.get("norms", "")
    if not path:
        return None
    return path, read_text(path, about="norm file")


def priors(services: Services) -> dict[Communicator, dict[str, Prior]]:
    """The trait priors: shipped, or from the survey that the option `survey` names."""
    path, items = services.options.get("survey", ""), services.options.get("survey_items", "")
    return read_priors(Path(path), Path(items) if items else None) if path else shipped_priors()
