"""Run for a person who waits at the terminal: what to say at the start and at the end, and the command that goes
on.
"""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import replace
from typing import Any

from polyclinic.core.records import RecordsUnreachable
from polyclinic.errors import ConfigError
from polyclinic.runner.api import RunOutcome, outcome_of, resume_run, run_plan
from polyclinic.runner.execute.progress import Progress
from polyclinic.runner.execute.reasons import why_failed
from polyclinic.runner.plan.config import RunConfig
from polyclinic.runner.plan.run_plan import RunPlan, plan_run
from polyclinic.store.store import Store, default_store, open_store

Tell = Callable[[str], None]
"""Takes one line for the person."""


async def drive(config: RunConfig, progress: Progress, begun: Tell, tell: Tell) -> RunOutcome:
    """Plan and run. `begun` is called with the run's id, `tell` with every other line."""

    runs: list[str] = []

    def written(run: str, plan: RunPlan) -> None:
        runs.append(run)
        begun(run)
        for line in (*_about_the_cast(plan), *_about_libraries(config, plan)):
            tell(line)

    async with open_store(config.store) as store:
        plan = await plan_run(store, config)
        refuse_people(plan)
        work = run_plan(store, plan, progress=progress, written=written)
        return await _to_its_end(store, runs, work, tell)


async def resume(
    url: str,
    run: str,
    progress: Progress,
    tell: Tell,
    *,
    concurrency: int | None = None,
    overrides: Mapping[str, object] | None = None,
) -> RunOutcome:
    """Resume a run until it ends, a limit is reached, or the user stops it."""
    async with open_store(url, must_exist=True) as store:
        name = (await store.runs.get(run)).id
        work = resume_run(store, name, progress=progress, concurrency=concurrency, overrides=overrides)
        return await _to_its_end(store, [name], work, tell)


async def _to_its_end(store: Store, runs: list[str], work: Coroutine[Any, Any, RunOutcome], tell: Tell) -> RunOutcome:
    """Wait for the run; if it is stopped, say how to resume it. `runs` is empty until the run is saved."""
    try:
        outcome = await work
    except (asyncio.CancelledError, OSError):
        for run in runs:
            left = await outcome_of(store, run)
            tell(f"\nstopped; {left.done} done, {left.left} left. Continue with: {resume_line(run, store.url)}")
        raise
    except RecordsUnreachable as gone:
        if not runs:
            raise
        left = await outcome_of(store, runs[0])
        line = f"When it answers again, continue with: {resume_line(left.run, store.url)}"
        tell(f"stopped: {gone}; {left.done} done, {left.left} left. {line}")
        return replace(left, unreachable=True)
    for line in _about_the_end(outcome, store.url, await _reasons(store, outcome)):
        tell(line)
    return outcome


def refuse_people(plan: RunPlan) -> None:
    """Refuse roles played by people before anything is saved: a run has no person to ask."""
    for role in plan.people:
        raise ConfigError(f"cast {role}=human: a run has no person to answer; use 'polyclinic play'")


def resume_line(run: str, url: str) -> str:
    """The command that resumes a run."""
    return f"polyclinic resume {run}" + ("" if url == default_store() else f" --store {shlex.quote(url)}")


def _about_the_cast(plan: RunPlan) -> Iterator[str]:
    """Roles that were cast and are not played."""
    if plan.idle:
        yield f"note: {plan.clinic.name} has no role {' or '.join(plan.idle)}; that part of the cast is not used"


def _about_libraries(asked: RunConfig, plan: RunPlan) -> Iterator[str]:
    """What a run begins with when nobody named a library, and when a variant that needs one finds none."""
    used, clinic = plan.config.libraries, plan.clinic
    if used and not asked.libraries:
        yield f"uses what was learned before: {', '.join(used.values())} (--library none starts empty)"
    if used or not clinic.libraries:
        return
    needing = [spec for _, spec in plan.episodes if spec.variant == clinic.evolve_variant]
    if needing and not any(spec.campaign for spec in needing):
        yield (
            f"nothing has been learned yet: {clinic.evolve_variant} starts with an empty library; "
            f"fill it first with: polyclinic evolve {clinic.name}"
        )


async def _reasons(store: Store, outcome: RunOutcome) -> tuple[list[str], list[str]]:
    """Why episodes failed, and why judgements did."""
    episodes = await why_failed(store, outcome.run) if outcome.failed else []
    judgements = await why_failed(store, outcome.run, judging=True) if outcome.judge_failures else []
    return episodes, judgements


def _about_the_end(outcome: RunOutcome, url: str, reasons: tuple[list[str], list[str]]) -> Iterator[str]:
    """How it ended, and what to do next."""
    if outcome.unpriced:
        names = ", ".join(outcome.unpriced)
        yield f"no price is known for {names}: cost counts as 0 (set POLYCLINIC_PRICES to a price list)"
    if outcome.limit is not None:
        yield f"stopped: {outcome.limit}. Continue with: {resume_line(outcome.run, url)} --max-… (a higher limit)"
    if outcome.failed:
        yield f"{outcome.failed} failed; try them again with: {resume_line(outcome.run, url)}"
        yield from (f"  {reason}" for reason in reasons[0])
    if outcome.judge_failures:
        again = f"polyclinic judge {outcome.run}"
        yield f"{outcome.judge_failures} judgements failed and give no score; try again with: {again}"
        yield from (f"  {reason}" for reason in reasons[1])
    for name, operations in outcome.learned.items():
        yield f"learned: {name} ({operations} operations)"
    if not outcome.left:
        yield f"report: polyclinic report {outcome.run}"
