"""Leases: two workers on one store never run the same episode. They can be in two processes or in one.

A unit of work (an episode, or a whole campaign) belongs to the worker that holds its lease. A lease expires when its
holder stops renewing it; on the same machine it ends as soon as its holder is dead.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import count
from typing import NamedTuple

from polyclinic.core.database import Database, Transaction
from polyclinic.errors import EngineError, UnknownName
from polyclinic.store.journal import now_ms

LEASE_S = 60.0
BUDGET = "the budget"
"""The lease of the process that spends a run's budget. It has the form of a unit's, and no unit has this name."""
_STANDING = (
    "SELECT id, status, EXISTS (SELECT 1 FROM calls c WHERE c.run = e.run AND c.episode = e.id)"
    " OR EXISTS (SELECT 1 FROM posts p WHERE p.run = e.run AND p.episode = e.id)"
    " FROM episodes e WHERE run = ? AND unit = ?"
)


@lru_cache(maxsize=1)
def this_process() -> str:
    """An id of this process (host:pid:start) that no other process ever has."""
    return f"{socket.gethostname()}:{os.getpid()}:{_started(os.getpid())}"


_numbers = count(1)
_at_work: set[str] = set()


@contextmanager
def worker() -> Iterator[str]:
    """Give an owner id (host:pid:start:number) to one batch while it works. No other batch has the same id."""
    owner = f"{this_process()}:{next(_numbers)}"
    _at_work.add(owner)
    try:
        yield owner
    finally:
        _at_work.discard(owner)


def _started(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return "0"


def is_dead(owner: str) -> bool:
    """Whether an owner on this machine is certainly dead. For an owner on another machine this is always false."""
    if owner.startswith(f"{this_process()}:"):
        return owner not in _at_work
    host, pid, started, *_ = *owner.split(":"), "", ""
    if host != socket.gethostname() or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return started not in ("", "0") and _started(int(pid)) != started


def holds(transaction: Transaction, run: str, unit: str, owner: str) -> bool:
    """Whether `owner` still has the lease."""
    rows = transaction.execute("SELECT owner FROM leases WHERE run = ? AND unit = ?", (run, unit))
    return bool(rows) and rows[0][0] == owner


def give_up(transaction: Transaction, run: str, unit: str, owner: str) -> bool:
    """Delete the lease if `owner` still has it; returns whether it had."""
    statement = "DELETE FROM leases WHERE run = ? AND unit = ? AND owner = ? RETURNING owner"
    return bool(transaction.execute(statement, (run, unit, owner)))


def units_at_work(transaction: Transaction, run: str) -> set[str]:
    """The units of a run that another process is working on. Processes that are known to be dead are left out."""
    rows = transaction.execute("SELECT unit, owner FROM leases WHERE run = ? AND expires_ms >= ?", (run, now_ms()))
    return {unit for unit, owner in rows if not owner.startswith(this_process()) and not is_dead(owner)}


class Holder(NamedTuple):
    """A process that holds leases of a run: how many units, when it last renewed them, and if they are still valid."""

    owner: str
    units: int
    renewed_s: float
    expired: bool

    @property
    def here(self) -> bool:
        """Whether it is a running process on this machine."""
        return self.owner.partition(":")[0] == socket.gethostname() and not is_dead(self.owner)

    def __str__(self) -> str:
        host, _, rest = self.owner.partition(":")
        state = "expired" if self.expired else "held"
        return (
            f"process {rest.partition(':')[0]} on {host} ({self.units} units, {state},"
            f" last renewed {max(0, round(self.renewed_s))} s ago)"
        )


def holders(transaction: Transaction, run: str) -> list[Holder]:
    """Who holds leases of a run, in order of their names. The lease of the budget is not counted as a unit."""
    rows = transaction.execute(
        "SELECT owner, SUM(CASE WHEN unit <> ? THEN 1 ELSE 0 END), MAX(expires_ms) FROM leases WHERE run = ?"
        " GROUP BY owner ORDER BY owner",
        (BUDGET, run),
    )
    now = now_ms()
    return [
        Holder(owner, int(units), (now - int(expires)) / 1000 + LEASE_S, int(expires) < now)
        for owner, units, expires in rows
    ]


def break_leases(transaction: Transaction, run: str) -> None:
    """Free all units of a run. A process that still works on one loses its lease, and its result is dropped."""
    transaction.execute("DELETE FROM leases WHERE run = ?", (run,))


class ClaimedEpisode(NamedTuple):
    """The state of an episode when its unit is claimed: its status, and whether its journal has any entries."""

    status: str
    recorded: bool


class LeaseLost(EngineError):
    """Another process took over the unit: its result counts, and ours is dropped."""


class Leases:
    """The leases of one run, for one owner."""

    def __init__(self, database: Database, run: str, owner: str, lease_s: float = LEASE_S) -> None:
        self._database, self._run, self.owner = database, run, owner
        self._lease_ms = round(lease_s * 1000)

    def claim(self, unit: str) -> Awaitable[dict[str, ClaimedEpisode] | None]:
        """Take the lease if it is free, expired, or held by a dead process. This is queued at once.

        Returns the state of each of the unit's episodes at that moment, or None if another process holds the lease.
        Raises `UnknownName` if somebody has deleted the run.
        """

        def work(tx: Transaction) -> dict[str, ClaimedEpisode] | None:
            if not self._take(tx, unit, self.owner):
                holders = tx.execute("SELECT owner FROM leases WHERE run = ? AND unit = ?", (self._run, unit))
                if not holders or not is_dead(holders[0][0]) or not self._take(tx, unit, holders[0][0]):
                    return None
            standing = tx.execute(_STANDING, (self._run, unit))
            if not standing and not tx.execute("SELECT 1 FROM runs WHERE id = ?", (self._run,)):
                raise UnknownName("run", self._run)
            return {episode: ClaimedEpisode(status, bool(recorded)) for episode, status, recorded in standing}

        return self._database.write(work)

    def _take(self, transaction: Transaction, unit: str, before: str) -> bool:
        """Take the lease if it is free, expired, or held by the owner `before`; returns whether it is ours now."""
        now = now_ms()
        taken = transaction.execute(
            "INSERT INTO leases (run, unit, owner, expires_ms) VALUES (?, ?, ?, ?) ON CONFLICT (run, unit) DO UPDATE "
            "SET owner = excluded.owner, expires_ms = excluded.expires_ms "
            "WHERE leases.expires_ms < ? OR leases.owner = ? RETURNING unit",
            (self._run, unit, self.owner, now + self._lease_ms, now, before),
        )
        return bool(taken)

    async def renew(self, units: Sequence[str]) -> None:
        """Renew the leases that are still ours."""

        def work(tx: Transaction) -> None:
            expires = now_ms() + self._lease_ms
            tx.executemany(
                "UPDATE leases SET expires_ms = ? WHERE run = ? AND unit = ? AND owner = ?",
                [(expires, self._run, unit, self.owner) for unit in units],
            )

        await self._database.write(work)

    async def release(self, *units: str) -> None:
        """Give leases back, all in one commit."""
        statement = "DELETE FROM leases WHERE run = ? AND unit = ? AND owner = ?"
        rows = [(self._run, unit, self.owner) for unit in units]
        await self._database.write(lambda tx: tx.executemany(statement, rows))
