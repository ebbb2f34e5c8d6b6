"""The machine instructions of two source trees: another commit's and this one's, counted by valgrind.

    git worktree add --detach /tmp/old COMMIT && make -C /tmp/old .venv/.ready
    python benchmarks/instructions.py /tmp/old [--jobs demo,primary] [--few N] [--many N]

CPU times say little on a machine that others use: the same code takes twice as long in the next minute. The number of
instructions does not depend on that. Each tree does one whole run of few patients and one of many; what the many take
more, for each patient and call, counts. So start, imports and first readings do not count; planning the run and
reading its results do. Each run takes a minute or two. What instructions do not show: waiting for memory and disk.
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


async def once(job: str, patients: int) -> dict[str, Any]:
    """A small run to warm up, and the one that is counted."""
    api = importlib.import_module("polyclinic.runner.api")
    one_run = importlib.import_module("by_turns").one_run  # it lies beside this script
    resume = getattr(api, "resume_run", None) or getattr(api, "_".join(("carry", "on")))
    await one_run(api.start_run, resume, job, 12, seed=1)
    row: dict[str, Any] = await one_run(api.start_run, resume, job, patients, seed=9999)
    return row


def counted(python: Path, job: str, patients: int) -> tuple[int, int]:
    """(instructions, calls) of one process."""
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    command += [str(python), str(Path(__file__).resolve()), "--once", f"{job}:{patients}"]
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path, nargs="?", help="the other tree, with its own .venv")
    parser.add_argument("--jobs", default="demo,primary")
    parser.add_argument("--few", type=int, default=16)
    parser.add_argument("--many", type=int, default=80)
    parser.add_argument("--once", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.once:
        job, _, patients = given.once.rpartition(":")
        print(json.dumps(asyncio.run(once(job, int(patients)))))
        return
    print("| job | per | other, million | this, million | this / other |")
    print("| --- | --- | --- | --- | --- |")
    for job in given.jobs.split(","):
        spent: list[tuple[float, float]] = []
        for python in (given.tree / ".venv/bin/python", Path(sys.executable)):
            few, many = (counted(python, job, patients) for patients in (given.few, given.many))
            more = (many[0] - few[0]) / 1e6
            spent.append((more / (given.many - given.few), more / (many[1] - few[1])))
        for per, other, this in zip(("patient", "call"), *spent, strict=True):
            print(f"| {job} | {per} | {other:.2f} | {this:.2f} | **{this / other:.2f}** |", flush=True)


if __name__ == "__main__":
    main()
