"""A clinic's named evaluations: what they are given and what they return."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from polyclinic.core.judge import Bench
from polyclinic.eval.sections import Section


class Evaluated(Protocol):
    """What an evaluation returns."""

    @property
    def data(self) -> dict[str, Any]:
        """Plain values."""
        ...

    @property
    def sections(self) -> Sequence[Section]:
        """The same for people."""
        ...


Evaluate = Callable[[Bench, str], Awaitable[Evaluated]]
