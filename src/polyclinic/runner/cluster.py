"""A run on a Ray cluster, with one long-lived worker for each core. Workers share the run by the store's leases.

Ray places the workers, restarts dead ones and scales; the store decides which worker runs which episode. No Ray task is
made for a single call. If a worker dies, nothing that was committed is lost, and the export is the same as that of one
process.

- All workers share one budget: each worker gets an equal share of what is left, and the last round is one worker.
- An endpoint's slots and its requests a minute are divided by the number of workers.
- The process that leads the workers stops them when the run's time is up. A worker that was started again would
  begin its time again.
- A local model is one actor, loaded once and asked by all workers (`runner.cluster_models`).
- All machines must reach the store, so it is PostgreSQL.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from polyclinic.core.extras import install_hint
from polyclinic.core.limits import Limits, Meter
from polyclinic.errors import ConfigError, LimitReached, UserError
from polyclinic.runner.api import RunOutcome, only_if_begun, outcome_of, resume_run, save_run
from polyclinic.runner.build.built_run import build
from polyclinic.runner.cluster_models import Spent, counted, place_models, shares
from polyclinic.runner.cluster_waiting import stop, until_over
from polyclinic.runner.execute.holding import only_spender
from polyclinic.runner.execute.units import WorkerShare
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.plan.libraries import save_learned
from polyclinic.runner.plan.run_plan import RunPlan, parse_plan
from polyclinic.store.store import Store, open_store

WORKERS = "POLYCLINIC_RAY_WORKERS"
Tell = Callable[[str], None]
"""A function that shows one line to the person."""


@dataclass(frozen=True)
class Assignment:
    """The task of one worker, in plain values that can be sent to another process."""

    url: str
    run: str
    concurrency: int
    share: WorkerShare
    overrides: Mapping[str, object]


@dataclass(frozen=True)
class Worked:
    """How a worker's task ended, in plain values: exceptions cannot always be sent to another process."""

    limit: str = ""
    said: str = ""
    refused: str = ""
    judge_failures: int = 0
    spent_nano_usd: int = 0
    spent_tokens: int = 0
    cpu_s: float = 0.0


class Worker:
    """One long-lived worker: it runs many episodes at once, in its own event loop, and shares them by leases."""

    def __init__(self) -> None:
        self._task: asyncio.Task[RunOutcome] | None = None

    async def work(self, part: Assignment) -> Worked:
        """Work on the run until all its episodes have ended, here or elsewhere, or a limit is reached."""
        cpu = time.process_time()
        try:
            outcome = await self._work(part)
        except UserError as error:
            return Worked(refused=str(error))
        limit = outcome.limit
        return Worked(
            limit=limit.limit if limit else "",
            said=str(limit) if limit else "",
            judge_failures=outcome.judge_failures,
            spent_nano_usd=outcome.spent_nano_usd,
            spent_tokens=outcome.spent_tokens,
            cpu_s=time.process_time() - cpu,
        )

    async def _work(self, part: Assignment) -> RunOutcome:
        async with open_store(part.url) as store:
            self._task = asyncio.ensure_future(
                resume_run(
                    store,
                    part.run,
                    retry_failed=False,
                    concurrency=part.concurrency,
                    overrides=part.overrides,
                    share=part.share,
                )
            )
            return await self._task

    async def stop(self) -> None:
        """Stop; what is committed stays, and the leases are given back."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])


async def run_on_cluster(
    store: Store, plan: RunPlan, *, tell: Tell, written: Callable[[str, RunPlan], None] | None = None
) -> RunOutcome:
    """Build a plan once to check it, save it, and run it on the cluster that its config names."""
    _refuse_files(store)
    async with build(plan, store.journal(""), store) as built:
        built.check()
    with Cluster(plan.config.on) as cluster:
        name, kept = await save_run(store, plan, written=written)
        async with only_if_begun(store, name):
            return await cluster.run(store, name, kept, tell=tell)


async def resume_on_cluster(
    store: Store, run: str, *, tell: Tell, concurrency: int | None = None, overrides: Mapping[str, object]
) -> RunOutcome:
    """Resume a run on a cluster."""
    _refuse_files(store)
    plan = parse_plan(make_config({**(await store.runs.get(run)).config, **overrides}))
    await store.runs.retry_failed(run)
    with Cluster(plan.config.on) as cluster:
        return await cluster.run(store, run, plan, tell=tell, concurrency=concurrency)


def _refuse_files(store: Store) -> None:
    if store.database.dialect != "postgres":
        raise ConfigError(
            "--on ray needs a store that every machine reaches: --store postgresql://… "
            "(copy an old store there with: polyclinic store move)"
        )


def cluster_address(on: str) -> str:
    """What follows ``ray://``. Any other kind of cluster is refused."""
    scheme, _, address = on.partition("://")
    if scheme != "ray":
        raise ConfigError(f"--on {on}: write ray, ray://auto or ray://HOST:PORT")
    return address


def refuse_place(on: str, store: str) -> None:
    """Refuse a wrong address before a store is opened, and a missing Ray before its store asks for a smaller extra."""
    if not on:
        return
    cluster_address(on)
    if store.startswith("postgres"):
        require_ray()


def require_ray() -> None:
    """Refuse a cluster if Ray is not installed; its extra brings the PostgreSQL driver too."""
    if find_spec("ray") is None:
        raise ConfigError(f"--on ray needs the extra 'cluster': {install_hint('cluster')}")


