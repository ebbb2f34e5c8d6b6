"""How fast the FHIR records are: load, slot search, booking; in process and over HTTP; SQLite and PostgreSQL.

    python benchmarks/fhir.py                                       # 34,020 slots on SQLite
    python benchmarks/fhir.py --slots 34020 --slots 3402000 --postgres postgresql://... --out benchmarks/results/fhir.md

CPU is that of this process (or the server process), without PostgreSQL's own. "Inside" is the work within an open
transaction, without the switch to the database's thread and without the commit; "whole" includes both.
"""

from __future__ import annotations

import asyncio
import os
import platform
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import click

from polyclinic.core.database import Database, Transaction
from polyclinic.core.records import RecordChange, Resource
from polyclinic.fhir import resources as build
from polyclinic.fhir import scheduling, storage
from polyclinic.fhir.datatypes import HumanName, reference
from polyclinic.fhir.query import pairs, parse_search
from polyclinic.fhir.store import FhirStore, apply_changes, find
from polyclinic.store.opening import open_database

TERTIARY = 34_020
DAYS, SLOT_MINUTES, PER_DAY = 7, 3, 180
PER_SCHEDULE = DAYS * PER_DAY
MONDAY = datetime(2025, 3, 24, 9, tzinfo=UTC)
SEARCHES, BOOKINGS, DURABLE, REQUESTS, CONNECTIONS = 3000, 500, 200, 1500, 8
TABLES = ("fhir_resource", "fhir_history", "fhir_index", "fhir_hold")


@dataclass
class Measured:
    """One line of the table."""

    where: str
    slots: int
    numbers: dict[str, str] = field(default_factory=dict)


