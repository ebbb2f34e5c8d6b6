"""The two kinds of connection: SQLite's and PostgreSQL's, with the same few operations. Each belongs to one thread.

SQLite uses its rollback journal with ``synchronous=FULL``. The journal file is kept between transactions, which takes a
tenth less CPU per commit than truncating it. From version 3.51.3 of the SQLite library on, WAL is used instead: before
that, two writers could, rarely, corrupt a WAL database. PostgreSQL goes through psycopg 3.
"""

from __future__ import annotations

import logging
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, Protocol

from polyclinic.core.database import Dialect, Transaction
from polyclinic.core.extras import install_hint
from polyclinic.errors import ConfigError

SAFE_WAL = (3, 51, 3)
ROWS = 2000
PG_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
CACHE_KB = 8 * 1024  # pages in memory for each connection
JOURNAL_BYTES = 4 * 1024 * 1024  # the size of the rollback journal that is kept between transactions
LOCK_WAIT_S = 120.0

_PASSWORD = re.compile(r"(?<=://)([^:/@]*):[^/]*@|(?<=[?&])(password)=[^&]*")


def without_password(url: str) -> str:
    """A store's address for messages and logs: a password in it is hidden."""
    return _PASSWORD.sub(lambda found: f"{found[2]}=***" if found[2] else f"{found[1]}:***@", url)


def refuse_foreign(what: str, tables: Sequence[str], others: Sequence[str] = ()) -> None:
    """Refuse a database with tables of another program: neither those of a store nor those of FHIR records.

    `others` names other signs of a program, if there are any.
    """
    if {"polyclinic", "fhir_resource"} & set(tables):
        return
    for sign in (*(f"the table {name}" for name in tables[:1]), *others):
        raise ConfigError(
            f"{what} is a database of another program (it has {sign}); nothing in it was changed:"
            " name another with --store"
        )


class Connection(Transaction, Protocol):
    """A connection; it may be used only in its own thread."""

    def begin(self, write: bool) -> None:
        """Begin a transaction, to write or to read."""
        ...

    def commit(self) -> None:
        """Commit the transaction."""
        ...

    def rollback(self) -> None:
        """Roll the transaction back; nothing happens if there is none."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...

    def stream(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a SELECT, a few thousand at a time: a table may be larger than memory."""
        ...

    def tables(self) -> list[str]:
        """The names of all tables."""
        ...

    def columns(self, table: str) -> list[str]:
        """The names of a table's columns."""
        ...

    def at_fault(self, error: BaseException) -> bool:
        """Whether the database itself is the problem, not the statement."""
        ...

    def plainly(self, error: BaseException) -> str:
        """What is wrong with the database, in words for the user."""
        ...

    def may_pass(self, error: BaseException | None) -> bool:
        """Whether a retry may help."""
        ...

    def locked_out(self, error: BaseException, begun: bool) -> bool:
        """Whether work failed because another process held a lock for too long; `begun`: its transaction had begun."""
        ...


