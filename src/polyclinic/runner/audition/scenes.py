"""Scenes: what a role is really asked, taken from episodes that understudies play. So they are never out of date."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from polyclinic.core.clinic import Clinic
from polyclinic.core.execute import run_episode
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.model import Completion, Model, Request, Wrapper, role_of
from polyclinic.core.reading import READER
from polyclinic.core.scenario import Scenario
from polyclinic.core.switchboard import Players
from polyclinic.errors import PolyclinicError
from polyclinic.runner.build.built_run import build
from polyclinic.runner.execute.running_campaign import lone_campaign, open_campaign
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.plan.run_plan import RunPlan, parse_plan
from polyclinic.store.store import open_store

EPISODES = 4


class Scene(NamedTuple):
    """One question to a role, and what its understudy answered."""

    role: str
    request: Request
    expected: Completion

    @property
    def prompt(self) -> str:
        """The prompt's name."""
        return self.request.prompt.prompt_name()


@dataclass
class Rehearsal:
    """All that understudies were asked in a few episodes. `episodes` counts them."""

    clinic: Clinic
    scenes: list[Scene] = field(default_factory=list)
    episodes: int = 0

    def of_role(self, role: str, most: int) -> list[Scene]:
        """Up to so many scenes of a role: every prompt by turns, spread over the episodes."""
        by_prompt: dict[str, list[Scene]] = {}
        for scene in self.scenes:
            if scene.role == role:
                by_prompt.setdefault(scene.prompt, []).append(scene)
        chosen: list[Scene] = []
        for turn in range(most):
            for mine in by_prompt.values():
                share = -(-most // len(by_prompt))
                if turn < min(share, len(mine)) and len(chosen) < most:
                    chosen.append(mine[turn * len(mine) // min(share, len(mine))])
        return chosen

    def calls_per_episode(self, role: str) -> float:
        """How often a role is asked in one episode."""
        return sum(scene.role == role for scene in self.scenes) / max(1, self.episodes)

    @property
    def roles(self) -> list[str]:
        """The roles that were asked anything, in the clinic's order."""
        asked = {scene.role for scene in self.scenes}
        return [role.name for role in self.clinic.roles if role.name in asked]


async def rehearse(
    clinic: str,
    *,
    variants: Sequence[str] = (),
    scenarios: str = "",
    seed: int = 0,
    episodes: int = EPISODES,
    until: Callable[[Rehearsal], bool] = lambda rehearsal: False,
) -> Rehearsal:
    """Play a few episodes of each variant with understudies, and keep what every role was asked."""
    config = make_config({"clinic": clinic, "cast": "all=understudy", "seed": seed, "scenarios": scenarios})
    loaded = parse_plan(config).clinic
    chosen = tuple(variants) or _variants(loaded)
    plan = parse_plan(config.model_copy(update={"variants": chosen})).with_episodes()
    rehearsal = Rehearsal(loaded)
    async with open_store("sqlite://:memory:") as store, build(plan, MemoryJournal(), store) as built:
        context = replace(built.context, players=_Watched(built.context.players, rehearsal))
        for variant in chosen:
            mine = [spec for _, spec in plan.episodes if spec.variant == variant]
            for spec in mine[:episodes]:
                scenario = next(scenario for scenario in plan.scenarios if scenario.id == spec.scenario)
                campaign = lone_campaign(context, {})
                if spec.campaign:
                    campaign = open_campaign(context, spec, _sharing(plan, spec.campaign), {})
                result = await run_episode(context, spec, scenario, campaign)
                rehearsal.episodes += 1
                if result.status == "failed":
                    raise PolyclinicError(f"the rehearsal of {clinic} failed: {result.failures[-1].error}")
                if until(rehearsal):
                    return rehearsal
    return rehearsal


def _variants(clinic: Clinic) -> tuple[str, ...]:
    """The clinic's own first, then those of its demo: between them every role has a part."""
    return tuple(dict.fromkeys((clinic.first_variant, *clinic.demo_variants)))


def _sharing(plan: RunPlan, campaign: str) -> list[Scenario]:
    wanted = {spec.scenario for _, spec in plan.episodes if spec.campaign == campaign}
    return [scenario for scenario in plan.scenarios if scenario.id in wanted]


class _Watched:
    """The players, with everything they are asked written down. Readers are left out: `eval readings` measures them."""

    def __init__(self, players: Players, rehearsal: Rehearsal) -> None:
        self._players, self._rehearsal = players, rehearsal

    def model(self, role: str) -> Model:
        model = self._players.model(role)
        return model if role_of(role) == READER else _WatchedModel(model, self._rehearsal)

    def describe(self) -> dict[str, str]:
        return self._players.describe()


class _WatchedModel(Wrapper):
    def __init__(self, model: Model, rehearsal: Rehearsal) -> None:
        super().__init__(model)
        self._rehearsal = rehearsal

    async def answer(self, request: Request) -> Completion:
        completion = await self._model.answer(request)
        self._rehearsal.scenes.append(Scene(role_of(request.role), request, completion))
        return completion
