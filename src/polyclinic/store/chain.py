"""Ends that build upon each other, asked for in order and not awaited in between.

The episodes of a campaign take turns. Whoever comes next may go on as soon as the end of the one before is asked for: the
database keeps the order of asking, so no end is ever committed without those it built upon. When one is refused all the same,
everything after it rests on something that never happened, and is refused with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

from polyclinic.errors import EngineError


class ChainBroken(EngineError):
    """An end was refused because an earlier one was: the campaign is opened again from what is committed."""


class Chain:
    """The ends of one campaign, numbered in the order they are asked for."""

    def __init__(self) -> None:
        self._numbers = count()
        self._refused: int | None = None

    def next(self) -> int:
        """The number of the end that is asked for now."""
        return next(self._numbers)

    @contextmanager
    def link(self, number: int) -> Iterator[None]:
        """Around the work of one end, in the database's own thread; it may be tried more than once."""
        if self._refused is not None and self._refused < number:
            raise ChainBroken("an end that this one builds upon was refused")
        try:
            yield
        except Exception:
            self._refused = number if self._refused is None else min(self._refused, number)
            raise
        if self._refused == number:
            self._refused = None
