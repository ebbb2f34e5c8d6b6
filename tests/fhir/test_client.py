"""The client of an external server: same protocol; it leaves other people's data alone and refuses unfit servers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import orjson
import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyclinic.core.records import (
    Create,
    Delete,
    PreconditionFailed,
    RecordConflict,
    RecordGone,
    RecordMissing,
    RecordsRefused,
    RecordsUnreachable,
    Resource,
    Update,
    version_of,
)
from polyclinic.fhir import resources as build
from polyclinic.fhir import scheduling
from polyclinic.fhir.client import FhirClient, open_client
from polyclinic.fhir.datatypes import HumanName, reference
from polyclinic.fhir.server import fhir_app
from polyclinic.fhir.store import FhirStore

Make = Callable[..., Resource]
BASE = "http://fhir.test"
FREE = {"schedule": "Schedule/diary", "status": "free"}


def diary(count: int) -> list[Resource]:
    start = datetime(2025, 3, 24, 9, tzinfo=UTC)
    doctor = build.practitioner("doctor", HumanName("Seo"))
    whole = build.schedule("diary", actors=[reference("Practitioner", "doctor")], start=start, end=start)
    slots = [
        build.slot(
            f"s{i:04d}",
            schedule="diary",
            start=start + timedelta(minutes=5 * i),
            end=start + timedelta(minutes=5 * i + 5),
        )
        for i in range(count)
    ]
    return [doctor, whole, *slots]


@pytest.fixture
async def external(hospital: FhirStore) -> AsyncIterator[FhirClient]:
    """A client on a server that already holds somebody else's hospital."""
    async with open_client(BASE, transport=httpx.ASGITransport(app=fhir_app(hospital, ["fhir.test"]))) as client:
        yield client


async def test_the_probe_leaves_the_server_unchanged(external: FhirClient, hospital: FhirStore) -> None:
    assert [o["id"] for o in (await hospital.search("Organization", {})).matches] == ["cardiology", "hospital"]


async def test_an_external_server_accepts_a_booking_a_move_and_a_cancellation(
    external: FhirClient, appointment: Make
) -> None:
    assert await external.load(diary(450)) == 452
    assert await external.load(diary(451)) == 1
    slots = (await external.search("Slot", FREE)).matches
    assert len(slots) == 451
    assert [s["id"] for s in (await external.search("Slot", FREE, limit=2)).matches] == ["s0000", "s0001"]
    made = await external.transact(scheduling.book(appointment("a"), slots[:2]))
    assert made[-1] is not None and made[-1]["status"] == "booked"
    held = [s for s in made[:-1] if s is not None]
    await external.transact(scheduling.move(made[-1], held, slots[5:6]))
    moved = await external.read("Appointment", "a")
    taken = await external.read("Slot", "s0005")
    assert (moved["slot"], taken["status"]) == ([{"reference": "Slot/s0005"}], "busy")
    await external.transact(scheduling.cancel(moved, [taken], at=datetime(2025, 3, 1, tzinfo=UTC)))
    assert len((await external.search("Slot", FREE)).matches) == 451


async def test_a_staged_view_fetches_many_at_once(external: FhirClient, appointment: Make) -> None:
    await external.load(diary(3))
    staged = external.stage()
    keys = [("Slot", "s0001"), ("Slot", "none"), ("Practitioner", "doctor"), ("Slot", "s0000")]
    found = await staged.fetch(keys)
    assert [r and r["id"] for r in found] == ["s0001", None, "doctor", "s0000"]
    assert staged.changes == []
    await staged.transact(scheduling.book(appointment("a"), [r for r in (found[3], found[0]) if r]))
    assert [r and r.get("status") for r in await staged.fetch(keys)] == ["busy", None, None, "busy"]
    await staged.commit()
    assert [s["id"] for s in (await external.search("Slot", FREE)).matches] == ["s0002"]


async def test_losing_a_race_changes_nothing(external: FhirClient, appointment: Make) -> None:
    await external.load(diary(3))
    slots = (await external.search("Slot", FREE)).matches
    first, second = external.stage(), external.stage()
    await first.transact(scheduling.book(appointment("a"), slots[:2]))
    await second.transact(
        [*scheduling.book(appointment("b"), slots[1:]), Create({"resourceType": "Patient", "id": "n"})]
    )
    assert len((await second.search("Slot", FREE)).matches) == 1
    await first.commit()
    with pytest.raises((PreconditionFailed, RecordConflict)):
        await second.commit()
    with pytest.raises(RecordMissing):
        await external.read("Patient", "n")
    assert [s["id"] for s in (await external.search("Slot", FREE)).matches] == ["s0002"]


