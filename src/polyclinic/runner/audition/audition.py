"""The whole audition: scenes from a rehearsal, the model in every role, a verdict for each."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence

from polyclinic.core.journal import MemoryJournal
from polyclinic.core.message import Image
from polyclinic.errors import ConfigError, LimitReached
from polyclinic.models.spec import parse_model
from polyclinic.runner.audition.fitness import RoleFitness
from polyclinic.runner.audition.perform import perform_all
from polyclinic.runner.audition.picture import picture_scenes
from polyclinic.runner.audition.reader import reader_scenes
from polyclinic.runner.audition.scenes import AuditionScene, Rehearsal, rehearse_all
from polyclinic.runner.build.built_run import build
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.plan.run_plan import parse_plan
from polyclinic.store.store import open_store

SCENES = 12


async def audition(
    model: str,
    clinics: Sequence[str],
    *,
    scenes: int = SCENES,
    seed: int = 0,
    concurrency: int = 8,
    max_cost_usd: float | None = None,
    max_seconds: float | None = None,
    local_only: bool = False,
) -> list[RoleFitness]:
    """Test a model in every role of these clinics. Raises `LimitReached` when it would use more than allowed."""
    playing = parse_model(model)
    if playing.kind in ("human", "replay", "builtin"):
        raise ConfigError(f"{model} cannot audition: name a language model or understudy")
    found: list[RoleFitness] = []
    limits = {"max_cost_usd": max_cost_usd, "local_only": local_only}
    try:
        async with asyncio.timeout(max_seconds):
            for clinic in clinics:
                rehearsal = await rehearse_all(clinic, seed=seed, playing=playing)
                rehearsal.scenes += reader_scenes(rehearsal.clinic)
                found += await _clinic(model, rehearsal, scenes, concurrency, limits)
    except TimeoutError:
        raise LimitReached("time", f"the audition's limit of {max_seconds:g} seconds is reached") from None
    return found


async def _clinic(
    model: str, rehearsal: Rehearsal, scenes: int, concurrency: int, limits: Mapping[str, object]
) -> list[RoleFitness]:
    clinic = rehearsal.clinic
    plan = parse_plan(make_config({"clinic": clinic.name, "cast": f"all={model}", **limits}))
    found: list[RoleFitness] = []
    async with open_store("sqlite://:memory:") as store, build(plan, MemoryJournal(), store) as built:
        for role in rehearsal.roles:
            player = built.cast.model(role)
            mine = rehearsal.of_role(role, scenes)
            if player.kind == "llm" and _shows_pictures(scene for scene in rehearsal.scenes if scene.role == role):
                mine = [*mine, *picture_scenes(role)]
            played = await perform_all(mine, player, clinic.role(role).side, concurrency)
            calls = rehearsal.calls_per_episode(role)
            found.append(RoleFitness(clinic.name, role, player.name, player.kind, tuple(played), calls))
    return found


def _shows_pictures(scenes: Iterable[AuditionScene]) -> bool:
    """Whether a role with these scenes is ever shown a picture."""
    asked = {type(scene.request.prompt) for scene in scenes}
    return any(
        Image in (field.annotation, *getattr(field.annotation, "__args__", ()))
        for prompt in asked
        for field in prompt.model_fields.values()
    )
