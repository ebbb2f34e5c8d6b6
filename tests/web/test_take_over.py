"""Staff take a conversation over at the same time, and a process ends in the middle of it."""

from __future__ import annotations

import asyncio
from unittest.mock import patch

import httpx
import pytest

from polyclinic.web.sessions.cases import Cases
from tests.web.conftest import Serve, staff_login, started

DANGER_KO = "오늘 밤에 약을 다 먹고 죽을 거예요."
TWO = ("박 간호사", "Lee")


async def act(client: httpx.AsyncClient, url: str, name: str, head: dict[str, str], **body: str) -> httpx.Response:
    return await client.post(f"{url}/{name}", json=body, headers=head)


async def test_of_two_who_take_over_at_once_one_has_the_conversation_and_its_case(serve: Serve) -> None:
    async with serve(country="KR") as (app, client, _):
        heads = {name: await staff_login(app, name, "take_over") for name in TWO}
        for _ in range(5):
            url, mine = await started(client, "ko")
            await act(client, url, "say", mine, text=DANGER_KO)
            answers = await asyncio.gather(*(act(client, url, "take-over", head) for head in heads.values()))
            assert sorted(answer.status_code for answer in answers) == [200, 409]
            holder = (await client.get(url, headers=mine)).json()["holder"]
            refused = next(answer for answer in answers if answer.status_code == 409)
            assert holder in TWO and holder in refused.json()["detail"]
            cases = (await client.get("/v1/queue", headers=heads[holder])).json()
            assert {case["taken_by"] for case in cases if case["session"] in url} == {holder}


@pytest.mark.parametrize(("name", "holder", "taken"), [("take-over", TWO[0], ""), ("pass-on", TWO[1], TWO[0])])
async def test_a_process_that_ends_in_the_middle_of_a_take_over_leaves_the_conversation_with_people(
    serve: Serve, name: str, holder: str, taken: str
) -> None:
    """The conversation has moved, and its case has not yet: so the case rings, or is still with the colleague."""
    async with serve(country="KR") as (app, client, _):
        heads = {one: await staff_login(app, one, "take_over") for one in TWO}
        url, mine = await started(client, "ko")
        await act(client, url, "say", mine, text=DANGER_KO)
        if name == "pass-on":
            await act(client, url, "take-over", heads[TWO[0]])
        stopped = asyncio.Event()

        async def never(*_: object) -> None:
            stopped.set()
            await asyncio.Event().wait()

        with patch.object(Cases, "follow", never):
            body = {"to": TWO[1]} if name == "pass-on" else {}
            going = asyncio.create_task(act(client, url, name, heads[TWO[0]], **body))
            await stopped.wait()
            going.cancel()
    async with serve(country="KR", cast="counsellor=understudy:mistake=fail,all=understudy") as (app, client, _):
        view = (await client.get(url, headers=mine)).json()
        assert (view["control"], view["holder"]) == ("person", holder)
        (case,) = (await client.get("/v1/queue", headers=heads[holder])).json()
        assert (case["taken_by"], case["rings"]) == (taken, not taken)
        silent = (await act(client, url, "say", mine, text="거기 누구 계세요?")).json()["said"]
        assert [said["speaker"] for said in silent] == ["patient"]
        spoken = await act(client, url, "speak", heads[holder], text="네, 제가 왔습니다.")
        assert spoken.status_code == 200
        other = next(one for one in TWO if one != holder)
        assert (await act(client, url, "speak", heads[other], text="저도요.")).status_code == 409
        assert (await act(client, url, "hand-back", heads[holder])).status_code == 200
        (case,) = (await client.get("/v1/queue", headers=heads[holder])).json()
        assert case["status"] == "closed"
