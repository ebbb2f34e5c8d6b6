from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

from polyclinic.runner.api import resume_run, run, start_run
from polyclinic.runner.plan.config import make_config
from polyclinic.store.store import open_store
from polyclinic.testing.runs import exported

CONFIG = {"clinic": "demo", "variants": ["all"], "scenarios": "series:8", "seed": 3}


def test_the_export_does_not_depend_on_the_hash_seed_or_the_concurrency(tmp_path: Path) -> None:
    exports = []
    for seed, concurrency in (("0", "1"), ("12345", "64")):
        folder = tmp_path / seed
        folder.mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": seed, "POLYCLINIC_STORE": ""}
        for words in (
            ["run", "demo", "--variant", "all", "--scenarios", "40", "--concurrency", concurrency],
            ["export", "last", "-o", "episodes.jsonl"],
        ):
            done = subprocess.run(
                [sys.executable, "-m", "polyclinic", *words],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, done.stderr
        exports.append((folder / "episodes.jsonl").read_bytes())
    assert exports[0] == exports[1]
    assert exports[0].count(b"\n") == 120


async def test_both_kinds_of_store_export_the_same_bytes(store_url: str) -> None:
    async with open_store("sqlite://:memory:") as plain:
        expected = await exported(plain, (await run(plain, make_config(CONFIG))).run)
    async with open_store(store_url) as one, open_store(store_url) as two:
        id = await start_run(one, make_config(CONFIG))
        outcomes = await asyncio.gather(*(resume_run(store, id) for store in (one, two)))
        assert [outcome.left for outcome in outcomes] == [0, 0]
        assert await exported(two, id) == expected
