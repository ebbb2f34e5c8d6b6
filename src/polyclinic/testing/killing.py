"""Kill a run at random moments and resume it, on an endpoint with latency. Nothing that is finished may run again."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from polyclinic.core.seed import stream
from polyclinic.runner.api import start_run
from polyclinic.runner.plan.config import RunConfig, make_config
from polyclinic.runner.registry import TEMPLATE, load_clinic
from polyclinic.store.store import open_store
from polyclinic.testing.fault_server import FaultServer
from polyclinic.testing.plausible import reply_text
from polyclinic.testing.runs import exported


@dataclass(frozen=True)
class Killed:
    """The result of killing and resuming."""

    kills: int
    episodes: int
    calls: int
    repeated: int
    same: bool
    failed: int


def steady(body: dict[str, Any]) -> str:
    """An answer that depends only on the request, however often it is sent."""
    digest = hashlib.sha256(orjson.dumps(body, option=orjson.OPT_SORT_KEYS)).hexdigest()
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema")
    return reply_text(schema, "plausible", stream("steady", digest))


async def _command(*words: str) -> asyncio.subprocess.Process:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "polyclinic",
        *words,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=environment,
    )


async def _to_the_end(*words: str) -> str:
    process = await _command(*words)
    out, _ = await process.communicate()
    if process.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(words)} ended with {process.returncode}")
    return out.decode().strip()


async def kill_and_resume(
    folder: Path, *, episodes: int, kills: int, concurrency: int, latency_s: float, processes: int = 1, seed: int = 0
) -> Killed:
    """Run once without kills and once with kills, in separate stores, and compare the exports byte for byte."""
    chance = stream("kill", seed)
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)
    async with FaultServer(latency_s=latency_s, reply=steady) as server:
        clinic = load_clinic(TEMPLATE)
        players = {role.name: "understudy" if role.side == "judge" else f"{server.url}:any" for role in clinic.roles}
        cast = ",".join(f"{role}={player}" for role, player in players.items())
        values = {"clinic": TEMPLATE, "variants": clinic.demo_variants[:1], "scenarios": str(episodes), "cast": cast}
        config = make_config({**values, "concurrency": concurrency})
        whole, broken = folder / "whole.db", folder / "broken.db"
        await _plan(whole, config, config.wanted_id)
        run = config.wanted_id
        await _to_the_end("resume", run, "--store", str(whole))
        calls = server.counts["answered"]
        await _plan(broken, config, run)
        before = server.counts["answered"]
        done = 0
        for still in range(kills, 0, -1):
            crew = [await _command("resume", run, "--store", str(broken)) for _ in range(processes)]
            answered = server.counts["answered"]
            goal = answered + chance.randint(1, max(1, (before + calls - answered) // still))
            while server.counts["answered"] < goal and any(member.returncode is None for member in crew):
                await asyncio.sleep(0.01)
            await asyncio.sleep(chance.uniform(0, latency_s))
            for member in crew:
                if member.returncode is None:
                    member.kill()
                    done += 1
            await asyncio.gather(*(member.wait() for member in crew))
        await asyncio.gather(*(_to_the_end("resume", run, "--store", str(broken)) for _ in range(processes)))
        repeated = server.counts["answered"] - before - calls
    same = await _exports(whole, run) == await _exports(broken, run)
    return Killed(done, episodes, calls, repeated, same, await _failed(broken, run))


async def _plan(path: Path, config: RunConfig, run: str) -> None:
    """Save the run in a new store, without running any episode."""
    async with open_store(str(path)) as store:
        assert await start_run(store, config) == run


async def _exports(path: Path, run: str) -> bytes:
    async with open_store(str(path)) as store:
        return await exported(store, run)


async def _failed(path: Path, run: str) -> int:
    async with open_store(str(path)) as store:
        return sum(row.status != "done" for row in await store.runs.episodes(run))
