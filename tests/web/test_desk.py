"""The desk over HTTP: escalations ring, staff take over and hand back, and a restart forgets nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from polyclinic.web.app import create_web

Open = Callable[[], AbstractAsyncContextManager[httpx.AsyncClient]]
DANGER = "I am going to kill myself tonight."


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    @asynccontextmanager
    async def open_it() -> AsyncIterator[httpx.AsyncClient]:
        app = create_web(str(tmp_path / "s.db"), "start-up")
        headers = {"Authorization": "Bearer start-up"}
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", headers=headers) as web,
        ):
            yield web

    return open_it


async def act(client: httpx.AsyncClient, session: str, action: str, by: str = "kim", **values: Any) -> dict[str, Any]:
    answer = await client.post(f"/api/desk/counsel/sessions/{session}/{action}", json={"by": by, "values": values})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def desk(client: httpx.AsyncClient) -> dict[str, Any]:
    found: dict[str, Any] = (await client.get("/api/desk/counsel")).json()
    return found


async def test_forms_of_the_desk_come_from_the_clinic_and_do_not_ask_who_acts(opened: Open) -> None:
    async with opened() as client:
        known = {one["clinic"]: one for one in (await client.get("/api/desk")).json()}
        actions = {one["name"]: one for one in known["counsel"]["actions"]}
        assert actions["take-over"]["by"] == "staff" and actions["take-over"]["rows"] == []
        assert [row["name"] for row in actions["speak"]["rows"]] == ["text"]
        assert "demo" in known, "every clinic with the room has a desk"


async def test_danger_rings_until_acknowledged_and_staff_take_over_speak_and_hand_back(opened: Open) -> None:
    async with opened() as client:
        session = (await client.post("/api/desk/counsel/sessions", json={"values": {"lang": "en"}})).json()["id"]
        assert (await desk(client))["ringing"] == 0
        talk = await act(client, session, "say", text=DANGER)
        assert talk["view"]["control"] == "escalated"
        now = await desk(client)
        (case,) = [one for one in now["cases"] if one["rings"]]
        assert now["ringing"] == 1 and "kill myself" in case["words"]
        assert case["why"] == "The person may be in danger of taking their own life."
        seen = await client.post(f"/api/desk/counsel/cases/{case['id']}/acknowledge", json={"by": "kim"})
        assert seen.json()["ringing"] == 0
        assert (await act(client, session, "take-over"))["view"]["holder"] == "kim"
        refused = await client.post(f"/api/desk/counsel/sessions/{session}/take-over", json={"by": "lee"})
        assert refused.status_code == 409, "one who holds it"
        talk = await act(client, session, "speak", text="I am here with you.")
        assert (talk["heard"][-1]["speaker"], talk["heard"][-1]["text"]) == ("person", "I am here with you.")
        talk = await act(client, session, "say", text="Thank you.")
        assert talk["heard"][-1]["speaker"] == "patient", "nothing automatic is said while a person holds it"
        assert (await act(client, session, "hand-back"))["view"]["control"] == "automatic"
        assert {one["status"] for one in (await desk(client))["cases"] if one["queue"] == case["queue"]} == {"closed"}
        trail = (await client.get("/api/desk/counsel/audit")).json()
        assert {"acknowledge", "take-over", "speak", "hand-back"} <= {one["action"] for one in trail}


async def test_an_escalation_rings_again_after_a_restart_and_the_conversation_continues(opened: Open) -> None:
    async with opened() as client:
        session = (await client.post("/api/desk/counsel/sessions", json={})).json()["id"]
        before = await act(client, session, "say", text=DANGER)
    async with opened() as client:
        now = await desk(client)
        assert now["ringing"] == 1 and [one["view"]["id"] for one in now["sessions"]] == [session]
        talk = (await client.get(f"/api/desk/counsel/sessions/{session}")).json()
        assert talk["heard"] == before["heard"]
        assert (await act(client, session, "take-over"))["view"]["control"] == "person"


async def test_the_same_key_sends_a_message_once_and_a_case_is_closed_only_with_a_reason(opened: Open) -> None:
    async with opened() as client:
        session = (await client.post("/api/desk/counsel/sessions", json={})).json()["id"]
        path, headers = f"/api/desk/counsel/sessions/{session}/say", {"Idempotency-Key": "one"}
        first = (await client.post(path, json={"values": {"text": DANGER}}, headers=headers)).json()
        again = (await client.post(path, json={"values": {"text": DANGER}}, headers=headers)).json()
        assert again["heard"] == first["heard"]
        case = next(one for one in (await desk(client))["cases"] if one["rings"])
        path = f"/api/desk/counsel/cases/{case['id']}/close"
        assert (await client.post(path, json={"by": "kim"})).status_code == 409
        done = await client.post(path, json={"by": "kim", "remark": "called the family"})
        assert done.status_code == 200 and done.json()["ringing"] == 0
        assert (await client.post(path, json={"by": "<b>"})).status_code == 422, "names are plain"
