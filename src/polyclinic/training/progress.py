"""The progress of a training run, printed and saved: one line for each logged step; steps with NaN are skipped."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from polyclinic.core.files import json_lines
from polyclinic.errors import ConfigError
from polyclinic.training.folder import is_first_process
from polyclinic.training.record import Logged

_SHOWN = ("loss", "grad_norm", "reward", "reward_std", "veto", "kl", "learning_rate")


def progress_callback(file: Path, seconds: float) -> Any:
    """A trainer callback that writes the curve, prints it, and ends a run whose time is up.

    A round is a step or, in GRPO, all steps that learn from one generation. A round is not started if it would end too
    late, assuming that it takes as long as the last one.
    """
    from transformers import TrainerCallback

    class TrainerProgress(TrainerCallback):  # type: ignore[misc]
        """Logs steps, losses, rewards and tokens a second."""

        def __init__(self) -> None:
            self.started = time.monotonic()
            self._tokens, self._at, self._round = 0.0, self.started, self.started

        def on_train_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            """Remove lines that a killed run wrote after its last checkpoint."""
            self.started = self._at = self._round = time.monotonic()
            if is_first_process():
                file.write_bytes(b"".join(_kept(file, state.global_step)))

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **more: Any) -> None:
            """Write one line."""
            if not is_first_process() or not logs or "train_runtime" in logs:
                return
            now = time.monotonic()
            row: dict[str, float | str] = {
                "step": state.global_step,
                "seconds": round(now - self.started, 2),
                **_plain(logs),
            }
            tokens = float(row.get("num_tokens") or 0.0)
            if tokens and now > self._at:
                row["tokens_per_s"] = round((tokens - self._tokens) / (now - self._at), 1)
                self._tokens, self._at = tokens, now
            with file.open("ab") as out:
                out.write(orjson.dumps(row) + b"\n")
            shown = ", ".join(f"{name} {row[name]:.4g}" for name in _SHOWN if isinstance(row.get(name), float))
            speed = f", {row['tokens_per_s']:.0f} tokens/s" if "tokens_per_s" in row else ""
            sys.stderr.write(f"step {state.global_step} of {state.max_steps}: {shown}{speed}\n")

        def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> Any:
            """Stop with a checkpoint when the time is up, or would be up before the end of the next round."""
            ends = now = time.monotonic()
            if state.global_step % _steps_of_a_round(args) == 0:
                ends, self._round = now + (now - self._round), now
            if seconds and ends - self.started > seconds:
                control.should_training_stop = control.should_save = True
            return control

    return TrainerProgress()


def _steps_of_a_round(args: Any) -> int:
    parts = getattr(args, "steps_per_generation", None) or args.gradient_accumulation_steps
    return max(1, int(parts) // int(args.gradient_accumulation_steps))


def _kept(file: Path, step: int) -> list[bytes]:
    if not file.is_file() or not step:
        return []
    lines = file.read_bytes().splitlines(keepends=True)
    return [line for line in lines if line.endswith(b"\n") and orjson.loads(line)["step"] <= step]


def _plain(logs: Mapping[str, Any]) -> dict[str, float | str]:
    """Convert values to numbers; a value that is not a number stays text."""
    made: dict[str, float | str] = {}
    for name, value in logs.items():
        try:
            made[name] = round(float(value), 6)
        except (TypeError, ValueError):
            made[name] = str(value)
    return made


def read_progress(file: Path) -> list[Logged]:
    """Read the curve of a run: all values that are numbers."""
    rows = json_lines(file.read_bytes(), file) if file.is_file() else ()
    return [{name: value for name, value in row.items() if isinstance(value, int | float)} for _, row in rows]


MOST_IN_A_ROW = 5


def sound_steps() -> Any:
    """A trainer callback that checks each gradient before it is used."""
    import torch
    from transformers import TrainerCallback

    class SoundSteps(TrainerCallback):  # type: ignore[misc]
        """Skips steps whose gradient is not finite and prints a line for each; too many in a row are an error."""

        def __init__(self) -> None:
            self.in_a_row = self.left_out = 0

        def on_pre_optimizer_step(
            self, args: Any, state: Any, control: Any, optimizer: Any = None, **more: Any
        ) -> None:
            """Discard a gradient that is not finite."""
            weights = [weight for group in optimizer.param_groups for weight in group["params"]]
            gradients = [weight.grad for weight in weights if weight.grad is not None]
            if all(bool(torch.isfinite(gradient).all()) for gradient in gradients):
                self.in_a_row = 0
                return
            self.in_a_row, self.left_out = self.in_a_row + 1, self.left_out + 1
            for weight in weights:
                weight.grad = None
            if is_first_process():
                sys.stderr.write(f"step {state.global_step + 1} left out: its gradient holds NaN or infinity\n")
            if self.in_a_row == MOST_IN_A_ROW:
                raise ConfigError(
                    f"the gradients of {MOST_IN_A_ROW} steps in a row hold NaN or infinity: "
                    "set a lower learning_rate, or precision=fp32"
                )

    return SoundSteps()
