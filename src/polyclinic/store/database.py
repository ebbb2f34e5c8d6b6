"""One connection, one thread, group commit: `write` returns after the commit, and one commit serves all who wait.

SQLite runs on its rollback journal, kept between transactions (a tenth less CPU per commit than cutting it to nothing),
with
``synchronous=FULL`` unless the linked library is new enough for WAL to be safe with
several connections (3.51.3: before that, two writers could corrupt a WAL database, rarely). PostgreSQL goes through
psycopg 3.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

from polyclinic.core.database import Database, Dialect, RowWork, Transaction
from polyclinic.core.extras import install_hint
from polyclinic.errors import ConfigError, EngineError, PolyclinicError, StoreError

T = TypeVar("T")
SAFE_WAL = (3, 51, 3)
BATCH = 512
GATHER_S = 0.001  # a write waits this long for others to share its commit: measured, a fifth less CPU per call
LONGEST_S = 0.02
JOURNAL_BYTES = 4 * 1024 * 1024  # what is left of the rollback journal between transactions, empty in all but its size
TRIES = 5


def refuse_foreign(what: str, tables: Sequence[str]) -> None:
    """Refuse a database that holds tables, but neither those of a store nor those of FHIR records."""
    if tables and not {"polyclinic", "fhir_resource"} & set(tables):
        raise ConfigError(
            f"{what} is a database of another program (it has the table {tables[0]}); nothing in it was changed:"
            " name another with --store"
        )


class _Connection(Transaction, Protocol):
    """A connection that belongs to its thread."""

    def begin(self, write: bool) -> None: ...
    def commit(self) -> None: ...
    def rollback(self) -> None: ...
    def close(self) -> None: ...
    def at_fault(self, error: BaseException) -> bool: ...
    def may_pass(self, error: BaseException | None) -> bool: ...


class _Sqlite:
    dialect: Dialect = "sqlite"

    def __init__(self, path: str) -> None:
        self._db = sqlite3.connect(path, isolation_level=None, timeout=120.0, cached_statements=256)
        tables = [row[0] for row in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        refuse_foreign(f"the file '{path}'", tables)  # before anything in it is changed
        wal = sqlite3.sqlite_version_info >= SAFE_WAL and path != ":memory:"
        self._db.execute(f"PRAGMA journal_mode={'WAL' if wal else 'PERSIST'}")
        self._db.execute(f"PRAGMA journal_size_limit={JOURNAL_BYTES}")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("PRAGMA foreign_keys=ON")
        self._db.execute("PRAGMA cache_size=-65536")
        self._db.execute("PRAGMA temp_store=MEMORY")

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        return self._db.execute(sql, tuple(parameters)).fetchall()

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> int:
        return self._db.executemany(sql, rows).rowcount

    def begin(self, write: bool) -> None:
        self._db.execute("BEGIN IMMEDIATE" if write else "BEGIN")

    def commit(self) -> None:
        self._db.execute("COMMIT")

    def rollback(self) -> None:
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def close(self) -> None:
        self._db.close()

    def at_fault(self, error: BaseException) -> bool:
        """Whether the file itself is the trouble (damaged, full, locked, read-only), not what was asked of it."""
        return type(error) in (sqlite3.DatabaseError, sqlite3.OperationalError)

    def may_pass(self, error: BaseException | None) -> bool:
        """Never: a writer waits for the lock beforehand."""
        return False


@lru_cache(maxsize=1024)
def _percent(sql: str) -> str:
    """`?` placeholders as psycopg's `%s`, outside of quoted text."""
    pieces = sql.replace("%", "%%").split("'")
    pieces[::2] = [piece.replace("?", "%s") for piece in pieces[::2]]
    return "'".join(pieces)


