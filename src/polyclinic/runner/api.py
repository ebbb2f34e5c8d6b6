"""Start, resume and execute runs: the functions that the CLI, the web and notebooks call.

A run is planned, built once and executed: `plan_run`, `build`, `execute`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace

from polyclinic.core.episode import Listener
from polyclinic.core.model import Usage
from polyclinic.core.reading import READER
from polyclinic.errors import LimitReached, StoreError, UserError
from polyclinic.models.asked_once import ReadersOnce
from polyclinic.models.human import HumanDesk
from polyclinic.runner.build.built_run import BuiltRun, build
from polyclinic.runner.build.observers import active_observers, require_observers
from polyclinic.runner.execute.batch import Batch
from polyclinic.runner.execute.holding import only_spender
from polyclinic.runner.execute.progress import Progress, Silent
from polyclinic.runner.execute.tasks import rare_garbage_collection
from polyclinic.runner.execute.units import WorkerShare
from polyclinic.runner.plan.config import RunConfig, make_config
from polyclinic.runner.plan.libraries import pin_libraries, save_learned, start_libraries
from polyclinic.runner.plan.run_plan import RunPlan, parse_plan, plan_run
from polyclinic.runner.registry import read_scenarios
from polyclinic.store.run_rows import StoredEpisode
from polyclinic.store.store import Store
from polyclinic.store.upkeep import take_back


@dataclass(frozen=True)
class RunOutcome:
    """The state of a run when its process ends.

    `unpriced` names models whose cost cannot be counted; `unreachable` means that the server of the hospital's records
    stopped answering; `learned` names the libraries that were saved, with how many operations each has.
    """

    run: str
    done: int
    failed: int
    left: int
    limit: LimitReached | None = None
    unpriced: tuple[str, ...] = ()
    judge_failures: int = 0
    unreachable: bool = False
    learned: Mapping[str, int] = field(default_factory=dict)
    spent_nano_usd: int = 0
    spent_tokens: int = 0

    @property
    def exit_code(self) -> int:
        """The exit status: 0 done, 1 the run has failures or could not go on, 3 stopped by a limit."""
        if self.limit is not None:
            return 3
        return 1 if self.failed or self.judge_failures or self.unreachable else 0

    def as_json(self) -> dict[str, object]:
        """The outcome as plain data for JSON."""
        limit = self.limit.limit if self.limit else None
        return {"run": self.run, "done": self.done, "failed": self.failed, "left": self.left, "limit": limit}


async def start_run(store: Store, config: RunConfig, only: int | None = None) -> str:
    """Plan a run and save it; nothing is built or run yet. Returns its id. `only` limits the number of
    episodes.
    """
    return (await save_run(store, await plan_run(store, config), only=only))[0]


async def save_run(
    store: Store,
    plan: RunPlan,
    *,
    only: int | None = None,
    written: Callable[[str, RunPlan], None] | None = None,
) -> tuple[str, RunPlan]:
    """Save a plan as a run. Returns the run's id and the plan as it was saved; `written` is called with both.

    Its libraries are pinned: later changes to them do not affect this run. `only` limits the number of episodes.
    """
    require_observers()
    kept = replace(plan, config=await pin_libraries(store, plan.clinic, plan.config))
    config, episodes = kept.config, kept.episodes[:only]
    creating = asyncio.ensure_future(
        store.runs.create(config.wanted_id, kept.clinic.name, config.to_keep(), kept.players, kept.scenarios, episodes)
    )
    try:
        await asyncio.shield(creating)
    finally:  # a run that is stopped just now is saved all the same: then its id must be known too
        name = await creating
        if written is not None:
            written(name, kept)
    return name, kept


async def resume_run(
    store: Store,
    run: str,
    *,
    plan: RunPlan | None = None,
    retry_failed: bool = True,
    progress: Progress | None = None,
    concurrency: int | None = None,
    desk: HumanDesk | None = None,
    listener: Listener | None = None,
    overrides: Mapping[str, object] | None = None,
    share: WorkerShare = WorkerShare(),
) -> RunOutcome:
    """Run the pending episodes of a run. Finished episodes never run again; failed ones are retried once.

    A caller that has just saved the run gives its `plan`; otherwise the plan is made from the stored settings.
    `overrides` may change what does not decide results: limits, endpoints' speed, the cache. `share` says which of
    several workers this is; endpoints' limits are divided among them.
    """
    row = await store.runs.get(run)
    if plan is None:
        plan = parse_plan(make_config({**row.config, **(overrides or {})}))
    if retry_failed:
        await store.runs.retry_failed(row.id)
    workers, hosts = share.of, share.hosts
    journal = store.journal(row.id)
    async with build(plan, journal, store, desk=desk, listener=listener, workers=workers, hosts=hosts) as built:
        return await execute(store, row.id, plan, built, progress=progress, concurrency=concurrency, share=share)


async def execute(
    store: Store,
    run: str,
    plan: RunPlan,
    built: BuiltRun,
    *,
    progress: Progress | None = None,
    concurrency: int | None = None,
    share: WorkerShare = WorkerShare(),
) -> RunOutcome:
    """Run the pending episodes of a saved run, with the objects that were built for it. A language model that reads
    answers each question once in the run, unless a person takes part: their words stay with their episode.
    """
    clinic, config = plan.clinic, plan.config
    reads = plan.cast.get(READER)
    costs = reads is not None and reads.kind != "builtin" and reads.model_kind == "llm"
    if costs and all(spec.kind != "human" for spec in plan.cast.values()):
        once = ReadersOnce(built.context.players, store.cache, run)
        built = replace(built, context=replace(built.context, players=once))
    spends = built.budget.limited and not share.led
    async with only_spender(store, run) if spends else nullcontext():
        rows = await store.runs.episodes(run, config.seed, clinic.name)
        await _count_what_was_spent(store, built, rows)
        before = _spent(built)
        batch = Batch(
            store=store,
            run=run,
            context=built.context.observed(active_observers()),
            scenarios=read_scenarios(clinic, await store.runs.scenarios(run)),
            rows=rows,
            concurrency=concurrency or config.concurrency,
            progress=progress or Silent(),
            start_libraries=await start_libraries(store, clinic, config),
            share=share,
        )
        batch.progress.watch(built.cast.retries)
        built.cast.on_unreached(batch.progress.unreached)
        lost: list[Awaitable[object]] = []
        built.budget.on_loss = lambda usage: lost.append(store.runs.lose(run, usage))
        try:
            with rare_garbage_collection():
                await batch.execute()
        finally:
            await asyncio.gather(*lost)
        outcome = await outcome_of(store, run, batch.limit)
        learned: Mapping[str, int] = {}
        if config.keep_as and not outcome.left:
            learned = await save_learned(store, run, clinic, config.keep_as, config.embedder or "default")
        nano_usd, tokens = (now - then for now, then in zip(_spent(built), before, strict=True))
        return replace(
            outcome,
            unpriced=plan.unpriced,
            judge_failures=batch.judge_failures,
            learned=learned,
            spent_nano_usd=nano_usd,
            spent_tokens=tokens,
        )


def _spent(built: BuiltRun) -> tuple[int, int]:
    """Money and tokens that the run's budget has counted so far."""
    return built.budget.spent_nano_usd, built.budget.spent_tokens


