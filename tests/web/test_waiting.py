"""A person whose answer takes long is told so on the stream, and hears nothing of it afterwards."""

from __future__ import annotations

import asyncio
import json
from unittest.mock import patch

import pytest

from polyclinic.clinics.counsel.agents import Counsellor
from polyclinic.clinics.counsel.rules.messages import waiting_message
from polyclinic.web.sessions import live
from polyclinic.web.sessions.access import StillAllowed
from polyclinic.web.sessions.routes import _always, _events
from tests.web.conftest import Serve, started


async def test_the_stream_says_that_the_answer_takes_longer(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "KEEP_ALIVE_S", 0.01)
    go_on, planned = asyncio.Event(), Counsellor.plan

    async def slow(*args: object, **named: object) -> object:
        await go_on.wait()
        return await planned(*args, **named)  # type: ignore[arg-type]

    async with serve(country="GB") as served:
        url, mine = await started(served.client, "ko")
        session = served.app.state.service.running(url.rpartition("/")[2])
        events = _events(session, 0, StillAllowed(_always))
        assert await anext(events) == ": waiting\n\n", "nobody waits before the first message"
        with patch.object(Counsellor, "plan", slow):
            saying = asyncio.create_task(served.client.post(f"{url}/say", json={"text": "안녕하세요."}, headers=mine))
            told = [await anext(events)]
            while "event: waiting" not in told[-1]:
                told.append(await anext(events))
            go_on.set()
            answer = await saying
        waiting = json.loads(told[-1].partition("data: ")[2])
        assert waiting["text"] == waiting_message("ko", "GB") and "999" in waiting["text"]
        assert [heard["number"] for heard in answer.json()["said"]] == [1, 2]
        later = [await anext(events)]
        while later[-1] != ": waiting\n\n":
            later.append(await anext(events))
        assert sum("event: heard" in event for event in (*told, *later)) == 2
        await events.aclose()  # type: ignore[attr-defined]
