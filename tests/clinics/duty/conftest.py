"""What the tests of the duty clinic share: a small run in memory, and one episode executed by hand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import pytest

from polyclinic.clinics.duty import clinic
from polyclinic.clinics.duty.state.ward import Ward
from polyclinic.clinics.duty.understudies import UNDERSTUDIES
from polyclinic.core.episode import Campaign, EpisodeSpec
from polyclinic.core.execute import EpisodeResult, Stage, run_episode
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.scenario import Scenario
from polyclinic.core.services import Services
from polyclinic.eval.results import RunResults
from polyclinic.models.understudy import UnderstudyModel
from polyclinic.runner.api import run
from polyclinic.runner.config import make_config
from polyclinic.runner.results import load_results
from polyclinic.store.store import open_store


class Cast:
    """Understudies in every role, with mistakes by role."""

    def __init__(self, mistakes: Mapping[str, Mapping[str, float]] | None = None) -> None:
        self._models = {
            role: UnderstudyModel(player(), (mistakes or {}).get(role, {})) for role, player in UNDERSTUDIES.items()
        }

    def model(self, role: str) -> UnderstudyModel:
        return self._models[role]

    def describe(self) -> dict[str, str]:
        return dict.fromkeys(self._models, "understudy")


async def _play(
    scenario: Scenario,
    variant: str = "plain",
    ward: Ward | None = None,
    mistakes: Mapping[str, Mapping[str, float]] | None = None,
    options: Mapping[str, str] | None = None,
    seed: int = 1,
) -> EpisodeResult:
    """One episode, by hand, in a ward of its own unless one is given."""
    stage = Stage(clinic, Cast(mistakes), MemoryJournal(), services=Services(options=dict(options or {})))
    spec = EpisodeSpec(
        id=f"{scenario.id}:{variant}", clinic="duty", scenario=scenario.id, variant=variant, trial=0, seed=seed
    )
    campaign = Campaign(shared=ward) if ward is not None else None
    result = await run_episode(stage, spec, scenario, campaign)
    assert result.status == "done", result.failures
    return result


async def _small_run(
    selector: str, variants: list[str], *, trials: int = 1, seed: int = 1, judges: tuple[str, ...] = ("norms",)
) -> RunResults:
    """A run in memory with understudies."""
    values = {
        "clinic": "duty",
        "variants": variants,
        "scenarios": selector,
        "trials": trials,
        "seed": seed,
        "cast": "all=understudy",
        "judges": list(judges),
        "samples": 1,
    }
    async with open_store("sqlite://:memory:") as store:
        outcome = await run(store, make_config(values))
        results = await load_results(store, outcome.run)
        rows = [row.transcript for row in results.episodes]
        assert rows
        return results


@pytest.fixture
def play() -> Callable[..., Awaitable[EpisodeResult]]:
    return _play


@pytest.fixture
def small_run() -> Callable[..., Awaitable[RunResults]]:
    return _small_run
