"""One worker's next unit, claimed while the end of the one before is committed: one commit serves both."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from polyclinic.store.leases import ClaimedEpisode, Leases
from polyclinic.store.run_rows import StoredEpisode

_Claimed = dict[str, ClaimedEpisode] | None


class ClaimedUnit(NamedTuple):
    """A unit, its episodes as they were planned, and as they are now; None if another process works on it."""

    unit: str
    planned: list[StoredEpisode]
    now: Mapping[str, ClaimedEpisode] | None


class Claims:
    """The units that one worker claims. Several workers share one iterator of `waiting` units.

    `held` are the units that the process renews, and gives back when its work ends.
    """

    def __init__(self, leases: Leases, waiting: Iterator[tuple[str, list[StoredEpisode]]], held: set[str]) -> None:
        self._leases, self._waiting, self._held = leases, waiting, held
        self._next: tuple[str, list[StoredEpisode], asyncio.Future[_Claimed]] | None = None

    def ahead(self) -> None:
        """Begin to claim the next unit, if there is one."""
        if self._next is None and (found := next(self._waiting, None)) is not None:
            unit, planned = found
            self._held.add(unit)
            claiming = asyncio.ensure_future(self._leases.claim(unit))
            claiming.add_done_callback(_heard)
            self._next = (unit, planned, claiming)

    async def take(self) -> ClaimedUnit | None:
        """The next unit; None if no unit is left."""
        self.ahead()
        if self._next is None:
            return None
        unit, planned, claiming = self._next
        self._next = None
        now = await claiming
        if now is None:
            self._held.discard(unit)
        return ClaimedUnit(unit, planned, now)


def _heard(claiming: asyncio.Future[_Claimed]) -> None:
    """Look at a failure. If the end before fails for the same reason, such as a full disk, nobody awaits the claim."""
    if not claiming.cancelled():
        claiming.exception()