class SqliteConnection:
    """A connection to an SQLite file."""

    dialect: Dialect = "sqlite"

    def __init__(self, path: str, lock_wait_s: float = LOCK_WAIT_S) -> None:
        self._db = sqlite3.connect(path, isolation_level=None, timeout=lock_wait_s, cached_statements=256)
        self._path, self._file = path, _file_at(path)
        tables = [row[0] for row in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        views = [f"the view {row[0]}" for row in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'view'")]
        number = self._db.execute("PRAGMA application_id").fetchone()[0]
        marks = [f"the application id {number}"] if number else []
        refuse_foreign(f"the file '{path}'", tables, [*views, *marks])  # before anything in the file is changed
        wal = sqlite3.sqlite_version_info >= SAFE_WAL and path != ":memory:"
        self._db.execute(f"PRAGMA journal_mode={'WAL' if wal else 'PERSIST'}")
        self._db.execute(f"PRAGMA journal_size_limit={JOURNAL_BYTES}")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("PRAGMA foreign_keys=ON")
        self._db.execute(f"PRAGMA cache_size=-{CACHE_KB}")
        self._db.execute("PRAGMA temp_store=MEMORY")

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run one statement."""
        return self._db.execute(sql, tuple(parameters)).fetchall()

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> int:
        """Run one statement for each row."""
        return self._db.executemany(sql, rows).rowcount

    def begin(self, write: bool) -> None:
        """Begin a transaction."""
        self._db.execute("BEGIN IMMEDIATE" if write else "BEGIN")

    def commit(self) -> None:
        """Commit the transaction."""
        self._db.execute("COMMIT")

    def rollback(self) -> None:
        """Roll the transaction back."""
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def close(self) -> None:
        """Close the connection."""
        self._db.close()

    def stream(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a SELECT."""
        yield from self._db.execute(sql)

    def tables(self) -> list[str]:
        """The names of all tables except SQLite's own."""
        found = self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        return sorted(row[0] for row in found)

    def columns(self, table: str) -> list[str]:
        """The names of a table's columns."""
        return [row[0] for row in self._db.execute("SELECT name FROM pragma_table_info(?)", (table,))]

    def at_fault(self, error: BaseException) -> bool:
        """Whether the file itself is the problem (damaged, full, locked, read-only), not the statement."""
        return type(error) in (sqlite3.DatabaseError, sqlite3.OperationalError)

    def plainly(self, error: BaseException) -> str:
        """What is wrong. SQLite calls a file that is not in its place any more a disk error, or read-only."""
        words = str(error).strip()
        if _file_at(self._path) != self._file:
            return f"its file '{self._path}' was moved, replaced or deleted while it was in use"
        if "readonly database" in words:
            return f"its file or folder is read-only for you ({words}): allow writing, or choose another with --store"
        return words

    def may_pass(self, error: BaseException | None) -> bool:
        """Never: a writer waits for the lock before it begins, so a retry would not help."""
        return False

    def locked_out(self, error: BaseException, begun: bool) -> bool:
        """Whether not even the transaction could begin."""
        return not begun


def _file_at(path: str) -> tuple[int, int] | None:
    """Which file is at this path now, whatever its name; None if there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


@lru_cache(maxsize=1024)
def _percent(sql: str) -> bytes:
    """Replace `?` placeholders by psycopg's `%s`, outside of quoted text."""
    pieces = sql.replace("%", "%%").split("'")
    pieces[::2] = [piece.replace("?", "%s") for piece in pieces[::2]]
    return "'".join(pieces).encode()


class PostgresConnection:
    """A connection to a PostgreSQL server; it is opened again when it was lost."""

    dialect: Dialect = "postgres"

    def __init__(self, url: str, lock_wait_s: float = LOCK_WAIT_S) -> None:
        try:
            import psycopg
            from psycopg.errors import LockNotAvailable
        except ImportError:
            raise ConfigError(f"PostgreSQL needs the extra 'postgres': {install_hint('postgres')}") from None
        logging.getLogger("psycopg").setLevel(logging.ERROR)  # it warns of a lost connection that we report ourselves
        self._trouble, self._locked = psycopg.OperationalError, LockNotAvailable
        self._open, self._lock_wait_ms = partial(psycopg.connect, url, autocommit=True), round(1_000 * lock_wait_s)
        try:
            self._db = self._connect()
        except psycopg.OperationalError as error:
            raise ConfigError(f"the PostgreSQL store cannot be reached: {' '.join(str(error).split())}") from None
        encoding = self._db.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            self._db.close()
            raise ConfigError(
                f"the PostgreSQL database has the encoding {encoding}, which cannot hold every character;"
                " create a database with: createdb --encoding=UTF8 --template=template0 NAME"
            )

    def _connect(self) -> Any:
        """A new connection, in which no statement waits for a lock without end."""
        found = self._open()
        found.execute(f"SET lock_timeout = {self._lock_wait_ms}".encode())
        return found

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run one statement."""
        cursor = self._db.execute(_percent(sql), tuple(parameters))
        return cursor.fetchall() if cursor.description else []

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> int:
        """Run one statement for each row."""
        with self._db.cursor() as cursor:
            cursor.executemany(_percent(sql), rows)
            return int(cursor.rowcount)

    def begin(self, write: bool) -> None:
        """Begin a transaction."""
        if self._db.closed:  # the server was not reachable: connect again, so that a service can go on
            self._db = self._connect()
        self._db.execute("BEGIN" if write else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def commit(self) -> None:
        """Commit the transaction."""
        self._db.execute("COMMIT")

    def rollback(self) -> None:
        """Roll the transaction back."""
        if not self._db.closed:
            self._db.execute("ROLLBACK")

    def close(self) -> None:
        """Close the connection."""
        self._db.close()

    def stream(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a SELECT, through a cursor on the server."""
        with self._db.cursor(name="polyclinic_stream") as cursor:
            cursor.itersize = ROWS
            cursor.execute(_percent(sql))
            yield from cursor

    def tables(self) -> list[str]:
        """The names of all tables."""
        return sorted(row[0] for row in self.execute(PG_TABLES))

    def columns(self, table: str) -> list[str]:
        """The names of a table's columns."""
        found = self.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema()"
            " AND table_name = ? ORDER BY ordinal_position",
            (table,),
        )
        return [row[0] for row in found]

    def at_fault(self, error: BaseException) -> bool:
        """Whether the server is the problem (gone, full, shutting down), not the statement."""
        return isinstance(error, self._trouble) and not self.may_pass(error)

    def plainly(self, error: BaseException) -> str:
        """What is wrong, as the server says it, in one line."""
        return " ".join(str(error).split())

    def may_pass(self, error: BaseException | None) -> bool:
        """Whether the server asks for a retry: after a deadlock, or when two writers collided."""
        return isinstance(error, self._trouble) and str(error.sqlstate or "").startswith("40")

    def locked_out(self, error: BaseException, begun: bool) -> bool:
        """Whether a statement waited too long for a table or a row."""
        return isinstance(error, self._locked)
