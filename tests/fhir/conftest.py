"""Fixtures: a small hospital, a store on each database, the server in process and on a socket, HL7's packages."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import tarfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import httpx
import pytest
import uvicorn

from polyclinic.core.database import Database, Transaction
from polyclinic.core.records import Resource
from polyclinic.fhir import resources as build
from polyclinic.fhir.datatypes import HumanName, Identifier, reference
from polyclinic.fhir.server import fhir_app
from polyclinic.fhir.store import FhirStore
from polyclinic.serving.connections import BoundedRequests, server_config
from polyclinic.store.opening import open_database

if TYPE_CHECKING:
    from polyclinic.fhir.server.smart import Smart

T = TypeVar("T")
KST = timezone(timedelta(hours=9))
OPENING = datetime(2025, 3, 24, 9, tzinfo=KST)
CACHE = Path(__file__).parents[2] / ".cache" / "fhir"
POSTGRES = os.environ.get("POLYCLINIC_TEST_POSTGRES")
TABLES = ("fhir_resource", "fhir_history", "fhir_index", "fhir_hold", "fhir_subscriber", "fhir_event")


def slot_row(schedule: str, count: int, minutes: int = 15) -> list[Resource]:
    return [
        build.slot(
            f"{schedule}-{i:03d}",
            schedule=schedule,
            start=OPENING + timedelta(minutes=minutes * i),
            end=OPENING + timedelta(minutes=minutes * (i + 1)),
        )
        for i in range(count)
    ]


def small_hospital(slots_per_schedule: int = 12) -> list[Resource]:
    """Two physicians in one department, three patients."""
    resources = [
        build.organization("hospital", "Harbour Hospital"),
        build.organization("cardiology", "Cardiology", part_of="hospital"),
        build.location("room-1", "Room 1", organization="hospital"),
    ]
    people: tuple[tuple[str, str, build.Gender], ...] = (("kim", "Kim", "female"), ("park", "Park", "male"))
    for id_, family, gender in people:
        resources += [
            build.practitioner(id_, HumanName(family, ["Min"], ["Dr."]), gender=gender),
            build.practitioner_role(
                f"{id_}-role", practitioner=id_, organization="cardiology", capacity_per_hour=4, display=f"Dr. {family}"
            ),
            build.schedule(
                f"{id_}-diary",
                actors=[reference("Practitioner", id_)],
                start=OPENING,
                end=OPENING + timedelta(days=7),
            ),
            *slot_row(f"{id_}-diary", slots_per_schedule),
        ]
    for number, (family, given) in enumerate((("Lee", "Ana"), ("Choi", "Bora"), ("Müller", "Zoë"))):
        resources.append(
            build.patient(
                f"patient-{number}",
                HumanName(family, [given]),
                gender="female",
                birth_date=datetime(1980 + number, 5, 17, tzinfo=UTC).date(),
                identifiers=[Identifier("https://polyclinic.example/mrn", f"MRN-{number}")],
                organization="hospital",
            )
        )
    return resources


@pytest.fixture(params=["sqlite", *(["postgres"] if POSTGRES else [])])
async def database(request: pytest.FixtureRequest) -> AsyncIterator[Database]:
    sqlite = request.param == "sqlite"
    opened = open_database("sqlite://:memory:" if sqlite else request.getfixturevalue("postgres_url"))
    if request.param == "postgres":
        await opened.write(drop_tables)
    yield opened
    await opened.close()


def drop_tables(transaction: Transaction) -> None:
    for table in TABLES:
        transaction.execute(f"DROP TABLE IF EXISTS {table} CASCADE")


class Clock:
    """A clock that changes only when it is set."""

    def __init__(self) -> None:
        self.now = datetime(2025, 3, 20, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **delta: int) -> None:
        self.now += timedelta(**delta)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def store(database: Database, clock: Clock) -> FhirStore:
    return await FhirStore.open(database, clock)


@pytest.fixture
async def hospital(store: FhirStore) -> FhirStore:
    await store.load(small_hospital())
    return store


@pytest.fixture
async def api(hospital: FhirStore) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=fhir_app(hospital, ["fhir.test"]), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://fhir.test") as client:
        yield client


@pytest.fixture
def appointment() -> Callable[..., Resource]:
    def make(id_: str, patient: str = "patient-0", practitioner: str = "kim") -> Resource:
        return build.appointment(
            id_,
            patient=reference("Patient", patient),
            practitioner=reference("Practitioner", practitioner),
        )

    return make


def elsewhere(work: Coroutine[Any, Any, T]) -> T:
    """Run async work in a separate thread, even if the caller is inside an event loop."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


