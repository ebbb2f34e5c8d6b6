"""A thousand bookings race for two hundred slots: no double booking, losers get an error, booked slots are busy."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from polyclinic.core.records import PreconditionFailed, RecordConflict, Resource
from polyclinic.core.seed import stream
from polyclinic.fhir import resources as build
from polyclinic.fhir import scheduling
from polyclinic.fhir.bundles import transaction_bundle
from polyclinic.fhir.datatypes import reference
from polyclinic.fhir.store import FhirStore
from polyclinic.store.opening import open_database
from tests.fhir.conftest import drop_tables

SLOTS, BOOKINGS, SCHEDULES = 200, 1000, 4


def diaries() -> list[Resource]:
    start = datetime(2025, 3, 24, 9, tzinfo=UTC)
    resources = []
    for diary in range(SCHEDULES):
        actors = [reference("Practitioner", "d")]
        resources.append(build.schedule(f"race-{diary}", actors=actors, start=start, end=start))
        for i in range(SLOTS // SCHEDULES):
            at = start + timedelta(minutes=15 * i)
            resources.append(
                build.slot(f"r{diary}-{i:02d}", schedule=f"race-{diary}", start=at, end=at + timedelta(minutes=15))
            )
    return resources


def wishes(slots: Sequence[Resource], bookings: int = BOOKINGS) -> list[tuple[Resource, list[Resource]]]:
    """Bookings of one to four neighbouring slots each, all based on the same first search."""
    by_schedule: dict[str, list[Resource]] = {}
    for slot in sorted(slots, key=lambda s: str(s["id"])):
        by_schedule.setdefault(slot["schedule"]["reference"], []).append(slot)
    random = stream("concurrency")
    made = []
    for number in range(bookings):
        row = by_schedule[f"Schedule/race-{random.randrange(SCHEDULES)}"]
        size = random.randint(1, 4)
        first = random.randrange(len(row) - size)
        visit = build.appointment(f"visit-{number:04d}", patient=reference("Patient", "p"))
        made.append((visit, row[first : first + size]))
    return made


async def check_the_diary(store: FhirStore, booked: Mapping[str, Sequence[str]]) -> None:
    slots = (await store.search("Slot", {})).matches
    visits = (await store.search("Appointment", {"status": "booked"})).matches
    held = Counter(s["reference"].removeprefix("Slot/") for v in visits for s in v["slot"])
    assert max(held.values()) == 1
    assert sorted(s["id"] for s in slots if s["status"] == "busy") == sorted(held)
    assert {v["id"]: len(v["slot"]) for v in visits} == {id_: len(taken) for id_, taken in booked.items()}
    assert sum(len(taken) for taken in booked.values()) == sum(s["status"] == "busy" for s in slots)
    assert len(booked) > 50


async def test_no_slot_is_booked_twice_in_process(store: FhirStore) -> None:
    await store.load(diaries())
    booked, lost = {}, 0

    async def attempt(visit: Resource, slots: list[Resource]) -> None:
        nonlocal lost
        try:
            await store.transact(scheduling.book(visit, slots))
            booked[visit["id"]] = [slot["id"] for slot in slots]
        except (PreconditionFailed, RecordConflict):
            lost += 1

    await asyncio.gather(*(attempt(*wish) for wish in wishes((await store.search("Slot", {})).matches)))
    assert len(booked) + lost == BOOKINGS
    await check_the_diary(store, booked)


@pytest.mark.parametrize("bookings", [250, pytest.param(BOOKINGS, marks=pytest.mark.slow)])
async def test_no_slot_is_booked_twice_over_http(serve: Callable[..., Any], bookings: int) -> None:
    server = serve([*diaries(), {"resourceType": "Patient", "id": "p"}])
    booked, answers = {}, Counter[int]()
    at_once = asyncio.Semaphore(50)  # because httpx's own queue is slow with a thousand waiting requests
    limits = httpx.Limits(max_connections=50)
    async with httpx.AsyncClient(base_url=server.base, timeout=60, limits=limits) as client:

        async def attempt(number: int, visit: Resource, slots: list[Resource]) -> None:
            named = {**visit, "slot": [{"reference": f"Slot/{slot['id']}"} for slot in slots]}
            async with at_once:
                if number % 2:
                    answer = await client.post("/", json=transaction_bundle(scheduling.book(visit, slots)))
                else:
                    answer = await client.post("/Appointment/$book", json=named)
            answers[answer.status_code] += 1
            if answer.is_success:
                body = answer.json()
                id_ = body["entry"][-1]["resource"]["id"] if number % 2 else body["id"]
                booked[id_] = [slot["id"] for slot in slots]

        first = (await server.store.search("Slot", {})).matches
        await asyncio.gather(*(attempt(number, *wish) for number, wish in enumerate(wishes(first, bookings))))
    assert set(answers) <= {200, 201, 409, 412}
    assert sum(answers.values()) == bookings
    await check_the_diary(server.store, booked)


async def race(url: str, processes: int, attempts: int) -> int:
    """Check that no slot was booked twice; return the number of bookings."""
    database = open_database(url)
    store = await FhirStore.open(database)
    await store.load(diaries())
    worker = Path(__file__).with_name("booking_worker.py")
    commands = [(sys.executable, str(worker), url, str(i), str(attempts)) for i in range(processes)]
    running = [await asyncio.create_subprocess_exec(*c, stdout=asyncio.subprocess.PIPE) for c in commands]
    booked: dict[str, list[str]] = {}
    refused = 0
    for process in running:
        output, _ = await process.communicate()
        assert process.returncode == 0
        result = json.loads(output)
        booked.update(result["booked"])
        refused += result["lost"] + result["full"]
    assert len(booked) + refused == processes * attempts
    await check_the_diary(store, booked)
    await database.close()
    return len(booked)


PROCESSES = [(2, 60), pytest.param(8, BOOKINGS // 8, marks=pytest.mark.slow)]


@pytest.mark.parametrize(("processes", "attempts"), PROCESSES)
async def test_no_slot_is_booked_twice_by_several_processes(tmp_path: Path, processes: int, attempts: int) -> None:
    assert await race(f"sqlite:///{tmp_path}/race.db", processes, attempts) > 0


@pytest.mark.parametrize(("processes", "attempts"), PROCESSES)
async def test_no_slot_is_booked_twice_by_several_processes_on_postgres(
    postgres_url: str, processes: int, attempts: int
) -> None:
    database = open_database(postgres_url)
    await database.write(drop_tables)
    await database.close()
    assert await race(postgres_url, processes, attempts) > 0
