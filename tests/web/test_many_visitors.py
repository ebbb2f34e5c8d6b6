"""Work that computes for long never keeps the service from answering others."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from polyclinic.clinics.counsel.agents import guard
from polyclinic.clinics.counsel.rules.trained import read_piece
from polyclinic.clinics.counsel.tools import Knowledge
from polyclinic.core.understudy import Understudy
from polyclinic.reading.reader import BuiltInReader
from tests.web.conftest import Serve, started

MOST_S = 20.0


@pytest.mark.parametrize(
    ("owner", "work"),
    [(guard, "read_piece"), (Knowledge, "answering"), (Understudy, "play"), (BuiltInReader, "read")],
    ids=["guard", "search", "offline player", "reader"],
)
async def test_others_are_answered_while_a_message_is_being_read(
    owner: Any, work: str, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, began, others_answered, was_free = getattr(owner, work), threading.Event(), threading.Event(), list[bool]()

    def slow(*given: Any, **named: Any) -> Any:
        began.set()
        was_free.append(others_answered.wait(MOST_S if not was_free else 0))
        return whole(*given, **named)

    async with serve() as served:
        url, mine = await started(served.client)
        monkeypatch.setattr(owner, work, slow)
        said = asyncio.create_task(
            served.client.post(f"{url}/say", json={"text": "Does morphine shorten life?"}, headers=mine)
        )
        assert await asyncio.to_thread(began.wait, MOST_S), "nothing asked for this work"
        assert (await served.client.get("/health")).status_code == 200
        others_answered.set()
        assert (await said).status_code == 200
    assert was_free[0], "the event loop was blocked until this work ended"


async def test_a_short_message_does_not_wait_for_the_end_of_a_long_one(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    long, short, read = "My garden has roses and I miss it. " * 60, "I slept well.", list[str]()

    def noted(text: str, opening: bool = False) -> Any:
        read.append(text)
        return read_piece(text, opening)

    monkeypatch.setattr(guard, "read_piece", noted)
    async with serve() as served:
        visitors = [await started(served.client) for _ in range(2)]
        said = [
            served.client.post(f"{url}/say", json={"text": text}, headers=mine)
            for (url, mine), text in zip(visitors, (long, short), strict=True)
        ]
        answers = await asyncio.gather(*said)
    assert [answer.status_code for answer in answers] == [200, 200]
    assert len(read) > 5
    assert read.index(short) < len(read) - 3, "the whole long message was read first"
