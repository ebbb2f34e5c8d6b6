"""Scenes: questions that a role really gets, taken from episodes that understudies play.

So they are never out of date.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from types import MappingProxyType
from typing import NamedTuple

from polyclinic.core.clinic import Clinic
from polyclinic.core.episode import Campaign, EpisodeSpec
from polyclinic.core.execute import RunContext, run_episode
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.known_scene import KnownScene
from polyclinic.core.model import Completion, Model, Request, Wrapper, role_of
from polyclinic.core.reading import READER
from polyclinic.core.scenario import Scenario
from polyclinic.core.switchboard import Players
from polyclinic.errors import PolyclinicError
from polyclinic.models.spec import CastSpec
from polyclinic.runner.build.built_run import build
from polyclinic.runner.execute.running_campaign import lone_campaign, open_campaign
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.plan.run_plan import RunPlan, parse_plan
from polyclinic.runner.registry import load_clinic
from polyclinic.store.store import open_store

EPISODES = 4
LEAST, MOST = 10, 20
MORE_EPISODES = 24
"""The most episodes that are played in addition, for roles that got too few questions."""


class AuditionScene(NamedTuple):
    """One question to a role, and its understudy's answer. `right` holds the correct values, if they are known."""

    role: str
    request: Request
    expected: Completion
    right: Mapping[str, tuple[str, ...]] = MappingProxyType({})

    @property
    def prompt(self) -> str:
        """The prompt's name."""
        return self.request.prompt.prompt_name()

    @property
    def place(self) -> tuple[str, str]:
        """The scenario and the variant in which it was asked; empty outside any episode."""
        scenario, _, variant = self.request.episode.rpartition(":")[0].rpartition(":")
        return scenario, variant


