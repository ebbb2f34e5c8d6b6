"""Converts chances to log odds and back, so that the evidence of several signs can be added up."""

from __future__ import annotations

from math import exp, log

NEVER = 1e-6


def log_odds(chance: float, never: float = NEVER) -> float:
    """The log odds of a chance, which is first limited to the range from `never` to ``1 - never``."""
    kept = min(max(chance, never), 1 - never)
    return log(kept / (1 - kept))


def chance_of(odds: float) -> float:
    """The chance for these log odds."""
    return 1 / (1 + exp(-odds))
