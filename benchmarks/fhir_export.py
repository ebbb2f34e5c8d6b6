"""How much time and memory a bulk export takes: a whole store over HTTP, from the request to the last file.

    python benchmarks/fhir_export.py [--resources 84791]

The server is a separate process. Memory is the most that it has held (VmHWM), before and after the export.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx

from polyclinic.core.records import Resource
from polyclinic.fhir import resources as build
from polyclinic.fhir.datatypes import Code, HumanName, reference
from polyclinic.fhir.store import FhirStore
from polyclinic.fhir.topics import built_in_topics
from polyclinic.store.opening import open_database

PER_SCHEDULE, SLOT_MINUTES = 1260, 3
TOPICS = len(list(built_in_topics()))
MONDAY = datetime(2025, 3, 24, 9, tzinfo=UTC)


def hospital(count: int) -> Iterator[Resource]:
    """This many resources: an organization, physicians with a week of slots each, and patients for the rest."""
    yield build.organization("hospital", "Harbour Hospital")
    doctors = (count - 101) // (PER_SCHEDULE + 2)
    specialty = Code(build.SPECIALTIES, "card", "cardiology")
    for number in range(count - 1 - doctors * (PER_SCHEDULE + 2)):
        yield build.patient(f"patient-{number}", HumanName("Lee", [f"P{number}"]))
    for doctor in range(doctors):
        yield build.practitioner(f"doctor-{doctor}", HumanName("Kim", [f"D{doctor}"]))
        actors = [reference("Practitioner", f"doctor-{doctor}")]
        week = timedelta(days=7)
        yield build.schedule(f"diary-{doctor}", actors=actors, start=MONDAY, end=MONDAY + week, specialty=specialty)
        for i in range(PER_SCHEDULE):
            start = MONDAY + timedelta(minutes=SLOT_MINUTES * i)
            end = start + timedelta(minutes=SLOT_MINUTES)
            yield build.slot(f"slot-{doctor}-{i}", schedule=f"diary-{doctor}", start=start, end=end)


def memory_mb(pid: int) -> float:
    """The most memory that a process has held."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def cpu_s(pid: int) -> float:
    """The CPU that a process has spent."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def fill(url: str, count: int) -> int:
    database = open_database(url)
    added = await (await FhirStore.open(database)).load(list(hospital(count)))
    await database.close()
    return added


def export(base: str) -> tuple[int, int]:
    """Request the export, wait and fetch every file; return the number of lines and bytes."""
    accepted = httpx.get(f"{base}/$export", headers={"Prefer": "respond-async"})
    where = accepted.headers["content-location"]
    while (answer := httpx.get(where)).status_code == 202:
        time.sleep(0.02)
    lines = size = 0
    for file in answer.json()["output"]:
        with httpx.stream("GET", file["url"]) as stream:
            for part in stream.iter_bytes():
                lines += part.count(b"\n")
                size += len(part)
    return lines, size


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--resources", type=int, default=84_791)
    count = parser.parse_args().resources
    with tempfile.TemporaryDirectory() as folder:
        url = f"{folder}/store.db"
        added = asyncio.run(fill(url, count - TOPICS))
        print(f"{added} resources in the store; the server adds its {TOPICS} topics", flush=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        command = [sys.executable, "-m", "polyclinic", "fhir", "serve", "--store", url, "--port", str(port)]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            base = f"http://127.0.0.1:{port}"
            for _ in range(400):
                try:
                    httpx.get(f"{base}/metadata")
                    break
                except httpx.ConnectError:
                    time.sleep(0.05)
            before, spent, began = memory_mb(server.pid), cpu_s(server.pid), time.perf_counter()
            lines, size = export(base)
            took, used = time.perf_counter() - began, cpu_s(server.pid) - spent
            print(
                f"export of {lines} resources ({size / 1e6:.1f} MB): {took:.2f} s, {used:.2f} s server CPU; "
                f"memory at most {memory_mb(server.pid):.0f} MB, {before:.0f} MB before"
            )
        finally:
            server.terminate()
            server.wait(10)


if __name__ == "__main__":
    main()