class _Postgres:
    dialect: Dialect = "postgres"

    def __init__(self, url: str) -> None:
        try:
            import psycopg
        except ImportError:
            raise ConfigError(f"PostgreSQL needs the extra: {install_hint('postgres')}") from None
        self._trouble = psycopg.OperationalError
        try:
            self._db = psycopg.connect(url, autocommit=True)
        except psycopg.OperationalError as error:
            raise ConfigError(f"the PostgreSQL store cannot be reached: {str(error).strip()}") from None

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        cursor = self._db.execute(cast(Any, _percent(sql)), tuple(parameters))
        return cursor.fetchall() if cursor.description else []

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> int:
        with self._db.cursor() as cursor:
            cursor.executemany(cast(Any, _percent(sql)), rows)
            return cursor.rowcount

    def begin(self, write: bool) -> None:
        self._db.execute("BEGIN" if write else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def commit(self) -> None:
        self._db.execute("COMMIT")

    def rollback(self) -> None:
        self._db.execute("ROLLBACK")

    def close(self) -> None:
        self._db.close()

    def at_fault(self, error: BaseException) -> bool:
        """Whether the server is the trouble (gone, full, shutting down), not what was asked of it."""
        return isinstance(error, self._trouble) and not self.may_pass(error)

    def may_pass(self, error: BaseException | None) -> bool:
        """Whether the server only asks to try again: a deadlock was broken up, or two writers met."""
        return isinstance(error, self._trouble) and str(error.sqlstate or "").startswith("40")


@dataclass
class _Work:
    function: Callable[[Transaction], Any]
    write: bool
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None

    def run(self, transaction: Transaction) -> None:
        """Do it. A read that finds nothing to answer with is its owner's affair alone: it has changed nothing."""
        try:
            self.result = self.function(transaction)
        except PolyclinicError as error:
            if self.write:
                raise
            self.error = error


def _statement(item: _Work) -> str | None:
    return item.function.statement if isinstance(item.function, RowWork) else None


class ThreadedDatabase:
    """A `Database` whose connection lives in one thread. All work that waits is done in order, with one commit.

    Work must touch nothing but its transaction: when one piece of a batch fails, the batch is rolled back and each
    piece is run again on its own, so that the failure reaches only its owner.
    """

    def __init__(self, connect: Callable[[], _Connection], dialect: Dialect) -> None:
        self.dialect = dialect
        self._queue: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._opened = threading.Event()
        self._open_error: BaseException | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._serve, args=(connect,), daemon=True, name="polyclinic-db")
        self._thread.start()
        self._opened.wait()
        if self._open_error is not None:
            raise self._open_error

    def write(self, work: Callable[[Transaction], T]) -> Awaitable[T]:
        """Run `work` in a transaction; done after the commit."""
        return cast("Awaitable[T]", self._submit(work, write=True))

    def read(self, work: Callable[[Transaction], T]) -> Awaitable[T]:
        """Run `work` over a consistent view."""
        return cast("Awaitable[T]", self._submit(work, write=False))

    async def close(self) -> None:
        """Finish what is queued and close."""
        if self._closed:
            return
        self._closed = True
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    def _submit(self, work: Callable[[Transaction], Any], *, write: bool) -> asyncio.Future[Any]:
        if self._closed:
            raise EngineError("the database is closed")
        loop = asyncio.get_running_loop()
        item = _Work(work, write, loop, loop.create_future())
        self._queue.put(item)
        return item.future

    def _serve(self, connect: Callable[[], _Connection]) -> None:
        try:
            connection = connect()
        except BaseException as error:
            self._open_error = error
            self._opened.set()
            return
        self._opened.set()
        stop = False
        while not stop:
            batch, stop = self._next_batch()
            for together in _together(batch, self.dialect):
                if not self._run(connection, together):
                    for item in together:
                        self._alone(connection, item, again=len(together) > 1)
            _answer(batch)
        connection.close()

    def _next_batch(self) -> tuple[list[_Work], bool]:
        batch: list[_Work] = []
        item = self._queue.get()
        if item is not None and item.write:
            self._wait_for_more()
        while item is not None:
            batch.append(item)
            if len(batch) >= BATCH:
                return batch, False
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return batch, False
        return batch, True

    def _wait_for_more(self) -> None:
        """Wait for company: when many write at once, one commit soon serves them all."""
        waiting, latest = -1, time.monotonic() + LONGEST_S
        while self._queue.qsize() != waiting and time.monotonic() < latest:
            waiting = self._queue.qsize()
            time.sleep(GATHER_S)

    def _alone(self, connection: _Connection, item: _Work, *, again: bool) -> None:
        """One piece on its own, after its batch failed; tried again while the database says that this may help."""
        for _ in range(TRIES):
            if not again and not connection.may_pass(item.error):
                return
            again, item.error = False, None
            if self._run(connection, [item]):
                return

    @staticmethod
    def _run(connection: _Connection, items: Sequence[_Work]) -> bool:
        """Run items in one transaction; on a fault roll back and put the error on each (a batch is then run again
        singly).
        """
        try:
            connection.begin(any(item.write for item in items))
            for statement, neighbours in groupby(items, _statement):
                if statement is None:
                    for item in neighbours:
                        item.run(connection)
                else:
                    connection.executemany(statement, [cast(RowWork, item.function).row for item in neighbours])
            connection.commit()
        except BaseException as error:
            try:
                connection.rollback()
            except Exception as second:
                error.add_note(f"and the rollback failed: {second}")
            told: BaseException = error
            if connection.at_fault(error):
                told = StoreError(f"the store cannot be used: {str(error).strip()}; fix that, then resume the run")
                told.__cause__ = error
            for item in items:
                item.error = told
            return False
        return True