async def test_other_peoples_resources_are_never_changed_or_deleted(external: FhirClient, hospital: FhirStore) -> None:
    patient = await external.read("Patient", "patient-0")
    for change in (
        Update({**patient, "active": False}),
        Delete("Patient", "patient-0"),
        Update({**await external.read("Slot", "kim-diary-000"), "status": "busy"}),
    ):
        with pytest.raises(RecordsRefused):
            await external.transact([Create({"resourceType": "Patient", "id": "mine"}), change])
    fresh = FhirClient(external._http, BASE)
    with pytest.raises(RecordsRefused):
        await fresh.transact([Delete("Patient", "patient-0")])
    with pytest.raises(RecordConflict):
        await external.transact([Create(patient)])
    with pytest.raises(RecordsRefused):
        await external.load([patient])
    with pytest.raises(RecordMissing):
        await external.read("Patient", "mine")
    assert version_of(await hospital.read("Patient", "patient-0")) == "1"


async def test_the_client_may_change_its_own_resources_in_a_later_session(external: FhirClient) -> None:
    await external.transact([Create({"resourceType": "Patient", "id": "mine", "active": True})])
    later = FhirClient(external._http, BASE)
    await later.transact([Update({"resourceType": "Patient", "id": "mine", "active": False}, if_version="1")])
    with pytest.raises(PreconditionFailed):
        await later.transact([Update({"resourceType": "Patient", "id": "mine"}, if_version="1")])
    await later.transact([Delete("Patient", "mine")])
    with pytest.raises(RecordGone):
        await later.read("Patient", "mine")
    stranger = FhirClient(external._http, BASE, origin="another-installation")
    await later.transact([Create({"resourceType": "Patient", "id": "other"})])
    with pytest.raises(RecordsRefused):
        await stranger.transact([Delete("Patient", "other")])


async def test_staged_changes_on_an_external_server_do_not_join_a_local_transaction(external: FhirClient) -> None:
    with pytest.raises(RecordsRefused, match="commit"):
        external.stage().apply(None)  # type: ignore[arg-type]


class Unfit:
    """The server with one promise broken: bodies are changed on their way in or out."""

    def __init__(self, app: ASGIApp, incoming: Callable[[Any], Any] | None = None, outgoing: Any = None) -> None:
        self._app, self._incoming, self._outgoing = app, incoming, outgoing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def changed_receive() -> Message:
            message = await receive()
            if self._incoming and message.get("body"):
                body = orjson.dumps(self._incoming(orjson.loads(message["body"])))
                return {**message, "body": body}
            return message

        started: list[Message] = []

        async def changed_send(message: Message) -> None:
            if self._outgoing is None:
                await send(message)
            elif message["type"] == "http.response.start":
                started.append(message)
            else:
                status, body = self._outgoing(scope["path"], started[0]["status"], orjson.loads(message["body"]))
                raw = orjson.dumps(body)
                await send({"type": "http.response.start", "status": status, "headers": []})
                await send({**message, "body": raw})

        await self._app(scope, changed_receive, changed_send)


def without_if_match(bundle: Any) -> Any:
    for entry in bundle.get("entry", []):
        entry["request"].pop("ifMatch", None)
    return bundle


def as_batch(body: Any) -> Any:
    return {**body, "type": "batch"} if body.get("type") == "transaction" else body


def failing_batch(path: str, status: int, body: Any) -> tuple[int, Any]:
    """A server that reports the failure of a batch but keeps the entries that succeeded."""
    failed = [e for e in body.get("entry", []) if e.get("response", {}).get("status", "2")[0] == "4"]
    return (412, failed[0]["response"]["outcome"]) if failed else (status, body)


def older(path: str, status: int, body: Any) -> tuple[int, Any]:
    return status, {**body, "fhirVersion": "4.0.1"} if "fhirVersion" in body else body


@pytest.mark.parametrize(
    ("incoming", "outgoing", "reason"),
    [
        (None, older, "speaks FHIR version 4.0.1"),
        (without_if_match, None, "ignores ifMatch"),
        (as_batch, failing_batch, "half of a failed transaction"),
    ],
)
async def test_an_unfit_server_is_refused_with_the_reason(
    store: FhirStore, incoming: Any, outgoing: Any, reason: str
) -> None:
    transport = httpx.ASGITransport(app=Unfit(fhir_app(store, ["fhir.test"]), incoming, outgoing))
    with pytest.raises(RecordsRefused, match=reason):
        async with open_client(BASE, transport=transport):
            pass
    assert (await store.search("Organization", {})).matches == []


async def test_an_unreachable_address_is_distinguished_from_an_unfit_server() -> None:
    with pytest.raises(RecordsUnreachable, match=r"http://127\.0\.0\.1:9 does not answer"):
        async with open_client("http://127.0.0.1:9"):
            pass
    with pytest.raises(RecordsRefused, match="is not the address of a server"):
        async with open_client("no-server"):
            pass
