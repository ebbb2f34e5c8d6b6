"""Compare the CPU time of two source trees, run alternately: another commit's and this one's.

    git worktree add --detach /tmp/old COMMIT && make -C /tmp/old .venv/.ready
    python benchmarks/by_turns.py /tmp/old [--turns N] [--repeats N] [--jobs demo,primary,…] [--patients N]

Each tree has its own environment. Absolute figures cannot be compared, because a machine's speed changes by the minute.
So each turn starts one process of each tree, one after the other, and gives ratios. Beside the jobs each process times
a reference job that is the same in every tree (a loop over a dictionary). If its time differs as much as a ratio does,
the ratio means nothing.

A job is a whole run with understudies, journalled to a file: `demo` (CPU per call), `primary`, `secondary`, `tertiary`
(the front desk, CPU per patient, contact and call; `-1` after a name: one contact at a time). CPU is that of the whole
process with all threads. `engine` is the CPU without the understudies, which take the place of a language model. A
process warms up on a dozen patients. Then each repeat has its own seed, so that no cache can answer a whole run. For
each seed the smallest value of all turns counts, because other work only adds time. The result is the mean over the
seeds.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

JOBS = "demo,primary,secondary,tertiary,primary-1"


def reference() -> float:
    """CPU seconds of work that is the same in every tree."""
    began, table = time.process_time(), dict.fromkeys(range(2_000), 0)
    for n in range(600_000):
        table[n % 2_000] += n
    return time.process_time() - began


async def measure(jobs: list[str], repeats: int, patients: int) -> list[dict[str, Any]]:
    """The costs of one process of one tree. Names that changed since the older commit are looked up."""
    api = importlib.import_module("polyclinic.runner.api")
    resume = getattr(api, "resume_run", None) or getattr(api, "_".join(("carry", "on")))
    rows = []
    for job in jobs:
        await one_run(api.start_run, resume, job, 12, seed=1)
        for seed in range(9999, 9999 + repeats):
            row = await one_run(api.start_run, resume, job, patients, seed)
            rows.append({**row, "reference": 1000 * reference()})
    return rows


async def one_run(start: Any, resume: Any, job: str, patients: int, seed: int) -> dict[str, Any]:
    """One whole run in a new store."""
    from polyclinic.store.store import open_store

    try:
        make_config = importlib.import_module("polyclinic.runner.plan.config").make_config
    except ImportError:
        make_config = importlib.import_module("polyclinic.runner.config").make_config
    level, _, alone = job.partition("-")
    chosen: dict[str, Any] = {"clinic": "frontdesk", "scenarios": f"{level}:1:{patients}"}
    if level == "demo":
        chosen = {"clinic": "demo", "scenarios": str(patients), "variants": ["plain", "tool"]}
    with tempfile.TemporaryDirectory() as folder:
        async with open_store(str(Path(folder) / "s.db")) as store:
            id_ = await start(store, make_config({**chosen, "seed": seed, "concurrency": 1 if alone else 256}))
            thought, undo = thinking()
            began = time.process_time()
            outcome = await resume(store, id_)
            spent = time.process_time() - began
            undo()
            calls = (
                await store.database.read(lambda tx: tx.execute("SELECT COUNT(*) FROM calls WHERE run = ?", (id_,)))
            )[0][0]
            results = await importlib.import_module("polyclinic.runner.results").load_results(store, id_)
    visits = sum(episode.data.get("kind") == "visit" for episode in results.episodes)
    return {
        "job": job,
        "seed": seed,
        "call": 1000 * spent / calls,
        "contact": 1000 * spent / outcome.done,
        "patient": 1000 * spent / (visits or outcome.done),
        "engine": 1000 * (spent - thought[0]) / (visits or outcome.done),
        "calls": calls,
        "contacts": outcome.done,
    }


def thinking() -> tuple[list[float], Any]:
    """Start counting CPU seconds inside understudies; return the counter and a function that stops it."""
    from polyclinic.core.understudy import Understudy

    spent, play = [0.0], Understudy.play

    def timed(self: Any, ask: Any) -> Any:
        began = time.thread_time()
        try:
            return play(self, ask)
        finally:
            spent[0] += time.thread_time() - began

    Understudy.play = timed  # type: ignore[method-assign]
    return spent, lambda: setattr(Understudy, "play", play)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path, nargs="?", help="the other tree, with its own .venv")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=3, help="runs of a job in one process")
    parser.add_argument("--patients", type=int, default=80, help="patients (demo: scenarios) of a run")
    parser.add_argument("--jobs", default=JOBS)
    given = parser.parse_args()
    if given.tree is None:
        for row in asyncio.run(measure(given.jobs.split(","), given.repeats, given.patients)):
            print(json.dumps(row), flush=True)
        return
    here = Path(__file__).resolve()
    pythons = {"other": given.tree / ".venv/bin/python", "this": Path(sys.executable)}
    found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for turn in range(given.turns):
        for job in given.jobs.split(","):
            for tree in ("other", "this") if turn % 2 == 0 else ("this", "other"):
                asked = [str(pythons[tree]), str(here), "--jobs", job]
                asked += ["--repeats", str(given.repeats), "--patients", str(given.patients)]
                told = subprocess.run(asked, capture_output=True, text=True, check=True, cwd=tempfile.gettempdir())
                found[job, tree] += [json.loads(line) for line in told.stdout.splitlines()]
    report(given.jobs.split(","), found)


def report(jobs: list[str], found: dict[tuple[str, str], list[dict[str, Any]]]) -> None:
    """The table of ratios."""
    print("| job | per | other, ms | this, ms | this / other | calls, contacts: other | this | reference |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for job in jobs:
        trees = found[job, "other"], found[job, "this"]
        counts = [f"{sum(row['calls'] for row in rows)}, {sum(row['contacts'] for row in rows)}" for rows in trees]
        steady = [min(row["reference"] for row in rows) for rows in trees]
        for per in ("call",) if job.startswith("demo") else ("patient", "engine", "contact", "call"):
            old, new = (_least(rows, per) for rows in trees)
            ratio = f"**{new / old:.2f}** | {counts[0]} | {counts[1]} | {steady[1] / steady[0]:.2f} |"
            print(f"| {job} | {per} | {old:.3f} | {new:.3f} | {ratio}")


def _least(rows: list[dict[str, Any]], per: str) -> float:
    """The mean over seeds of the smallest value of all turns."""
    by_seed: dict[int, float] = {}
    for row in rows:
        by_seed[row["seed"]] = min(row[per], by_seed.get(row["seed"], row[per]))
    return sum(by_seed.values()) / len(by_seed)


if __name__ == "__main__":
    main()
