"""Runs that this server works on: started, stopped and resumed from the browser, with their progress."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from pydantic import BaseModel

from polyclinic.core.execute import EpisodeResult
from polyclinic.core.turns import cancel_all
from polyclinic.errors import PolyclinicError, UserError
from polyclinic.models.human import HumanDesk
from polyclinic.runner.api import only_if_begun, outcome_of, resume_run, save_run
from polyclinic.runner.plan.config import RunConfig
from polyclinic.runner.plan.run_plan import RunPlan, plan_run
from polyclinic.runner.results import people_in
from polyclinic.store.store import Store
from polyclinic.web.streams import News

_LOG = logging.getLogger(__name__)
MOST = 4


class Going(BaseModel):
    """How far a run is. `eta_s` is None while the remaining time is not known."""

    going: bool
    done: int
    failed: int
    left: int
    cost_usd: float = 0.0
    eta_s: float | None = None
    why: str = ""


class _Watched:
    """The progress of a run. The runner calls its methods."""

    def __init__(self, news: News) -> None:
        self._news, self._began = news, time.monotonic()
        self.total = self.finished = self.first = 0
        self.cost_usd = 0.0

    def start(self, total: int, finished: int) -> None:
        """Set the counts at the start of the run."""
        self.total, self.finished, self.first = total, finished, finished
        self._news.tell()

    def watch(self, retries: Callable[[], int]) -> None:
        """Does nothing, because retries are not shown."""

    def unreached(self, why: str) -> None:
        """Does nothing: the page shows failures when they come."""

    def ended(self, result: EpisodeResult) -> None:
        """Count one more ended episode, and its cost."""
        self.finished += 1
        self.cost_usd += sum(used.cost_usd for used in result.usage.values())
        self._news.tell()

    def told(self) -> tuple[str, ...]:
        """Nothing: the page shows reasons with each run."""
        return ()

    def close(self) -> None:
        """Tell the listeners that the run is over."""
        self._news.tell()

    def eta_s(self) -> float | None:
        """Seconds to go at the present speed."""
        done = self.finished - self.first
        return (time.monotonic() - self._began) / done * (self.total - self.finished) if done else None


class Jobs:
    """The runs that this server works on; only a few run at the same time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._watched: dict[str, _Watched] = {}
        self._why: dict[str, str] = {}
        self.news = News()

    async def start(self, config: RunConfig) -> str:
        """A new run, which begins at once."""
        if "human" in config.cast:
            raise UserError("people play in Practise: leave 'human' out of the cast")
        self._room()
        run, plan = await save_run(self._store, await plan_run(self._store, config))
        self._begin(run, plan)
        return run

    async def resume(self, run: str) -> None:
        """Resume a run that was stopped."""
        row = await self._store.runs.get(run)
        if people_in(row):
            raise UserError(f"{row.id} is a person's session: continue it in Practise")
        if row.id in self._tasks:
            return
        self._room()
        self._begin(row.id)

    async def stop(self, run: str) -> None:
        """Stop a run; it can be resumed."""
        task = self._tasks.get(run)
        if task is not None:
            await cancel_all([task])

    async def close(self) -> None:
        """Stop all runs."""
        for run in list(self._tasks):
            await self.stop(run)

    def is_going(self, run: str) -> bool:
        """Whether this server is working on a run."""
        return run in self._tasks

    async def going(self, run: str) -> Going:
        """How far a run is."""
        count = await outcome_of(self._store, run)
        watched = self._watched.get(run)
        return Going(
            going=run in self._tasks,
            done=count.done,
            failed=count.failed,
            left=count.left,
            cost_usd=watched.cost_usd if watched else 0.0,
            eta_s=watched.eta_s() if watched and run in self._tasks else None,
            why=self._why.get(run, ""),
        )

    def _room(self) -> None:
        if len(self._tasks) >= MOST:
            raise UserError(f"{MOST} runs are already running: stop one, or wait")

    def _begin(self, run: str, plan: RunPlan | None = None) -> None:
        self._why.pop(run, None)
        self._watched[run] = _Watched(self.news)
        self._tasks[run] = asyncio.create_task(self._work(run, plan))

    async def _work(self, run: str, plan: RunPlan | None) -> None:
        try:
            async with only_if_begun(self._store, run):
                outcome = await resume_run(self._store, run, plan=plan, progress=self._watched[run], desk=HumanDesk())
            if outcome.limit is not None:
                self._why[run] = str(outcome.limit)
        except PolyclinicError as error:
            _LOG.warning("run %s stopped: %s", run, error)
            self._why[run] = str(error)
        finally:
            self._tasks.pop(run, None)
            self.news.tell()
