"""The learning curve of a run and its end, with a clock that the test sets."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from polyclinic.models.weights import TRAIN
from polyclinic.training import progress

pytestmark = pytest.mark.slow
for package in TRAIN:
    pytest.importorskip(package, reason=f"training needs {package}: install the extra 'train'")

GENERATION, STEP, REUSE, PARTS = 20.0, 5.0, 4, 8


def _steps(monkeypatch: pytest.MonkeyPatch, file: Path, seconds: float, args: Any) -> tuple[int, float]:
    """Steps and seconds of a run until it is stopped; each round begins with a generation."""
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: clock.now))
    callback = progress.progress_callback(file, seconds)
    state = SimpleNamespace(global_step=0, max_steps=400)
    control = SimpleNamespace(should_training_stop=False, should_save=False)
    callback.on_train_begin(args, state, control)
    while not control.should_training_stop:
        generates = state.global_step % REUSE == 0
        clock.now += STEP + GENERATION * generates
        state.global_step += 1
        logs = {"loss": 0.0, "grad_norm": 0.25}
        rounds = 1 + state.global_step // REUSE
        callback.on_log(args, state, control, {**logs, "num_tokens": 4000.0 * rounds} if generates else logs)
        callback.on_step_end(args, state, control)
    assert control.should_save
    return state.global_step, clock.now - 100.0


def test_no_generation_starts_that_would_end_after_the_time_limit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    grpo = SimpleNamespace(steps_per_generation=PARTS * REUSE, gradient_accumulation_steps=PARTS)
    assert _steps(monkeypatch, tmp_path / "a", 119.0, grpo) == (8, 80.0), "a third round would end at 120 s"
    assert _steps(monkeypatch, tmp_path / "b", 121.0, grpo) == (12, 120.0)


def test_other_stages_end_before_a_step_that_would_take_too_long(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sft = SimpleNamespace(gradient_accumulation_steps=PARTS)
    assert _steps(monkeypatch, tmp_path / "a", 119.0, sft) == (9, 105.0), "the ninth took 25 s, and so may the tenth"


def test_the_curve_records_the_gradient_and_the_speed_of_whole_rounds(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grpo = SimpleNamespace(steps_per_generation=PARTS * REUSE, gradient_accumulation_steps=PARTS)
    _steps(monkeypatch, tmp_path / "curve", 200.0, grpo)
    rows = progress.read_progress(tmp_path / "curve")
    speeds = {row["step"]: row["tokens_per_s"] for row in rows if "tokens_per_s" in row}
    assert speeds == {1: 160.0, 5: 100.0, 9: 100.0, 13: 100.0, 17: 100.0}, "4000 tokens in 40 seconds"
    assert "grad_norm 0.25" in capsys.readouterr().err
