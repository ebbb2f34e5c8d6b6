from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from polyclinic.core.database import RowWork, Transaction
from polyclinic.core.records import RecordMissing
from polyclinic.errors import ConfigError, EngineError, StoreError
from polyclinic.store.connections import SqliteConnection, _percent, without_password
from polyclinic.store.opening import open_database
from polyclinic.store.schema import MIGRATIONS, migrate
from polyclinic.store.store import Store, open_store


def put(value: int) -> Callable[[Transaction], int]:
    def work(tx: Transaction) -> int:
        tx.execute("INSERT INTO numbers (n) VALUES (?)", (value,))
        if value == 13:
            raise ValueError("unlucky")
        return value

    return work


async def count(store: Store) -> int:
    return int((await store.database.read(lambda tx: tx.execute("SELECT COUNT(*) FROM numbers")))[0][0])


async def test_a_failing_write_in_a_batch_affects_no_other_write(store: Store) -> None:
    await store.database.write(lambda tx: tx.execute("CREATE TABLE numbers (n BIGINT PRIMARY KEY)"))
    results = await asyncio.gather(
        *(store.database.write(put(n)) for n in range(40)),
        return_exceptions=True,
    )
    assert [i for i, result in enumerate(results) if isinstance(result, ValueError)] == [13]
    assert await count(store) == 39


async def test_of_rows_written_together_only_the_failing_one_fails_and_the_order_is_kept(store: Store) -> None:
    await store.database.write(lambda tx: tx.execute("CREATE TABLE numbers (n BIGINT PRIMARY KEY)"))
    insert = "INSERT INTO numbers (n) VALUES (?)"
    asked = [store.database.write(RowWork(insert, (n,))) for n in (*range(20), 7, *range(20, 25))]
    counted = store.database.read(lambda tx: tx.execute("SELECT COUNT(*) FROM numbers"))
    asked.append(store.database.write(RowWork(insert, (25,))))
    results = await asyncio.gather(*asked, return_exceptions=True)
    assert [i for i, result in enumerate(results) if result is not None] == [20]
    assert int((await counted)[0][0]) == 25
    assert await count(store) == 26


