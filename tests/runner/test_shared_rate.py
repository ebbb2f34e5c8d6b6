"""The rate limit of an endpoint is one limit over all workers: counted by the endpoint itself."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from aiohttp import web

from polyclinic.runner.api import resume_run, start_run
from polyclinic.runner.execute.units import WorkerShare
from polyclinic.runner.plan.config import make_config
from polyclinic.store.store import open_store
from polyclinic.testing.fault_server import FaultServer, SentBody

WORKERS, PER_S, AT_ONCE, LATE_S = 2, 20, 6, 0.75


async def test_two_worker_processes_together_keep_the_rate_and_the_slots_of_one_endpoint(tmp_path: Path) -> None:
    arrived: list[float] = []

    async def count(_: web.Request, __: SentBody) -> None:
        arrived.append(asyncio.get_running_loop().time())

    async with FaultServer(latency_s=0.05, respond=count) as server:
        player = f"{server.url}:any?concurrency={AT_ONCE}&rpm={60 * PER_S}"
        cast = f"nurse={player},caller={player},judge=understudy"
        config = {"clinic": "demo", "variants": ["plain"], "scenarios": "24", "cast": cast, "concurrency": 16}
        path = str(tmp_path / "s.db")
        async with open_store(path) as store:
            run = await start_run(store, make_config(config))
        workers = [await _worker(path, run, index) for index in range(WORKERS)]
        for worker in workers:  # both are ready before one begins
            assert await _line(worker) == "ready"
        for worker in workers:
            _tell(worker, "begin\n")
        counted = [int((await _line(worker)).removeprefix("calls ")) for worker in workers]
        assert [await worker.wait() for worker in workers] == [0] * WORKERS
        most_busy = server.most_busy
    assert sum(counted) == len(arrived) >= 60
    assert min(counted) > len(arrived) / 4, "both workers made calls, so they had to share the rate"
    took_s = arrived[-1] - arrived[0]
    assert len(arrived) <= WORKERS + PER_S * (took_s + LATE_S), f"{len(arrived)} calls in {took_s:.2f} s"
    assert most_busy <= AT_ONCE


async def _worker(path: str, run: str, index: int) -> asyncio.subprocess.Process:
    """A process with one share of the run. It says when it is ready, waits for a line, and tells its calls."""
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        sys.executable, __file__, path, run, str(index), stdin=pipe, stdout=pipe
    )


async def _line(worker: asyncio.subprocess.Process) -> str:
    assert worker.stdout is not None
    return (await worker.stdout.readline()).decode().strip()


def _tell(worker: asyncio.subprocess.Process, words: str) -> None:
    assert worker.stdin is not None
    worker.stdin.write(words.encode())


async def _work(path: str, run: str, index: int) -> int:
    """Do one worker's share; returns how many calls to the endpoint it made."""
    async with open_store(path) as store:
        _say("ready")
        await asyncio.to_thread(sys.stdin.readline)
        calls = 0

        def count(_: str, event: object) -> None:
            nonlocal calls
            calls += getattr(event, "kind", "") == "called" and getattr(event, "model", "") != "understudy"

        await resume_run(store, run, share=WorkerShare(index, WORKERS), listener=count)
        return calls


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _say(f"calls {asyncio.run(_work(sys.argv[1], sys.argv[2], int(sys.argv[3])))}")
