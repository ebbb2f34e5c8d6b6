"""The other ways of training, each really run with a tiny random model on a CPU: slow, needs the extra `train`."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import orjson
import pytest

from polyclinic.models.weights import TRAIN, open_weights
from polyclinic.models.writer import answer_chats
from polyclinic.training.examples import seen_examples
from polyclinic.training.folder import digest_of, merge_weights
from polyclinic.training.model_card import write_card
from polyclinic.training.progress import read_progress
from tests.training.running import command, environment, run_stage

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
for package in TRAIN:
    pytest.importorskip(package, reason=f"training needs {package}: install the extra 'train'")

ADAPTER = ("lora_rank=4", "lora_alpha=8", "learning_rate=1e-2", "save_steps=500", "warmup=0")


def test_dpo_learns_to_prefer_the_better_answer(home: Path) -> None:
    made = run_stage("dpo", home, "tiny", "dpo", "max_steps=12", "batch=2", "learning_rate=1e-3", "warmup=0")
    curve = read_progress(home / "dpo" / "progress.jsonl")
    assert made["steps"] == 12 and made["rows"] == 2
    assert curve[-1]["rewards/margins"] > curve[0]["rewards/margins"] + 0.1, curve
    assert curve[-1]["loss"] < curve[0]["loss"] and curve[-1]["rewards/accuracies"] == 1.0


def test_packed_rows_do_not_see_each_other(home: Path) -> None:
    """The first loss has the same weights and the same tokens, so packing must not change it."""
    plain = run_stage("sft", home, "tiny", "plain", "max_steps=2", "least_reward=-8", *ADAPTER)
    packed = run_stage(
        "sft", home, "tiny", "packed", "max_steps=2", "least_reward=-8", "packing=true", "batch=1", "max_length=1024",
        *ADAPTER,
    )  # fmt: skip
    assert plain["rows"] == packed["rows"] == 4
    assert packed["first"]["num_tokens"] == plain["first"]["num_tokens"], "all four rows in one"
    assert packed["first"]["loss"] == pytest.approx(plain["first"]["loss"], rel=1e-3)


def test_an_adapter_is_merged_and_described(home: Path, tmp_path: Path) -> None:
    import torch

    run_stage("sft", home, "tiny", "adapter", "max_steps=20", "least_reward=-8", *ADAPTER)
    assert (home / "adapter" / "model" / "adapter_config.json").is_file()
    merge_weights(str(home / "adapter"), tmp_path / "whole")
    ids = torch.tensor([[5, 6, 7, 8]])
    with torch.no_grad():
        whole = open_weights(str(tmp_path / "whole")).model(input_ids=ids).logits
        adapted = open_weights(str(home / "adapter")).model(input_ids=ids).logits
        base = open_weights(str(home / "tiny")).model(input_ids=ids).logits
    assert torch.allclose(whole, adapted, atol=1e-4) and not torch.allclose(whole, base, atol=1e-2)
    path, facts = write_card(home / "adapter")
    text = path.read_text(encoding="utf-8")
    assert facts and "20" in text and "Limits" in text


def test_an_adapter_on_top_of_another_keeps_what_the_first_one_learned(home: Path) -> None:
    import torch

    run_stage("sft", home, "tiny", "first", "max_steps=20", "least_reward=-8", *ADAPTER)
    changes = ("max_steps=1", "batch=4", "generations=4", "max_completion=16", *ADAPTER, "learning_rate=1e-9")
    run_stage("grpo", home, "first", "second", *changes)
    ids = torch.tensor([[5, 6, 7, 8]])
    with torch.no_grad():
        first, second = (open_weights(str(home / name)).model(input_ids=ids).logits for name in ("first", "second"))
    assert torch.allclose(first, second, atol=1e-4), "a step that changes nothing gives the model that it began with"


def test_a_vision_model_trains_with_its_processor(home: Path, tmp_path: Path) -> None:
    from tests.training.tiny import write_tiny_that_sees

    rows: list[dict[str, Any]] = [orjson.loads(line) for line in (home / "train.jsonl").read_bytes().splitlines()]
    (tmp_path / "images").mkdir()
    shown = files("polyclinic.clinics.rounds").joinpath("data/images/card-01-ecg.png").read_bytes()
    (tmp_path / "images" / "ecg.png").write_bytes(shown)
    for row in rows[::2]:
        row["images"] = ["images/ecg.png"]
        row["prompt"][0]["content"].insert(0, {"type": "image", "text": "an ECG"})
    for row in rows[1::2]:
        row["images"] = []
    (tmp_path / "train.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    write_tiny_that_sees(tmp_path / "tiny", rows)
    assert open_weights(str(tmp_path / "tiny")).sees
    made = run_stage("sft", tmp_path, "tiny", "seen", "max_steps=6", "least_reward=-8", *ADAPTER)
    curve = read_progress(tmp_path / "seen" / "progress.jsonl")
    assert made["rows"] == 4 and curve[-1]["loss"] < curve[0]["loss"]
    assert open_weights(str(tmp_path / "seen")).sees, "the trained model keeps its processor"
    rows[0]["completion"][0]["content"][0]["text"] *= 20
    (tmp_path / "train.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    processor = open_weights(str(tmp_path / "tiny")).processor
    found = seen_examples(tmp_path / "train.jsonl", processor, -8, ("single",), 1024)
    assert len(found.rows) == 3 and found.left_out == {"too long": 1}, "a row is left out, never cut"


def test_a_picture_changes_what_a_vision_model_says(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from PIL import Image

    from tests.training.tiny import write_tiny_that_sees

    rows: list[dict[str, Any]] = [orjson.loads(line) for line in (home / "train.jsonl").read_bytes().splitlines()]
    write_tiny_that_sees(tmp_path / "tiny", rows)
    weights = open_weights(str(tmp_path / "tiny"))
    monkeypatch.setattr(weights.tokenizer, "decode", lambda ids, **_: str(ids))  # a random model says special tokens
    chat: list[dict[str, Any]] = [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "What?"}]}]
    noise = [[Image.effect_noise((64, 64), spread).convert("RGB")] for spread in (1, 200)]
    seen = answer_chats(weights, [chat, chat], 24, temperature=1.0, pictures=noise)
    again = answer_chats(weights, [chat], 24, temperature=1.0, pictures=noise[:1])
    assert seen[0].text != seen[1].text and again[0].text == seen[0].text
    told = answer_chats(weights, [[{"role": "user", "content": "What?"}]], 24)
    assert told[0].usage.input_tokens < seen[0].usage.input_tokens, "a picture takes places among the tokens"


def _shared(own: list[str]) -> str:
    """Run a command as two processes; return its output."""
    launch = ["-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2", "--num_machines", "1"]
    line = [sys.executable, *launch, "--mixed_precision", "no", "--dynamo_backend", "no", "-m", *own[2:]]
    done = subprocess.run(line, capture_output=True, text=True, check=False, env=environment(), timeout=400)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_two_processes_share_a_run(home: Path) -> None:
    said = _shared(command("sft", home, "tiny", "shared", "max_steps=4", "batch=2", "least_reward=-8", *ADAPTER))
    assert orjson.loads(said)["steps"] == 4, "only one process prints"
    curve = read_progress(home / "shared" / "progress.jsonl")
    assert [row["step"] for row in curve] == [1, 2, 3, 4], "one process writes the curve"
    alone = run_stage("sft", home, "tiny", "alone", "max_steps=4", "batch=4", "least_reward=-8", *ADAPTER)
    assert curve[0]["num_tokens"] == alone["first"]["num_tokens"], "the two together take as many rows as one with both"


def test_two_processes_share_rewards(home: Path) -> None:
    run_stage("sft", home, "tiny", "spoken", "max_steps=60", "least_reward=-8", *ADAPTER)
    sizes = ("max_steps=2", "batch=4", "generations=4", "max_completion=220", "temperature=0.5")
    made = orjson.loads(_shared(command("grpo", home, "spoken", "rewarded-by-two", *sizes, *ADAPTER)))
    assert made["steps"] == 2 and made["judge"]["outputs"] == 16, "both count"
    assert made["weights"] == digest_of(home / "rewarded-by-two" / "model"), (
        "the digest is of the weights that were written"
    )
