"""Skip a step whose gradient holds NaN or infinity: it would turn every weight into NaN."""

from __future__ import annotations

import sys
from typing import Any

from polyclinic.errors import ConfigError
from polyclinic.training.folder import is_first_process

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