def _together(batch: list[_Work], dialect: Dialect) -> list[list[_Work]]:
    """What can share a transaction, in order. PostgreSQL gives a steady view to readers alone,
    SQLite to writers too.
    """
    if dialect == "sqlite":
        return [batch] if batch else []
    return [list(items) for _, items in groupby(batch, key=lambda item: item.write)]


def _answer(batch: list[_Work]) -> None:
    for loop in {id(item.loop): item.loop for item in batch}.values():
        mine = [item for item in batch if item.loop is loop]
        try:
            loop.call_soon_threadsafe(_resolve, mine)
        except RuntimeError:
            # The loop that asked is gone (interrupted); the work is committed, nobody is left to tell.
            continue


def _resolve(items: list[_Work]) -> None:
    for item in items:
        if item.future.done():
            continue
        if item.error is not None:
            item.future.set_exception(item.error)
        else:
            item.future.set_result(item.result)


def refuse_missing(url: str) -> None:
    """Refuse a store in a file that does not exist."""
    path = _sqlite_path(url)
    if path and path != ":memory:" and not Path(path).expanduser().exists():
        raise ConfigError(f"there is no store '{url}': check --store (a run makes a new one)")


def _sqlite_path(url: str) -> str:
    """The path of an SQLite store; empty for a server."""
    if url.startswith(("postgresql://", "postgres://")):
        return ""
    return url.removeprefix("sqlite:///").removeprefix("sqlite://") or ":memory:"


def open_database(url: str) -> Database:
    """A database by URL: a path, ``sqlite:///path``, ``sqlite://:memory:``, or ``postgresql://…``."""
    path = _sqlite_path(url)
    if not path:
        return ThreadedDatabase(lambda: _Postgres(url), "postgres")
    if "://" in path:
        raise ConfigError(f"the store '{url}' is not one we know: use a path, sqlite:///path or postgresql://…")
    if path != ":memory:":
        try:
            Path(path).expanduser().parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"the store's folder cannot be made: {error}") from None
        path = str(Path(path).expanduser())
    try:
        return ThreadedDatabase(lambda: _Sqlite(path), "sqlite")
    except sqlite3.Error as error:
        raise ConfigError(f"the store '{path}' cannot be opened: {error}") from None
