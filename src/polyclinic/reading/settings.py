"""Settings for fine-tuning a language model as a reader."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TuningSettings:
    """The settings of the training. `tokens` is how many of them are learned at once: fewer need less memory."""

    base: str
    epochs: int = 2
    batch: int = 64
    rate: float = 1e-5
    seed: int = 0
    most_lines: int = 0
    most_seconds: float = 0.0
    tokens: int = 12_288
