"""The embedded FHIR store: records in the run's own database.

`FhirStore` is thin: the work is done by plain functions over a `Transaction` (`storage`, `search`, `transactions`), so
that a booking can be part of an episode's transaction. What is written through it comes from typed builders and is not
validated again; the HTTP server validates what comes from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import TypeVar

from polyclinic.core.database import Database, Transaction
from polyclinic.core.records import Query, RecordChange, Resource, SearchResult, Update
from polyclinic.fhir import deferred, slot_holds, storage
from polyclinic.fhir import search as searching
from polyclinic.fhir.conditions import BadSearch, Search
from polyclinic.fhir.dates import microseconds
from polyclinic.fhir.plain_changes import make
from polyclinic.fhir.query import pairs, parse_search
from polyclinic.fhir.scheduling import cancelled
from polyclinic.fhir.schema import create_tables
from polyclinic.fhir.search import included_keys, read_included
from polyclinic.fhir.slot_rules import Key
from polyclinic.fhir.staged import Staged
from polyclinic.fhir.unit_of_work import UnitOfWork
from polyclinic.fhir.write_buffer import WriteBuffer

T = TypeVar("T")
_Clock = Callable[[], datetime]


def wall_clock() -> datetime:
    """The time now, in UTC."""
    return datetime.now(UTC)


class FhirStore:
    """FHIR records in a database. `clock` gives the current time (a simulated hospital has its own clock)."""

    def __init__(self, database: Database, clock: _Clock = wall_clock) -> None:
        self.database = database
        self.clock = clock

    @classmethod
    async def open(cls, database: Database, clock: _Clock = wall_clock) -> FhirStore:
        """Open a store and create its tables."""
        await database.write(create_tables)
        return cls(database, clock)

    def now(self) -> int:
        """The clock's time in microseconds, as in the tables."""
        return microseconds(self.clock())

    async def load(self, resources: Iterable[Resource]) -> int:
        """Add the resources that do not exist yet, in one transaction; returns how many were added."""
        listed, now = list(resources), self.now()
        return await self.database.write(lambda transaction: storage.load(transaction, listed, now))

    async def read(self, type: str, id: str) -> Resource:
        """Read the current version of a resource."""
        return await self.database.read(lambda transaction: storage.read(transaction, type, id).resource())

    async def search(self, type: str, query: Query, limit: int | None = None) -> SearchResult:
        """All matches in order, or the first `limit` of them."""
        search = parse_search(type, pairs(query))
        return await self.settled(lambda transaction: find(transaction, search, limit))

    async def settled(self, work: Callable[[Transaction], T]) -> T:
        """Run `work`, which reads the index, after expired holds are freed and all resources are indexed."""
        now = self.now()

        def read(transaction: Transaction) -> tuple[T] | None:
            unsettled = deferred.pending(transaction) or slot_holds.expired(transaction, now)
            return None if unsettled else (work(transaction),)

        found = await self.database.read(read)
        if found is None:
            await self.database.write(lambda transaction: settle(transaction, now))
            return await self.database.read(work)
        return found[0]

    async def transact(self, changes: Sequence[RecordChange]) -> list[Resource | None]:
        """Make all changes or none."""
        now = self.now()
        return await self.database.write(lambda transaction: apply_changes(transaction, changes, now))

    def stage(self) -> Staged:
        """Return a view that collects changes until they are applied."""
        return Staged(self, self.work, read_many=self.read_many)

    async def read_many(self, keys: Sequence[Key]) -> dict[Key, Resource]:
        """Read the current versions of the resources that exist, in one read of the database."""

        def found(transaction: Transaction) -> dict[Key, Resource]:
            return {(each.type, each.id): each.resource() for each in storage.read_keys(transaction, keys)}

        return await self.database.read(found)

    def work(self, transaction: Transaction, now: datetime | None = None) -> UnitOfWork:
        """Start a unit of work in an open transaction, at the given time or the clock's."""
        return UnitOfWork(transaction, microseconds(now) if now is not None else self.now())


def find(transaction: Transaction, search: Search, limit: int | None = None) -> SearchResult:
    """Run a whole search and return the resources. Raises BadSearch for an unknown parameter."""
    if search.ignored:
        raise BadSearch(f"unknown search parameter of {search.type}: {', '.join(search.ignored)}")
    if limit is None and any(name == "_count" for name, _ in search.used):
        limit = search.count
    matched = searching.run_all(transaction, search, limit)
    keys = included_keys(transaction, search, matched) if search.includes or search.reverse_includes else []
    included = read_included(transaction, keys)
    return SearchResult([stored.resource() for stored in matched], [stored.resource() for stored in included])


def settle(transaction: Transaction, now: int) -> None:
    """Free the slots of expired holds, and index the resources that are not indexed yet."""
    sweep(transaction, now)
    deferred.catch_up(transaction)


def apply_changes(transaction: Transaction, changes: Sequence[RecordChange], now: int) -> list[Resource | None]:
    """Make all changes inside an open transaction, or raise."""
    return make(UnitOfWork(transaction, now), changes)


def sweep(transaction: Transaction, now: int) -> int:
    """Free the slots whose hold has expired, and cancel the appointments that were held.

    Returns how many slots were freed.
    """
    slots = slot_holds.expired(transaction, now)
    for appointment in slot_holds.expired_appointments(transaction, now):
        stored = storage.find(transaction, "Appointment", appointment, lock=True)
        if stored is not None and stored.body is not None and (held := stored.resource())["status"] == "pending":
            make(UnitOfWork(transaction, now), [Update(cancelled(held, now, reason="other"))])
    writes = WriteBuffer(transaction, now)
    for slot in slots:
        stored = storage.find(transaction, "Slot", slot, lock=True)
        if stored is not None and stored.body is not None:
            resource = stored.resource()
            if resource["status"] == "busy-tentative":
                writes.update(stored, {**resource, "status": "free"}, resource)
    writes.flush()
    slot_holds.forget(transaction, slots)
    return len(slots)
