"""Replace the names of runs in a config by full ids: ``last`` must not change its meaning when this run is saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from polyclinic.models.cast import CastSpec
from polyclinic.runner.plan.config import RunConfig
from polyclinic.store.store import Store

LAST = "last"


async def with_full_names(
    store: Store, config: RunConfig, specs: Sequence[CastSpec]
) -> tuple[RunConfig, list[CastSpec]]:
    """Give every recorded run in the cast, and every library taken from the last run, its full id."""
    full = [await _full(store, spec) for spec in specs]
    changes: dict[str, object] = {}
    if full != list(specs):
        changes["cast"] = ",".join(f"{spec.role}={spec.text}" for spec in full)
    if LAST in config.libraries.values() and not any(
        name == LAST or name.startswith(f"{LAST}.") for name in await store.libraries.names()
    ):
        run = (await store.runs.get(LAST)).id
        changes["libraries"] = {name: run if source == LAST else source for name, source in config.libraries.items()}
    return config.model_copy(update=changes), full


async def _full(store: Store, spec: CastSpec) -> CastSpec:
    if not spec.replay_run:
        return spec
    run = (await store.runs.get(spec.replay_run)).id
    return replace(spec, model=run, text=spec.text.replace(f"replay:{spec.replay_run}", f"replay:{run}", 1))
