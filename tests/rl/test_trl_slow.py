"""TRL's own trainer plays a role through its tool loop: slow, and needs the extra `train`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from polyclinic.models.weights import TRAIN
from polyclinic.rl import tasks, trl_environment

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
for package in TRAIN:
    pytest.importorskip(package, reason=f"training needs {package}: install the extra 'train'")

CALL = '<tool_call>\n{"name": "say", "arguments": {"text": "Take one tablet, twice a day."}}\n</tool_call><|im_end|>'


def test_trls_trainer_plays_an_episode_and_gets_its_reward(tmp_path: Path) -> None:
    """A tiny random model would never call a tool, so its words are given; everything else is TRL's."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer
    from trl.chat_template_utils import qwen3_chat_template

    from polyclinic.models.weights import open_weights
    from tests.training.tiny import write_tiny

    said = {"content": [{"type": "text", "text": "Take one tablet twice a day"}]}
    tiny = open_weights(str(write_tiny(tmp_path / "tiny", [{"prompt": [said], "completion": []}])))
    tiny.tokenizer.chat_template = qwen3_chat_template
    tiny.model.config.max_position_embeddings = 8192

    class Scripted(GRPOTrainer):  # type: ignore[misc]
        def _generate_single_turn(self, prompt_ids: list[list[int]], *more: Any, **named: Any) -> Any:
            told = [tiny.tokenizer.decode(ids) for ids in prompt_ids]
            words = ["Done.<|im_end|>" if "The session has ended" in text else CALL for text in told]
            return tiny.tokenizer(words, add_special_tokens=False)["input_ids"], None

    settings = {"max_steps": 1, "num_generations": 2, "per_device_train_batch_size": 2, "max_completion_length": 4000}
    trainer = Scripted(
        model=tiny.model,
        reward_funcs=[],
        environment_factory=trl_environment("demo", "nurse", scenarios="2", metric="safe"),
        train_dataset=Dataset.from_list(tasks("nurse", 2)),
        processing_class=tiny.tokenizer,
        args=GRPOConfig(output_dir=str(tmp_path / "out"), use_cpu=True, bf16=False, report_to=[], **settings),
    )
    trainer.train()
    log = trainer.state.log_history[0]
    assert log["tools/call_frequency"] > 0 and log["tools/failure_frequency"] == 0
    assert log["reward"] in (0.0, 0.5, 1.0), "every rollout came to its end and has a reward"
