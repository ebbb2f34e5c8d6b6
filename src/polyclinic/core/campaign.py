"""Campaigns: episodes that share state, in order, with lanes that may run at the same time.

A `Turnstile` lets the episodes of a campaign run at the same time as long as they share nothing. An episode that needs
shared state enters a *lane*. It waits until every earlier episode has ended, or is in another lane, or has declared
that it only uses other lanes. So at any concurrency the result is the same as if they ran one after the other. The lane
"*" means all lanes.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Protocol

from pydantic import ConfigDict

from polyclinic.core.value import Value, json_bytes
from polyclinic.errors import EngineError

ALL_LANES = "*"


class Effect(Value):
    """One change of shared state; a clinic has a subclass for each kind of change.

    Effects are committed with their episode's end and applied in that order. The store keeps the fields and `kind`,
    which never changes. A field that is added later needs a default.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="ignore")
    kind: ClassVar[str]

    def stored(self) -> bytes:
        """The effect as the store keeps it: the JSON of a `StoredEffect`."""
        return json_bytes({"kind": self.kind, "data": self})


class StoredEffect(Value):
    """An effect as a store holds it, before its clinic has read it."""

    kind: str
    data: dict[str, Any]

    def as_one_of(self, kinds: Iterable[type[Effect]]) -> Effect:
        """The effect as the class of its kind."""
        for kind in kinds:
            if kind.kind == self.kind:
                return kind.read(self.data)
        raise EngineError(f"this clinic has no effect of the kind '{self.kind}'")


class Shared(Protocol):
    """A campaign's shared state. It changes only through `apply`, both live and when a run is resumed."""

    @property
    def takes(self) -> tuple[type[Effect], ...]:
        """The kinds of effect that `apply` takes."""
        ...

    def apply(self, effect: Effect) -> None:
        """Apply one committed change."""
        ...


class NothingShared:
    """The state of campaigns that share only their libraries."""

    takes: tuple[type[Effect], ...] = ()

    def apply(self, effect: Effect) -> None:
        """Raise an error: nothing is shared, so nothing can change."""
        raise EngineError(f"an effect '{effect.kind}' reached a campaign without shared state")


class Turnstile:
    """Lets episodes into each lane in their order.

    `lanes[i]` names the lanes that the i-th episode may enter; empty means any lane. An episode may enter a lane when
    each earlier episode has ended, holds another lane, or can only enter other lanes.
    """

    def __init__(self, lanes: Sequence[tuple[str, ...]]) -> None:
        self._may: list[frozenset[str] | None] = [
            None if not names or ALL_LANES in names else frozenset(names) for names in lanes
        ]
        self._ended = [False] * len(lanes)
        self._held: dict[int, str] = {}
        self._waiting: dict[int, tuple[str, asyncio.Future[None]]] = {}
        self._ends: dict[int, list[asyncio.Future[None]]] = {}
        self._open: dict[str, list[int]] = {ALL_LANES: []}
        self._everyone: list[int] = list(range(len(lanes)))
        self._queue: dict[str, list[int]] = {}
        for position, names in enumerate(self._may):
            for name in sorted(names) if names is not None else (ALL_LANES,):
                heapq.heappush(self._open.setdefault(name, []), position)

    async def enter(self, position: int, lane: str) -> None:
        """Wait until no earlier episode can still use this lane. The lane is held until `leave`."""
        held = self._held.get(position)
        if held in (lane, ALL_LANES):
            return
        if held is not None:
            raise ValueError(
                f"episode {position} holds lane '{held}' and cannot also enter '{lane}': enter '*' instead"
            )
        may = self._may[position]
        if may is not None and lane not in may:
            raise ValueError(f"episode {position} may enter the lanes {', '.join(sorted(may))}, not '{lane}'")
        self._held[position] = lane
        self._may[position] = None if lane == ALL_LANES else frozenset((lane,))
        heapq.heappush(self._open.setdefault(lane, []), position)
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[position] = (lane, future)
        heapq.heappush(self._queue.setdefault(lane, []), position)
        self._wake()
        try:
            await future
        finally:
            self._waiting.pop(position, None)

    async def ended(self, position: int) -> None:
        """Wait until the episode at this position has ended."""
        if not self._ended[position]:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._ends.setdefault(position, []).append(future)
            await future

    def leave(self, position: int) -> None:
        """Release the lane of an episode that has ended, successfully or not."""
        self._ended[position] = True
        for future in self._ends.pop(position, ()):
            if not future.done():
                future.set_result(None)
        self._wake()

    def _touches(self, position: int, lane: str) -> bool:
        if self._ended[position]:
            return False
        may = self._may[position]
        return may is None if lane == ALL_LANES else may is not None and lane in may

    def _first(self, lane: str) -> int:
        """The first open position that names this lane ("*": any lane)."""
        heap = self._open.get(lane, [])
        while heap and not self._touches(heap[0], lane):
            heapq.heappop(heap)
        return heap[0] if heap else len(self._ended)

    def _first_open(self) -> int:
        while self._everyone and self._ended[self._everyone[0]]:
            heapq.heappop(self._everyone)
        return self._everyone[0] if self._everyone else len(self._ended)

    def _wake(self) -> None:
        anyone = self._first(ALL_LANES)
        for lane, queue in self._queue.items():
            while queue and (queue[0] not in self._waiting or self._waiting[queue[0]][1].done()):
                heapq.heappop(queue)
            if not queue:
                continue
            position = queue[0]
            clear = self._first_open() == position if lane == ALL_LANES else self._first(lane) == position < anyone
            if clear:
                self._waiting[position][1].set_result(None)
