"""What the engine asks of a database: one transaction at a time, committed before `write` returns.

The implementation is in `polyclinic.store.database`; whoever keeps tables of their own (the FHIR store, for one) writes
plain functions over a `Transaction`, so that their changes can join an episode's own transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, Protocol, TypeVar

Dialect = Literal["sqlite", "postgres"]
T = TypeVar("T")


class Transaction(Protocol):
    """An open transaction. SQL uses `?` placeholders in both dialects."""

    dialect: Dialect

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run one statement; rows of a SELECT or RETURNING, else an empty list."""
        ...

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run one statement for each row of parameters."""
        ...


class Database(Protocol):
    """A database by URL: SQLite or PostgreSQL, one schema for both."""

    dialect: Dialect

    async def write(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in one transaction and return after its commit; an exception rolls it back and propagates."""
        ...

    async def read(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` over a consistent view."""
        ...

    async def close(self) -> None:
        """Finish what is queued and close."""
        ...