class RunningServer:
    """The server on a real socket, in a separate thread."""

    def __init__(
        self,
        url: str,
        resources: list[Resource] | None = None,
        *,
        readers: int = 0,
        protocol: type[BoundedRequests] = BoundedRequests,
        guarded: bool = False,
    ) -> None:
        self._database = open_database(url, readers=readers)
        self.store = elsewhere(FhirStore.open(self._database))
        if resources:
            elsewhere(self.store.load(resources))
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        config = server_config(
            fhir_app(self.store, smart=self._smart() if guarded else None),
            protocol=protocol,
            log_level="error",
            lifespan="off",
            timeout_graceful_shutdown=2,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)
        self._thread.start()
        deadline = time.monotonic() + 20
        while not self._server.started and time.monotonic() < deadline:
            threading.Event().wait(0.01)

    def _smart(self) -> Smart:
        from tests.fhir.smart_clients import smart

        return smart(self.store, self.base)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(10)
        self._socket.close()
        elsewhere(self._database.close())


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., RunningServer]]:
    running: list[RunningServer] = []

    def start(resources: list[Resource] | None = None, **settings: Any) -> RunningServer:
        running.append(RunningServer(f"sqlite:///{tmp_path}/fhir-{len(running)}.db", resources, **settings))
        return running[-1]

    yield start
    for server in running:
        server.stop()


def unpack(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    """Extract one file, never outside the folder (`filter="data"` is newer than our oldest Python)."""
    target = (folder / member.name).resolve()
    content = tar.extractfile(member)
    assert content is not None and target.is_relative_to(folder.resolve()), member.name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content.read())


@pytest.fixture(scope="session")
def npm_package() -> Callable[..., Path]:
    """Unpack an npm package into the cache once; only the files whose names begin with one of the prefixes."""

    def fetch(name: str, version: str, prefixes: tuple[str, ...]) -> Path:
        CACHE.mkdir(parents=True, exist_ok=True)
        archive = CACHE / f"{name}-{version}.tgz"
        if not archive.exists():
            done = subprocess.run(
                ["npm", "pack", f"{name}@{version}", "--silent"], cwd=CACHE, capture_output=True, text=True, timeout=300
            )
            if done.returncode != 0 or not archive.exists():
                pytest.skip(f"NOT TESTED: npm cannot fetch {name}@{version}: {done.stderr.strip()[:200]}")
        folder = CACHE / f"{name}-{version}"
        if not (folder / ".complete").exists():
            with tarfile.open(archive) as tar:
                for member in tar:
                    if member.isfile() and member.name.removeprefix("package/").startswith(prefixes):
                        unpack(tar, member, folder)
            (folder / ".complete").touch()
        return folder / "package"

    return fetch


DEFINITION_PREFIXES = ("StructureDefinition-", "SearchParameter-", "ValueSet-", "CodeSystem-", "openapi/")


@pytest.fixture(scope="session")
def core_package(npm_package: Callable[..., Path]) -> Path:
    return npm_package("hl7.fhir.r5.core", "5.0.0", DEFINITION_PREFIXES)


@pytest.fixture(scope="session")
def examples_package(npm_package: Callable[..., Path]) -> Path:
    from polyclinic.fhir.parameters import resource_types

    return npm_package("hl7.fhir.r5.examples", "5.0.0", tuple(f"{type_}-" for type_ in resource_types()))
