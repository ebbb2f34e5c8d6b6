"""What a house brings to a run: its norms, its survey, and the persons who work in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from polyclinic.clinics.duty.rules.norms import Norm, inventory, parse_norms, with_own
from polyclinic.clinics.duty.scenario import Role
from polyclinic.clinics.duty.state.ward import Ward
from polyclinic.core.scenario import Scenario, Variant
from polyclinic.core.seed import stream
from polyclinic.core.services import Services
from polyclinic.errors import DataError
from polyclinic.people.traits import Communicator, Prior, TraitProfile, draw_profile
from polyclinic.people.traits_survey import read_priors, shipped_priors


def house_norms(services: Services) -> tuple[Norm, ...]:
    """The norms of the house, with an institution's own where the option `norms` names a file."""
    path = services.options.get("norms", "")
    if not path:
        return inventory()
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path}: the norm file cannot be read: {error.strerror}") from error
    return with_own(inventory(), parse_norms(text, path))


def priors(services: Services) -> dict[Communicator, dict[str, Prior]]:
    """The trait priors: shipped, or from the survey that the option `survey` names."""
    path, items = services.options.get("survey", ""), services.options.get("survey_items", "")
    return read_priors(Path(path), Path(items) if items else None) if path else shipped_priors()


def open_ward(scenarios: Sequence[Scenario], variant: Variant, seed: int, services: Services) -> Ward:
    """A new team: each role's person is drawn from the priors, the same in every variant."""
    known = priors(services)
    people: tuple[tuple[Role, Communicator], ...] = (("doctor", "doctor"), ("nurse", "nurse"), ("trainee", "trainee"))
    anchors: dict[Role, TraitProfile] = {
        role: draw_profile(kind, known[kind], stream(seed, "person", role)) for role, kind in people
    }
    return Ward(anchors)
