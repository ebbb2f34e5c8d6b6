"""A message that a fault kept out of the journal is read as soon as the session's flow runs again, also after a
restart. Every line keeps its number, so that nobody who follows a session misses one.
"""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest

from polyclinic.clinics.counsel.flow.room import Room
from polyclinic.clinics.counsel.rules.messages import escalation_message
from polyclinic.errors import StoreError
from polyclinic.web.sessions.access import StillAllowed
from polyclinic.web.sessions.live import Live
from polyclinic.web.sessions.routes import _always, _events
from tests.web.conftest import DANGER, Serve, Served, staff_login, started

SAFE = escalation_message("en", "GB")
Head = dict[str, str]


def broken_store(served: Served) -> Any:
    async def refuse(*_: Any, **__: Any) -> None:
        raise StoreError("attempt to write a readonly database")

    return patch.object(served.app.state.service._store.database, "write", refuse)


async def said_during_a_fault(served: Served, text: str) -> tuple[str, Head]:
    """A session in which the store failed when the visitor said this."""
    url, mine = await started(served.client)
    assert (await say(served, url, mine, "Hello.")).status_code == 200
    with broken_store(served):
        answer = await say(served, url, mine, text)
    assert answer.status_code == 503 and answer.json()["said"][-1]["text"] == SAFE
    return url, mine


async def say(served: Served, url: str, mine: Head, text: str) -> Any:
    return await served.client.post(f"{url}/say", json={"text": text}, headers=mine)


async def heard(served: Served, url: str, mine: Head, after: int = 0) -> list[tuple[int, str, str]]:
    lines = (await served.client.get(f"{url}/heard", params={"after": after}, headers=mine)).json()
    return [(line["number"], line["speaker"], line["text"]) for line in lines]


async def control(served: Served, url: str, mine: Head) -> str:
    return str((await served.client.get(url, headers=mine)).json()["control"])


async def test_after_danger_that_the_store_lost_no_machine_takes_up_the_talk_again(serve: Serve) -> None:
    async with serve(country="GB") as served:
        url, mine = await said_during_a_fault(served, DANGER)
        answer = (await say(served, url, mine, "Are you still there?")).json()
        assert answer["state"]["control"] == "escalated"
        assert [line["text"] for line in answer["said"]] == [DANGER, SAFE, "Are you still there?"]
        assert (await say(served, url, mine, "Hello?")).json()["state"]["control"] == "escalated"


async def test_danger_that_the_store_lost_is_read_by_the_next_start(serve: Serve) -> None:
    async with serve(country="GB") as served:
        url, mine = await said_during_a_fault(served, DANGER)
        before = await heard(served, url, mine)
    async with serve(country="GB") as served:
        assert await control(served, url, mine) == "escalated"
        now = await heard(served, url, mine)
        assert now[: len(before)] == before
        assert [text for _, _, text in now[len(before) :]] == [DANGER, SAFE]
    async with serve(country="GB") as served:
        assert await heard(served, url, mine) == now, "it is read once"


async def test_a_message_that_is_sent_again_after_a_fault_is_read_once(serve: Serve) -> None:
    async with serve(country="GB") as served:
        url, mine = await said_during_a_fault(served, "I slept badly.")
        await say(served, url, mine, "I slept badly.")
        await say(served, url, mine, "It is quiet here.")
        texts = [text for _, speaker, text in await heard(served, url, mine) if speaker == "patient"]
        assert texts == ["Hello.", "I slept badly.", "It is quiet here."]


async def test_words_that_were_said_before_count_when_a_fault_loses_them_the_second_time(serve: Serve) -> None:
    async with serve(country="GB") as served:
        url, mine = await said_during_a_fault(served, "Hello.")
        await say(served, url, mine, "It is quiet here.")
        texts = [text for _, speaker, text in await heard(served, url, mine) if speaker == "patient"]
        assert texts == ["Hello.", "Hello.", "It is quiet here."]


async def test_a_message_that_the_journal_got_before_the_fault_is_not_read_twice(serve: Serve) -> None:
    async def bug(*_: object) -> str:
        raise ZeroDivisionError("a bug")

    async with serve(country="GB") as served:
        url, mine = await started(served.client)
        with patch.object(Room, "heard", bug):
            assert (await say(served, url, mine, "I slept badly.")).status_code == 503
        await say(served, url, mine, "It is quiet here.")
        texts = [text for _, speaker, text in await heard(served, url, mine) if speaker == "patient"]
        assert texts == ["I slept badly.", "It is quiet here."]


@pytest.mark.parametrize("restart", [False, True])
async def test_who_follows_a_session_hears_the_first_words_of_staff_after_a_fault(restart: bool, serve: Serve) -> None:
    async with serve(country="GB") as served:
        url, mine = await said_during_a_fault(served, "I slept badly.")
        last = len(await heard(served, url, mine))
        kim = await staff_login(served.app, "Kim", "take_over")
        if not restart:
            await helped(served, url, kim, mine, last)
    if restart:
        async with serve(country="GB") as served:
            await helped(served, url, kim, mine, last)


async def helped(served: Served, url: str, kim: Head, mine: Head, last: int) -> None:
    await served.client.post(f"{url}/take-over", json={}, headers=kim)
    await served.client.post(f"{url}/speak", json={"text": "I am Kim, a nurse."}, headers=kim)
    assert "I am Kim, a nurse." in [text for _, _, text in await heard(served, url, mine, after=last)]
    assert SAFE in [text for _, _, text in await heard(served, url, kim)], "staff see what the person was told"


async def test_a_fault_closes_no_session_and_ends_no_stream(serve: Serve) -> None:
    async with serve(country="GB") as served:
        url, mine = await said_during_a_fault(served, "I slept badly.")
        live: Live = await served.app.state.service.get(url.rpartition("/")[2])
        assert await control(served, url, mine) == "automatic" and not live.closed
        lines = _events(live, 0, StillAllowed(_always))
        assert ["event: heard" in await anext(lines) for _ in live.heard] == [True] * 3
        await say(served, url, mine, "Are you there?")
        assert "I slept badly." in await anext(lines)


async def test_a_session_that_staff_hold_is_still_theirs_while_the_store_fails(serve: Serve) -> None:
    async with serve(country="GB") as served:
        url, mine = await started(served.client)
        kim = await staff_login(served.app, "Kim", "take_over")
        await served.client.post(f"{url}/take-over", json={}, headers=kim)
        with broken_store(served):
            for _ in range(2):
                assert (await say(served, url, mine, "Hello.")).status_code == 503
                state = (await served.client.get(url, headers=mine)).json()
                assert (state["control"], state["holder"]) == ("person", "Kim")
