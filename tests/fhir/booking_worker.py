"""One process of the race for slots: `python booking_worker.py DATABASE_URL WORKER ATTEMPTS`; prints what it booked."""

from __future__ import annotations

import asyncio
import json
import sys

from polyclinic.core.records import PreconditionFailed, RecordConflict
from polyclinic.core.seed import stream
from polyclinic.fhir import resources as build
from polyclinic.fhir import scheduling
from polyclinic.fhir.datatypes import reference
from polyclinic.fhir.store import FhirStore
from polyclinic.store.opening import open_database


async def main(url: str, worker: str, attempts: int) -> None:
    database = open_database(url)
    store = FhirStore(database)
    random = stream("race", worker)
    booked, lost, full = {}, 0, 0
    for attempt in range(attempts):
        schedule = f"race-{random.randrange(4)}"
        free = (await store.search("Slot", {"schedule": schedule, "status": "free"}, limit=8)).matches
        size = random.randint(1, 3)
        first = random.randrange(max(1, len(free) - size))
        visit = build.appointment(f"{worker}-{attempt}", patient=reference("Patient", f"p{worker}"))
        try:
            await store.transact(scheduling.book(visit, free[first : first + size]))
            booked[visit["id"]] = [slot["id"] for slot in free[first : first + size]]
        except PreconditionFailed:
            lost += 1
        except RecordConflict:
            full += 1
    sys.stdout.write(json.dumps({"booked": booked, "lost": lost, "full": full}))
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
