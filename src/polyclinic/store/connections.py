"""The two kinds of connection: SQLite's and PostgreSQL's, with the same few operations. Each belongs to one thread.

SQLite runs on its rollback journal, kept between transactions (a tenth less CPU per commit than cutting it to nothing),
with ``synchronous=FULL`` unless the linked library is new enough for WAL to be safe with several connections (3.51.3:
before that, two writers could corrupt a WAL database, rarely). PostgreSQL goes through psycopg 3.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, Protocol, cast

from polyclinic.core.database import Dialect, Transaction
from polyclinic.core.extras import install_hint
from polyclinic.errors import ConfigError

SAFE_WAL = (3, 51, 3)
ROWS = 2000
PG_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
CACHE_KB = 8 * 1024  # pages in memory for each connection
JOURNAL_BYTES = 4 * 1024 * 1024  # what is left of the rollback journal between transactions, empty in all but its size

_PASSWORD = re.compile(r"(?<=://)([^:/@]*):[^/]*@|(?<=[?&])(password)=[^&]*")


def without_password(url: str) -> str:
    """A store's address as people and logs see it: a password in it is not shown."""
    return _PASSWORD.sub(lambda found: f"{found[2]}=***" if found[2] else f"{found[1]}:***@", url)


def refuse_foreign(what: str, tables: Sequence[str]) -> None:
    """Refuse a database that holds tables, but neither those of a store nor those of FHIR records."""
    if tables and not {"polyclinic", "fhir_resource"} & set(tables):
        raise ConfigError(
            f"{what} is a database of another program (it has the table {tables[0]}); nothing in it was changed:"
            " name another with --store"
        )


class Connection(Transaction, Protocol):
    """A connection that belongs to its thread."""

    def begin(self, write: bool) -> None:
        """Begin a transaction, to write or to read."""
        ...

    def commit(self) -> None:
        """Commit it."""
        ...

    def rollback(self) -> None:
        """Undo it; nothing happens if there is none."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...

    def stream(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a SELECT, some thousand at a time: a table may be larger than memory."""
        ...

    def tables(self) -> list[str]:
        """The names of all tables."""
        ...

    def columns(self, table: str) -> list[str]:
        """The names of a table's columns."""
        ...

    def at_fault(self, error: BaseException) -> bool:
        """Whether the database itself is the problem, not what was asked of it."""
        ...

    def may_pass(self, error: BaseException | None) -> bool:
        """Whether trying the same again may help."""
        ...


class SqliteConnection:
    """A connection to an SQLite file."""

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
        self._db.execute(f"PRAGMA cache_size=-{CACHE_KB}")
        self._db.execute("PRAGMA temp_store=MEMORY")

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """One statement."""
        return self._db.execute(sql, tuple(parameters)).fetchall()

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> int:
        """One statement for each row."""
        return self._db.executemany(sql, rows).rowcount

    def begin(self, write: bool) -> None:
        """Begin a transaction."""
        self._db.execute("BEGIN IMMEDIATE" if write else "BEGIN")

    def commit(self) -> None:
        """Commit it."""
        self._db.execute("COMMIT")

    def rollback(self) -> None:
        """Undo it."""
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def close(self) -> None:
        """Close it."""
        self._db.close()

    def stream(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a SELECT."""
        yield from self._db.execute(sql)

    def tables(self) -> list[str]:
        """The names of all tables, but SQLite's own."""
        found = self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        return sorted(row[0] for row in found)

    def columns(self, table: str) -> list[str]:
        """The names of a table's columns."""
        return [row[0] for row in self._db.execute("SELECT name FROM pragma_table_info(?)", (table,))]

    def at_fault(self, error: BaseException) -> bool:
        """Whether the file itself is the problem (damaged, full, locked, read-only), not what was asked of it."""
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


class PostgresConnection:
    """A connection to a PostgreSQL server; made again when it was lost."""

    dialect: Dialect = "postgres"

    def __init__(self, url: str) -> None:
        try:
            import psycopg
        except ImportError:
            raise ConfigError(f"PostgreSQL needs the extra: {install_hint('postgres')}") from None
        self._trouble, self._connect = psycopg.OperationalError, partial(psycopg.connect, url, autocommit=True)
        try:
            self._db = self._connect()
        except psycopg.OperationalError as error:
            raise ConfigError(f"the PostgreSQL store cannot be reached: {str(error).strip()}") from None
        encoding = self._db.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            self._db.close()
            raise ConfigError(
                f"the PostgreSQL database has the encoding {encoding}, which cannot hold every character;"
                " create a database with: createdb --encoding=UTF8 --template=template0 NAME"
            )

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """One statement."""
        cursor = self._db.execute(cast(Any, _percent(sql)), tuple(parameters))
        return cursor.fetchall() if cursor.description else []

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> int:
        """One statement for each row."""
        with self._db.cursor() as cursor:
            cursor.executemany(cast(Any, _percent(sql)), rows)
            return cursor.rowcount

    def begin(self, write: bool) -> None:
        """Begin a transaction."""
        if self._db.closed:  # the server was away: a service goes on when it is back
            self._db = self._connect()
        self._db.execute("BEGIN" if write else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def commit(self) -> None:
        """Commit it."""
        self._db.execute("COMMIT")

    def rollback(self) -> None:
        """Undo it."""
        if not self._db.closed:
            self._db.execute("ROLLBACK")

    def close(self) -> None:
        """Close it."""
        self._db.close()

    def stream(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a SELECT, through a cursor on the server."""
        with self._db.cursor(name="polyclinic_stream") as cursor:
            cursor.itersize = ROWS
            cursor.execute(cast(Any, _percent(sql)))
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
        """Whether the server is the problem (gone, full, shutting down), not what was asked of it."""
        return isinstance(error, self._trouble) and not self.may_pass(error)

    def may_pass(self, error: BaseException | None) -> bool:
        """Whether the server only asks to try again: a deadlock was broken up, or two writers met."""
        return isinstance(error, self._trouble) and str(error.sqlstate or "").startswith("40")
