"""Campaigns: episodes that share state, in order, with lanes that may run at the same time.

A `Turnstile` lets the episodes of a campaign run side by side as far as they share nothing. An episode that needs shared
state asks for its turn in a *lane*; it waits until every earlier episode has ended or is known to be in another lane. So the
result equals the strictly sequential one, at whatever concurrency. The lane "*" stands for all lanes.
"""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

from polyclinic.core.message import Frozen

ALL_LANES = "*"


class Effect(Frozen):
    """One change of shared state, as plain data. Effects are committed with their episode's end, then applied."""

    kind: str
    data: dict[str, Any]


class Shared(Protocol):
    """A campaign's shared state. It changes only through `apply`, live and when a run is resumed alike."""

    def apply(self, effect: Effect) -> None:
        """Take one committed change."""
        ...


class NothingShared:
    """For campaigns whose only shared state is their libraries."""

    def apply(self, effect: Effect) -> None:
        """Nothing is shared, so nothing can change."""
        raise ValueError(f"an effect '{effect.kind}' reached a campaign without shared state")


class Turnstile:
    """Grants turns in arrival order within each lane."""

    def __init__(self, positions: int) -> None:
        self._lane: list[str | None] = [None] * positions
        self._ended = [False] * positions
        self._waiting: dict[int, tuple[str, asyncio.Future[None]]] = {}
        self._first_open = 0

    async def turn(self, position: int, lane: str) -> None:
        """Wait until no earlier episode can touch this lane any more. The turn lasts until `leave`."""
        held = self._lane[position]
        if held is not None and held not in (lane, ALL_LANES):
            raise ValueError(f"episode {position} holds lane '{held}' and cannot take '{lane}' as well: ask for '*'")
        if held in (lane, ALL_LANES):
            return
        self._lane[position] = lane
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[position] = (lane, future)
        self._wake()
        try:
            await future
        finally:
            self._waiting.pop(position, None)

    def leave(self, position: int) -> None:
        """The episode has ended, whether well or badly."""
        self._ended[position] = True
        while self._first_open < len(self._ended) and self._ended[self._first_open]:
            self._first_open += 1
        self._wake()

    def _wake(self) -> None:
        if not self._waiting:
            return
        last = max(self._waiting)
        taken: set[str] = set()
        undecided = False
        for position in range(self._first_open, last + 1):
            if self._ended[position]:
                continue
            entry = self._waiting.get(position)
            if entry is not None and not entry[1].done() and not undecided:
                lane = entry[0]
                free = not taken if lane == ALL_LANES else lane not in taken and ALL_LANES not in taken
                if free:
                    entry[1].set_result(None)
            lane_now = self._lane[position]
            if lane_now is None:
                undecided = True
                break
            taken.add(lane_now)
