"""Training for real, on a CPU, with a tiny random model: minutes, so it is marked slow and needs the extra `train`."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import orjson
import pytest

from polyclinic.models.weights import TRAIN
from polyclinic.store.store import open_store
from polyclinic.training.dataset import Wish, gather
from polyclinic.training.files import as_json
from polyclinic.training.folder import RESULT
from polyclinic.training.pairs import pairs_of
from polyclinic.training.progress import read_progress

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
for package in TRAIN:
    pytest.importorskip(package, reason=f"training needs {package}: install the extra 'train'")

SMALL = ("batch=4", "accumulate=1", "lora_rank=0", "schedule=constant")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of a few moments, each with a good and a poor answer, under short prompts; and a tiny model."""
    from tests.training.tiny import write_tiny

    folder = tmp_path_factory.mktemp("training")
    poor = "tutor=understudy:mistake=tells@1,all=understudy"

    async def rows() -> list[dict[str, Any]]:
        async with open_store("sqlite://:memory:") as store:
            wish = Wish(folder, "rounds", 40, casts=(poor,), variants=("one-student",))
            found = (await gather(store, wish)).rows
        pairs = [pair for pair in pairs_of(found) if pair.worse.reward is not None and pair.worse.reward > 0][:2]
        assert len(pairs) == 2, "each moment has a sound answer that tells and a better one that asks"
        return [as_json(row) for pair in pairs for row in (pair.better, pair.worse)]

    made = asyncio.run(rows())
    for number, row in enumerate(made):
        row["prompt"] = [{"role": "user", "content": [{"type": "text", "text": f"moment {number // 2}"}]}]
    (folder / "train.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in made))
    write_tiny(folder / "tiny", made)
    return folder


def _command(stage: str, home: Path, model: str, out: str, *changes: str) -> list[str]:
    sets = [part for change in (*SMALL, *changes) for part in ("--set", change)]
    where = ["--model", str(home / model), "--data", str(home), "--out", str(home / out)]
    return [sys.executable, "-m", "polyclinic", "train", stage, *where, "--json", *sets]


def _run(stage: str, home: Path, model: str, out: str, *changes: str) -> dict[str, Any]:
    done = subprocess.run(
        _command(stage, home, model, out, *changes), capture_output=True, text=True, check=False, env=_environment()
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = orjson.loads((home / out / RESULT).read_bytes())
    return found


def _environment() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}


def _killed_after(step: int, stage: str, home: Path, model: str, out: str, *changes: str) -> None:
    """Start a run and kill it as soon as it has written a line of this step."""
    process = subprocess.Popen(
        _command(stage, home, model, out, *changes),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=_environment(),
    )
    ends = time.monotonic() + 300
    while not any(row["step"] >= step for row in read_progress(home / out / "progress.jsonl")):
        assert process.poll() is None and time.monotonic() < ends
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()


SFT = ("max_steps=150", "learning_rate=3e-3", "save_steps=50", "least_reward=-8", "log_steps=20")
GRPO = (
    "max_steps=10", "learning_rate=3e-4", "save_steps=4", "generations=8", "batch=16", "beta=0.001", "temperature=0.5",
    "max_completion=220", "warmup=0",
)  # fmt: skip


@pytest.fixture(scope="module")
def tuned(home: Path) -> dict[str, Any]:
    return _run("sft", home, "tiny", "sft", *SFT)


@pytest.fixture(scope="module")
def rewarded(home: Path, tuned: dict[str, Any]) -> dict[str, Any]:
    return _run("grpo", home, "sft", "grpo", *GRPO)


def test_the_loss_falls_and_the_run_keeps_its_configuration(home: Path, tuned: dict[str, Any]) -> None:
    curve = read_progress(home / "sft" / "progress.jsonl")
    assert curve[-1]["loss"] < curve[0]["loss"] / 4
    kept = orjson.loads((home / "sft" / "run.json").read_bytes())
    assert kept["recipe"]["learning_rate"] == 3e-3 and kept["data_digest"] and kept["versions"]["trl"]
    assert list((home / "sft" / "checkpoints").rglob("events.out.tfevents.*")), "TensorBoard files"


def test_the_reward_rises_on_the_contexts_that_are_trained_on(home: Path, rewarded: dict[str, Any]) -> None:
    curve = read_progress(home / "grpo" / "progress.jsonl")
    rewards, vetoes = [row["reward"] for row in curve], [row["veto"] for row in curve]
    assert sum(rewards[-3:]) / 3 >= rewards[0] + 1, rewards
    assert vetoes[-1] <= vetoes[0]
    assert {"kl", "criterion/is_1", "criterion/cs_2"} <= set(curve[-1])
    assert rewarded["judge"]["new_calls"] > 0


def test_a_killed_run_goes_on_and_ends_with_the_same_weights(home: Path, tuned: dict[str, Any]) -> None:
    _killed_after(80, "sft", home, "tiny", "sft-killed", *SFT)
    again = _run("sft", home, "tiny", "sft-killed", *SFT)
    assert again["resumed_from"] == "checkpoint-50"
    assert (again["steps"], again["weights"]) == (tuned["steps"], tuned["weights"])


def test_a_killed_run_with_rewards_pays_for_no_judgement_twice(home: Path, rewarded: dict[str, Any]) -> None:
    _killed_after(6, "grpo", home, "sft", "grpo-killed", *GRPO)
    again = _run("grpo", home, "sft", "grpo-killed", *GRPO)
    assert again["resumed_from"] == "checkpoint-4"
    assert (again["steps"], again["weights"]) == (rewarded["steps"], rewarded["weights"])
    assert again["judge"]["new_calls"] < rewarded["judge"]["new_calls"]


def test_another_run_is_refused_in_the_same_folder(home: Path, tuned: dict[str, Any]) -> None:
    done = subprocess.run(
        _command("sft", home, "tiny", "sft", "max_steps=3"), capture_output=True, text=True, check=False,
        env=_environment(),
    )  # fmt: skip
    assert done.returncode == 2 and "another run" in done.stderr
