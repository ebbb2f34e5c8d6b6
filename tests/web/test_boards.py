"""The ward board over HTTP: it fills as the run's effects say, and every booking links to its dialogue and records."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from polyclinic.runner.api import run
from polyclinic.runner.plan.config import make_config
from polyclinic.web.app import create_web

HEADERS = {"Authorization": "Bearer start-up"}


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    url = str(tmp_path / "s.db")
    app = create_web(url, "start-up")
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", headers=HEADERS) as found,
    ):
        await run(app.state.store, make_config({"clinic": "frontdesk", "scenarios": "primary:1:14", "store": url}))
        yield found


async def get(client: httpx.AsyncClient, path: str) -> Any:
    answer = await client.get(path)
    assert answer.status_code == 200, f"{path}: {answer.text}"
    return answer.json()


async def test_a_board_fills_up_and_never_exceeds_the_clinics_capacity(client: httpx.AsyncClient) -> None:
    page = await get(client, "/api/boards")
    (row,) = page["runs"]
    shown = await get(client, f"/api/boards/{row['run']}?unit={row['units'][0]}")
    board = shown["board"]
    assert shown["left"] == 0 and len(board["days"]) == 7
    minutes = [one["minute"] for one in board["moments"]]
    assert minutes == sorted(minutes)
    booked: dict[str, tuple[str, int, int]] = {}
    for one in board["moments"]:
        if one["change"] in ("booked", "moved"):
            booked[one["booking"]] = (one["row"], one["day"], one["minutes"])
        elif one["change"] == "cancelled":
            del booked[one["booking"]]
    assert booked, "somebody has an appointment"
    held = {(row["name"], day): held for row in board["rows"] for day, held in enumerate(row["minutes"])}
    for place in {(row, day) for row, day, _ in booked.values()}:
        assert sum(length for row, day, length in booked.values() if (row, day) == place) <= held[place]


async def test_a_booking_links_to_its_dialogue_and_its_fhir_resources(client: httpx.AsyncClient) -> None:
    (row,) = (await get(client, "/api/boards"))["runs"]
    board = (await get(client, f"/api/boards/{row['run']}"))["board"]
    first = next(one for one in board["moments"] if one["change"] == "booked")
    episode = await get(client, f"/api/runs/{row['run']}/episodes/{first['episode']}")
    assert any(event["kind"] == "said" for event in episode["events"])
    assert any(call["episode"] == first["episode"] for call in board["calls"])
    found = (await get(client, f"/api/boards/{row['run']}/bookings/{first['booking']}"))["resources"]
    assert {"Appointment", "Patient"} <= {one["resourceType"] for one in found}
    appointment = next(one for one in found if one["resourceType"] == "Appointment")
    day, time = first["at"].partition(",")[0].split(" ")
    assert appointment["start"].startswith(f"{day}T{time}") or first["booking"] in {
        one["booking"] for one in board["moments"] if one["change"] == "moved"
    }
    assert (await get(client, f"/api/boards/{row['run']}/bookings/nobody"))["resources"] == []


async def test_what_if_questions_get_intervals_and_unknown_settings_are_refused(client: httpx.AsyncClient) -> None:
    (clinic,) = (await get(client, "/api/boards"))["clinics"]
    assert "physicians" in [dial["name"] for dial in clinic["dials"]]
    body = {"vary": "clerks", "fixed": {"physicians": 2, "demand": 10}, "wait_days": 30}
    answer = await client.post("/api/boards/whatif/frontdesk", json=body)
    assert answer.status_code == 200, answer.text
    blocks = answer.json()["sections"][0]["body"]
    assert any(block["kind"] == "figure" for block in blocks)
    assert "30" in blocks[0]["text"]
    assert (await client.post("/api/boards/whatif/frontdesk", json={"vary": "beds"})).status_code == 404
    assert (await client.post("/api/boards/whatif/demo", json={"vary": "clerks"})).status_code == 409


async def test_a_run_without_a_board_says_so(client: httpx.AsyncClient) -> None:
    assert (await client.get("/api/boards/none")).status_code == 404
    (row,) = (await get(client, "/api/boards"))["runs"]
    assert (await client.get(f"/api/boards/{row['run']}?unit=none")).status_code == 404
