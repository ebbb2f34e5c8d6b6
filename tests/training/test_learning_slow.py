"""Every way to start GRPO must change the weights: with the trainer that the command uses, on a CPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from polyclinic.models.weights import TRAIN, open_weights
from tests.training.tiny import write_tiny

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
for package in TRAIN:
    pytest.importorskip(package, reason=f"training needs {package}: install the extra 'train'")

OUTPUTS, PARTS, ROUND = 4, 2, 2
"""Outputs per group, groups per step, steps per generation."""


@pytest.fixture(scope="module")
def adapter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as SFT writes it: an adapter that is not zero, and the name of its base."""
    import peft
    import torch
    from transformers import AutoModelForCausalLM

    folder = tmp_path_factory.mktemp("learning")
    turn = [{"role": "user", "content": [{"type": "text", "text": "What do you see on this trace, and why?"}]}]
    base = write_tiny(folder / "base", [{"prompt": turn, "completion": turn}])
    adapted = peft.get_peft_model(AutoModelForCausalLM.from_pretrained(str(base)), _lora())
    with torch.no_grad():
        for name, weight in adapted.named_parameters():
            if "lora_B" in name:
                weight.normal_(std=0.05)
    adapted.save_pretrained(str(folder / "sft" / "model"))
    return folder / "sft"


def _lora() -> Any:
    import peft

    return peft.LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM")


def _odd_tokens(completion_ids: list[list[int]], **_: Any) -> list[float]:
    return [sum(token % 7 for token in ids) / len(ids) for ids in completion_ids]


def _trained(start: Path, out: Path, whole: bool, share: bool, spare_memory: bool) -> list[dict[str, Any]]:
    """The log of the steps of two generations."""
    from datasets import Dataset
    from trl import GRPOConfig

    from polyclinic.training.folder import Folder
    from polyclinic.training.quick_grpo import grpo_trainer
    from polyclinic.training.stages import _keep_start

    weights = open_weights(str(start), dtype="fp32" if whole else "bf16", device="cpu")
    if whole:
        _keep_start(weights, Folder(out))
    rows = [{"prompt": [{"role": "user", "content": f"trace {number}"}]} for number in range(4 * PARTS * ROUND)]
    arguments = GRPOConfig(
        output_dir=str(out), per_device_train_batch_size=OUTPUTS, gradient_accumulation_steps=PARTS,
        steps_per_generation=PARTS * ROUND, num_generations=OUTPUTS, max_completion_length=12, max_steps=2 * ROUND,
        bf16=True, use_cpu=True, gradient_checkpointing=spare_memory, learning_rate=1e-3, beta=0.005,
        lr_scheduler_type="constant", loss_type="grpo", logging_steps=1, report_to=[], save_strategy="no",
        disable_tqdm=True, dataloader_pin_memory=False,
    )  # fmt: skip
    trainer = grpo_trainer("transformers", share)(
        model=weights.model, args=arguments, train_dataset=Dataset.from_list(rows), reward_funcs=[_odd_tokens],
        processing_class=weights.tokenizer, peft_config=None if whole else _lora(),
    )  # fmt: skip
    trainer.train()
    logged: list[dict[str, Any]] = [row for row in trainer.state.log_history if "kl" in row]
    return logged


@pytest.mark.parametrize("share", [True, False], ids=["one prompt for a group", "a prompt for each output"])
@pytest.mark.parametrize(
    ("whole", "spare_memory"),
    [(True, True), (True, False), (False, False)],
    ids=["all weights, memory spared", "all weights", "an adapter"],
)
def test_the_weights_change_at_the_first_step(
    adapter: Path, tmp_path: Path, whole: bool, spare_memory: bool, share: bool
) -> None:
    steps = _trained(adapter, tmp_path, whole, share, spare_memory)
    assert len(steps) == 2 * ROUND and steps[0]["kl"] < 1e-6, "it starts as the model that it is compared with"
    assert all(row["grad_norm"] > 0 for row in steps), steps
    assert all(row["kl"] > 1e-6 for row in steps[1:]), steps


def test_cudnn_attention_is_off_only_while_a_model_trains() -> None:
    from torch.backends import cuda

    from polyclinic.training.attention import cudnn_attention

    before = cuda.cudnn_sdp_enabled()
    with cudnn_attention(False):
        assert not cuda.cudnn_sdp_enabled()
        with cudnn_attention(True):
            assert cuda.cudnn_sdp_enabled()
        assert not cuda.cudnn_sdp_enabled(), "learning goes on without it after sampling"
    assert cuda.cudnn_sdp_enabled() == before
