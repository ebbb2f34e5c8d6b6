"""The engine's own cost: CPU per model call, efficiency against a fixed-latency endpoint, memory per live episode,
prefix share.

    python benchmarks/engine.py [cpu] [wall] [long] [memory] [prefix] [--quick]

Timings are CPU time or ratios within one run, because wall-clock time on a shared machine says little. `wall` says how
many cores other work kept busy meanwhile. `long` is `wall` at 256 once more, with three times as many episodes: the
first round, in which all calls start, counts less there.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import Any

import orjson

from polyclinic.core.execute import run_episode
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.model import Completion, Request
from polyclinic.runner.api import resume_run, run, start_run
from polyclinic.runner.build.built_run import build
from polyclinic.runner.execute.running_campaign import lone_campaign
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.plan.run_plan import parse_plan
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.store.store import Store, open_store


async def calls_of(store: Store, id: str) -> int:
    return int(
        (await store.database.read(lambda tx: tx.execute("SELECT COUNT(*) FROM calls WHERE run = ?", (id,))))[0][0]
    )


async def cpu_per_call(episodes: int) -> dict[str, float]:
    """CPU per call of a whole understudy run, journalled to a file: prompts, journal, transcript, judging, commits."""
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        async with open_store(str(Path(folder) / "s.db")) as store:
            config = make_config({"clinic": "demo", "variants": ["plain", "tool"], "scenarios": str(episodes)})
            await run(store, config.model_copy(update={"scenarios": "4", "seed": 9}))
            id = await start_run(store, config)
            began = time.process_time()
            await resume_run(store, id)
            spent = time.process_time() - began
            calls = await calls_of(store, id)
            found["journalled, cpu ms per call"] = spent / calls * 1000
            found["calls"] = calls
    return found


async def efficiency(concurrency: int, calls_each: int, latency_s: float) -> dict[str, float]:
    """Wall time of a run against an endpoint in another process with fixed latency, divided by the ideal wall time."""
    serve = [sys.executable, "-m", "polyclinic.testing.fault_server", "--latency-s", str(latency_s)]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server, tempfile.TemporaryDirectory() as folder:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        episodes = concurrency * calls_each
        cast = f"nurse={url}:any,caller={url}:any,judge=understudy"
        config = make_config(
            {
                "clinic": "demo",
                "variants": ["plain"],
                "scenarios": str(episodes),
                "cast": cast,
                "concurrency": concurrency,
                "judges": ["dose"],
            }
        )
        async with open_store(str(Path(folder) / "s.db")) as store:
            warm = config.model_copy(update={"scenarios": "4", "seed": 5})
            await run(store, warm)
            id = await start_run(store, config)
            began, cpu, all_began = time.monotonic(), time.process_time(), busy_s()
            await resume_run(store, id)
            wall, cpu, everything = time.monotonic() - began, time.process_time() - cpu, busy_s() - all_began
            calls = await calls_of(store, id)
            lengths = await store.database.read(
                lambda tx: tx.execute(
                    "SELECT episode, COUNT(*) FROM calls WHERE run = ? GROUP BY episode ORDER BY MIN(rowid)", (id,)
                )
            )
        server.kill()
    ideal = ideal_wall([int(n) for _, n in lengths], concurrency, latency_s)
    return {
        "calls": calls,
        "wall s": wall,
        "ideal s": ideal,
        "ratio": wall / ideal,
        "cpu ms per call": cpu / calls * 1000,
        "cores busy with other work (and the endpoint)": (everything - cpu) / wall,
    }


def busy_s() -> float:
    """The CPU seconds that all processes of this machine have used; zero where /proc/stat does not say it."""
    try:
        user, nice, system = Path("/proc/stat").read_text(encoding="utf-8").split("\n", 1)[0].split()[1:4]
    except (OSError, ValueError):
        return 0.0
    return (int(user) + int(nice) + int(system)) / os.sysconf("SC_CLK_TCK")


def ideal_wall(lengths: list[int], concurrency: int, latency_s: float) -> float:
    """The lowest possible wall time: each episode is a sequence of calls of this latency, `concurrency` at a time."""
    busy = [0] * concurrency
    for length in lengths:
        first = busy.index(min(busy))
        busy[first] += length
    return max(busy) * latency_s


class Waiting:
    """A model that never answers; the memory held meanwhile is the cost of a live episode."""

    name, kind = "waiting", "llm"

    def __init__(self) -> None:
        self.asked, self.go = 0, asyncio.Event()

    async def answer(self, request: Request) -> Completion:
        self.asked += 1
        await self.go.wait()
        raise RuntimeError("over")

    def model(self, role: str) -> Any:
        return self

    def describe(self) -> dict[str, str]:
        return {"all": self.name}


async def memory_per_episode(count: int) -> float:
    """kB of Python memory held by an episode that waits for its model."""
    plan = parse_plan(make_config({"clinic": "demo", "variants": ["plain"], "scenarios": str(count)})).with_episodes()
    clinic = plan.clinic
    async with build(plan, MemoryJournal()) as built:
        waiting = Waiting()
        context = built.context.__class__(clinic=clinic, players=waiting, journal=MemoryJournal())
        campaign = lone_campaign(built.context, {})
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        tasks = [
            asyncio.create_task(run_episode(context, spec, scenario, campaign))
            for (_, spec), scenario in zip(plan.episodes, plan.scenarios, strict=True)
        ]
        while waiting.asked < count:
            await asyncio.sleep(0)
        held = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        waiting.go.set()
        await asyncio.gather(*tasks)
    return held / count / 1024


def _same_start(left: str, right: str) -> int:
    """The number of characters that two texts have in common at the start."""
    return next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))


async def prefix_share(name: str) -> dict[str, float]:
    """For each role with several calls in an episode: the share of a call's input that the previous call began with."""
    clinic = load_clinic(name)
    config = make_config({"clinic": name, "variants": [clinic.first_variant], "scenarios": clinic.demo_scenarios})
    shares: dict[str, list[tuple[int, int]]] = {}
    async with open_store("sqlite://:memory:") as store:
        id = await start_run(store, config, only=12)
        await resume_run(store, id)
        rows = await store.database.read(
            lambda tx: tx.execute(
                "SELECT episode, role, prompt, request FROM calls WHERE run = ? ORDER BY rowid", (id,)
            )
        )
    last: dict[tuple[str, str], str] = {}
    for episode, role, _, request in rows:
        text = "\x1e".join(f"{m['role']}\x1f{m['content']}" for m in orjson.loads(request)["messages"])
        before = last.get((episode, role))
        if before is not None:
            shares.setdefault(role.partition("-")[0], []).append((_same_start(before, text), len(text)))
        last[(episode, role)] = text
    return {role: sum(a for a, _ in pairs) / sum(b for _, b in pairs) for role, pairs in sorted(shares.items())}


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["cpu", "wall", "memory", "prefix"])
    parser.add_argument("--quick", action="store_true", help="smaller numbers")
    given = parser.parse_args()
    quick = given.quick
    machine = platform.processor() or platform.machine()
    print(f"{machine}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}")
    if "cpu" in given.parts:
        print("understudies, journalled:", await cpu_per_call(100 if quick else 1000))
    for concurrency in (64, 256) if "wall" in given.parts else ():
        print(f"fixed latency, concurrency {concurrency}:", await efficiency(concurrency, 2 if quick else 4, 1.0))
    if "long" in given.parts:
        print("fixed latency, concurrency 256, long:", await efficiency(256, 12, 1.0))
    if "memory" in given.parts:
        print("memory per live episode, kB:", round(await memory_per_episode(1000), 1))
    for name in clinic_modules() if "prefix" in given.parts else ():
        print(f"prefix share, {name}:", {role: round(share, 3) for role, share in (await prefix_share(name)).items()})


if __name__ == "__main__":
    asyncio.run(main())
