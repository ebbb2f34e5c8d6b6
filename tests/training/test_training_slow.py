"""Real training on a CPU with a tiny random model: it takes minutes (marked slow) and needs the extra `train`."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import orjson
import pytest

from polyclinic.models.weights import TRAIN
from polyclinic.training.progress import read_progress
from tests.training.running import command, environment, killed_after, run_stage

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
for package in TRAIN:
    pytest.importorskip(package, reason=f"training needs {package}: install the extra 'train'")

POOR = "mostly-poor"
SFT = ("max_steps=150", "learning_rate=3e-3", "save_steps=50", "least_reward=-8", "log_steps=20")
GRPO = (
    "max_steps=10", "learning_rate=3e-4", "save_steps=4", "generations=8", "batch=16", "beta=0.001", "temperature=0.5",
    "max_completion=220", "warmup=0",
)  # fmt: skip


@pytest.fixture(scope="module")
def tuned(home: Path) -> dict[str, Any]:
    """A model that mostly learned the poorer answer, so that rewards can improve it."""
    rows = (home / "train.jsonl").read_bytes().splitlines(keepends=True)
    (home / POOR).mkdir()
    (home / POOR / "train.jsonl").write_bytes(b"".join([*rows, *(2 * rows[1::2])]))
    return run_stage("sft", home, "tiny", "sft", *SFT, data=POOR)


@pytest.fixture(scope="module")
def rewarded(home: Path, tuned: dict[str, Any]) -> dict[str, Any]:
    return run_stage("grpo", home, "sft", "grpo", *GRPO)


def test_the_loss_falls_and_the_run_stores_its_configuration(home: Path, tuned: dict[str, Any]) -> None:
    curve = read_progress(home / "sft" / "progress.jsonl")
    assert curve[-1]["loss"] < curve[0]["loss"] / 4
    kept = orjson.loads((home / "sft" / "run.json").read_bytes())
    assert kept["recipe"]["learning_rate"] == 3e-3 and kept["data_digest"] and kept["versions"]["trl"]
    assert list((home / "sft" / "checkpoints").rglob("events.out.tfevents.*")), "TensorBoard files"


def test_the_reward_rises_on_the_training_contexts(home: Path, rewarded: dict[str, Any]) -> None:
    curve = read_progress(home / "grpo" / "progress.jsonl")
    rewards, vetoes = [row["reward"] for row in curve], [row["veto"] for row in curve]
    assert sum(rewards[-3:]) / 3 >= rewards[0] + 1, rewards
    assert vetoes[-1] <= vetoes[0]
    assert {"kl", "criterion/is_1", "criterion/cs_2"} <= set(curve[-1])
    assert rewarded["judge"]["new_calls"] > 0


def test_a_killed_run_is_resumed_and_ends_with_the_same_weights(home: Path, tuned: dict[str, Any]) -> None:
    killed_after(80, "sft", home, "tiny", "sft-killed", *SFT, data=POOR)
    again = run_stage("sft", home, "tiny", "sft-killed", *SFT, data=POOR)
    assert again["resumed_from"] == "checkpoint-50"
    assert (again["steps"], again["weights"]) == (tuned["steps"], tuned["weights"])


def test_a_killed_run_with_rewards_pays_for_no_judgement_twice(home: Path, rewarded: dict[str, Any]) -> None:
    killed_after(6, "grpo", home, "sft", "grpo-killed", *GRPO)
    again = run_stage("grpo", home, "sft", "grpo-killed", *GRPO)
    assert again["resumed_from"] == "checkpoint-4"
    assert (again["steps"], again["weights"]) == (rewarded["steps"], rewarded["weights"])
    assert again["judge"]["new_calls"] < rewarded["judge"]["new_calls"]


def test_a_different_run_is_refused_in_the_same_folder(home: Path, tuned: dict[str, Any]) -> None:
    done = subprocess.run(
        command("sft", home, "tiny", "sft", "max_steps=3", data=POOR), capture_output=True, text=True, check=False,
        env=environment(),
    )  # fmt: skip
    assert done.returncode == 2 and "another run" in done.stderr
