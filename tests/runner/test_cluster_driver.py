"""What the process does that leads a cluster's workers, without Ray: stand-ins for its functions are enough."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from polyclinic.errors import ConfigError
from polyclinic.runner import cluster_waiting
from polyclinic.runner.cluster import Cluster, Worked
from polyclinic.runner.execute.holding import only_spender
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.plan.run_plan import RunPlan, plan_run
from polyclinic.store.leases import Leases, holders
from polyclinic.store.store import Store, open_store
from polyclinic.testing.runs import MEMORY


class RayError(Exception):
    """Stands in for `ray.exceptions.RayError`."""


class Asked:
    """A method of a worker: it notes each call, and answers with what the test wants."""

    def __init__(self, called: list[str], answer: Callable[[], Future[Any]]) -> None:
        self._called, self._answer = called, answer

    def remote(self, *_: object) -> SimpleNamespace:
        self._called.append("called")
        answer = self._answer()
        return SimpleNamespace(future=lambda: answer)


class Ray(SimpleNamespace):
    """Three cores whose workers never report. What `stop` does is up to the test."""

    def __init__(self) -> None:
        super().__init__(exceptions=SimpleNamespace(RayError=RayError))
        self.report: Callable[[], Future[Any]] = Future
        self.stopped: list[str] = []
        self.killed: list[object] = []
        self.on_stop: Callable[[], Future[Any]] = Future

    def init(self, *_: object, **__: object) -> None:
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(number))

    def shutdown(self) -> None:
        """Nothing to do."""

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 3.0}

    def remote(self, **_: object) -> Callable[[type[object]], object]:
        def make() -> SimpleNamespace:
            return SimpleNamespace(work=Asked([], self.report), stop=Asked(self.stopped, self.on_stop))

        return lambda kind: SimpleNamespace(remote=make)

    def kill(self, worker: object) -> None:
        self.killed.append(worker)


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ray]:
    made = Ray()
    monkeypatch.setitem(sys.modules, "ray", made)
    monkeypatch.setattr("polyclinic.runner.cluster.require_ray", lambda: None)
    before = signal.getsignal(signal.SIGTERM)
    yield made
    signal.signal(signal.SIGTERM, before)


async def saved(store: Store, **limits: object) -> tuple[str, RunPlan]:
    plan = await plan_run(store, make_config({"clinic": "demo", "scenarios": "6", "on": "ray", **limits}))
    name = await store.runs.create("r", "demo", plan.config.to_keep(), plan.players, plan.scenarios, plan.episodes)
    return name, plan


async def test_the_time_limit_of_a_run_on_a_cluster_counts_from_its_beginning_whatever_the_workers_do(ray: Ray) -> None:
    """A worker that needs ten seconds to start, or is started again, must not get the whole time once more."""
    async with open_store(MEMORY) as store:
        name, plan = await saved(store, max_seconds=0.3)
        began = time.monotonic()
        with Cluster("ray") as cluster:
            outcome = await cluster.run(store, name, plan, tell=print)
        took = time.monotonic() - began
    assert outcome.limit is not None
    assert str(outcome.limit) == "the run's limit of 0.3 seconds is reached"
    assert (outcome.exit_code, outcome.left) == (3, 6)
    assert (len(ray.stopped), len(ray.killed)) == (3, 3)
    assert took < 2.3


async def test_workers_that_stop_have_the_time_to_give_their_leases_back(
    ray: Ray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_waiting, "STOP_POLL_S", 0.01)
    async with open_store(MEMORY) as store:
        name, plan = await saved(store, max_seconds=0.1)
        unit = (await store.runs.episodes(name))[0].unit
        far = Leases(store.database, name, "far-away:77:1")
        assert await far.claim(unit) is not None
        gone: list[asyncio.Task[None]] = []

        def give_back() -> Future[Any]:
            gone.append(asyncio.get_running_loop().create_task(far.release(unit)))
            return Future()

        ray.on_stop = give_back
        with Cluster("ray") as cluster:
            await cluster.run(store, name, plan, tell=print)
        assert await store.database.read(lambda tx: holders(tx, name)) == []
        assert len(ray.killed) == 3


async def test_a_worker_that_cannot_begin_is_one_line(ray: Ray) -> None:
    """For example a machine of the cluster with another version of this program, or without it."""

    def broken() -> Future[Any]:
        found: Future[Any] = Future()
        found.set_exception(RayError("The actor died\nTraceback:\n  File …\nImportError: no polyclinic here\n\n"))
        return found

    ray.report = broken
    async with open_store(MEMORY) as store:
        name, plan = await saved(store)
        with (
            Cluster("ray") as cluster,
            pytest.raises(ConfigError, match=r"^a worker of the cluster could not go on: ImportError: no polyclinic"),
        ):
            await cluster.run(store, name, plan, tell=print)
    assert len(ray.killed) == 3


async def test_a_run_on_a_cluster_holds_its_budget_against_other_processes(ray: Ray) -> None:
    def done() -> Future[Any]:
        found: Future[Any] = Future()
        found.set_result(Worked())
        return found

    async with open_store(MEMORY) as store:
        name, plan = await saved(store, max_tokens=1000)
        async with only_spender(store, name):
            with Cluster("ray") as cluster, pytest.raises(ConfigError, match="the budget of r is spent by process"):
                await cluster.run(store, name, plan, tell=print)
        assert ray.killed == []
        ray.report = done
        with Cluster("ray") as cluster:
            assert (await cluster.run(store, name, plan, tell=print)).left == 6


def test_ray_does_not_take_the_signal_that_stops_a_run(ray: Ray) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with Cluster("ray"):
        assert signal.getsignal(signal.SIGTERM) is before
