"""A run for a person at the terminal: the lines at its start and its end, and the command that resumes it."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Self

from polyclinic.core.records import RecordsUnreachable
from polyclinic.errors import ConfigError
from polyclinic.runner.api import RunOutcome, outcome_of, resume_run, run_plan
from polyclinic.runner.cluster import Tell, refuse_place, resume_on_cluster, run_on_cluster
from polyclinic.runner.execute.progress import Progress
from polyclinic.runner.execute.reasons import in_brief, why_failed
from polyclinic.runner.plan.config import RunConfig
from polyclinic.runner.plan.run_plan import RunPlan, plan_run
from polyclinic.store.connections import without_password
from polyclinic.store.store import Store, default_store, open_store
from polyclinic.text.layout import number_of
from polyclinic.text.worded import Worded


async def drive(config: RunConfig, progress: Progress, begun: Tell, tell: Tell) -> RunOutcome:
    """Plan and run. `begun` is called with the run's id, `tell` with every other line for the person."""
    refuse_place(config.on, config.store)
    async with open_store(config.store) as store:
        plan = await plan_run(store, config)
        for role in plan.people:  # refused before anything is saved
            raise ConfigError(Worded("cast {1}=human: a run has no person to answer; use 'polyclinic play'", role))
        ending = _Ending(store, tell, progress)

        def written(run: str, kept: RunPlan) -> None:
            ending.run = run
            begun(run)
            for line in (
                *kept.clinic.notes_on(kept.config.scenarios),
                *_about_the_cast(kept),
                *about_libraries(config, kept),
            ):
                tell(line)

        async with ending:
            if config.on:
                ending.outcome = await run_on_cluster(store, plan, tell=tell, written=written)
            else:
                ending.outcome = await run_plan(store, plan, progress=progress, written=written)
        return ending.outcome


async def resume(
    url: str,
    run: str,
    progress: Progress,
    tell: Tell,
    *,
    concurrency: int | None = None,
    overrides: Mapping[str, object] | None = None,
    on: str = "",
) -> RunOutcome:
    """Resume a run, here or on a cluster, until it ends, a limit is reached, or the user stops it."""
    refuse_place(on, url)
    async with open_store(url, must_exist=True) as store:
        name = (await store.runs.get(run)).id
        async with _Ending(store, tell, progress, name) as ending:
            if on:
                ending.outcome = await resume_on_cluster(
                    store, name, tell=tell, concurrency=concurrency, overrides={**(overrides or {}), "on": on}
                )
            else:
                ending.outcome = await resume_run(
                    store, name, progress=progress, concurrency=concurrency, overrides={**(overrides or {}), "on": ""}
                )
        return ending.outcome


class _Ending:
    """Prints how a run ended and, if it was stopped, how to resume it. `run` is empty until the run is saved.

    A reason that the progress has shown is not printed again, only how it begins.
    """

    outcome: RunOutcome

    def __init__(self, store: Store, tell: Tell, progress: Progress, run: str = "") -> None:
        self._store, self._tell, self._progress, self.run = store, tell, progress, run

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if error is None:
            reasons = await _reasons(self._store, self.outcome)
            told = self._progress.told()
            for line in _about_the_end(self.outcome, self._store.url, reasons, told):
                self._tell(in_brief(line, told))
            return False
        if not self.run or not isinstance(error, (asyncio.CancelledError, OSError, RecordsUnreachable)):
            return False
        left, again = await outcome_of(self._store, self.run), resume_line(self.run, self._store.url)
        so_far = f"{left.done} done, {left.left} left."
        if not isinstance(error, RecordsUnreachable):
            self._tell(f"\nstopped; {so_far} Continue with: {again}")
            return False
        self._tell(f"stopped: {error}; {so_far} When the server answers again, continue with: {again}")
        self.outcome = replace(left, unreachable=True)
        return True


def resume_line(run: str, url: str, command: str = "resume") -> str:
    """The command that resumes a run, or does something else with it or its library, in its store."""
    where = shlex.quote(without_password(url))
    return f"polyclinic {command} {run}" + ("" if url == default_store() else f" --store {where}")


def _about_the_cast(plan: RunPlan) -> Iterator[str]:
    """A note about roles that the cast names, but the clinic does not have."""
    if plan.idle:
        yield f"note: {plan.clinic.name} has no role {' or '.join(plan.idle)}; that part of the cast is not used"


def about_libraries(asked: RunConfig, plan: RunPlan) -> Iterator[str]:
    """Notes about libraries: which ones are used if none was named, and which variant starts without one."""
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


_HIGHER = {"tokens": "--max-tokens N", "cost": "--max-cost-usd USD", "time": "--max-seconds S"}


def _about_the_end(
    outcome: RunOutcome, url: str, reasons: tuple[list[str], list[str]], told: Sequence[str]
) -> Iterator[str]:
    """Lines that say how the run ended, and what to do next."""
    if outcome.unpriced:
        names = ", ".join(outcome.unpriced)
        yield f"no price is known for {names}: cost counts as 0 (set POLYCLINIC_PRICES to a price list)"
    if outcome.limit is not None:
        kind, spent = outcome.limit.limit, outcome.spent_tokens
        used = f" ({spent:,} used, those of unfinished episodes too)" if kind == "tokens" and spent else ""
        higher = _HIGHER.get(kind, "--max-…")
        if told and not outcome.done + outcome.failed:
            yield f"no episode has ended: {told[0]}"
        yield f"stopped: {outcome.limit}{used}. Continue with a higher limit:"
        yield f"  {resume_line(outcome.run, url)} {higher}"
    if outcome.failed:
        yield f"{outcome.failed} failed; try them again with: {resume_line(outcome.run, url)}"
        yield from (f"  {reason}" for reason in reasons[0])
    if outcome.judge_failures:
        again = resume_line(outcome.run, url, "judge")
        yield f"{outcome.judge_failures} judgements failed and give no score; try again with: {again}"
        yield from (f"  {reason}" for reason in reasons[1])
    for name, operations in outcome.learned.items():
        yield f"learned: {name} ({number_of(operations, 'operation')})"
    if not outcome.left:
        yield f"report: {resume_line(outcome.run, url, 'report')}"
