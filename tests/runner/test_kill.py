from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from polyclinic.core.seed import stream
from polyclinic.runner.api import resume_run, start_run
from polyclinic.runner.plan.config import make_config
from polyclinic.store.store import Store, open_store
from polyclinic.testing.killing import kill_and_resume
from polyclinic.testing.runs import exported

HOSPITAL = {"clinic": "frontdesk", "scenarios": "primary:1:80", "seed": 3, "concurrency": 16}


@pytest.mark.parametrize("processes", [1, 2])
async def test_a_killed_run_resumes_to_the_same_bytes_and_repeats_no_finished_call(
    tmp_path: Path, processes: int
) -> None:
    killed = await kill_and_resume(
        tmp_path, episodes=24, kills=2, concurrency=4, latency_s=0.05, processes=processes, seed=processes
    )
    assert killed.kills >= 1
    assert killed.same
    assert killed.failed == 0
    assert killed.repeated <= killed.kills * 4


async def test_a_killed_hospital_resumes_to_the_same_episodes_and_the_same_records(tmp_path: Path) -> None:
    async with open_store(str(tmp_path / "whole.db")) as store:
        run = await start_run(store, make_config(HOSPITAL))
        await resume_run(store, run)
        whole = await exported(store, run), await records(store)
    async with open_store(str(tmp_path / "broken.db")) as store:
        assert await start_run(store, make_config(HOSPITAL)) == run
        chance, killed = stream("kill a hospital"), 0
        for share in (0.1, 0.4, 0.7):
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "polyclinic",
                "resume",
                run,
                "--store",
                store.url,
                stderr=asyncio.subprocess.DEVNULL,
            )
            while process.returncode is None and await ended(store, run) < share * 80:
                await asyncio.sleep(0.02)
            await asyncio.sleep(chance.uniform(0, 0.05))
            if process.returncode is None:
                process.kill()
                killed += 1
            await process.wait()
        assert killed >= 1
        assert await ended(store, run) > 0
        await resume_run(store, run)
        assert (await exported(store, run), await records(store)) == whole


async def ended(store: Store, run: str) -> int:
    statement = "SELECT COUNT(*) FROM episodes WHERE run = ? AND status = 'done'"
    return int((await store.database.read(lambda tx: tx.execute(statement, (run,))))[0][0])


async def records(store: Store) -> list[tuple[Any, ...]]:
    """Every version of every resource, without its time, which differs from run to run."""
    rows = await store.database.read(
        lambda tx: tx.execute(
            "SELECT type, id, version, body FROM fhir_resource UNION ALL SELECT type, id, version, body FROM "
            "fhir_history"
            " ORDER BY type, id, version"
        )
    )
    return [(type_, id_, version, _timeless(body)) for type_, id_, version, body in rows]


def _timeless(body: str) -> Any:
    resource = json.loads(body)
    del resource["meta"]["lastUpdated"]
    return resource
