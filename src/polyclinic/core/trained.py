"""The result of training a clinic's own weights."""

from __future__ import annotations

from polyclinic.core.value import Value


class TrainedWeights(Value):
    """Where the weights were written, how many labelled lines they were trained on, and how good they are on held-out
    authors.

    For each language, `left_out` has shares by name, and `levels` the chosen levels.
    """

    weights: str
    bytes: int
    lines: int
    left_out: dict[str, dict[str, float]]
    levels: dict[str, dict[str, float]]
