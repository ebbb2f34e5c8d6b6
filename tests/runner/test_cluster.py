"""A run on a Ray cluster of three nodes: same bytes as one process, even if workers die, and one budget for all."""

from __future__ import annotations

import asyncio
import importlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from polyclinic.core.model import Completion, Request, Usage
from polyclinic.core.seed import stream
from polyclinic.errors import ConfigError
from polyclinic.models.assemble import Assembly
from polyclinic.models.guard import Deadline
from polyclinic.models.local_weights import WeightsCaller
from polyclinic.models.placed import ModelHost, Refusal
from polyclinic.models.spec import CastSpec, parse_cast
from polyclinic.runner import cluster_models
from polyclinic.runner.api import resume_run, run, start_run
from polyclinic.runner.cluster import Cluster, resume_on_cluster, run_on_cluster
from polyclinic.runner.cluster_models import Spent, shares
from polyclinic.runner.execute.units import WorkerShare, own_part
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.plan.run_plan import plan_run
from polyclinic.store.leases import Leases, is_dead
from polyclinic.store.store import Store, open_store
from polyclinic.testing.fault_server import FaultServer
from polyclinic.testing.killing import steady
from polyclinic.testing.plausible import reply_text
from polyclinic.testing.runs import MEMORY, exported
from tests.conftest import POSTGRES, postgres_database

DEMO = {"clinic": "demo", "variants": ("plain",), "scenarios": "48", "on": "ray"}


async def test_a_store_in_a_file_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    async with open_store(str(tmp_path / "store.db")) as store:
        with pytest.raises(ConfigError, match="--store postgresql://"):
            await run_on_cluster(store, await plan_run(store, make_config(DEMO)), tell=print)
        assert await store.runs.all() == []


def test_a_missing_package_or_a_wrong_address_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(ConfigError, match="cluster"):
        Cluster("ray")
    monkeypatch.setitem(__import__("sys").modules, "ray", pytest)
    with pytest.raises(ConfigError, match="write ray, ray://auto"):
        Cluster("slurm")


def test_workers_begin_with_their_own_units_and_no_unit_is_left_out() -> None:
    units: dict[str, Any] = {str(number): [] for number in range(10)}
    parts = [own_part(units, WorkerShare(index, 3)) for index in range(3)]
    assert [unit for own, _ in parts for unit in own] == list(units)
    assert all(sorted([*own, *others]) == sorted(units) for own, others in parts)
    assert own_part(units, WorkerShare()) == (units, [])


async def test_a_worker_claims_no_unit_that_another_has_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    claim = Leases.claim

    async def counted(leases: Leases, unit: str) -> Any:
        asked.append(unit)
        return await claim(leases, unit)

    async with open_store(MEMORY) as store:
        name = await start_run(store, make_config({**DEMO, "on": "", "scenarios": "12"}))
        monkeypatch.setattr(Leases, "claim", counted)
        both = [resume_run(store, name, share=WorkerShare(index, 2)) for index in range(2)]
        outcomes = await asyncio.gather(*both)
    assert [outcome.left for outcome in outcomes] == [0, 0]
    assert len(asked) <= 12 + 6, "each asks for its own part, and for what is still open then"


def test_the_shares_of_a_budget_never_add_up_to_more_than_is_left() -> None:
    config = make_config({"clinic": "demo", "max_tokens": 1000, "max_cost_usd": 1.0})
    known, ended = Spent(400_000_000, 400), Spent(300_000_000, 300)
    several = shares(config, (known, ended), Spent(), 3)
    assert several["max_tokens"] == 300 + (1000 - 400) // 3
    assert several["max_cost_usd"] == pytest.approx(0.3 + 0.2)
    billed_for_failures = Spent(450_000_000, 450)
    last = shares(config, (known, ended), billed_for_failures, 1)
    assert (last["max_tokens"], last["max_cost_usd"]) == (950, pytest.approx(0.95))


def test_workers_divide_an_endpoints_slots_and_rate() -> None:
    spec = parse_cast("nurse=http://127.0.0.1:9/v1:m?concurrency=12&rpm=60")[0]
    whole, part = Assembly()._share(spec.options), Assembly(workers=4)._share(spec.options)
    assert (whole, part) == ((12, 60), (3, 15))


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    """Start three nodes on this machine with Ray's own test cluster."""
    pytest.importorskip("ray")
    if not POSTGRES:
        pytest.skip("set POLYCLINIC_TEST_POSTGRES to a server's URL to test on PostgreSQL")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    cluster = importlib.import_module("ray.cluster_utils").Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    for _ in range(2):
        cluster.add_node(num_cpus=1)
    os.environ["RAY_ADDRESS"] = cluster.address
    yield cluster
    del os.environ["RAY_ADDRESS"]
    cluster.shutdown()


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    with postgres_database() as url:
        async with open_store(url) as opened:
            yield opened


