"""What an author writes for the front desk: a hospital. The patients are generated from it."""

from __future__ import annotations

from collections.abc import Mapping

from polyclinic.clinics.frontdesk.scenario.config import PRESETS, HospitalConfig, parse_config, preset
from polyclinic.clinics.frontdesk.scenario.load import WALK_IN
from polyclinic.core.authoring import Writing
from polyclinic.core.files import yaml_text
from polyclinic.core.form import FormHints


def _write(config: HospitalConfig) -> str:
    return yaml_text(config.model_dump(mode="json"))


def _examples() -> Mapping[str, HospitalConfig]:
    return {name: preset(name, level="custom", name=name, hospital_n=1) for name in PRESETS}


def _to_play(path: str) -> str:
    """One visit of the hospital without the rest of the campaign, for a person to play."""
    return f"{WALK_IN}:{path}"


WRITINGS = (
    Writing(
        "hospital",
        "Hospital",
        HospitalConfig,
        ".yaml",
        _write,
        parse_config,
        _examples,
        FormHints(hidden=("persona", "level", "diseases")),
        named_by="name",
        to_play=_to_play,
    ),
)
