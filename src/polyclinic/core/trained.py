"""What training a clinic's own weights returns."""

from __future__ import annotations

from polyclinic.core.value import Value


class TrainedWeights(Value):
    """Where the weights went, from how many lines they were made, and how good they are on authors left out in turn.

    `left_out` and `levels` are by language: shares by name, and the levels that were chosen.
    """

    weights: str
    bytes: int
    lines: int
    left_out: dict[str, dict[str, float]]
    levels: dict[str, dict[str, float]]
