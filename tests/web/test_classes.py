"""A class over HTTP: joining without an account, watching, hints, the end, and its results."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from polyclinic.runner.registry import load_clinic
from polyclinic.web.app import create_web
from tests.web.test_web import HOST, PARTS, give, room, to_the_end
from tests.web.xapi_shape import faults, record_store

Browser = Callable[[], httpx.AsyncClient]
Open = Callable[[], AbstractAsyncContextManager[Browser]]


@pytest.fixture
def tmp_store(tmp_path: Path) -> str:
    return str(tmp_path / "s.db")


@pytest.fixture
def opened(tmp_store: str) -> Open:
    """Open the application on one store and return a function that makes browsers, each with its own cookies."""

    @asynccontextmanager
    async def open_it() -> AsyncIterator[Browser]:
        app = create_web(tmp_store, "start-up")
        async with app.router.lifespan_context(app), AsyncExitStack() as stack:
            clients: list[httpx.AsyncClient] = []

            def browser() -> httpx.AsyncClient:
                clients.append(
                    httpx.AsyncClient(
                        transport=httpx.ASGITransport(app), base_url=HOST, headers={"Authorization": "Bearer start-up"}
                    )
                )
                stack.push_async_callback(clients[-1].aclose)
                return clients[-1]

            yield browser

    return open_it


async def open_class(client: httpx.AsyncClient, **more: Any) -> dict[str, Any]:
    body = {"clinic": "demo", "part": "nurse", "educator": "Dr Kim", "title": "Tuesday", **more}
    answer = await client.post("/api/classes", json=body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def join(client: httpx.AsyncClient, code: str, name: str, key: str = "") -> httpx.Response:
    return await client.post("/api/join", json={"code": code, "name": name}, headers={"Idempotency-Key": key})


async def begin(client: httpx.AsyncClient, id: str, place: int = 0) -> str:
    answer = await client.post(f"/api/join/{id}/begin", json={"place": place})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["id"])


async def test_a_class_continues_after_a_restart_and_ends_with_everybody_in_the_table(opened: Open) -> None:
    cases = [scenario.id for scenario in load_clinic("demo").scenarios("", 0)[:2]]
    async with opened() as browser:
        educator, ada, ben = browser(), browser(), browser()
        made = await open_class(educator, cases=cases, minutes=8)
        for trainee, name in ((ada, "Ada"), (ben, "Ben")):
            assert (await join(trainee, made["code"].lower(), name)).json() == {"id": made["id"]}
        run = await begin(ada, made["id"])
        assert await begin(ada, made["id"]) == run, "one session in each case"
        await begin(ben, made["id"], 1)
        await to_the_end(ada, run)
        cookies = ada.cookies
    async with opened() as browser:
        educator, ada = browser(), browser()
        ada.cookies = cookies
        mine = (await ada.get(f"/api/join/{made['id']}")).json()
        assert [case["state"] for case in mine["cases"]] == ["done", "new"] and mine["name"] == "Ada"
        assert mine["cases"][0]["run"] == run and mine["minutes"] == 8
        now = (await educator.get(f"/api/classes/{made['id']}")).json()
        assert [(one["name"], [s["where"] for s in one["sessions"]]) for one in now["members"]] == [
            ("Ada", ["ended"]),
            ("Ben", ["away"]),
        ]
        assert (await educator.post(f"/api/classes/{made['id']}/end")).json()["about"]["ended_ms"] > 0
        assert (await ada.post(f"/api/join/{made['id']}/begin", json={"place": 1})).status_code == 409
        assert (await join(browser(), made["code"], "Cho")).status_code == 409
        table = (await educator.get(f"/api/classes/{made['id']}/table")).json()
        first, second = table["results"]
        assert first["name"] == "Ada" and first["figures"] and first["short"] and first["case"] == cases[0]
        assert second["name"] == "Ben" and second["where"] == "away" and second["case"] == cases[1]


async def test_a_hint_reaches_the_trainee_and_an_ended_class_accepts_no_more_answers(opened: Open) -> None:
    async with opened() as browser:
        educator, ada, ben = browser(), browser(), browser()
        made = await open_class(educator)
        id = made["id"]
        for trainee, name in ((ada, "Ada"), (ben, "Ben")):
            await join(trainee, made["code"], name)
        hint = {"member": 1, "text": "Look at the leaflet.", "author": "Dr Kim"}
        assert (await educator.post(f"/api/classes/{id}/hints", json=hint)).status_code == 409, "nobody has begun"
        run, other = await begin(ada, id), await begin(ben, id)
        asked = (await room(ada, run))["standing"]["asked"]
        await room(ben, other)
        for _ in range(2):
            told = await educator.post(f"/api/classes/{id}/hints", json=hint, headers={"Idempotency-Key": "one-hint"})
            assert told.json() == {"told": 1}
        await educator.post(f"/api/classes/{id}/hints", json={"member": 0, "text": "Two minutes left."})
        assert [one["text"] for one in (await room(ada, run))["hints"]] == ["Look at the leaflet.", "Two minutes left."]
        assert [one["text"] for one in (await room(ben, other))["hints"]] == ["Two minutes left."]
        watched = (await educator.get(f"/api/classes/{id}/sessions/{run}")).json()
        assert watched["about"]["who"] == "Ada"
        assert (await educator.get(f"/api/classes/{id}/sessions/other")).status_code == 404
        await educator.post(f"/api/classes/{id}/end")
        assert (await room(ada, run))["standing"]["state"] == "closed"
        assert await give(ada, run, asked) == "the class has ended"
    async with opened() as browser:
        found = await room(browser(), run)
        assert found["standing"]["state"] == "closed" and len(found["hints"]) == 2, "also after a restart"


async def test_a_trainee_is_tied_to_one_browser_and_cannot_be_another_trainee(opened: Open) -> None:
    async with opened() as browser:
        educator, ada, other = browser(), browser(), browser()
        made = await open_class(educator)
        answer = await join(ada, made["code"], "  Ada\u202e \n")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie and "samesite=strict" in cookie
        assert (await ada.get(f"/api/join/{made['id']}")).json()["name"] == "Ada"
        assert "already" in (await join(other, made["code"], "ADA")).json()["detail"]
        assert (await other.get(f"/api/join/{made['id']}")).status_code == 404
        assert (await other.post(f"/api/join/{made['id']}/begin", json={"place": 0})).status_code == 404
        assert (await join(other, made["code"], "\u202e \n")).status_code == 422
        await educator.post(f"/api/classes/{made['id']}/members/1/readmit")
        assert (await join(other, made["code"], "Ada")).status_code == 200
        assert (await ada.get(f"/api/join/{made['id']}")).status_code == 404, "the place went to the other browser"


async def test_joining_again_after_a_lost_reply_gives_the_same_place(opened: Open) -> None:
    async with opened() as browser:
        made = await open_class(browser())
        first, again = browser(), browser()
        await join(first, made["code"], "Ada", "a-key-of-this-browser")
        assert (await join(again, made["code"], "Ada", "a-key-of-this-browser")).status_code == 200
        assert (await again.get(f"/api/join/{made['id']}")).json()["name"] == "Ada"


@pytest.mark.usefixtures("stopped_clock")
async def test_people_who_guess_codes_have_to_wait(opened: Open) -> None:
    async with opened() as browser:
        client = browser()
        tried = [(await join(client, f"NO{number:04}", "Ada")).status_code for number in range(40)]
        assert tried[0] == 409 and tried[-1] == 429


async def test_the_spreadsheet_has_every_trainee_and_no_cell_starts_a_formula(opened: Open) -> None:
    async with opened() as browser:
        educator, eve = browser(), browser()
        made = await open_class(educator)
        await join(eve, made["code"], "=HYPERLINK(1)")
        await to_the_end(eve, await begin(eve, made["id"]))
        answer = await educator.get(f"/api/classes/{made['id']}/table.csv")
        assert "attachment" in answer.headers["content-disposition"]
        rows = list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"))))
        assert [row["trainee"] for row in rows] == ["'=HYPERLINK(1)"] and rows[0]["state"] == "ended"
        figures = (await educator.get(f"/api/classes/{made['id']}/table")).json()["figures"]
        assert figures and all(rows[0][name] for name in figures)
        assert "Next step: " in rows[0]["feedback"]


async def test_statements_are_valid_and_a_record_store_stores_each_once(opened: Open) -> None:
    async with opened() as browser:
        educator, ada, ben = browser(), browser(), browser()
        made = await open_class(educator)
        for trainee, name in ((ada, "Ada <b>"), (ben, "Ben")):
            await join(trainee, made["code"], name)
        await to_the_end(ada, await begin(ada, made["id"]))
        await begin(ben, made["id"])
        found = (await educator.get(f"/api/classes/{made['id']}/xapi.json")).json()
        assert [fault for statement in found for fault in faults(statement)] == []
        verbs = [(one["actor"]["name"], one["verb"]["display"]["en-US"]) for one in found]
        assert verbs[:2] == [("Ada <b>", "initialized"), ("Ada <b>", "completed")] and verbs[-1] == (
            "Ben",
            "initialized",
        )
        assert any("scaled" in one.get("result", {}).get("score", {}) for one in found)
        body = {"url": "", "user": "key", "password": "secret"}
        with record_store("key", "secret") as store:
            for url in (store.url, f"{store.url}/statements"):
                sent = await educator.post(f"/api/classes/{made['id']}/xapi", json={**body, "url": url})
                assert sent.json() == {"sent": len(found)}, sent.text
            assert store.wrong == [] and sorted(store.kept) == sorted(one["id"] for one in found)
            refused = await educator.post(
                f"/api/classes/{made['id']}/xapi", json={**body, "url": store.url, "password": "x"}
            )
            assert refused.status_code == 409 and "refuses" in refused.json()["detail"]
        for url in ("ftp://x/", "http://a:b@x/", "x"):
            wrong = await educator.post(f"/api/classes/{made['id']}/xapi", json={**body, "url": url})
            assert wrong.status_code == 409 and "address" in wrong.json()["detail"]


async def test_a_figure_without_an_upper_limit_becomes_a_statement_too(opened: Open) -> None:
    async with opened() as browser:
        educator, ada = browser(), browser()
        made = await open_class(educator, clinic="patient", part="doctor")
        await join(ada, made["code"], "Ada")
        run = await begin(ada, made["id"])
        asked = (await room(ada, run))["standing"]["asked"]
        await give(ada, run, asked, text=asked["moves"][-1]["text"])
        await to_the_end(ada, run)
        found = (await educator.get(f"/api/classes/{made['id']}/xapi.json")).json()
        assert [fault for statement in found for fault in faults(statement)] == []
        scores = [one["result"]["score"] for one in found if "score" in one.get("result", {})]
        assert any("max" not in score for score in scores) and any("max" in score for score in scores)


@pytest.mark.parametrize(("clinic", "part"), PARTS)
async def test_every_part_of_every_clinic_can_be_used_for_a_class(opened: Open, clinic: str, part: str) -> None:
    async with opened() as browser:
        educator, ada = browser(), browser()
        made = await open_class(educator, clinic=clinic, part=part)
        await join(ada, made["code"], "Ada")
        found = await room(ada, await begin(ada, made["id"]))
        assert found["standing"]["asked"] is not None and found["about"]["who"] == "Ada"
        assert made["cases"][0]["introduction"] == found["about"]["introduction"]
