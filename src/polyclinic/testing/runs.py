"""Runs in memory, for tests and checks: run once, export the bytes, stop in the middle and resume."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from typing import cast as cast_type

from polyclinic.core.clinic import Clinic
from polyclinic.core.execute import EpisodeResult
from polyclinic.core.scenario import S, V
from polyclinic.errors import PolyclinicError
from polyclinic.eval.results import RunResults
from polyclinic.runner.api import resume_run, run, save_run, start_run
from polyclinic.runner.execute.progress import Silent
from polyclinic.runner.plan.config import RunConfig, make_config
from polyclinic.runner.plan.run_plan import plan_run
from polyclinic.runner.results import load_results
from polyclinic.store.export import export_rows, write_jsonl
from polyclinic.store.store import Store, open_store

MEMORY = "sqlite://:memory:"


def demo_config(
    clinic: Clinic,
    *,
    variants: tuple[str, ...] = (),
    scenarios: str = "",
    cast: str = "all=understudy",
    concurrency: int = 8,
    seed: int = 0,
) -> RunConfig:
    """The config of a small run of a clinic on its demo scenarios."""
    values = {
        "clinic": clinic.name,
        "variants": variants or clinic.demo_variants or (clinic.first_variant,),
        "scenarios": scenarios or clinic.demo_scenarios,
        "cast": cast,
        "concurrency": concurrency,
        "seed": seed,
    }
    return make_config(values)


async def run_once(
    clinic: Clinic[S, V],
    *,
    variants: tuple[str, ...] = (),
    scenarios: str = "",
    cast: str = "all=understudy",
    most: int | None = None,
    seed: int = 0,
    whole: tuple[str, ...] = (),
) -> RunResults[S]:
    """Make a small run in a new store; returns its results. `most` limits the number of episodes.

    If `whole` names variants, each other variant gets only its first scenario or campaign.
    """
    config = demo_config(clinic, variants=variants, scenarios=scenarios, cast=cast, seed=seed)
    async with open_store(MEMORY) as store:
        plan = await plan_run(store, config)
        if whole:
            first = {spec.variant: unit for unit, spec in reversed(plan.episodes)}
            kept = [each for each in plan.episodes if each[1].variant in whole or each[0] == first[each[1].variant]]
            plan = replace(plan, episodes=tuple(kept))
        name, plan = await save_run(store, plan, only=most)
        await resume_run(store, name, plan=plan, retry_failed=False)
        return cast_type("RunResults[S]", await load_results(store, name))


async def played(**settings: object) -> RunResults[Any]:
    """Make a run in a new store; returns its results. The settings are those of a run file."""
    async with open_store(MEMORY) as store:
        outcome = await run(store, make_config(settings))
        return await load_results(store, outcome.run)


async def export_bytes(clinic: Clinic, *, concurrency: int = 8) -> bytes:
    """The export of a small run: its episodes and calls."""
    async with open_store(MEMORY) as store:
        outcome = await run(store, demo_config(clinic, concurrency=concurrency))
        return await exported(store, outcome.run)


async def exported(store: Store, run: str) -> bytes:
    """A run's episodes and calls, as the export writes them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        await write_jsonl(path, export_rows(store, run, "episodes"))
        episodes = path.read_bytes()
        await write_jsonl(path, export_rows(store, run, "calls"))
        return episodes + path.read_bytes()


class Interruption(PolyclinicError):
    """An error that simulates a crash in the middle of a run."""


class StopAfter(Silent):
    """Progress that stops the run after this many episodes."""

    def __init__(self, episodes: int) -> None:
        self._left = episodes

    def ended(self, result: EpisodeResult) -> None:
        """Stop the run when enough episodes have ended."""
        self._left -= 1
        if self._left <= 0:
            raise Interruption


async def interrupted_then_resumed(clinic: Clinic) -> bytes:
    """The export of a small run that is stopped after every few episodes and resumed until it is done."""
    async with open_store(MEMORY) as store:
        name = await start_run(store, demo_config(clinic))
        for stop in (1, 2, 3):
            try:
                await resume_run(store, name, progress=StopAfter(stop))
            except Interruption:
                await asyncio.sleep(0)
        await resume_run(store, name)
        return await exported(store, name)
