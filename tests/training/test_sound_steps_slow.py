"""One gradient with NaN must not spoil a model: with the trainer that all stages use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from polyclinic.errors import ConfigError
from polyclinic.models.weights import TRAIN
from polyclinic.training.progress import MOST_IN_A_ROW, sound_steps

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
for package in TRAIN:
    pytest.importorskip(package, reason=f"training needs {package}: install the extra 'train'")


def _trained(folder: Path, spoiled: set[int]) -> tuple[float, Any]:
    """The weight after eight steps that each lower it, and the callback; `spoiled` steps have a gradient of NaN."""
    import torch
    from transformers import Trainer, TrainingArguments

    class Model(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(1))
            self.step = 0

        def forward(self, x: Any) -> dict[str, Any]:
            self.step += 1
            return {"loss": (self.weight * x).mean() * (float("nan") if self.step in spoiled else 1.0)}

    callback, model = sound_steps(), Model()
    arguments = TrainingArguments(
        output_dir=str(folder), max_steps=8, per_device_train_batch_size=1, learning_rate=0.01, report_to=[],
        save_strategy="no", use_cpu=True, optim="sgd", lr_scheduler_type="constant", disable_tqdm=True,
    )  # fmt: skip
    rows = [{"x": torch.ones(1)} for _ in range(8)]
    Trainer(model=model, args=arguments, train_dataset=rows, callbacks=[callback]).train()
    return model.weight.item(), callback


def test_a_step_with_a_gradient_of_nan_is_skipped_and_the_others_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sound, _ = _trained(tmp_path, set())
    weight, callback = _trained(tmp_path, {3, 6})
    assert weight == pytest.approx(1 - 0.01 * 6) and sound == pytest.approx(1 - 0.01 * 8)
    assert callback.left_out == 2
    assert "step 3 left out" in capsys.readouterr().err


def test_training_that_gives_only_nan_is_stopped_with_advice(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="lower learning_rate"):
        _trained(tmp_path, set(range(2, 2 + MOST_IN_A_ROW)))
