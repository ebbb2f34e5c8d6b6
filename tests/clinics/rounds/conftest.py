"""Run one session directly, with every request recorded and any player replaceable."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from polyclinic.core.episode import EpisodeSpec
from polyclinic.core.execute import EpisodeResult, RunContext, run_episode
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.model import Completion, Model, ModelKind, Request
from polyclinic.core.scenario import Scenario
from polyclinic.models.cast import Cast, build_cast
from polyclinic.models.spec import parse_cast
from polyclinic.runner.build.built_run import reader_of
from polyclinic.runner.registry import load_clinic

Change = Callable[[Request, Completion], Completion]


@dataclass
class Played:
    result: EpisodeResult
    requests: list[Request] = field(default_factory=list)

    def of(self, role: str) -> list[Request]:
        return [request for request in self.requests if request.role.partition("-")[0] == role]

    def prompts(self, role: str) -> list[Any]:
        """The recorded prompts of this role, whatever their class."""
        return [request.prompt for request in self.of(role)]


def objects(request: Request, completion: Completion) -> Completion:
    """A supervisor who approves nothing."""
    return replace(completion, text='{"reason": "Say it more kindly.", "issue": "tone"}')


class _Watched:
    """A player whose requests are recorded; `change` may alter its answer or raise."""

    def __init__(
        self, model: Model, requests: list[Request], change: Change | None, taken_for: tuple[ModelKind, bool] | None
    ) -> None:
        self._model, self._requests, self._change = model, requests, change
        self.name = model.name
        self.kind, self.trained = taken_for or (model.kind, False)

    async def answer(self, request: Request) -> Completion:
        self._requests.append(request)
        asks_field = request.prompt.prompt_name() == "AsksField"  # only for a language model: no understudy answers it
        completion = Completion(text="no") if asks_field else await self._model.answer(request)
        return self._change(request, completion) if self._change else completion


class _Players:
    def __init__(
        self,
        cast: Cast,
        requests: list[Request],
        changes: Mapping[str, Change],
        taken_for: Mapping[str, tuple[ModelKind, bool]],
    ) -> None:
        self._cast, self._requests, self._changes, self._taken_for = cast, requests, changes, taken_for

    def model(self, role: str) -> Model:
        mine = role.partition("-")[0]
        return _Watched(self._cast.model(role), self._requests, self._changes.get(mine), self._taken_for.get(mine))

    def describe(self) -> dict[str, str]:
        return self._cast.describe()


Play = Callable[..., Awaitable[Played]]


@pytest.fixture
def play() -> Play:
    async def run(
        scenario: Scenario,
        variant: str = "full",
        cast: str = "all=understudy",
        trial: int = 0,
        seed: int = 0,
        changes: Mapping[str, Change] | None = None,
        judged: bool = False,
        taken_for: Mapping[str, tuple[ModelKind, bool]] | None = None,
    ) -> Played:
        clinic = load_clinic("rounds")
        roles = [role.name for role in clinic.roles]
        players = {name: understudy() for name, understudy in clinic.understudies.items()}
        mistakes = {mistake.name for mistake in clinic.mistakes}
        requests: list[Request] = []
        chosen = build_cast(parse_cast(cast), roles, players, mistakes, reader=reader_of(clinic))
        watched = _Players(chosen, requests, changes or {}, taken_for or {})
        context = RunContext(clinic, watched, MemoryJournal(), judges=clinic.judges() if judged else ())
        spec = EpisodeSpec("e", "rounds", scenario.id, variant, trial, seed)
        return Played(await run_episode(context, spec, scenario), requests)

    return run