@dataclass
class Rehearsal:
    """All questions that understudies got in a few episodes, and apart from them what the reader was asked. `episodes`
    is the number of these episodes.
    """

    clinic: Clinic
    scenes: list[AuditionScene] = field(default_factory=list)
    read: list[AuditionScene] = field(default_factory=list)
    episodes: int = 0

    def of_role(self, role: str, most: int) -> list[AuditionScene]:
        """At most `most` scenes of a role, chosen from each of its prompts and spread over the episodes.

        Scenes with known answers are always added; if there are many of them, fewer others are chosen.
        """
        known = [scene for scene in self.scenes if scene.role == role and scene.right]
        most = max(2, min(most, MOST - len(known)))
        by_prompt: dict[str, list[AuditionScene]] = {}
        for scene in self.scenes:
            if scene.role == role and not scene.right:
                by_prompt.setdefault(scene.prompt, []).append(scene)
        chosen: list[AuditionScene] = []
        for turn in range(most):
            for mine in by_prompt.values():
                share = -(-most // len(by_prompt))
                if turn < min(share, len(mine)) and len(chosen) < most:
                    chosen.append(mine[turn * len(mine) // min(share, len(mine))])
        return [*chosen, *known] if by_prompt else known

    def few(self, least: int) -> list[str]:
        """The roles with fewer questions than `least`. Scenes with known answers count too.

        The role that a person plays in live sessions is left out.
        """
        asked = Counter(scene.role for scene in self.scenes)
        people = self.clinic.service.role if self.clinic.service is not None else ""
        return [role.name for role in self.clinic.roles if asked[role.name] < least and role.name != people]

    def calls_per_episode(self, role: str) -> float:
        """How often a role gets a question in one episode."""
        asked = sum(scene.role == role and bool(scene.request.episode) for scene in self.scenes)
        return (len(self.read) if role == READER else asked) / max(1, self.episodes)

    @property
    def roles(self) -> list[str]:
        """The roles that got any question, in the clinic's order."""
        asked = {scene.role for scene in self.scenes}
        return [name for name in (*(role.name for role in self.clinic.roles), READER) if name in asked]


async def rehearse(
    clinic: str,
    *,
    variants: Sequence[str] = (),
    scenarios: str = "",
    seed: int = 0,
    episodes: int = EPISODES,
    going_on: bool = False,
    until: Callable[[Rehearsal], bool] = lambda rehearsal: False,
    playing: CastSpec | None = None,
) -> Rehearsal:
    """Play a few episodes of each variant with understudies, and keep what every role was asked.

    `playing` is the model that the understudies replace: they get the same questions as that model would. With
    `going_on`, an episode begins with what the earlier episodes of its campaign changed; else each is the first.
    """
    config = make_config({"clinic": clinic, "cast": "all=understudy", "seed": seed, "scenarios": scenarios})
    loaded = load_clinic(clinic)
    chosen = tuple(variants) or _variants(loaded)
    plan = parse_plan(config.model_copy(update={"variants": chosen})).with_episodes()
    rehearsal = Rehearsal(loaded)
    async with open_store("sqlite://:memory:") as store, build(plan, MemoryJournal(), store) as built:
        context = _watched(built.context, rehearsal, playing)
        for variant in chosen:
            mine = [spec for _, spec in plan.episodes if spec.variant == variant]
            opened: dict[str, Campaign] | None = {} if going_on else None
            for spec in mine[:episodes]:
                await _play(rehearsal, plan, context, spec, opened)
                if until(rehearsal):
                    return rehearsal
    return rehearsal


async def rehearse_all(clinic: str, *, seed: int = 0, playing: CastSpec | None = None) -> Rehearsal:
    """Play a rehearsal with enough scenes for every role.

    Scenes with known answers are added. For roles with too few questions, more episodes are played, also of other
    variants.
    """
    rehearsal = await rehearse(clinic, seed=seed, playing=playing)
    known = rehearsal.clinic.known_scenes()
    rehearsal.scenes += [known_scene(scene) for scene in known if scene.auditioned]
    config = make_config({"clinic": clinic, "cast": "all=understudy", "seed": seed})
    names = tuple(dict.fromkeys((*_variants(rehearsal.clinic), *rehearsal.clinic.variants)))
    plan = parse_plan(config.model_copy(update={"variants": names})).with_episodes()
    async with open_store("sqlite://:memory:") as store, build(plan, MemoryJournal(), store) as built:
        context = _watched(built.context, rehearsal, playing)
        for spec in _by_turns(plan, names)[:MORE_EPISODES]:
            if not rehearsal.few(LEAST):
                break
            await _play(rehearsal, plan, context, spec)
    return rehearsal


def _watched(context: RunContext, rehearsal: Rehearsal, playing: CastSpec | None) -> RunContext:
    """The context with every question recorded. Understudies stay in character, so their lines are not read."""
    players = Watched(context.players, rehearsal, playing)
    return replace(context, players=players, services=replace(context.services, reads_line=None))


def known_scene(known: KnownScene) -> AuditionScene:
    """A scene with a known answer, which is not part of an episode."""
    request = Request(known.role, known.prompt, tuple(known.prompt.render()))
    return AuditionScene(known.role, request, Completion(), known.right)


def _by_turns(plan: RunPlan, variants: Sequence[str]) -> list[EpisodeSpec]:
    """More episodes: those of the first variant that are not played yet, alternating with one of each other variant."""
    by_variant = {name: [spec for _, spec in plan.episodes if spec.variant == name] for name in variants}
    first, *others = variants
    more = by_variant[first][EPISODES:]
    other = [spec for name in others for spec in by_variant[name][:1]]
    return [spec for pair in zip_longest(other, more) for spec in pair if spec is not None]


async def _play(
    rehearsal: Rehearsal,
    plan: RunPlan,
    context: RunContext,
    spec: EpisodeSpec,
    opened: dict[str, Campaign] | None = None,
) -> None:
    """Play one episode. A campaign in `opened` goes on, and what the episode changes is kept there."""
    scenario = next(scenario for scenario in plan.scenarios if scenario.id == spec.scenario)
    campaign = (opened or {}).get(spec.campaign) or lone_campaign(context, {})
    if spec.campaign and spec.campaign not in (opened or {}):
        campaign = open_campaign(context, spec, _sharing(plan, spec.campaign), {})
    result = await run_episode(context, spec, scenario, campaign)
    if spec.campaign and opened is not None:
        opened[spec.campaign] = campaign
        for effect in result.effects:
            campaign.apply(effect)
    rehearsal.episodes += 1
    if result.status == "failed":
        raise PolyclinicError(f"the rehearsal of {spec.clinic} failed: {result.failures[-1].error}")


def _variants(clinic: Clinic) -> tuple[str, ...]:
    """The clinic's first variant, then those of its demo: together they have questions for every role."""
    return tuple(dict.fromkeys((clinic.first_variant, *clinic.demo_variants)))


def _sharing(plan: RunPlan, campaign: str) -> list[Scenario]:
    wanted = {spec.scenario for _, spec in plan.episodes if spec.campaign == campaign}
    return [scenario for scenario in plan.scenarios if scenario.id in wanted]


class Watched:
    """Wraps the players, and records every question that they get.

    The questions to the reader are kept apart: its scenes are texts with known answers.
    """

    def __init__(self, players: Players, rehearsal: Rehearsal, playing: CastSpec | None) -> None:
        self._players, self._rehearsal, self._playing = players, rehearsal, playing

    def model(self, role: str) -> Model:
        """The player of a role, watched."""
        model = self._players.model(role)
        if role_of(role) == READER:
            return _CountedReader(model, self._rehearsal)
        return _WatchedModel(model, self._rehearsal, self._playing)

    def describe(self) -> dict[str, str]:
        """The name of each role's model."""
        return self._players.describe()


class _WatchedModel(Wrapper):
    def __init__(self, model: Model, rehearsal: Rehearsal, playing: CastSpec | None) -> None:
        super().__init__(model)
        self._rehearsal = rehearsal
        if playing is not None:
            self.played, self.trained = playing.model_kind, playing.trained

    async def answer(self, request: Request) -> Completion:
        completion = await self._model.answer(request)
        self._rehearsal.scenes.append(AuditionScene(role_of(request.role), request, completion))
        return completion


class _CountedReader(Wrapper):
    def __init__(self, model: Model, rehearsal: Rehearsal) -> None:
        super().__init__(model)
        self._rehearsal = rehearsal

    async def answer(self, request: Request) -> Completion:
        completion = await self._model.answer(request)
        self._rehearsal.read.append(AuditionScene(READER, request, completion))
        return completion
