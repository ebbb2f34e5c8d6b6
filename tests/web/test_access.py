"""The access matrix (role, thing, verb) over every route of the application; owners; logging in."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from polyclinic.store.staff import WEB_ROLES
from polyclinic.web import entry
from polyclinic.web.access.routes_table import ROUTES
from polyclinic.web.access.table import ROLES, TABLE, AccessRole, reach
from polyclinic.web.app import create_web
from polyclinic.web.sessions.logins import hash_password

HOST = "http://127.0.0.1:8040"
PASSWORD = "correct horse battery"


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[FastAPI]:
    made = create_web(str(tmp_path / "s.db"), "start-up", accounts=True)
    async with made.router.lifespan_context(made):
        for role in WEB_ROLES:
            await made.state.store.staff.add(role, role, "none")
        yield made


async def as_role(app: FastAPI, role: AccessRole) -> httpx.AsyncClient:
    """A client that is logged in with this role."""
    headers = {}
    if role != "nobody":
        token, _ = await app.state.store.staff.log_in(role)
        headers = {"Authorization": f"Bearer {token}"}
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=HOST, headers=headers)


def routes(app: FastAPI) -> list[str]:
    """Every route, including those of included routers and those that the API description leaves out."""
    found: list[str] = []
    waiting: list[Any] = list(app.routes)
    while waiting:
        route = waiting.pop()
        waiting += getattr(getattr(route, "original_router", None), "routes", [])
        if isinstance(route, APIRoute):
            found += [f"{method} {route.path}" for method in route.methods or ()]
    described = {f"{method.upper()} {path}" for path, methods in app.openapi()["paths"].items() for method in methods}
    assert described < set(found) and len(found) == len(set(found))
    return sorted(found, key=lambda route: (route.endswith("/logout"), route))


def test_every_route_is_in_the_table_and_every_row_has_a_route() -> None:
    found = set(routes(create_web(":memory:", "start-up")))
    assert found - set(ROUTES) == set(), "a new route: say in access/routes_table.py what it does to which thing"
    assert set(ROUTES) - found == set(), "these routes are gone"


def test_every_row_says_yes_or_no_for_every_role_and_an_administrator_is_never_refused() -> None:
    assert len({row[:2] for row in TABLE}) == len(TABLE)
    for thing, verb, *_ in TABLE:
        assert reach("administrator", thing, verb) == "all"
        if (thing, verb) not in {("page", "see"), ("login", "see"), ("login", "make")} and verb != "join":
            assert reach("nobody", thing, verb) == "no", (thing, verb)


@pytest.mark.parametrize("role", ROLES)
async def test_each_role_passes_the_check_of_every_route_exactly_as_the_table_says(
    app: FastAPI, role: AccessRole
) -> None:
    """The objects belong to somebody else here.

    A role that may reach only its own objects gets 404.
    """
    owner = await as_role(app, "administrator")
    run = (await owner.post("/api/practise", json={"clinic": "demo", "part": "nurse"})).json()["id"]
    wrong = []
    async with await as_role(app, role) as client:
        for route in routes(app):
            method, path = route.split(" ")
            rule = ROUTES[route]
            # A run in which a person plays counts as practice.
            thing = "practise" if rule.parameter == "run" and rule.thing in ("run", "practise") else rule.thing
            far = reach(role, thing, rule.verb) if reach(role, rule.thing, rule.verb) != "no" else "no"
            if path.endswith("/events") and far == "all":
                continue  # an open stream does not end; the same check runs before it
            url = re.sub(r"\{(\w+)(:path)?\}", lambda name: run if name[1] == "run" else "something", path)
            status = (await client.request(method, url, params=_query(path, run))).status_code
            if far == "no":
                fits = status == (401 if role == "nobody" else 403)
            elif far == "own" and rule.parameter:
                fits = status == 404
            else:
                fits = status not in (401, 403)
            if not fits:
                wrong.append(f"{role}: {route} {far} was answered {status}")
    await owner.aclose()
    assert wrong == []


def _query(path: str, run: str) -> dict[str, str]:
    return {"part": "nurse", **({"left": run, "right": run} if path == "/api/compare" else {})}


async def test_objects_belong_to_their_maker_and_nobody_else_sees_or_changes_them(app: FastAPI) -> None:
    await app.state.store.staff.add("second", "learner", "none")
    token, _ = await app.state.store.staff.log_in("second")
    async with await as_role(app, "learner") as mine, await as_role(app, "learner") as theirs:
        theirs.headers["Authorization"] = f"Bearer {token}"
        run = (await mine.post("/api/practise", json={"clinic": "demo", "part": "nurse"})).json()["id"]
        assert [one["id"] for one in (await mine.get("/api/practise")).json()] == [run]
        assert (await theirs.get("/api/practise")).json() == []
        asked = (await mine.get(f"/api/practise/{run}")).json()["standing"]["asked"]
        body = {"question": asked["key"], "tool": "leaflet", "values": {"medicine": "Amberol"}}
        for name in (run, run[:-1], "last"):
            assert (await theirs.get(f"/api/practise/{name}")).status_code == 404
            assert (await theirs.post(f"/api/practise/{name}/answer", json=body)).status_code == 404
        assert (await mine.post(f"/api/practise/{run}/answer", json=body)).status_code == 200
        talk = (await mine.post("/api/desk/counsel/sessions", json={"values": {"lang": "en"}})).json()["id"]
        address = f"/api/desk/counsel/sessions/{talk}"
        assert (await mine.get(address)).status_code == 200 and (await theirs.get(address)).status_code == 404
        assert (await mine.post(f"{address}/take-over", json={"by": "Kim"})).status_code == 403
        assert (await theirs.post(f"{address}/take-over", json={"by": "Kim"})).status_code == 404


async def test_runs_with_people_are_hidden_even_from_those_who_may_see_runs(app: FastAPI) -> None:
    async with await as_role(app, "learner") as learner, await as_role(app, "educator") as educator:
        run = (await learner.post("/api/practise", json={"clinic": "demo", "part": "nurse"})).json()["id"]
        assert (await educator.get("/api/runs")).json() == []
        assert (await educator.get(f"/api/runs/{run}")).status_code == 404
        assert (await educator.get(f"/api/compare?left={run}&right={run}")).status_code == 404


async def test_people_who_may_not_choose_models_play_with_understudies_and_read_no_files(app: FastAPI) -> None:
    body = {"clinic": "duty", "part": "trainee"}
    async with await as_role(app, "learner") as client:
        for more in ({"others": "all=openai:gpt"}, {"case": "/etc/passwd"}, {"case": "cases.json"}):
            answer = await client.post("/api/practise", json={**body, **more})
            assert answer.status_code == 403, more


async def test_a_desk_identifies_its_staff_by_their_account_and_not_by_what_they_say(app: FastAPI) -> None:
    async with await as_role(app, "learner") as visitor, await as_role(app, "supervisor") as staff:
        talk = (await visitor.post("/api/desk/counsel/sessions", json={"values": {"lang": "en"}})).json()["id"]
        address = f"/api/desk/counsel/sessions/{talk}"
        said = {"values": {"text": "I am going to kill myself tonight."}}
        assert (await visitor.post(f"{address}/say", json=said)).status_code == 200
        taken = await staff.post(f"{address}/take-over", json={"by": "Somebody else"})
        assert taken.status_code == 200, taken.text
        assert taken.json()["view"]["holder"] == "supervisor"


async def test_a_person_logs_in_by_password_with_a_cookie_and_logs_out_again(app: FastAPI) -> None:
    await app.state.store.staff.add("kim", "educator", await hash_password(PASSWORD))
    async with await as_role(app, "nobody") as client:
        assert (await client.get("/")).status_code == 200, "the page with the login"
        assert (await client.get("/api/clinics")).status_code == 401
        assert (await client.get("/api/me")).json()["role"] == "nobody"
        wrong = {"name": "kim", "password": "correct horse batterx"}
        assert (await client.post("/api/login", json=wrong)).status_code == 401
        right = await client.post("/api/login", json={"name": "kim", "password": PASSWORD})
        cookie = right.headers["set-cookie"].lower()
        assert right.status_code == 204 and "httponly" in cookie and "samesite=strict" in cookie
        me = (await client.get("/api/me")).json()
        assert (me["name"], me["role"]) == ("kim", "educator") and "accounts" not in me["places"]
        changed = {"old": PASSWORD, "new": "another horse battery"}
        token = client.cookies["polyclinic-8040"]
        assert (await client.post("/api/logout", json={})).status_code == 204
        client.cookies.set("polyclinic-8040", token)
        assert (await client.post("/api/password", json=changed)).status_code == 401, "the token is worth nothing now"
        log = [(entry.who, entry.action, entry.outcome) for entry in await app.state.store.audit_log.entries()]
        assert ("kim", "log in", "refused") in log and ("kim", "log in", "done") in log and log[-1][1] == "log out"


async def test_the_start_up_token_gives_no_access_when_logins_are_required(app: FastAPI) -> None:
    async with await as_role(app, "nobody") as client:
        client.headers["Authorization"] = "Bearer start-up"
        assert (await client.get("/api/clinics")).status_code == 401
        assert (await client.get("/api/clinics?token=start-up")).status_code == 401


@pytest.mark.usefixtures("stopped_clock")
async def test_attempts_to_log_in_and_requests_are_limited(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "PER_MINUTE", 12.0)
    async with await as_role(app, "nobody") as client:
        body = {"name": "kim", "password": "x"}
        tried = [(await client.post("/api/login", json=body)).status_code for _ in range(4)]
        assert tried == [401, 401, 429, 429]
    async with await as_role(app, "learner") as client:
        asked = [(await client.get("/api/me")).status_code for _ in range(4)]
        assert asked == [200, 200, 429, 429]


async def test_a_stream_ends_when_its_login_ends(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "ASK_AGAIN_S", 0.05)
    async with await as_role(app, "learner") as client:
        run = (await client.post("/api/practise", json={"clinic": "demo", "part": "nurse"})).json()["id"]
        await app.state.store.staff.end("learner")
        async with asyncio.timeout(20):
            assert (await client.get(f"/api/practise/{run}/events")).status_code == 401
        await app.state.store.staff.add("learner", "learner", "none")
        token, _ = await app.state.store.staff.log_in("learner")
        client.headers["Authorization"] = f"Bearer {token}"

        async def end_soon() -> None:
            await asyncio.sleep(0.2)
            await app.state.store.staff.end("learner")

        ending = asyncio.create_task(end_soon())
        async with asyncio.timeout(20):
            await _stream_to_its_end(client, f"/api/practise/{run}/events")
        await ending


async def _stream_to_its_end(client: httpx.AsyncClient, url: str) -> None:
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": url,
        "raw_path": url.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"127.0.0.1:8040"), (b"authorization", client.headers["Authorization"].encode())],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8040),
    }
    transport = client._transport
    assert isinstance(transport, httpx.ASGITransport)

    async def receive() -> dict[str, Any]:
        await asyncio.Event().wait()
        return {}

    async def send(message: Any) -> None:
        return None

    await transport.app(scope, receive, send)
