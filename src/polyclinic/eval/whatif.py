"""A question of ``polyclinic whatif`` to a clinic: which dials vary, which are fixed, and which limits must hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from polyclinic.core.value import Value
from polyclinic.eval.evaluation import Evaluation


@dataclass(frozen=True)
class DialQuestion:
    """One question. `vary` gives dials their values, `fixed` gives other dials one value, and `hold` gives figures
    their limits. `given_by` says where the value of a fixed dial comes from: a file's name, or the option.
    """

    vary: Mapping[str, tuple[float, ...]]
    fixed: Mapping[str, float] = field(default_factory=dict)
    hold: Mapping[str, float] = field(default_factory=dict)
    trials: int = 20
    seed: int = 0
    given_by: Mapping[str, str] = field(default_factory=dict)


WhatIf = Callable[[DialQuestion], Evaluation[Value]]
