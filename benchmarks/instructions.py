"""Compare the machine instructions of two source trees, another commit's and this one's, counted by valgrind.

    git worktree add --detach /tmp/old COMMIT && make -C /tmp/old .venv/.ready
    python benchmarks/instructions.py /tmp/old [--jobs demo,primary] [--few N] [--many N] [--split]

CPU times say little on a machine that others use: the same code takes twice as long in the next minute. The number of
instructions does not depend on that. Each tree does one whole run of few patients and one of many. The difference
counts, for each patient and call. So start, imports and first readings do not count; planning the run and reading its
results do. Each run takes a minute or two. Instructions do not show the time spent waiting for memory and disk.

`--split` counts the engine, the clinic's world and the reading separately: see `split_instructions.py`. One run of many
patients is counted after a small one. A patient costs a little more here, because texts that are read for the first
time count too.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

_REFS = re.compile(r"I\s+refs:\s+([\d,]+)")
Costs = dict[str, tuple[float, float]]


async def once(job: str, patients: int, part: str) -> dict[str, Any]:
    """Do a small run to warm up, and then the run that is counted."""
    api = importlib.import_module("polyclinic.runner.api")
    one_run = importlib.import_module("by_turns").one_run  # this module is in the same folder
    resume = getattr(api, "resume_run", None) or getattr(api, "_".join(("carry", "on")))
    await one_run(api.start_run, resume, job, 12, seed=1)
    if part:
        importlib.import_module("split_instructions").start(part)
    row: dict[str, Any] = await one_run(api.start_run, resume, job, patients, seed=9999)
    return row


def counted(python: Path, job: str, patients: int, part: str = "") -> tuple[int, int]:
    """(instructions, calls) of one process; with a part, only of the run that is counted."""
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    if part:
        command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=/dev/null"]
    command += [str(python), str(Path(__file__).resolve()), "--once", f"{job}:{patients}", "--part", part]
    told = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        cwd=tempfile.gettempdir(),
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
    found = _REFS.search(told.stderr)
    if found is None:
        raise SystemExit(f"valgrind counted nothing:\n{told.stderr}")
    return int(found[1].replace(",", "")), json.loads(told.stdout.splitlines()[-1])["calls"]


def each(python: Path, job: str, few: int, many: int) -> Costs:
    """Millions of instructions for each patient and each call."""
    less, more = (counted(python, job, patients) for patients in (few, many))
    millions = (more[0] - less[0]) / 1e6
    return {"all": (millions / (many - few), millions / (more[1] - less[1]))}


def each_part(python: Path, job: str, many: int) -> Costs:
    """The same costs in total and for each of the three parts."""
    (all_, calls), (unread, _), (engine, _) = (counted(python, job, many, part) for part in ("all", "unread", "engine"))
    counts = {"all": all_, "engine": engine, "world": unread - engine, "reading": all_ - unread}
    return {part: (count / 1e6 / many, count / 1e6 / calls) for part, count in counts.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path, nargs="?", help="the other tree, with its own .venv")
    parser.add_argument("--jobs", default="demo,primary")
    parser.add_argument("--few", type=int, default=16)
    parser.add_argument("--many", type=int, default=80)
    parser.add_argument(
        "--split", action="store_true", help="count the engine, the clinic's world and the reading separately"
    )
    parser.add_argument("--once", help=argparse.SUPPRESS)
    parser.add_argument("--part", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.once:
        job, _, patients = given.once.rpartition(":")
        print(json.dumps(asyncio.run(once(job, int(patients), given.part))))
        return
    print("| job | what | per | other, million | this, million | this / other |")
    print("| --- | --- | --- | --- | --- | --- |")
    for job in given.jobs.split(","):
        trees = [
            each_part(python, job, given.many) if given.split else each(python, job, given.few, given.many)
            for python in (given.tree / ".venv/bin/python", Path(sys.executable))
        ]
        for part in trees[0]:
            for per, other, this in zip(("patient", "call"), *(tree[part] for tree in trees), strict=True):
                print(f"| {job} | {part} | {per} | {other:.2f} | {this:.2f} | **{this / other:.2f}** |", flush=True)


if __name__ == "__main__":
    main()
