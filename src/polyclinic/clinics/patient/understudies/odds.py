"""Chances as log odds and back: what several signs say of a question is added up as odds."""

from __future__ import annotations

from math import exp, log

NEVER = 1e-6


def log_odds(chance: float, never: float = NEVER) -> float:
    """Of a chance, which counts as `never` at least and as ``1 - never`` at most."""
    kept = min(max(chance, never), 1 - never)
    return log(kept / (1 - kept))


def chance_of(odds: float) -> float:
    """The chance that these log odds stand for."""
    return 1 / (1 + exp(-odds))
