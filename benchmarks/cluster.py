"""A run on a Ray cluster, compared with one process.

    python benchmarks/cluster.py --postgres postgresql://… overhead | throughput | commits | identity [--episodes 200]

overhead: CPU of the workers per call, compared with one process without Ray (goal: at most 1.3 times).
throughput: calls a second with an endpoint of 200 ms latency, with 1, 2 and 4 workers (goal: 0.9 of linear).
commits: how many calls a second PostgreSQL commits from several connections, for the estimate in the results file.
identity: two clinics at concurrency 1, 32 and 256, with ten kills of workers and nodes: the same bytes as one process?
A cluster of three or more nodes is started on this machine with Ray's own test cluster.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import os
import signal
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from polyclinic.core.database import RowWork
from polyclinic.core.seed import stream
from polyclinic.runner.api import run, start_run
from polyclinic.runner.cluster import Assignment, Cluster, Worked, Worker, run_on_cluster
from polyclinic.runner.execute.units import WorkerShare
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.plan.run_plan import plan_run
from polyclinic.store.leases import is_dead
from polyclinic.store.store import Store, open_store
from polyclinic.testing.fault_server import FaultServer
from polyclinic.testing.killing import steady
from polyclinic.testing.runs import MEMORY, exported

AT_ONCE = 16


@contextmanager
def database(server: str) -> Iterator[str]:
    name = f"bench_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
    yield f"{server.rpartition('/')[0]}/{name}"
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def nodes(count: int) -> Iterator[Any]:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    cluster = importlib.import_module("ray.cluster_utils").Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    for _ in range(count - 1):
        cluster.add_node(num_cpus=1)
    os.environ["RAY_ADDRESS"] = cluster.address
    yield cluster
    cluster.shutdown()


async def identity(server: str, episodes: int, kills: int = 10) -> None:
    runs: list[dict[str, Any]] = [
        {"clinic": "demo", "variants": ("plain", "tool"), "scenarios": str(episodes // 2), "on": "ray"},
        {"clinic": "frontdesk", "scenarios": f"primary:{max(1, episodes // 80)}", "on": "ray"},
    ]
    with nodes(3) as cluster:
        for values in runs:
            async with open_store(MEMORY) as store:
                alone = await run(store, make_config({**values, "on": ""}))
                expected = await exported(store, alone.run)
            for concurrency in (1, 32, 256):
                with database(server) as url:
                    async with open_store(url) as store:
                        plan = await plan_run(store, make_config({**values, "concurrency": concurrency}))
                        began = time.monotonic()
                        running = asyncio.create_task(run_on_cluster(store, plan, tell=print))
                        done = await killing(cluster, store, running, alone.done, kills if concurrency == 32 else 0)
                        outcome = await running
                        took = time.monotonic() - began
                        again = sum(row.attempt > 1 for row in await store.runs.episodes(outcome.run))
                        same = await exported(store, outcome.run) == expected
                print(
                    f"{values['clinic']}, concurrency {concurrency}, {done} kills: {outcome.done} of {alone.done} done,"
                    f" {again} run again, same bytes: {same}, {took:.0f} s",
                    flush=True,
                )


async def killing(cluster: Any, store: Store, running: asyncio.Task[Any], episodes: int, kills: int) -> int:
    """Kill a worker at random moments of the run; every fifth time kill a whole node, which then comes back."""
    done, chance = 0, stream("cluster kills")
    for number in range(kills):
        goal = episodes * (number + 0.5) / kills
        while not running.done():
            rows = await store.runs.all()
            if rows and (await store.runs.counts(rows[0].id)).get("done", 0) >= goal:
                break
            await asyncio.sleep(0.05)
        await asyncio.sleep(chance.uniform(0, 0.1))
        if running.done():
            return done
        if number % 5 == 4:
            cluster.remove_node(min(cluster.worker_nodes, key=str), allow_graceful=False)
            cluster.add_node(num_cpus=1)
            done += 1
            continue
        owners = await store.database.read(lambda tx: tx.execute("SELECT DISTINCT owner FROM leases"))
        living = [row[0] for row in owners if not is_dead(row[0])]
        if living:
            os.kill(int(chance.choice(living).split(":")[1]), signal.SIGKILL)
            done += 1
    return done


async def calls(store: Store, run: str) -> int:
    found = await store.database.read(lambda tx: tx.execute("SELECT COUNT(*) FROM calls WHERE run = ?", (run,)))
    return int(found[0][0])


def parts(store: Store, run: str, workers: int) -> list[Assignment]:
    return [
        Assignment(store.url, run, AT_ONCE, WorkerShare(index, workers), {"on": "", "keep_as": ""})
        for index in range(workers)
    ]


async def overhead(server: str, episodes: int) -> None:
    """Measure two sizes, to separate what every worker needs once (imports and its reader) from what a call needs."""
    sizes = (episodes, 8 * episodes)
    with nodes(3):
        found = [await cpu_of(server, size) for size in sizes]
    (made, alone, many), (more, alone_more, many_more) = found
    one, each = (alone_more - alone) / (more - made), (many_more - many) / (more - made)
    print(f"per call: {one * 1000:.2f} ms alone, {each * 1000:.2f} ms on 3 workers, {each / one:.2f} times")
    print(f"once for each worker: {(many - each * made) / 3:.2f} s")


async def cpu_of(server: str, episodes: int) -> tuple[int, float, float]:
    """How many calls a run makes, and its CPU in one process and on three workers."""
    config = make_config({"clinic": "demo", "variants": ("plain",), "scenarios": str(episodes)})
    with database(server) as url:
        async with open_store(url) as store:
            name = await start_run(store, config)
            alone = await Worker().work(parts(store, name, 1)[0])
            made = await calls(store, name)
    with database(server) as url:
        async with open_store(url) as store:
            name = await start_run(store, config)
            with Cluster("ray") as cluster:
                worked: list[Worked] = await cluster.round(store, name, parts(store, name, 3), print)
    many = sum(each.cpu_s for each in worked)
    print(f"{made} calls: {alone.cpu_s:.2f} s alone, {many:.2f} s on 3 workers", flush=True)
    return made, alone.cpu_s, many


async def throughput(server: str, episodes: int) -> None:
    async with FaultServer(latency_s=0.2, reply=steady) as endpoint:
        with nodes(4):
            first = 0.0
            for workers in (1, 2, 4):
                with database(server) as url:
                    async with open_store(url) as store:
                        cast = f"nurse={endpoint.url}:any,caller={endpoint.url}:any,all=understudy"
                        size = str(episodes * workers)
                        config = {"clinic": "demo", "variants": ("plain",), "scenarios": size, "cast": cast}
                        name = await start_run(store, make_config(config))
                        with Cluster("ray") as cluster:
                            rate = await measured(cluster, store, name, workers, endpoint)
                first = first or rate
                print(f"{workers} workers: {rate:.1f} calls/s, {rate / first / workers:.2f} of linear")


async def measured(cluster: Cluster, store: Store, run: str, workers: int, endpoint: FaultServer) -> float:
    """Calls a second between the first and the last tenth, so that the start of the workers does not count."""
    before, marks = endpoint.counts["answered"], list[tuple[float, int]]()
    working = asyncio.create_task(cluster.round(store, run, parts(store, run, workers), print))
    while not working.done():
        marks.append((time.monotonic(), endpoint.counts["answered"] - before))
        await asyncio.sleep(0.02)
    await working
    total = marks[-1][1]
    middle = [mark for mark in marks if 0.2 * total <= mark[1] <= 0.8 * total]
    return (middle[-1][1] - middle[0][1]) / (middle[-1][0] - middle[0][0])


async def commits(server: str, episodes: int) -> None:
    statement = (
        "INSERT INTO calls (run, episode, key, occurrence, role, prompt, model, request, completion, latency_ms) "
        "VALUES (?, ?, ?, 0, '', '', '', ?, ?, 0)"
    )
    text = "x" * 2000
    for connections in (1, 4, 8):
        with database(server) as url:
            async with open_store(url), open_store(url):
                stores = [open_store(url) for _ in range(connections)]
                opened = [await store.__aenter__() for store in stores]

                async def write(store: Store, mark: str) -> None:
                    for _ in range(10):
                        rows = [("r", mark, uuid.uuid4().hex, text, text) for _ in range(episodes)]
                        await asyncio.gather(*(store.database.write(RowWork(statement, row)) for row in rows))

                began = time.monotonic()
                await asyncio.gather(*(write(store, str(number)) for number, store in enumerate(opened)))
                took = time.monotonic() - began
                for store in stores:
                    await store.__aexit__(None, None, None)
            print(f"{connections} connections: {connections * 10 * episodes / took:,.0f} calls committed a second")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["overhead", "throughput", "commits", "identity"])
    parser.add_argument("--postgres", required=True)
    parser.add_argument("--episodes", type=int, default=100)
    asked = parser.parse_args()
    work = {"overhead": overhead, "throughput": throughput, "commits": commits, "identity": identity}[asked.part]
    asyncio.run(work(asked.postgres, asked.episodes))


if __name__ == "__main__":
    main()
