"""Runs named in a config, as full ids: ``last`` must mean the same run when this one is itself the last."""

from __future__ import annotations

from polyclinic.models.cast import CastSpec, parse_cast
from polyclinic.runner.config import RunConfig
from polyclinic.store.store import Store

LAST = "last"


async def with_full_names(store: Store, config: RunConfig) -> RunConfig:
    """The config with every recorded run, and every library taken from the last run, under its full id."""
    specs = parse_cast(config.cast)
    changes: dict[str, object] = {}
    if any(spec.replay_run for spec in specs):
        changes["cast"] = ",".join([f"{spec.role}={await _model(store, spec)}" for spec in specs])
    if LAST in config.libraries.values() and not any(
        name == LAST or name.startswith(f"{LAST}.") for name in await store.libraries.names()
    ):
        run = (await store.runs.get(LAST)).id
        changes["libraries"] = {name: run if source == LAST else source for name, source in config.libraries.items()}
    return config.model_copy(update=changes)


async def _model(store: Store, spec: CastSpec) -> str:
    if not spec.replay_run:
        return spec.text
    run = await store.runs.get(spec.replay_run)
    return spec.text.replace(f"replay:{spec.replay_run}", f"replay:{run.id}", 1)
