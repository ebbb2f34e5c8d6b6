"""A clinic's named evaluations: what they get and what they return."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from polyclinic.core.judge import Bench
from polyclinic.core.value import Value, plain
from polyclinic.eval.sections import Section

Figures_co = TypeVar("Figures_co", bound=Value, covariant=True)


@dataclass(frozen=True)
class Evaluation(Generic[Figures_co]):
    """What an evaluation returns: figures as a class of the clinic, and the same figures as sections for people."""

    figures: Figures_co
    sections: Sequence[Section]

    def to_plain(self) -> dict[str, object]:
        """The figures as ``--json`` prints them."""
        written: dict[str, object] = plain(self.figures)
        return written


Evaluate = Callable[[Bench, str], Awaitable[Evaluation[Value]]]
