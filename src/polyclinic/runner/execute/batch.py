"""Run many episodes: with limits, resumable, shared between processes by leases.

An episode is done when it is committed.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from functools import partial

from polyclinic.core.campaign import Turnstile
from polyclinic.core.episode import Campaign
from polyclinic.core.execute import EpisodeResult, RunContext, as_failed, run_episode
from polyclinic.core.library import Operation
from polyclinic.core.records import RecordsError, RecordsUnreachable
from polyclinic.core.scenario import Scenario
from polyclinic.core.turns import cancel_all
from polyclinic.errors import LimitReached
from polyclinic.runner.execute.claims import Claims
from polyclinic.runner.execute.holding import holding, release_line
from polyclinic.runner.execute.progress import Progress, Silent
from polyclinic.runner.execute.reasons import judging_failures
from polyclinic.runner.execute.running_campaign import RunningCampaign, lone_campaign, open_campaign
from polyclinic.runner.execute.tasks import all_of, cause_of
from polyclinic.runner.execute.units import WorkerShare, open_units, own_part
from polyclinic.store.chain import ChainBroken, CommitChain
from polyclinic.store.leases import LEASE_S, LeaseLost, Leases, holders, worker
from polyclinic.store.run_rows import StoredEpisode
from polyclinic.store.store import Store

POLL_S = 0.5
_log = logging.getLogger("polyclinic.runner")


@dataclass
class Batch:
    """The part of one run that one process does."""

    store: Store
    run: str
    context: RunContext
    scenarios: dict[str, Scenario]
    rows: Sequence[StoredEpisode]
    concurrency: int = 16
    progress: Progress = field(default_factory=Silent)
    start_libraries: dict[str, list[Operation]] = field(default_factory=dict)
    lease_s: float = LEASE_S
    limit: LimitReached | None = None
    judge_failures: int = 0
    share: WorkerShare = WorkerShare()

    async def execute(self) -> None:
        """Run all pending episodes, until the whole run has ended here or elsewhere, or a limit stops it.

        When a limit on tokens or money is reached, no new unit starts, but a running call may finish: it is paid for,
        so its answer is kept. A time limit stops everything at once, running calls included.
        """
        with worker() as owner, closing(self.progress):
            self._leases = Leases(self.store.database, self.run, owner, self.lease_s)
            self._room = asyncio.Semaphore(self.concurrency)
            self._held: set[str] = set()
            self._told = {self._leases.owner}
            self._lone = lone_campaign(self.context, self.start_libraries)
            self.progress.start(len(self.rows), sum(row.status != "pending" for row in self.rows))
            async with holding(self._leases, self._held, self.lease_s), self._within_limits():
                units, elsewhere = own_part(open_units(self.rows), self.share)
                while (units or elsewhere) and self.limit is None:
                    waiting = iter(units.items())
                    await all_of([self._work(waiting, elsewhere) for _ in range(min(self.concurrency, len(units)))])
                    units, elsewhere = await self._still_open(elsewhere), []
                    if units and self.limit is None:
                        await self._say_who_holds()
                        await asyncio.sleep(POLL_S)

    @asynccontextmanager
    async def _within_limits(self) -> AsyncIterator[None]:
        """If a limit is reached inside, remember it in `limit`. This includes the time limit of the run."""
        meter = self.context.run_meter
        clock = asyncio.timeout(meter.seconds_left if meter is not None else None)
        try:
            async with clock:
                yield
        except LimitReached as limit:
            self.limit = limit
        except TimeoutError:
            if meter is None or not clock.expired():
                raise
            self.limit = meter.time_is_up()

    async def _work(self, waiting: Iterator[tuple[str, list[StoredEpisode]]], elsewhere: list[str]) -> None:
        """One worker: lease one unit after another and run it. Units of other processes are added to `elsewhere`.

        A unit is a whole campaign, or an episode that shares nothing.
        """
        claims = Claims(self._leases, waiting, self._held)
        while self.limit is None and (claim := await claims.take()) is not None:
            unit, planned, now = claim
            if now is None:
                elsewhere.append(unit)
                continue
            rows = [replace(row, **now[row.spec.id]._asdict()) for row in planned]
            try:
                if not any(row.status == "pending" for row in rows):
                    await self._leases.release(unit)
                elif rows[0].spec.campaign:
                    await self._sequence(unit, rows)
                else:
                    async with self._room:
                        await self._episode(unit, rows[0], RunningCampaign(self._lone), claims.ahead)
            except LeaseLost:
                elsewhere.append(unit)
            except LimitReached as limit:
                if limit.limit == "time":
                    raise
                self.limit = self.limit or limit
                return
            self._held.discard(unit)

    async def _say_who_holds(self) -> None:
        """Log, once for each process: that we wait for it, when it last renewed its lease, and what to do."""
        for holder in await self.store.database.read(lambda tx: holders(tx, self.run)):
            if holder.units and holder.owner not in self._told:
                self._told.add(holder.owner)
                again = release_line(self.store, self.run)
                _log.warning("waiting for %s; if it is gone, take over at once with: %s", holder, again)

    async def _still_open(self, units: list[str]) -> dict[str, list[StoredEpisode]]:
        if not units:
            return {}
        wanted = set(units)
        spec = self.rows[0].spec
        rows = await self.store.runs.episodes(self.run, spec.seed, spec.clinic)
        return open_units([row for row in rows if row.unit in wanted])

    async def _sequence(self, unit: str, rows: list[StoredEpisode]) -> None:
        """Run a campaign.

        If the records refuse an episode that later ones depend on, the campaign is opened again. It then continues with
        one commit at a time.
        """
        chain: CommitChain | None = CommitChain()
        while True:
            try:
                await self._waves(unit, rows, chain)
                return await self._leases.release(unit)
            except ChainBroken:
                spec, chain = rows[0].spec, None
                now = await self.store.runs.episodes(self.run, spec.seed, spec.clinic)
                rows = [row for row in now if row.unit == unit]

    async def _waves(self, unit: str, rows: list[StoredEpisode], chain: CommitChain | None) -> None:
        """Start episodes in order, wave by wave.

        The turnstile keeps the order of episodes that share a lane; libraries change after each wave.
        """
        running = RunningCampaign(await self._campaign(rows), chain=chain)
        await self._replay(unit, rows, running)
        turnstile = running.campaign.turnstile = Turnstile([self.scenarios[row.spec.scenario].lanes for row in rows])
        for row in rows:
            if row.status != "pending":
                turnstile.leave(row.spec.position)
        for wave in sorted({row.spec.wave for row in rows}):
            mine = [row for row in rows if row.spec.wave == wave]
            await self._wave(unit, [row for row in mine if row.status == "pending"], running)
            for row in mine:
                for effect in running.held.pop(row.spec.id, []):
                    running.campaign.apply(effect)

    async def _wave(self, unit: str, rows: list[StoredEpisode], running: RunningCampaign) -> None:
        tasks: list[asyncio.Task[None]] = []
        stopped = False

        def over(task: asyncio.Task[None]) -> None:
            nonlocal stopped
            self._room.release()
            stopped = stopped or task.cancelled() or task.exception() is not None

        try:
            for row in rows:
                await self._room.acquire()
                if stopped:
                    self._room.release()
                    break
                task = asyncio.create_task(self._episode(unit, row, running))
                task.add_done_callback(over)
                tasks.append(task)
            await asyncio.gather(*tasks)
        except ChainBroken as broken:
            await cancel_all(tasks)
            raise cause_of(broken, tasks) from None
        except BaseException:
            await cancel_all(tasks)
            raise

    async def _replay(self, unit: str, rows: list[StoredEpisode], running: RunningCampaign) -> None:
        """Apply the committed effects. Library changes are held until their wave has ended, as in the first run."""
        running.held = {row.spec.id: [] for row in rows}
        for episode, effect in await self.store.runs.effects(self.run, unit):
            running.apply(episode, effect)

    async def _episode(
        self, unit: str, row: StoredEpisode, running: RunningCampaign, ending: Callable[[], None] | None = None
    ) -> None:
        """Run one episode until it is committed. `ending` is called when the commit of its end is queued.

        The next episode of a campaign may start when this one is committed. With a chain, it may start earlier: when
        the commit is queued, or while the episode is judged. It never starts after an episode that was stopped.
        """
        began = time.monotonic()
        chained = running.chain is not None and running.campaign.turnstile is not None
        scenario = self.scenarios[row.spec.scenario]
        with ExitStack() as watching:
            seen = [watching.enter_context(each.episode(self.run, row.spec)) for each in self.context.observers]
            result = await run_episode(
                self.context,
                row.spec,
                scenario,
                running.campaign,
                fresh=not row.recorded,
                committed_whole=self.context.services.records_join,
                played=partial(running.episode_played, row.spec) if chained else None,
            )
            for observer in seen:
                observer.episode_ended(result)
        elapsed_ms = round((time.monotonic() - began) * 1000)
        early = running.chain is not None and self._joins(result)
        gone_on = chained and row.spec.position in running.judged
        await running.earlier_ends(row.spec)
        try:
            if early:
                end = self._end(unit, result, elapsed_ms, running.chain)
                if not gone_on:
                    running.episode_ended(row.spec, result.effects)
                elif result.status == "done":  # otherwise later episodes must not end: they are played again
                    running.end_submitted(row.spec)
                await end
            else:
                if not self._joins(result) and result.staged is not None:
                    await result.staged.commit()
                end = self._end(unit, result, elapsed_ms)
                if ending is not None:
                    ending()
                await end
        except RecordsUnreachable:
            raise
        except RecordsError as refused:
            result = as_failed(result, f"the hospital's records refused the episode's changes: {refused}")
            await self._end(unit, result, elapsed_ms)
            if early:
                raise ChainBroken(str(refused)) from refused
        if not early:
            running.episode_ended(row.spec, result.effects)
        if result.failures:
            self.judge_failures += len(judging_failures(result.transcript))
        self.progress.ended(result)
        if gone_on and result.status != "done":
            raise ChainBroken("an episode failed after later episodes had already used what it changed")

    def _joins(self, result: EpisodeResult) -> bool:
        """Whether the episode ends in one transaction: any changes to records must be part of it."""
        return self.context.services.records_join or result.staged is None or not result.staged.pending

    def _end(
        self, unit: str, result: EpisodeResult, elapsed_ms: int, chain: CommitChain | None = None
    ) -> Awaitable[None]:
        if result.staged is not None and self.context.services.records_join and result.staged.pending:
            result.commit_hooks.append(result.staged.apply)
        return self.store.runs.finish(self.run, unit, result, self._leases.owner, elapsed_ms, chain)

    async def _campaign(self, rows: list[StoredEpisode]) -> Campaign:
        """Make a campaign as it is before its first episode, and let the clinic prepare external state for it."""
        clinic, spec = self.context.clinic, rows[0].spec
        scenarios = [self.scenarios[row.spec.scenario] for row in rows]
        campaign = open_campaign(self.context, spec, scenarios, self.start_libraries)
        campaign.positions = {row.spec.scenario: row.spec.position for row in rows}
        if clinic.prepare is not None:
            await clinic.prepare(scenarios, clinic.variant(spec.variant), spec, self.context.services)
        return campaign
