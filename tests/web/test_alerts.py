"""Alerts ring at once and again every minute until somebody acknowledges them, and a silent webhook is reported."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest

from polyclinic.errors import ConfigError, StoreError
from polyclinic.store.posts import Post
from polyclinic.web.sessions import alerts
from polyclinic.web.sessions.access import ASK_AGAIN_S, StillAllowed, who_holds
from polyclinic.web.sessions.alerts import (
    AGAIN_S,
    RETRY_S,
    WEBHOOK_S,
    Alert,
    Alerts,
    alert_for,
    check_webhook,
    post_alert,
)
from polyclinic.web.sessions.schemas import case_id
from tests.web.conftest import DANGER, Serve, staff_login, started


def case(key: str) -> Post:
    return Post.model_validate(
        {
            **dict.fromkeys(("taken_by", "remark"), ""),
            **dict.fromkeys(("taken_ms", "closed_ms"), 0),
            "run": "r", "episode": "e", "queue": "q", "key": key, "created_ms": 5, "status": "open",
            "body": {"reason": "why", "words": "secret words", "utterance": "secret words"},
        }
    )  # fmt: skip


class Pager:
    def __init__(self) -> None:
        self.now, self.open, self.down = 0.0, [case("one")], False
        self.sent: list[Alert] = []
        self.blind = False
        self.unstored: list[Alert] = []
        self.alerts = Alerts(self.cases, lambda: self.unstored, "http://hook", lambda: self.now, self.send)

    async def cases(self) -> list[Alert]:
        if self.blind:
            raise StoreError("unable to open database file")
        return [alert_for(post) for post in self.open]

    async def send(self, url: str, alert: Alert) -> None:
        if self.down:
            raise OSError("no route")
        self.sent.append(alert)


async def test_a_case_rings_at_once_and_every_minute_until_it_is_acknowledged() -> None:
    pager = Pager()
    for moment in (0.0, 1.0, AGAIN_S - 1, AGAIN_S, AGAIN_S + 1, 2 * AGAIN_S):
        pager.now = moment
        await pager.alerts.ring()
    assert [alert.times for alert in pager.sent] == [0, 1, 2]
    pager.alerts.acknowledge({case_id(pager.open[0])})
    pager.now = 10 * AGAIN_S
    assert await pager.alerts.ring() == 0
    pager.open.append(case("two"))
    assert await pager.alerts.ring() == 1


async def test_a_webhook_gets_no_words_of_the_conversation_and_no_reason_that_may_quote_them() -> None:
    got: list[bytes] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        got.append(await reader.readexactly(length))
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        await writer.drain()
        writer.close()

    hook = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with hook:
        port = hook.sockets[0].getsockname()[1]
        await post_alert(f"http://127.0.0.1:{port}/hook", alert_for(case("one")))
    assert b"e.q.one" in got[0] and b"secret" not in got[0] and b"why" not in got[0]


@pytest.mark.parametrize("head", ["200 OK", "302 Found\r\nLocation: /other", "500 Oh"])
async def test_a_webhooks_answer_is_judged_by_its_status_and_not_read_on(head: str) -> None:
    asked: list[bytes] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readline())
        try:
            writer.write(f"HTTP/1.1 {head}\r\n\r\n".encode())
            while True:  # an answer without an end
                writer.write(b"x" * 65_536)
                await writer.drain()
        except ConnectionError:
            writer.close()

    hook = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with hook, asyncio.timeout(WEBHOOK_S):
        sent = post_alert(f"http://127.0.0.1:{hook.sockets[0].getsockname()[1]}/hook", alert_for(case("one")))
        if head.startswith("200"):
            await sent
        else:
            with pytest.raises(httpx.HTTPError, match=f"the webhook answered {head[:3]}"):
                await sent
    assert asked == [b"POST /hook HTTP/1.1\r\n"]


async def test_an_unreadable_store_is_reported_and_emergencies_still_ring() -> None:
    pager = Pager()
    pager.blind = True
    pager.unstored = [alert_for(case("kept in memory"))]
    assert await pager.alerts.ring() == 1
    assert pager.alerts.failing
    pager.blind = False
    await pager.alerts.ring()
    assert not pager.alerts.failing


async def test_emergencies_in_memory_ring_although_the_store_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alerts, "LOOK_WITHIN_S", 0.01)
    pager = Pager()
    pager.unstored = [alert_for(case("kept in memory"))]

    async def never() -> list[Alert]:
        return await asyncio.sleep(3600, [])

    monkeypatch.setattr(pager.alerts, "_stored", never)
    async with asyncio.timeout(10):
        assert await pager.alerts.ring() == 1
    assert pager.alerts.failing


async def test_one_slow_webhook_call_delays_neither_the_others_nor_the_staff() -> None:
    pager = Pager()
    pager.open.append(case("two"))
    both = asyncio.Event()

    async def send(url: str, alert: Alert) -> None:
        pager.sent.append(alert)
        if len(pager.sent) == 2:
            both.set()
        await both.wait()

    pager.alerts._send = send
    async with asyncio.timeout(5):
        assert await pager.alerts.ring() == 2


async def test_staff_hear_of_the_next_case_while_a_webhook_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alerts, "RING_WAITS_S", 0.01)
    pager = Pager()
    called = asyncio.Event()

    async def hangs(url: str, alert: Alert) -> None:
        called.set()
        await asyncio.Event().wait()

    pager.alerts._send = hangs
    heard: list[Alert] = []
    monkeypatch.setattr(pager.alerts, "_say", heard.append)
    async with asyncio.timeout(5):
        assert await pager.alerts.ring() == 1 and called.is_set()
        pager.open.append(case("two"))
        assert await pager.alerts.ring() == 1
    assert len({alert.case for alert in heard}) == 2
    assert len(pager.alerts.calls) == 2, "both calls go on"
    for call in pager.alerts.calls:
        call.cancel()


async def test_a_webhook_that_fails_is_retried_soon_and_reported_until_it_works() -> None:
    pager = Pager()
    pager.down = True
    await pager.alerts.ring()
    assert pager.alerts.failing
    pager.down, pager.now = False, RETRY_S
    await pager.alerts.ring()
    assert len(pager.sent) == 1 and not pager.alerts.failing


async def test_everybody_who_listens_gets_an_alert() -> None:
    pager = Pager()
    heard = [pager.alerts.listen() for _ in range(2)]

    async def first(listener: AsyncIterator[Alert | None]) -> str:
        alert = await anext(listener)
        return alert.case if alert else ""

    waiting = [asyncio.create_task(first(listener)) for listener in heard]
    await asyncio.sleep(0)
    await pager.alerts.ring()
    assert await asyncio.gather(*waiting) == ["e.q.one"] * 2


async def test_an_acknowledged_case_stays_quiet_after_a_restart_and_open_ones_ring_again(serve: Serve) -> None:
    ids = []
    async with serve() as (app, client, _):
        for _ in range(2):
            url, mine = await started(client)
            await client.post(f"{url}/say", json={"text": DANGER}, headers=mine)
        head = await staff_login(app, "w", "watch")
        ids = [found["id"] for found in (await client.get("/v1/queue", headers=head)).json()]
        assert (await client.post(f"/v1/queue/{ids[0]}/acknowledge", headers=head)).status_code == 204
    async with serve() as (app, *_):
        rung: list[Alert] = []

        async def send(url: str, alert: Alert) -> None:
            rung.append(alert)

        alerts = app.state.service.alerts
        alerts._webhook, alerts._send, alerts._rung = "http://hook", send, {}
        await alerts.ring()
        assert [alert.case for alert in rung] == [ids[1]]


async def test_a_service_with_a_failing_webhook_is_not_healthy_until_somebody_got_the_alert(
    serve: Serve,
) -> None:
    async with serve() as (app, client, _):
        assert (await client.get("/health")).status_code == 200
        url, mine = await started(client)
        await client.post(f"{url}/say", json={"text": DANGER}, headers=mine)

        async def send(address: str, alert: Alert) -> None:
            raise OSError("no route")

        alerts = app.state.service.alerts
        alerts._webhook, alerts._send, alerts._rung = "http://hook", send, {}
        await alerts.ring()
        assert (await client.get("/health")).status_code == 503
        head = await staff_login(app, "w", "watch")
        (found,) = (await client.get("/v1/queue", headers=head)).json()
        assert found["rings"]
        await client.post(f"/v1/queue/{found['id']}/acknowledge", headers=head)
        await alerts.ring()
        assert (await client.get("/health")).status_code == 200
        (found,) = (await client.get("/v1/queue", headers=head)).json()
        assert not found["rings"] and found["status"] == "open"


async def test_the_alert_stream_of_somebody_who_logged_out_ends(serve: Serve) -> None:
    async with serve() as (app, *_):
        service = app.state.service
        head = await staff_login(app, "w", "watch")
        token = head["Authorization"].removeprefix("Bearer ")
        now = [0.0]
        still = StillAllowed(who_holds(token, service), lambda: now[0])
        assert await still.allowed()
        await service.staff.log_out(token)
        assert await still.allowed(), "not asked again yet"
        now[0] = ASK_AGAIN_S
        assert not await still.allowed()


@pytest.mark.parametrize("url", ["pager", "ftp://pager.example/x", "http://"])
def test_a_webhook_that_is_not_an_address_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="--alert"):
        check_webhook(url, local_only=False)


def test_local_only_refuses_a_webhook_outside_this_machine() -> None:
    assert check_webhook("http://127.0.0.1:9/x", local_only=True)
    with pytest.raises(ConfigError, match="local-only"):
        check_webhook("https://pager.example/x", local_only=True)
