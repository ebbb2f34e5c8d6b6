"""Topic-based subscriptions: handshake, events in order, filters, retries, and what the server refuses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import httpx
import pytest

from polyclinic.core.records import Create, Delete, Resource, Update
from polyclinic.fhir import changes, notifications, outbox, scheduling
from polyclinic.fhir.codec import loads_object
from polyclinic.fhir.notifications import MAX_FAILURES, Notifier
from polyclinic.fhir.server import fhir_app
from polyclinic.fhir.store import FhirStore
from polyclinic.fhir.topics import APPOINTMENT_CHANGE, built_in_topics
from polyclinic.fhir.validate import check, structural_problems
from tests.fhir.conftest import Clock


class Board:
    """A webhook that keeps its notifications."""

    def __init__(self) -> None:
        self.told: list[Resource] = []
        self.headers: list[httpx.Headers] = []
        self.status = 200

    def answer(self, request: httpx.Request) -> httpx.Response:
        if self.status == 200:
            self.told.append(loads_object(request.content))
            self.headers.append(request.headers)
        return httpx.Response(self.status)

    def events(self) -> list[tuple[str, str]]:
        """Number and focus of every event."""
        statuses = [bundle["entry"][0]["resource"] for bundle in self.told]
        events = [event for status in statuses for event in status.get("notificationEvent", [])]
        return [(event["eventNumber"], event["focus"]["reference"].rpartition("/")[2]) for event in events]


@pytest.fixture
def board() -> Board:
    return Board()


@pytest.fixture
async def notifier(hospital: FhirStore, board: Board) -> AsyncIterator[Notifier]:
    http = httpx.AsyncClient(transport=httpx.MockTransport(board.answer))
    made = Notifier(hospital, "http://fhir.test", http)
    yield made
    await made.close()


def subscription(**more: Any) -> Resource:
    return {
        "resourceType": "Subscription",
        "id": "board",
        "status": "requested",
        "topic": APPOINTMENT_CHANGE,
        "channelType": {
            "system": "http://terminology.hl7.org/CodeSystem/subscription-channel-type",
            "code": "rest-hook",
        },
        "endpoint": "http://board.test/hook",
        "parameter": [{"name": "X-Board", "value": "1"}],
        "content": "full-resource",
        **more,
    }


async def booked_while_down(hospital: FhirStore, notifier: Notifier, board: Board) -> None:
    """A subscription is active, the board then answers 503, and an appointment is booked."""
    await hospital.transact([Create(subscription())])
    await notifier.step()
    board.status = 503
    await booking(hospital, "a")


async def booking(store: FhirStore, id_: str, patient: str = "patient-0") -> None:
    free = (await store.search("Slot", {"schedule": "Schedule/kim-diary", "status": "free"}, limit=1)).matches
    actor = {"reference": f"Patient/{patient}"}
    visit: Resource = {
        "resourceType": "Appointment",
        "id": id_,
        "status": "proposed",
        "subject": actor,
        "participant": [{"actor": actor, "status": "accepted"}],
    }
    await store.transact(scheduling.book(visit, free))


def test_the_built_in_topics_are_valid() -> None:
    for topic in built_in_topics():
        check(topic)


async def test_a_subscriber_gets_every_change_once_and_in_order(
    hospital: FhirStore, notifier: Notifier, board: Board
) -> None:
    await hospital.transact([Create(subscription())])
    assert await notifier.step() == 0
    assert (await hospital.read("Subscription", "board"))["status"] == "active"
    shaken = board.told[0]
    assert shaken["entry"][0]["resource"]["type"] == "handshake"
    assert structural_problems(shaken) == []
    await booking(hospital, "a")
    await booking(hospital, "b")
    assert await notifier.step() == 2
    assert await notifier.step() == 0
    await hospital.transact([Update({**await hospital.read("Appointment", "a"), "status": "arrived"})])
    assert await notifier.step() == 1
    assert board.events() == [("1", "a"), ("2", "b"), ("3", "a")]
    last = board.told[-1]
    assert last["type"] == "subscription-notification"
    assert last["entry"][1]["resource"]["status"] == "arrived"
    assert last["entry"][1]["request"]["method"] == "PUT"
    assert board.headers[-1]["x-board"] == "1"
    assert structural_problems(last) == []


async def test_filters_and_content_levels_are_respected(hospital: FhirStore, notifier: Notifier, board: Board) -> None:
    wanted = [{"resourceType": "Appointment", "filterParameter": "patient", "value": "Patient/patient-1"}]
    await hospital.transact([Create(subscription(filterBy=wanted, content="id-only"))])
    await notifier.step()
    await booking(hospital, "a", "patient-0")
    await booking(hospital, "b", "patient-1")
    assert await notifier.step() == 1
    assert board.events() == [("1", "b")]
    assert "resource" not in board.told[-1]["entry"][1]


async def test_a_users_own_topic_compares_before_and_after(
    hospital: FhirStore, notifier: Notifier, board: Board
) -> None:
    criteria = {"previous": "status:not=arrived", "current": "status=arrived", "requireBoth": True}
    topic = {
        "resourceType": "SubscriptionTopic",
        "id": "arrivals",
        "url": "https://board.example/arrivals",
        "status": "active",
        "resourceTrigger": [{"resource": "Appointment", "supportedInteraction": ["update"], "queryCriteria": criteria}],
    }
    await hospital.transact([Create(topic), Create(subscription(topic=topic["url"]))])
    await notifier.step()
    await booking(hospital, "a")
    assert await notifier.step() == 0
    await hospital.transact([Update({**await hospital.read("Appointment", "a"), "status": "arrived"})])
    assert await notifier.step() == 1


async def test_notifications_that_fail_are_retried_and_finally_given_up(
    hospital: FhirStore, notifier: Notifier, board: Board
) -> None:
    await booked_while_down(hospital, notifier, board)
    await notifier.step()
    board.status = 200
    await notifier.step()
    assert board.events() == [("1", "a")]
    board.status = 503
    await booking(hospital, "b")
    for _ in range(MAX_FAILURES):
        await notifier.step()
    assert (await hospital.read("Subscription", "board"))["status"] == "error"


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"topic": "http://nowhere.example"}, "topic"),
        ({"channelType": {"code": "email"}}, "rest-hook"),
        ({"endpoint": "ftp://x"}, "endpoint"),
        ({"contentType": "application/fhir+xml"}, "JSON"),
        ({"filterBy": [{"filterParameter": "shoe", "value": "1"}]}, "filter"),
    ],
)
async def test_a_subscription_that_cannot_be_served_ends_in_error_with_the_reason(
    hospital: FhirStore, notifier: Notifier, wrong: Resource, word: str
) -> None:
    await hospital.transact([Create(subscription(**wrong))])
    await notifier.step()
    ended = await hospital.read("Subscription", "board")
    assert ended["status"] == "error" and word in ended["reason"]


async def test_status_and_past_events_can_be_requested(hospital: FhirStore, notifier: Notifier, board: Board) -> None:
    await hospital.transact([Create(subscription())])
    await notifier.step()
    for id_ in ("a", "b", "c"):
        await booking(hospital, id_)
    await notifier.step()
    transport = httpx.ASGITransport(app=fhir_app(hospital, ["fhir.test"]))
    async with httpx.AsyncClient(transport=transport, base_url="http://fhir.test") as api:
        status = (await api.get("/Subscription/board/$status")).json()
        assert status["entry"][0]["resource"]["eventsSinceSubscriptionStart"] == "3"
        again = (await api.get("/Subscription/board/$events?eventsSinceNumber=2")).json()
        numbers = [event["eventNumber"] for event in again["entry"][0]["resource"]["notificationEvent"]]
        assert numbers == ["2", "3"]
        assert (await api.get("/Subscription/board/$events?eventsSinceNumber=x")).status_code == 400


async def many(hospital: FhirStore, count: int) -> None:
    """Load waiting appointments, all with the same time."""
    await hospital.load(
        {"resourceType": "Appointment", "id": f"a{number:04d}", "status": "waitlist",
         "participant": [{"actor": {"display": "x"}, "status": "accepted"}]}
        for number in range(count)
    )  # fmt: skip


async def test_no_event_is_lost_however_many_there_are(
    hospital: FhirStore, notifier: Notifier, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifications, "changes_after", partial(changes.changes_after, limit=7))
    await hospital.transact([Create(subscription(content="id-only"))])
    await notifier.step()
    await many(hospital, 60)
    await hospital.transact([Update({**await hospital.read("Appointment", "a0003"), "status": "cancelled"})])
    assert await notifier.step() == 61
    told = board.events()
    assert [number for number, _ in told] == [str(n) for n in range(1, 62)]
    assert sorted(id_ for _, id_ in told) == sorted([*(f"a{n:04d}" for n in range(60)), "a0003"])


async def test_pages_of_changes_have_every_version_once_in_order(hospital: FhirStore, clock: Clock) -> None:
    await many(hospital, 5)
    clock.forward(seconds=1)
    for id_ in ("a0004", "a0001", "a0004"):
        await hospital.transact([Update({**await hospital.read("Appointment", id_), "status": "waitlist"})])
    found: list[Any] = []
    mark: changes.Mark | None = (0, "", "", 0)
    while mark is not None:
        page = await hospital.database.read(
            partial(changes.changes_after, types=["Appointment", "Slot"], mark=mark, known=(), limit=2)
        )
        found += page.changes
        mark = page.following
    order = [(each.updated, *each.key) for each in found]
    assert order == sorted(order) and len(set(order)) == len(order) == 5 + 3 + 24
    assert [(each.before or {}).get("id") for each in found if each.version > 1] == ["a0001", "a0004", "a0004"]


async def test_a_server_that_starts_again_continues_where_it_ended(
    hospital: FhirStore, notifier: Notifier, board: Board, clock: Clock
) -> None:
    await hospital.transact([Create(subscription())])
    await notifier.step()
    await booking(hospital, "a")
    await notifier.step()
    board.status = 503
    await booking(hospital, "b")
    await notifier.step()
    clock.forward(hours=5)
    await booking(hospital, "c")
    board.status = 200
    again = Notifier(hospital, "http://fhir.test", httpx.AsyncClient(transport=httpx.MockTransport(board.answer)))
    assert await again.step() == 1
    assert await again.step() == 0
    assert board.events() == [("1", "a"), ("2", "b"), ("3", "c")]
    await again.close()


async def test_a_subscription_in_error_continues_when_it_is_requested_again_and_its_events_go_with_it(
    hospital: FhirStore, notifier: Notifier, board: Board
) -> None:
    await booked_while_down(hospital, notifier, board)
    for _ in range(MAX_FAILURES):
        await notifier.step()
    await booking(hospital, "b")
    board.status = 200
    await hospital.transact([Update({**await hospital.read("Subscription", "board"), "status": "requested"})])
    await notifier.step()
    assert board.events() == [("1", "a"), ("2", "b")]
    await hospital.transact([Delete("Subscription", "board")])
    await notifier.step()
    assert await hospital.database.read(outbox.names) == []


async def test_the_notifier_goes_on_after_an_error(
    hospital: FhirStore, notifier: Notifier, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    await hospital.transact([Create(subscription())])
    await notifier.step()
    await booking(hospital, "a")
    with monkeypatch.context() as broken:
        broken.setattr(outbox, "set_looked", None)
        running = asyncio.create_task(notifier.run(0))
        while notifier.subscribers:
            await asyncio.sleep(0)
    while len(board.events()) < 1:
        await asyncio.sleep(0)
    running.cancel()
    assert board.events() == [("1", "a")]