async def whole(values: dict[str, Any]) -> tuple[bytes, int]:
    """The export of the same run in one process, and how many calls it made."""
    async with open_store(MEMORY) as store:
        outcome = await run(store, make_config({**values, "on": ""}))
        calls = await store.database.read(lambda tx: tx.execute("SELECT COUNT(*) FROM calls"))
        return await exported(store, outcome.run), int(calls[0][0])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("concurrency", [1, 32, 256])
@pytest.mark.parametrize(
    "values",
    [{**DEMO, "variants": ("plain", "tool")}, {"clinic": "frontdesk", "scenarios": "primary:2:10", "on": "ray"}],
)
async def test_the_export_is_the_same_as_that_of_one_process(
    nodes: Any, store: Store, values: dict[str, Any], concurrency: int
) -> None:
    expected, _ = await whole(values)
    plan = await plan_run(store, make_config({**values, "concurrency": concurrency}))
    outcome = await run_on_cluster(store, plan, tell=print)
    assert (outcome.failed, outcome.left, outcome.exit_code) == (0, 0, 0)
    assert await exported(store, outcome.run) == expected


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
async def test_the_death_of_a_worker_and_a_node_loses_nothing_and_pays_nothing_twice(nodes: Any, store: Store) -> None:
    async with FaultServer(latency_s=0.3, reply=steady) as server:
        values = {**DEMO, "cast": f"nurse={server.url}:any,caller={server.url}:any,all=understudy", "concurrency": 6}
        expected, calls = await whole(values)
        before = server.counts["answered"]
        extra = nodes.add_node(num_cpus=1)
        running = asyncio.create_task(run_on_cluster(store, await plan_run(store, make_config(values)), tell=print))
        killed = 0
        for share in (0.2, 0.4, 0.6):
            while server.counts["answered"] - before < share * calls and not running.done():
                await asyncio.sleep(0.05)
            owners = await store.database.read(lambda tx: tx.execute("SELECT DISTINCT owner FROM leases"))
            for (owner,) in [row for row in owners if not is_dead(row[0])][:1]:
                os.kill(int(owner.split(":")[1]), signal.SIGKILL)
                killed += 1
        nodes.remove_node(extra, allow_graceful=False)
        outcome = await running
        repeated = server.counts["answered"] - before - calls
    assert killed >= 2
    assert (outcome.done, outcome.failed, outcome.left) == (48, 0, 0)
    assert await exported(store, outcome.run) == expected
    assert repeated <= (killed + 1) * 6
    attempts = {row.attempt for row in await store.runs.episodes(outcome.run)}
    assert attempts == {1}, "a finished episode ran again"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
async def test_a_run_that_is_stopped_continues_on_the_cluster(nodes: Any, store: Store) -> None:
    async with FaultServer(latency_s=0.2, reply=steady) as server:
        values = {**DEMO, "cast": f"nurse={server.url}:any,all=understudy", "scenarios": "30", "concurrency": 6}
        expected, calls = await whole(values)
        before = server.counts["answered"]
        running = asyncio.create_task(run_on_cluster(store, await plan_run(store, make_config(values)), tell=print))
        while server.counts["answered"] - before < calls // 3:
            await asyncio.sleep(0.05)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert await store.database.read(lambda tx: tx.execute("SELECT COUNT(*) FROM leases")) == [(0,)]
        name = (await store.runs.all())[0].id
        outcome = await resume_on_cluster(store, name, tell=print, overrides={"on": "ray"})
        assert server.counts["answered"] - before - calls <= 6
    assert (outcome.done, outcome.left) == (30, 0)
    assert await exported(store, name) == expected


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
async def test_a_budget_is_one_budget_for_all_workers(nodes: Any, store: Store) -> None:
    async with FaultServer(latency_s=0.05, reply=steady) as server:
        cast = f"nurse={server.url}:any,caller={server.url}:any,all=understudy"
        values = {**DEMO, "cast": cast, "judges": ("none",), "max_tokens": 15_000, "concurrency": 12}
        outcome = await run_on_cluster(store, await plan_run(store, make_config(values)), tell=print)
        spent = await store.runs.spent(outcome.run)
        assert outcome.limit is not None
        assert (outcome.limit.limit, outcome.exit_code, outcome.left > 0) == ("tokens", 3, True)
        assert 12_000 < spent.input_tokens + spent.output_tokens <= 15_000
        again = {"on": "ray", "max_tokens": None}
        more = await resume_on_cluster(store, outcome.run, tell=print, overrides=again)
    assert (more.done, more.left) == (48, 0)