def hospital(slots: int) -> Iterator[Resource]:
    """As many physicians as are needed for this number of slots, each with a week of three-minute slots."""
    yield build.organization("hospital", "Harbour Hospital")
    for number in range(100):
        yield build.patient(f"patient-{number}", HumanName("Lee", [f"P{number}"]))
    for doctor in range(slots // PER_SCHEDULE):
        yield build.practitioner(f"doctor-{doctor}", HumanName("Kim", [f"D{doctor}"]))
        actors = [reference("Practitioner", f"doctor-{doctor}")]
        yield build.schedule(f"diary-{doctor}", actors=actors, start=MONDAY, end=MONDAY + timedelta(days=DAYS))
        for i in range(PER_SCHEDULE):
            day, unit = divmod(i, PER_DAY)
            start = MONDAY + timedelta(days=day, minutes=SLOT_MINUTES * unit)
            end = start + timedelta(minutes=SLOT_MINUTES)
            yield build.slot(f"slot-{doctor}-{i}", schedule=f"diary-{doctor}", start=start, end=end)


def multiply(transaction: Transaction, copies: int) -> None:
    """More hospitals like the first: its slots copied inside the database, under other ids and schedules."""
    for copy in range(1, copies):
        body = f"""replace(replace(body, '"id":"slot-', '"id":"c{copy}-slot-'), 'Schedule/', 'Schedule/c{copy}-')"""
        transaction.execute(
            "INSERT INTO fhir_resource (type, id, version, updated, body, schedule, status, start_at, kind)"
            f" SELECT type, 'c{copy}-' || id, version, updated, {body}, 'c{copy}-' || schedule, status, start_at, kind"
            " FROM fhir_resource WHERE type = 'Slot' AND id >= 'slot-' AND id < 'slot.'"
        )


def diary_name(number: int) -> str:
    copy, diary = divmod(number, TERTIARY // PER_SCHEDULE)
    return f"c{copy}-diary-{diary}" if copy else f"diary-{diary}"


def slot_query(diary: int) -> dict[str, str]:
    return {"schedule": f"Schedule/{diary_name(diary)}", "status": "free", "start": "ge2025-03-26T09:00:00Z"}


def search_inside(transaction: Transaction, diaries: int, limit: int) -> float:
    """CPU milliseconds of one search for the first `limit` free slots of a physician, parsed to resources."""
    started = time.thread_time()
    for i in range(SEARCHES):
        diary = i * 7919 % diaries
        found = find(transaction, parse_search("Slot", pairs(slot_query(diary))), limit)
        assert len(found.matches) == limit
    return (time.thread_time() - started) / SEARCHES * 1000


def next_booking(transaction: Transaction, number: int, diaries: int, tag: str) -> list[RecordChange]:
    diary = number * 7919 % diaries
    free = find(transaction, parse_search("Slot", pairs(slot_query(diary))), 3).matches
    visit = build.appointment(
        f"{tag}-{number}",
        patient=reference("Patient", f"patient-{number % 100}"),
        practitioner=reference("Practitioner", f"doctor-{diary % (TERTIARY // PER_SCHEDULE)}"),
    )
    return scheduling.book(visit, free)


def book_inside(transaction: Transaction, diaries: int) -> float:
    """CPU milliseconds of one booking of three slots inside a transaction, without its search."""
    spent = 0.0
    for number in range(BOOKINGS):
        changes = next_booking(transaction, number, diaries, "inside")
        started = time.thread_time()
        apply_changes(transaction, changes, 1)
        spent += time.thread_time() - started
    return spent / BOOKINGS * 1000


async def in_process(url: str, slots: int, name: str) -> Measured:
    database = open_database(url)
    if url.startswith("postgres"):
        for table in TABLES:
            await database.write(_dropping(table))
    store = await FhirStore.open(database)
    row = Measured(f"{name}, in process", slots)
    diaries = slots // PER_SCHEDULE
    resources = list(hospital(TERTIARY))
    wall, cpu = time.perf_counter(), time.process_time()
    count = await database.write(lambda transaction: storage.load(transaction, resources, store.now()))
    row.numbers["load of one hospital"] = (
        f"{time.process_time() - cpu:.2f} s CPU, {time.perf_counter() - wall:.1f} s ({count:,} resources)"
    )
    await database.write(lambda transaction: multiply(transaction, slots // TERTIARY))
    stored = await database.read(lambda t: t.execute("SELECT count(*) FROM fhir_resource WHERE type = 'Slot'"))
    assert stored[0][0] == slots
    if url.startswith("postgres"):
        await database.write(lambda transaction: transaction.execute("ANALYZE"))
    await database.read(lambda transaction: search_inside(transaction, diaries, 1))
    for limit in (1, 10, 50):
        cpu_ms = await database.read(lambda transaction, n=limit: search_inside(transaction, diaries, n))  # type: ignore[misc]
        row.numbers[f"search, first {limit}"] = f"{cpu_ms:.3f} ms CPU"
    row.numbers["booking k=3 inside"] = f"{await database.write(lambda t: book_inside(t, diaries)):.2f} ms CPU"
    row.numbers["booking whole, durable"] = await durable(database, store, diaries)
    await database.close()
    return row


def _dropping(table: str) -> Callable[[Transaction], object]:
    return lambda transaction: transaction.execute(f"DROP TABLE IF EXISTS {table} CASCADE")


async def durable(database: Database, store: FhirStore, diaries: int) -> str:
    """Bookings one after another, each with its own durable commit."""
    wall = cpu = 0.0
    for number in range(DURABLE):
        changes = await database.read(lambda t, n=number: next_booking(t, n, diaries, "durable"))  # type: ignore[misc]
        started, used = time.perf_counter(), time.process_time()
        await store.transact(changes)
        wall, cpu = wall + time.perf_counter() - started, cpu + time.process_time() - used
    return f"{cpu / DURABLE * 1000:.2f} ms CPU, {wall / DURABLE * 1000:.1f} ms, {DURABLE / wall:.0f}/s"


def process_cpu(pid: int) -> float:
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def over_http(url: str, slots: int, name: str) -> Measured:
    """A server process on the loaded database, eight connections."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code = "from polyclinic.cli.fhir import command; command()"
    arguments = [sys.executable, "-c", code, "serve", "--store", url, "--port", str(port)]
    server = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    row = Measured(f"{name}, HTTP", slots)
    base, diaries = f"http://127.0.0.1:{port}", slots // PER_SCHEDULE
    try:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=CONNECTIONS)) as http:
            await _ready(http, base)

            async def search(number: int) -> int:
                query = {**slot_query(number * 7919 % diaries), "_count": "10"}
                async with http.get(f"{base}/Slot", params=query) as answer:
                    return len((await answer.json(content_type=None))["entry"])

            async def book(number: int) -> int:
                unit = 5 * (number // diaries)
                copy, doctor = divmod(number % diaries, TERTIARY // PER_SCHEDULE)
                slot = f"{f'c{copy}-' if copy else ''}slot-{doctor}-{PER_SCHEDULE - 3 - unit}"
                body = {
                    "resourceType": "Appointment",
                    "status": "proposed",
                    "slot": [{"reference": f"Slot/{slot}"}],
                    "participant": [{"actor": {"reference": "Patient/patient-1"}, "status": "accepted"}],
                }
                async with http.post(f"{base}/Appointment/$book", json=body) as answer:
                    assert answer.status == 201, await answer.text()
                    return answer.status

            for label, work, number in (("search, first 10", search, REQUESTS), ("$book k=1", book, REQUESTS // 5)):
                await work(10_000_000 if work is search else REQUESTS)
                row.numbers[label] = await _rate(work, number, server.pid)
    finally:
        server.terminate()
        server.wait(30)
    return row


async def _ready(http: aiohttp.ClientSession, base: str) -> None:
    for _ in range(600):
        try:
            async with http.get(f"{base}/metadata") as answer:
                if answer.status == 200:
                    return
        except aiohttp.ClientError:
            await asyncio.sleep(0.1)
    raise RuntimeError("the server did not start")


async def _rate(work: Callable[[int], object], number: int, pid: int) -> str:
    waiting = iter(range(number))

    async def connection() -> None:
        for i in waiting:
            await work(i)  # type: ignore[misc]

    used, started = process_cpu(pid), time.perf_counter()
    await asyncio.gather(*(connection() for _ in range(CONNECTIONS)))
    wall, cpu = time.perf_counter() - started, process_cpu(pid) - used
    return f"{number / wall:.0f}/s, {cpu / number * 1000:.2f} ms server CPU"


def table(rows: list[Measured]) -> str:
    lines = [
        f"Measured {datetime.now(UTC):%Y-%m-%d} on {os.cpu_count()} shared cores, Python {platform.python_version()},"
        f" SQLite {sqlite3.sqlite_version}; load average {os.getloadavg()[0]:.1f} at the end.",
        "",
    ]
    for row in rows:
        lines += [f"### {row.where}, {row.slots:,} slots", "", "| what | measured |", "| --- | --- |"]
        lines += [f"| {what} | {number} |" for what, number in row.numbers.items()] + [""]
    return "\n".join(lines)


@click.command()
@click.option(
    "--slots",
    "sizes",
    type=int,
    multiple=True,
    default=[TERTIARY],
    help="Slots, a multiple of 34,020; may be repeated.",
)
@click.option("--postgres", help="URL of an empty PostgreSQL database; its fhir_ tables are dropped.")
@click.option("--only-postgres", is_flag=True, help="Leave SQLite out.")
@click.option("--out", type=click.Path(path_type=Path), help="Append the table to this file.")
def main(sizes: tuple[int, ...], postgres: str | None, only_postgres: bool, out: Path | None) -> None:
    """Measure and print a table."""
    rows: list[Measured] = []
    with tempfile.TemporaryDirectory() as folder:
        for slots in sizes:
            homes = [] if only_postgres else [(f"sqlite:///{folder}/{slots}.db", "SQLite file")]
            homes += [(postgres, "PostgreSQL")] if postgres else []
            for url, name in homes:
                rows.append(asyncio.run(in_process(url, slots, name)))
                print(table(rows[-1:]), flush=True)
                rows.append(asyncio.run(over_http(url, slots, name)))
                print(table(rows[-1:]), flush=True)
    if out:
        with out.open("a", encoding="utf-8") as file:
            file.write(table(rows))


if __name__ == "__main__":
    main()
