"""From a config to episodes: scenarios × variants × trials, grouped into units of work that share nothing."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.core.clinic import Clinic
from polyclinic.core.episode import EpisodeSpec
from polyclinic.core.scenario import Scenario
from polyclinic.errors import ConfigError
from polyclinic.runner.plan.config import RunConfig

Planned = tuple[str, EpisodeSpec]
"""An episode and the unit it belongs to: itself, or a campaign under one variant and trial."""


def variant_names(clinic: Clinic, wanted: Sequence[str]) -> list[str]:
    """The requested variants, checked. Empty means the default, ``all`` means every variant."""
    if list(wanted) == ["all"]:
        return list(clinic.variants)
    names = list(dict.fromkeys(wanted)) or [clinic.first_variant]
    return [clinic.variant(name).name for name in names]


def expand(clinic: Clinic, config: RunConfig) -> tuple[tuple[Scenario, ...], tuple[Planned, ...]]:
    """The scenarios, and scenarios × variants × trials in a fixed order."""
    scenarios = tuple(clinic.scenarios(config.scenarios, config.seed))
    if not scenarios:
        raise ConfigError(f"--scenarios {config.scenarios or '(default)'} selects nothing in {clinic.name}")
    if len({scenario.id for scenario in scenarios}) != len(scenarios):
        raise ConfigError(f"two scenarios of {clinic.name} have the same id")
    episodes: list[Planned] = []
    for variant in variant_names(clinic, config.variants):
        for trial in range(config.trials):
            places: dict[str, int] = {}
            for scenario in scenarios:
                id = f"{scenario.id}:{variant}:{trial}"
                unit = f"{scenario.campaign}:{variant}:{trial}" if scenario.campaign else id
                position = places.get(scenario.campaign, 0) if scenario.campaign else 0
                places[scenario.campaign] = position + 1
                spec = EpisodeSpec(
                    id=id,
                    clinic=clinic.name,
                    scenario=scenario.id,
                    variant=variant,
                    trial=trial,
                    seed=config.seed,
                    campaign=scenario.campaign,
                    position=position,
                    wave=scenario.wave,
                )
                episodes.append((unit, spec))
    return scenarios, tuple(episodes)