def steady_completion(request: Request) -> Completion:
    """An answer that depends on the request alone."""
    text = reply_text(request.reply_schema, "plausible", stream("steady", request.key))
    return Completion(text=text, usage=Usage(input_tokens=1, output_tokens=1))


class Steady(ModelHost):
    """A model that needs no weights. It writes a line to a file when it is loaded."""

    def __init__(self, spec: CastSpec) -> None:
        self._folder = Path(spec.model)
        with (self._folder / "loaded").open("a", encoding="utf-8") as file:
            file.write("once\n")

    async def ask(self, request: Request, number: int, wall_s: float, idle_s: float) -> Completion | Refusal:
        return steady_completion(request)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
async def test_a_local_model_is_one_actor_that_all_workers_use(
    nodes: Any, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def here(self: WeightsCaller, request: Request, number: int, deadline: Deadline) -> Completion:
        return steady_completion(request)

    importlib.import_module("ray").cloudpickle.register_pickle_by_value(importlib.import_module(__name__))
    monkeypatch.setattr(cluster_models, "ModelHost", Steady)
    monkeypatch.setattr(WeightsCaller, "check", lambda self: None)
    monkeypatch.setattr(WeightsCaller, "attempt", here)
    values = {**DEMO, "cast": f"nurse=local:{tmp_path},all=understudy", "scenarios": "24", "concurrency": 12}
    expected, _ = await whole(values)
    outcome = await run_on_cluster(store, await plan_run(store, make_config(values)), tell=print)
    assert (outcome.done, outcome.failed, outcome.left) == (24, 0, 0)
    assert await exported(store, outcome.run) == expected
    assert (tmp_path / "loaded").read_text(encoding="utf-8") == "once\n"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
async def test_a_run_whose_head_was_killed_is_resumed_on_another_cluster() -> None:
    """The head is where the run was started: its process, Ray's control store and the node's own daemon die at once."""
    ray_cluster = pytest.importorskip("ray.cluster_utils").Cluster
    if not POSTGRES:
        pytest.skip("set POLYCLINIC_TEST_POSTGRES to a server's URL to test on PostgreSQL")

    def cluster() -> Any:
        made = ray_cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        made.add_node(num_cpus=1)
        return made

    async def polyclinic(address: str, *words: str) -> asyncio.subprocess.Process:
        around = {**os.environ, "RAY_ADDRESS": address, "RAY_USAGE_STATS_ENABLED": "0"}
        command = (sys.executable, "-m", "polyclinic", *words, "--on", "ray", "--store", url)
        return await asyncio.create_subprocess_exec(*command, env=around)

    with postgres_database() as url:
        async with FaultServer(latency_s=0.3, reply=steady) as server, open_store(url) as store:
            cast = f"nurse={server.url}:any,caller={server.url}:any,all=understudy"
            values = {**DEMO, "cast": cast, "concurrency": 6}
            expected, calls = await whole(values)
            before = server.counts["answered"]
            first = cluster()
            said = ("--variant", "plain", "--scenarios", "48", "--cast", cast, "--concurrency", "6")
            driver = await polyclinic(first.address, "run", "demo", *said)
            while server.counts["answered"] - before < calls // 3:
                assert driver.returncode is None
                await asyncio.sleep(0.05)
            driver.kill()
            first.remove_node(first.head_node, allow_graceful=False)
            await driver.wait()
            await asyncio.to_thread(first.shutdown)
            (run_row,) = await store.runs.all()
            finished = {row.spec.id for row in await store.runs.episodes(run_row.id) if row.status != "pending"}
            second = cluster()
            try:
                again = await polyclinic(second.address, "resume", run_row.id)
                assert await again.wait() == 0
            finally:
                await asyncio.to_thread(second.shutdown)
            rows = await store.runs.episodes(run_row.id)
            assert len(rows) == 48
            assert {row.status for row in rows} == {"done"}
            assert {row.attempt for row in rows if row.spec.id in finished} <= {1}, "a finished episode ran again"
            assert server.counts["answered"] - before - calls <= 2 * 6, "more was paid twice than was under way"
            assert await exported(store, run_row.id) == expected