async def _count_what_was_spent(store: Store, built: BuiltRun, rows: Sequence[StoredEpisode]) -> None:
    """Add what the run used before it was stopped. Its limits apply to the whole run, not to one process.

    Calls of an episode that had not ended are counted when they are answered from the journal.
    """
    for row in rows:
        if row.status != "pending":
            for used in row.usage.values():
                counted = {name: value for name, value in used.items() if name != "calls"}
                built.meter.spend(Usage.read(counted))
    if built.budget.limited and rows:
        spent = await store.runs.spent(rows[0].spec.run)
        built.budget.spent_nano_usd = spent.cost_nano_usd
        built.budget.spent_tokens = spent.input_tokens + spent.output_tokens


async def outcome_of(store: Store, run: str, limit: LimitReached | None = None) -> RunOutcome:
    """How many episodes of a run are done, failed and left."""
    count = await store.runs.counts(run)
    return RunOutcome(run, count.get("done", 0), count.get("failed", 0), count.get("pending", 0), limit)


async def run(store: Store, config: RunConfig, progress: Progress | None = None) -> RunOutcome:
    """Plan and run."""
    return await run_plan(store, await plan_run(store, config), progress=progress)


async def run_plan(
    store: Store,
    plan: RunPlan,
    *,
    progress: Progress | None = None,
    written: Callable[[str, RunPlan], None] | None = None,
) -> RunOutcome:
    """Build a plan once, save it and run it. A plan that cannot be built is never saved.

    `written` is called with the run's id and the plan as it was saved.
    """
    async with build(plan, store.journal(""), store) as built:
        built.check()
        name, kept = await save_run(store, plan, written=written)
        ready = replace(built, context=replace(built.context, journal=store.journal(name)))
        async with only_if_begun(store, name):
            return await execute(store, name, kept, ready, progress=progress)


@asynccontextmanager
async def only_if_begun(store: Store, run: str) -> AsyncIterator[None]:
    """Delete a run if a mistake of the user stops it before anything has happened.

    Otherwise `last` would mean this run. An error of the store is not the user's mistake: the run stays then, and can
    be resumed.
    """
    try:
        yield
    except StoreError:
        raise
    except UserError:
        await store.database.write(lambda transaction: take_back(transaction, run))
        raise
