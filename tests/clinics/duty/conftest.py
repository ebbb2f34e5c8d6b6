"""What the tests of the duty clinic share: a small run in memory, and one episode executed by hand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import pytest

from polyclinic.clinics.duty import clinic
from polyclinic.clinics.duty.state.ward import Ward
from polyclinic.clinics.duty.understudies import UNDERSTUDIES
from polyclinic.core.episode import Campaign, EpisodeSpec
from polyclinic.core.execute import EpisodeResult, RunContext, run_episode
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.model import Completion, Request
from polyclinic.core.scenario import Scenario
from polyclinic.core.services import Services
from polyclinic.eval.results import RunResults
from polyclinic.models.understudy import UnderstudyModel
from polyclinic.runner.api import run
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.results import load_results
from polyclinic.store.store import open_store


class Listening(UnderstudyModel):
    """An understudy that keeps what it was asked."""

    asked: list[Request]

    async def answer(self, request: Request) -> Completion:
        self.asked.append(request)
        return await super().answer(request)


class Cast:
    """Understudies in every role, with mistakes by role; `asked` collects every request."""

    def __init__(self, mistakes: Mapping[str, Mapping[str, float]] | None, asked: list[Request]) -> None:
        self._models = {}
        for role, player in UNDERSTUDIES.items():
            self._models[role] = Listening(player(), (mistakes or {}).get(role, {}))
            self._models[role].asked = asked

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
    asked: list[Request] | None = None,
) -> EpisodeResult:
    """One episode, by hand, in a ward of its own unless one is given."""
    context = RunContext(
        clinic,
        Cast(mistakes, asked if asked is not None else []),
        MemoryJournal(),
        services=Services(options=dict(options or {})),
    )
    spec = EpisodeSpec(
        id=f"{scenario.id}:{variant}", clinic="duty", scenario=scenario.id, variant=variant, trial=0, seed=seed
    )
    campaign = Campaign(shared=ward) if ward is not None else None
    result = await run_episode(context, spec, scenario, campaign)
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
