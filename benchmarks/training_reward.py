"""The clinic's reward as a trainer calls it: seconds and judge calls for many outputs, and the cost of a kill.

    python -m benchmarks.training_reward clinteach/train.jsonl --outputs 1000

A child process grades all outputs in batches of 64; it is killed with SIGKILL half way and started again. The calls of
both processes together must be as many as in a run without a kill.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from polyclinic.training.trl_reward import RewardFunction, grading_thread

BATCH = 64


def outputs_of(path: Path, count: int) -> list[dict[str, Any]]:
    """Different outputs whose form needs a judge."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        if row["kind"] == "single" and json.loads(row["scores"]).get("is_1", -1) > 0:
            found.setdefault((row["context"], row["completion"][0]["content"][0]["text"]), row)
    return list(found.values())[:count]


def grade(rows: list[dict[str, Any]], store: Path, told: bool) -> dict[str, Any]:
    """Grade all rows in batches, as a trainer does."""
    started = time.perf_counter()
    with grading_thread("rounds", "", f"sqlite:///{store}") as grading:
        reward = RewardFunction(grading)
        for start in range(0, len(rows), BATCH):
            part = rows[start : start + BATCH]
            reward([row["completion"][0]["content"][0]["text"] for row in part], [row["context"] for row in part])
            if told:
                print(start + len(part), flush=True)
        account = reward.account()
    return {**asdict(account), "seconds": round(time.perf_counter() - started, 2)}


def killed(path: Path, count: int, store: Path) -> int:
    """Start a child and kill it half way; return how many outputs it had reported."""
    command = [sys.executable, "-m", "benchmarks.training_reward", str(path), "--outputs", str(count)]
    child = subprocess.Popen([*command, "--child", str(store)], stdout=subprocess.PIPE, text=True)
    told = 0
    for line in child.stdout or ():
        told = int(line)
        if told >= count // 2:
            os.kill(child.pid, signal.SIGKILL)
            break
    child.wait()
    return told


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--outputs", type=int, default=1000)
    parser.add_argument("--child", type=Path)
    arguments = parser.parse_args()
    rows = outputs_of(arguments.rows, arguments.outputs)
    if arguments.child is not None:
        grade(rows, arguments.child, told=True)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        whole = grade(rows, Path(folder, "whole.db"), told=False)
        again = grade(rows, Path(folder, "whole.db"), told=False)
        told = killed(arguments.rows, len(rows), Path(folder, "killed.db"))
        rest = grade(rows, Path(folder, "killed.db"), told=False)
    print(
        json.dumps({"outputs": len(rows), "whole": whole, "again": again, "killed_after": told, "rest": rest}, indent=1)
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
