"""Every POST: one key acts only once, also with concurrent requests and after a restart, and for one person only."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from polyclinic.store.store import open_store
from polyclinic.web.access.routes_table import ROUTES
from polyclinic.web.app import create_web
from polyclinic.web.posts import PostsMiddleware

POSTS = [route.split(" ")[1] for route in ROUTES if route.startswith("POST ")]


class Counting:
    """Takes the place of the routes: answers with a new number each time."""

    def __init__(self) -> None:
        self.done = 0
        self.status = 201

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.done += 1
        number = self.done
        await asyncio.sleep(0.001)
        answer: Response = JSONResponse({"id": str(number)}, self.status)
        await answer(scope, receive, send)


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[FastAPI]:
    async with open_store(str(tmp_path / "s.db")) as store:
        made = FastAPI()
        made.state.store = store
        yield made


def stand_in(app: FastAPI, counting: Counting) -> httpx.AsyncClient:
    inner = PostsMiddleware(counting)

    async def whole(scope: Scope, receive: Receive, send: Send) -> None:
        await inner({**scope, "app": app}, receive, send)

    return httpx.AsyncClient(transport=httpx.ASGITransport(whole), base_url="http://127.0.0.1")


def test_the_check_of_keys_comes_before_every_route(tmp_path: Path) -> None:
    app = create_web(str(tmp_path / "s.db"), "start-up")
    assert PostsMiddleware.__name__ in [getattr(one.cls, "__name__", "") for one in app.user_middleware]
    assert len(POSTS) > 10


@pytest.mark.parametrize("path", POSTS)
async def test_the_same_key_acts_once_also_with_concurrent_requests_and_after_a_restart(
    app: FastAPI, path: str
) -> None:
    counting, key = Counting(), {"Idempotency-Key": "a-key"}
    async with stand_in(app, counting) as client:
        answers = await asyncio.gather(*(client.post(path, json={"a": 1}, headers=key) for _ in range(5)))
        assert counting.done == 1 and len({answer.content for answer in answers}) == 1
    async with stand_in(app, counting) as client:
        again = await client.post(path, json={"a": 1}, headers=key)
        assert counting.done == 1 and (again.status_code, again.content) == (201, answers[0].content)
        assert (await client.post(path, json={"a": 2}, headers=key)).status_code == 422, "another body"
        assert (await client.post(path, json={"a": 1})).json() == {"id": "2"}, "without a key it is done each time"


async def test_a_failure_is_not_stored_and_may_be_retried(app: FastAPI) -> None:
    counting, key = Counting(), {"Idempotency-Key": "a-key"}
    async with stand_in(app, counting) as client:
        counting.status = 503
        assert (await client.post("/api/runs", json={}, headers=key)).status_code == 503
        counting.status = 201
        assert (await client.post("/api/runs", json={}, headers=key)).json() == {"id": "2"}
        assert (await client.post("/api/runs", json={}, headers={"Idempotency-Key": "no key"})).status_code == 422


async def test_the_real_routes_start_a_run_once(tmp_path: Path) -> None:
    app = create_web(str(tmp_path / "s.db"), "start-up")
    headers = {"Authorization": "Bearer start-up", "Idempotency-Key": "k"}
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", headers=headers) as client,
    ):
        body = {"clinic": "demo", "scenarios": "1"}
        first, second = [await client.post("/api/runs", json=body) for _ in range(2)]
        assert first.json() == second.json() and len((await client.get("/api/runs")).json()) == 1
        for verb in ("stop", "resume"):
            told = [(await client.post(f"/api/runs/{first.json()['id']}/{verb}", json={})).content for _ in range(2)]
            assert told[0] == told[1]
