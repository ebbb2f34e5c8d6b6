"""A clinic's named evaluations: what they get and what they return; and its answer to ``polyclinic whatif``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from typing import Generic, TypeVar

from polyclinic.core.judge import Bench
from polyclinic.core.value import Value, plain, unchanging
from polyclinic.eval.sections import Section

Figures_co = TypeVar("Figures_co", bound=Value, covariant=True)


@unchanging
class Evaluation(Generic[Figures_co]):
    """What an evaluation returns: figures as a class of the clinic, and the same figures as sections for people."""

    figures: Figures_co
    sections: Sequence[Section]

    def to_plain(self) -> dict[str, object]:
        """The figures as ``--json`` prints them."""
        written: dict[str, object] = plain(self.figures)
        return written


Evaluate = Callable[[Bench, str], Awaitable[Evaluation[Value]]]


@unchanging
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
