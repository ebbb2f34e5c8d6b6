"""What the engine asks of a database: one transaction at a time, committed before `write` returns.

The implementation is in `polyclinic.store.database`; code with its own tables (for example the FHIR store) uses plain
functions over a `Transaction`. So its changes can be part of an episode's transaction.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Literal, Protocol, TypeVar

Dialect = Literal["sqlite", "postgres"]
T = TypeVar("T")


class Transaction(Protocol):
    """An open transaction. SQL uses `?` placeholders in both dialects."""

    dialect: Dialect

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run one statement. Returns the rows of a SELECT or RETURNING, else an empty list."""
        ...

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> int:
        """Run one statement for each row of parameters. Returns how many rows of the table changed in total."""
        ...


class RowWork:
    """Work that writes one row and returns nothing. Consecutive writes with the same statement are sent together."""

    __slots__ = ("row", "statement")

    def __init__(self, statement: str, row: Sequence[object]) -> None:
        self.statement, self.row = statement, row

    def __call__(self, transaction: Transaction) -> None:
        """Write the row."""
        transaction.execute(self.statement, self.row)


class Database(Protocol):
    """A database by URL: SQLite or PostgreSQL, one schema for both."""

    dialect: Dialect

    def write(self, work: Callable[[Transaction], T]) -> Awaitable[T]:
        """Run `work` in one transaction; the await returns after its commit. An exception rolls it back and propagates.

        Reads and writes are done in the order in which they were called, no matter when they are awaited.
        """
        ...

    def read(self, work: Callable[[Transaction], T]) -> Awaitable[T]:
        """Run `work` over a consistent view, which includes every write that was called before."""
        ...

    async def close(self) -> None:
        """Finish what is queued and close."""
        ...
