"""Move whole stores between SQLite and PostgreSQL, and back them up while they are in use.

A copy is one transaction on each side: it shows the source at one moment, and the target gets everything or nothing. It
is verified before it is committed: both sides are read again and compared by their digests.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

from polyclinic.core.database import Transaction
from polyclinic.core.files import not_written
from polyclinic.errors import ConfigError, StoreError
from polyclinic.store.connections import ROWS, Connection, without_password
from polyclinic.store.leases import units_at_work
from polyclinic.store.opening import connector, readable, refuse_missing, sqlite_path
from polyclinic.store.schema import migrate

TableRow = tuple[Any, ...]
Prepare = Callable[[Transaction], None]
_LEFT_BEHIND = ("polyclinic", "leases")
"""Not copied: the version is the target's own, and leases belong to processes that work on the source."""


@dataclass(frozen=True)
class Copied:
    """What was copied: for each table, the number of its rows and their digest."""

    rows: dict[str, int]
    digests: dict[str, str]


def move_store(source: str, target: str, prepare: Prepare) -> Copied:
    """Copy a store to an empty target and verify the copy; the source stays as it is.

    `prepare` creates tables in addition to the store's.

    Refused while a process works on the source: what it does meanwhile would be missing.
    """
    if source == target:
        raise ConfigError("source and target are the same store")
    refuse_missing(source)
    with _transaction(source, write=False) as old, _transaction(target, write=True) as new:
        _refuse_busy(old)
        migrate(new)
        prepare(new)
        if new.execute("SELECT EXISTS (SELECT 1 FROM runs) OR EXISTS (SELECT 1 FROM libraries)")[0][0]:
            raise ConfigError(f"{target} is not empty: name a new file or an empty database")
        return _copy(old, new)


def back_up(source: str, path: Path, prepare: Prepare) -> Copied | None:
    """Copy a store into a new SQLite file, even while it is in use.

    From an SQLite file, SQLite itself copies page by page.
    """
    refuse_missing(source)
    if path.exists():
        raise ConfigError(f"{path} exists already: name a new file")
    own = sqlite_path(source)
    if own == ":memory:":
        raise ConfigError("a store in memory ends with its process and cannot be backed up")
    if not own:
        with _transaction(source, write=False) as old, _transaction(str(path), write=True) as new:
            migrate(new)
            prepare(new)
            return _copy(old, new)
    beside = path.with_name(f".{path.name}.unfinished")
    beside.unlink(missing_ok=True)
    try:
        _copy_file(Path(own).expanduser(), beside)
        beside.replace(path)
    except (OSError, sqlite3.Error) as error:
        raise not_written(path, error, error=StoreError) from None
    finally:
        beside.unlink(missing_ok=True)
    return None


def _copy_file(source: Path, target: Path) -> None:
    old, new = sqlite3.connect(source, timeout=120.0), sqlite3.connect(target)
    try:
        with readable(str(source)):
            old.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        old.backup(new)
        new.execute("DELETE FROM leases")
        new.commit()
        found = new.execute("PRAGMA integrity_check").fetchone()[0]
        if found != "ok":
            raise StoreError(f"the copy is damaged: {found}")
    finally:
        old.close()
        new.close()


@contextmanager
def _transaction(url: str, *, write: bool) -> Iterator[Connection]:
    """A connection with one transaction, which is committed at the end, or rolled back on an error."""
    with readable(url):
        connection = connector(url)[0]()
    try:
        connection.begin(write)
        yield connection
        connection.commit()
    except BaseException as error:
        connection.rollback()
        if connection.at_fault(error):
            raise StoreError(f"{without_password(url)}: {str(error).strip()}") from error
        raise
    finally:
        connection.close()


def _refuse_busy(connection: Connection) -> None:
    for (run,) in connection.execute("SELECT DISTINCT run FROM leases"):
        if units_at_work(connection, run):
            raise ConfigError(
                f"a process is working on {run}: let it end, or free the run: polyclinic runs release {run}"
            )


def _copy(old: Connection, new: Connection) -> Copied:
    known = set(new.tables())
    tables = [name for name in old.tables() if name not in _LEFT_BEHIND]
    unknown = [name for name in tables if name not in known]
    if unknown:
        raise ConfigError(f"the store has a table that this version does not know: {unknown[0]}")
    rows: dict[str, int] = {}
    digests: dict[str, str] = {}
    for table in tables:
        columns = [name for name in old.columns(table) if name in new.columns(table)]
        listed = ", ".join(columns)
        insert = f"INSERT INTO {table} ({listed}) VALUES ({', '.join('?' * len(columns))})"
        select = f"SELECT {listed} FROM {table}"
        for chunk in _chunks(map(_plain, old.stream(select))):
            new.executemany(insert, chunk)
        (rows[table], digests[table]), copied = _digest(old.stream(select)), _digest(new.stream(select))
        if copied != (rows[table], digests[table]):
            raise StoreError(
                f"the copy of {table} is not the same ({copied[0]} rows of {rows[table]}): nothing was kept"
            )
    return Copied(rows, digests)


def _plain(row: TableRow) -> TableRow:
    """The same values in types that both databases accept: PostgreSQL returns numbers as decimals."""
    return tuple(_number(value) if isinstance(value, (Decimal, float)) else value for value in row)


def _number(value: Decimal | float) -> int | float:
    return int(value) if value == value // 1 else float(value)


def _digest(rows: Iterable[TableRow]) -> tuple[int, str]:
    """The number of rows, and a digest of all of them that does not depend on their order."""
    count, total = 0, 0
    for row in rows:
        total += int.from_bytes(hashlib.sha256(repr(_plain(row)).encode("utf-8", "surrogatepass")).digest(), "big")
        count += 1
    return count, f"{total % 2**256:064x}"


def _chunks(rows: Iterator[TableRow]) -> Iterator[Sequence[TableRow]]:
    while chunk := list(islice(rows, ROWS)):
        yield chunk