async def test_writes_that_another_process_locks_out_wait_for_the_lock_once_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[bool] = []
    begin = SqliteConnection.begin

    def counted(connection: SqliteConnection, write: bool) -> None:
        tried.append(write)
        begin(connection, write)

    monkeypatch.setattr(SqliteConnection, "begin", counted)
    database, go = open_database(str(tmp_path / "s.db"), lock_wait_s=0.05), threading.Event()
    await database.write(lambda tx: tx.execute("CREATE TABLE numbers (n BIGINT PRIMARY KEY)"))
    with closing(sqlite3.connect(tmp_path / "s.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        first = database.read(lambda tx: go.wait(10))  # what is asked meanwhile becomes one batch
        asked = [database.write(put(n)) for n in range(20)]
        seen = database.read(lambda tx: tx.execute("SELECT COUNT(*) FROM numbers"))
        tried.clear()
        go.set()
        results = await asyncio.gather(first, *asked, return_exceptions=True)
        assert all(isinstance(result, StoreError) and "locked" in str(result) for result in results[1:])
        assert (await seen)[0][0] == 0, "a read needs no lock"
    assert tried.count(True) == 1
    assert await database.write(put(1)) == 1
    await database.close()


async def test_a_store_that_does_not_answer_is_given_up_after_a_while(tmp_path: Path) -> None:
    database, go = open_database(str(tmp_path / "s.db"), longest_s=0.05), threading.Event()
    hangs = database.read(lambda tx: go.wait(60))
    behind = database.write(lambda tx: tx.execute("CREATE TABLE numbers (n BIGINT PRIMARY KEY)"))
    for asked in (hangs, behind):
        with pytest.raises(StoreError, match=r"did not answer within 0\.05 s"):
            await asked
    done = open_database(
        str(tmp_path / "s.db")
    )  # now: with its one table the file would be taken for another program's
    go.set()
    await database.close()
    assert (await done.read(lambda tx: tx.execute("SELECT COUNT(*) FROM numbers")))[0][0] == 0, "done all the same"
    await done.close()


async def test_nobody_waits_for_a_locked_table_without_end(store_url: str) -> None:
    if not store_url.startswith("postgres"):
        pytest.skip("SQLite locks the whole file: see above")
    database, other = open_database(store_url, lock_wait_s=0.1), open_database(store_url)
    await database.write(lambda tx: tx.execute("CREATE TABLE numbers (n BIGINT PRIMARY KEY)"))
    locked, go = threading.Event(), threading.Event()

    def lock(tx: Transaction) -> None:
        tx.execute("LOCK TABLE numbers IN ACCESS EXCLUSIVE MODE")
        locked.set()
        go.wait(60)

    holding = other.write(lock)
    await asyncio.to_thread(locked.wait, 60)
    results = await asyncio.gather(*(database.write(put(n)) for n in range(5)), return_exceptions=True)
    assert all(isinstance(result, StoreError) and "lock timeout" in str(result) for result in results)
    go.set()
    await holding
    assert await database.write(put(1)) == 1
    await database.close()
    await other.close()


async def test_reads_see_all_writes_that_were_requested_before_them(store: Store) -> None:
    await store.database.write(lambda tx: tx.execute("CREATE TABLE numbers (n BIGINT PRIMARY KEY)"))
    asked: list[Awaitable[Any]] = []
    for n in range(1, 11):
        asked.append(store.database.write(put(n)))
        asked.append(store.database.read(lambda tx: tx.execute("SELECT COUNT(*), MAX(n) FROM numbers")))
    seen = [await answer for answer in asked]
    assert [tuple(map(int, rows[0])) for rows in seen[1::2]] == [(n, n) for n in range(1, 11)]


async def test_a_read_that_finds_nothing_affects_no_other_read(store: Store) -> None:
    await store.database.write(lambda tx: tx.execute("CREATE TABLE numbers (n BIGINT PRIMARY KEY)"))
    runs: list[int] = []

    def once(tx: Transaction) -> None:
        runs.append(1)
        tx.execute("INSERT INTO numbers (n) VALUES (1)")

    def missing(tx: Transaction) -> None:
        raise RecordMissing("there is no such thing")

    written, lost, broken, counted = (
        store.database.write(once),
        store.database.read(missing),
        store.database.write(put(13)),
        store.database.read(lambda tx: tx.execute("SELECT COUNT(*) FROM numbers")),
    )
    await written
    with pytest.raises(RecordMissing):
        await lost
    with pytest.raises(ValueError, match="unlucky"):
        await broken
    assert int((await counted)[0][0]) == 1
    runs.clear()
    again, lost = store.database.write(lambda tx: runs.append(1)), store.database.read(missing)
    await again
    with pytest.raises(RecordMissing):
        await lost
    assert runs == [1]


async def test_a_finished_write_is_visible_to_another_connection(store: Store) -> None:
    await store.database.write(lambda tx: tx.execute("CREATE TABLE numbers (n BIGINT PRIMARY KEY)"))
    await store.database.write(put(1))
    async with open_store(store.url) as other:
        assert await count(other) == 1


async def test_many_writers_on_two_connections_lose_nothing(store: Store) -> None:
    await store.database.write(lambda tx: tx.execute("CREATE TABLE numbers (n BIGINT PRIMARY KEY)"))
    async with open_store(store.url) as other:
        homes = (store, other)
        await asyncio.gather(*(homes[n % 2].database.write(put(100 + n)) for n in range(200)))
    assert await count(store) == 200


async def test_a_closed_database_says_so(store_url: str) -> None:
    database = open_database(store_url)
    await database.close()
    await database.close()
    with pytest.raises(EngineError, match="closed"):
        await database.read(lambda tx: tx.execute("SELECT 1"))


async def test_migrating_twice_changes_nothing_and_a_newer_store_is_refused(store: Store) -> None:
    assert await store.database.write(migrate) == MIGRATIONS[-1][0]
    await store.database.write(lambda tx: tx.execute("UPDATE polyclinic SET version = 999"))
    with pytest.raises(ConfigError, match="newer Polyclinic"):
        async with open_store(store.url):
            pass


def test_placeholders_are_translated_only_outside_quotes() -> None:
    assert _percent("SELECT '?' , ? WHERE a LIKE 'x%'") == b"SELECT '?' , %s WHERE a LIKE 'x%%'"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://x", "is of an unknown kind"),
        ("/proc/nowhere/store.db", "mkdir -p /proc/nowhere"),
        ("/proc/.polyclinic/store.db", "folder cannot be made"),
    ],
)
def test_a_store_that_cannot_be_opened_gives_the_reason(url: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        open_database(url)


def test_an_unreachable_postgres_server_gives_the_reason() -> None:
    with pytest.raises(ConfigError, match="cannot be reached"):
        open_database("postgresql://127.0.0.1:1/none?connect_timeout=2")


async def test_a_server_reads_in_parallel_to_writes_over_a_fixed_number_of_connections(store_url: str) -> None:
    database = open_database(store_url, readers=3)
    await database.write(lambda tx: tx.execute("CREATE TABLE polyclinic (version BIGINT)"))
    entered, leave = threading.Event(), threading.Event()

    def long(tx: Transaction) -> None:
        tx.execute("INSERT INTO polyclinic VALUES (1)")
        entered.set()
        leave.wait(20)

    writing = asyncio.ensure_future(database.write(long))
    await asyncio.to_thread(entered.wait, 20)
    counts = await asyncio.gather(
        *(database.read(lambda tx: tx.execute("SELECT COUNT(*) FROM polyclinic")) for _ in range(200))
    )
    assert not writing.done()
    assert {rows[0][0] for rows in counts} == {0}
    if database.dialect == "postgres":
        mine = (
            "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type LIKE 'client%'"
        )
        assert (await database.read(lambda tx: tx.execute(mine)))[0][0] == 4
    leave.set()
    await writing
    assert (await database.read(lambda tx: tx.execute("SELECT COUNT(*) FROM polyclinic")))[0][0] == 1
    await database.close()


async def test_a_server_that_cannot_be_reached_again_is_one_line(postgres_url: str) -> None:
    """Its client says so in two lines, with a question."""
    psycopg = pytest.importorskip("psycopg")

    def gone(tx: Transaction) -> None:
        raise psycopg.OperationalError("connection refused\n\tIs the server running on that host?")

    database = open_database(postgres_url)
    with pytest.raises(StoreError) as lost:
        await database.write(gone)
    await database.close()
    assert "connection refused Is the server running on that host?; fix that" in str(lost.value)


async def test_a_lost_connection_causes_one_failure_and_is_then_opened_again(postgres_url: str) -> None:
    database = open_database(postgres_url)
    with pytest.raises(StoreError, match="the store cannot be used"):
        await database.write(lambda tx: tx.execute("SELECT pg_terminate_backend(pg_backend_pid())"))
    assert await database.read(lambda tx: tx.execute("SELECT 1")) == [(1,)]
    await database.close()


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:p@ss:1@db:5432/x?sslmode=require", "postgresql://me:***@db:5432/x?sslmode=require"),
        (
            "postgresql://db/x?user=me&password=secret&sslmode=require",
            "postgresql://db/x?user=me&password=***&sslmode=require",
        ),
        ("postgresql://me@db:5432/x", "postgresql://me@db:5432/x"),
        ("runs/a:b@c.db", "runs/a:b@c.db"),
    ],
)
def test_an_address_is_shown_without_its_password(url: str, shown: str) -> None:
    assert without_password(url) == shown


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_server_whose_encoding_cannot_hold_every_text_is_refused_in_one_line(
    encoding: str, postgres_url: str
) -> None:
    psycopg = pytest.importorskip("psycopg")
    server, name = postgres_url.rpartition("/")[0], f"narrow_{encoding.lower()}_{os.getpid()}"
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0")
        try:
            with pytest.raises(ConfigError, match=f"has the encoding {encoding}.*--encoding=UTF8"):
                open_database(f"{server}/{name}")
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.parametrize("lost", ["moved", "deleted", "replaced"])
async def test_a_file_that_is_not_in_its_place_any_more_is_said_to_be_so(tmp_path: Path, lost: str) -> None:
    """SQLite calls it read-only, or a disk error: neither says what to do."""
    path = tmp_path / "store.db"
    async with open_store(str(path)) as store:
        await store.database.write(lambda tx: tx.execute("CREATE TABLE numbers (n BIGINT PRIMARY KEY)"))
        kept = path.read_bytes()
        path.rename(tmp_path / "elsewhere.db") if lost == "moved" else path.unlink()
        if lost == "replaced":
            path.write_bytes(kept)
        with pytest.raises(
            StoreError, match=r"store\.db' was moved, replaced or deleted while it was in use; fix that"
        ):
            await store.database.write(put(1))
    assert not path.exists() or path.read_bytes() == kept