class Cluster:
    """A connection to Ray. ``ray`` starts a cluster on this machine or uses $RAY_ADDRESS; ``ray://…`` joins one."""

    def __init__(self, on: str) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        require_ray()
        import ray

        address = cluster_address(on)
        self._ray: Any = ray
        self._address = {"": None, "auto": "auto"}.get(address, on)

    def __enter__(self) -> Cluster:
        before = signal.getsignal(signal.SIGTERM)
        try:
            self._ray.init(
                self._address, log_to_driver=False, logging_level="error", **self._local(), ignore_reinit_error=True
            )
        except (ConnectionError, ValueError, TimeoutError, RuntimeError) as error:
            raise ConfigError(f"Ray cannot be reached: {str(error).splitlines()[0]}") from None
        finally:
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGTERM, before)  # Ray's own handler would end the process without a word
        return self

    def __exit__(self, *_: object) -> None:
        self._ray.shutdown()

    def _local(self) -> dict[str, Any]:
        joins = self._address is not None or "RAY_ADDRESS" in os.environ
        return {} if joins else {"include_dashboard": False}

    async def run(
        self, store: Store, run: str, plan: RunPlan, *, tell: Tell, concurrency: int | None = None
    ) -> RunOutcome:
        """Run rounds of workers until the run has ended or a limit of the run is reached."""
        config, unjudged = plan.config, 0
        clock = Meter(Limits.in_units(seconds=config.max_seconds), "run")
        limited = config.max_cost_usd is not None or config.max_tokens is not None
        try:
            async with only_spender(store, run) if limited else nullcontext(), asyncio.timeout(clock.seconds_left):
                reached, unjudged = await self._rounds(store, run, plan, tell, concurrency)
        except TimeoutError:
            reached = clock.time_is_up()
        return await _concluded(store, run, plan, reached, unjudged)

    async def _rounds(
        self, store: Store, run: str, plan: RunPlan, tell: Tell, concurrency: int | None
    ) -> tuple[LimitReached | None, int]:
        """Rounds of fewer and fewer workers, until nothing is left or a limit is reached. Returns the limit, and how
        many judgements failed.
        """
        config, unjudged = plan.config, 0
        workers, used = await asyncio.to_thread(self._workers, plan), Spent()
        hosts = place_models(self._ray, plan.cast)
        while True:
            overrides: dict[str, object] = {"keep_as": "", "on": "", "max_seconds": None}
            overrides |= shares(config, await counted(store, run), used, workers)
            at_once = max(1, (concurrency or config.concurrency) // workers)
            mine = [WorkerShare(index, workers, hosts, led=True) for index in range(workers)]
            parts = [Assignment(store.url, run, at_once, share, overrides) for share in mine]
            worked = await self.round(store, run, parts, tell)
            unjudged += sum(each.judge_failures for each in worked)
            used = used.plus([Spent(each.spent_nano_usd, each.spent_tokens) for each in worked])
            reached = next((each for each in worked if each.limit), None)
            if reached is None or workers == 1:
                return (LimitReached(reached.limit, reached.said) if reached is not None else None), unjudged
            workers = max(1, workers // 2)

    def _workers(self, plan: RunPlan) -> int:
        """One worker for each core of the cluster, but no more than the concurrency that an endpoint allows."""
        cores = int(self._ray.cluster_resources().get("CPU", 1))
        wanted = int(os.environ.get(WORKERS, "0")) or cores
        slots = [spec.options.concurrency for spec in plan.cast.values() if spec.kind in ("endpoint", "hosted")]
        return max(1, min([wanted, cores, *slots]))

    async def round(self, store: Store, run: str, parts: Sequence[Assignment], tell: Tell) -> list[Worked]:
        """Let every worker do its part, and report the run's progress meanwhile."""
        ray = self._ray
        make = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=-1, scheduling_strategy="SPREAD")(Worker)
        workers = [make.remote() for _ in parts]
        at_work = [asyncio.wrap_future(w.work.remote(part).future()) for w, part in zip(workers, parts, strict=True)]
        try:
            await until_over(store, run, at_work, tell)
            worked = [self._worked(future) if future.done() else Worked() for future in at_work]
            for refused in (each.refused for each in worked if each.refused):
                raise ConfigError(refused)
            return worked
        except asyncio.CancelledError:
            await stop(store, run, workers)
            raise
        finally:
            for future in at_work:
                future.cancel()
            for worker in workers:
                ray.kill(worker)

    def _worked(self, ended: asyncio.Future[Worked]) -> Worked:
        try:
            return ended.result()
        except self._ray.exceptions.RayError as error:
            why = [line for line in str(error).splitlines() if line.strip()][-1:]
            raise ConfigError(f"a worker of the cluster could not go on: {' '.join(why).strip()}") from error


async def _concluded(
    store: Store, run: str, plan: RunPlan, limit: LimitReached | None, judge_failures: int
) -> RunOutcome:
    outcome, config = await outcome_of(store, run, limit), plan.config
    learned: Mapping[str, int] = {}
    if config.keep_as and not outcome.left:
        learned = await save_learned(store, run, plan.clinic, config.keep_as, config.embedder or "default")
    return replace(outcome, unpriced=plan.unpriced, judge_failures=judge_failures, learned=learned)
