"""Open a database by its URL: a file or a server. Our servers can use separate connections for reads."""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from polyclinic.core.database import Database, Dialect, Transaction
from polyclinic.errors import ConfigError
from polyclinic.store.connections import LOCK_WAIT_S, Connection, PostgresConnection, SqliteConnection, without_password
from polyclinic.store.database import ThreadedDatabase

T = TypeVar("T")
OWN_FOLDER = ".polyclinic"


class SeparateReads:
    """A `Database` for servers: reads have separate connections, so that nobody waits for a long write.

    A read sees all that was committed when it began, but not writes that were only queued then. The number of
    connections is fixed: one for writes and `readers` for reads, however many clients there are.
    """

    def __init__(self, writer: ThreadedDatabase, readers: Sequence[ThreadedDatabase]) -> None:
        self.dialect = writer.dialect
        self._writer, self._readers = writer, readers
        self._turn = 0

    def write(self, work: Callable[[Transaction], T]) -> Awaitable[T]:
        """Run `work` in a transaction; returns after the commit."""
        return self._writer.write(work)

    def read(self, work: Callable[[Transaction], T]) -> Awaitable[T]:
        """Run `work` over a consistent view of what is committed."""
        self._turn = (self._turn + 1) % len(self._readers)
        return self._readers[self._turn].read(work)

    async def close(self) -> None:
        """Finish what is queued and close."""
        for database in (*self._readers, self._writer):
            await database.close()


def is_missing(url: str) -> bool:
    """Whether a store is a file that does not exist yet."""
    path = sqlite_path(url)
    return bool(path) and path != ":memory:" and not Path(path).expanduser().exists()


def refuse_missing(url: str) -> None:
    """Refuse a store in a file that does not exist."""
    if is_missing(url):
        raise ConfigError(f"there is no store '{without_password(url)}': check --store (a run makes a new one)")


def ready_folder(folder: Path) -> None:
    """Refuse a store in a folder that does not exist: its name may be mistyped. Only our own folder is made."""
    try:
        if folder.name == OWN_FOLDER:
            folder.mkdir(exist_ok=True)
        there = folder.is_dir()
    except OSError as error:
        why = f"the store's folder cannot be made: '{folder}': {error.strerror or error}"
        raise ConfigError(
            f"{why}; go to a folder that you may write to, or name a store elsewhere with --store"
        ) from None
    if not there:
        make = f"mkdir -p {shlex.quote(str(folder))}"
        raise ConfigError(f"the store's folder '{folder}' does not exist: check --store, or make it with: {make}")


def sqlite_path(url: str) -> str:
    """The path of an SQLite store; empty for a server."""
    if url.startswith(("postgresql://", "postgres://")):
        return ""
    return url.removeprefix("sqlite:///").removeprefix("sqlite://") or ":memory:"


PG_STATEMENTS = 3
"""SQLite waits for its lock once in a transaction, PostgreSQL in each statement: so each waits only a part of it."""


def open_database(
    url: str, *, readers: int = 0, lock_wait_s: float = LOCK_WAIT_S, longest_s: float | None = None
) -> Database:
    """A database by URL: a path, ``sqlite:///path``, ``sqlite://:memory:``, or ``postgresql://…``.

    With `readers`, reads have that many separate connections (a database in memory has only one). `lock_wait_s`: how
    long work waits while another process holds the lock of an SQLite file, or of a table or row in PostgreSQL.
    `longest_s`: how long anybody waits for a result at all; without it, without end.
    """
    connect, dialect = connector(url, lock_wait_s)
    with readable(url):
        return _opened(connect, dialect, 0 if sqlite_path(url) == ":memory:" else readers, longest_s)


@contextmanager
def readable(url: str) -> Iterator[None]:
    """A context in which a store is opened: a file that is damaged or no database is refused in one line."""
    try:
        yield
    except sqlite3.Error as error:
        raise ConfigError(
            f"the store '{without_password(url)}' cannot be opened ({error}): choose another with --store"
        ) from None


def connector(url: str, lock_wait_s: float = LOCK_WAIT_S) -> tuple[Callable[[], Connection], Dialect]:
    """A function that opens a connection, and the dialect of the database."""
    path = sqlite_path(url)
    if not path:
        return lambda: PostgresConnection(url, lock_wait_s / PG_STATEMENTS), "postgres"
    if "://" in path:
        raise ConfigError(
            f"the store '{without_password(url)}' is of an unknown kind: use a path, sqlite:///path or postgresql://…"
        )
    if path != ":memory:":
        path = str(Path(path).expanduser())
        ready_folder(Path(path).parent)
    return lambda: SqliteConnection(path, lock_wait_s), "sqlite"


def _opened(connect: Callable[[], Connection], dialect: Dialect, readers: int, longest_s: float | None) -> Database:
    writer = ThreadedDatabase(connect, dialect, longest_s)
    if not readers:
        return writer
    return SeparateReads(writer, [ThreadedDatabase(connect, dialect, longest_s) for _ in range(readers)])
