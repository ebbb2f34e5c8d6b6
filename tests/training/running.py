"""Stages of training as a user starts them: commands in separate processes, on a CPU."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import orjson

from polyclinic.training.folder import RESULT
from polyclinic.training.progress import read_progress

SMALL = ("batch=4", "accumulate=1", "lora_rank=0", "schedule=constant")


def command(stage: str, home: Path, model: str, out: str, *changes: str, data: str = "") -> list[str]:
    sets = [part for change in (*SMALL, *changes) for part in ("--set", change)]
    where = ["--model", str(home / model), "--data", str(home / data), "--out", str(home / out)]
    return [sys.executable, "-m", "polyclinic", "train", stage, "--recipe", "small", *where, "--json", *sets]


def run_stage(stage: str, home: Path, model: str, out: str, *changes: str, data: str = "") -> dict[str, Any]:
    done = subprocess.run(
        command(stage, home, model, out, *changes, data=data),
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = orjson.loads((home / out / RESULT).read_bytes())
    return found


def environment() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}


def killed_after(step: int, stage: str, home: Path, model: str, out: str, *changes: str, data: str = "") -> None:
    """Start a run and kill it as soon as it has written a line of this step."""
    process = subprocess.Popen(
        command(stage, home, model, out, *changes, data=data),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
    ends = time.monotonic() + 300
    while not any(row["step"] >= step for row in read_progress(home / out / "progress.jsonl")):
        assert process.poll() is None and time.monotonic() < ends
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
