"""What delays a person who practises: few writes to the store, and never the opening of another session."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from polyclinic.core.switchboard import Switchboard
from polyclinic.runner.api import outcome_of
from polyclinic.runner.execute import batch
from polyclinic.runner.execute.holding import holding
from polyclinic.store.connections import SqliteConnection
from polyclinic.store.leases import Leases
from polyclinic.web.app import create_web
from polyclinic.web.practise import sessions as practise_sessions
from polyclinic.web.practise.sessions import Sessions


@pytest.fixture
async def web(tmp_path: Path) -> AsyncIterator[tuple[FastAPI, httpx.AsyncClient]]:
    app = create_web(str(tmp_path / "s.db"), "start-up")
    head = {"Authorization": "Bearer start-up"}
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8040", headers=head, timeout=60) as client,
    ):
        yield app, client


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each commit changed, without commits that changed none."""
    found: list[int] = []
    before: dict[int, int] = {}
    begin, commit = SqliteConnection.begin, SqliteConnection.commit

    def begun(self: SqliteConnection, write: bool) -> None:
        begin(self, write)
        before[id(self)] = self._db.total_changes

    def committed(self: SqliteConnection) -> None:
        commit(self)
        changed = self._db.total_changes - before[id(self)]
        if changed:
            found.append(changed)

    monkeypatch.setattr(SqliteConnection, "begin", begun)
    monkeypatch.setattr(SqliteConnection, "commit", committed)
    return found


async def _started(client: httpx.AsyncClient, **body: Any) -> str:
    return str((await client.post("/api/practise", json={"clinic": "patient", "part": "doctor", **body})).json()["id"])


async def test_between_an_answer_and_the_next_question_the_store_is_waited_for_once(
    web: tuple[FastAPI, httpx.AsyncClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, client = web
    written, waits = Switchboard.written, list[int]()

    async def watched(self: Switchboard) -> None:
        if self._unwritten:
            waits.append(len(self._unwritten))
        await written(self)

    monkeypatch.setattr(Switchboard, "written", watched)
    run = await _started(client)
    found = (await client.get(f"/api/practise/{run}")).json()["standing"]
    for words in ("Good morning, what brings you here?", "Since when have you had this?"):
        waits.clear()
        given = {"question": found["asked"]["key"], "text": words}
        assert (await client.post(f"/api/practise/{run}/answer", json=given)).json() == {"wrong": ""}
        assert len(waits) == 1
        found = (await client.get(f"/api/practise/{run}")).json()["standing"]


async def test_a_session_can_be_opened_while_another_one_opens_and_each_is_opened_once(
    web: tuple[FastAPI, httpx.AsyncClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    app, client = web
    sessions: Sessions = app.state.sessions
    slow, quick = await _started(client, seed=1), await _started(client, seed=2)
    goes_on, asked = asyncio.Event(), list[str]()

    async def slowly(store: Any, run: str) -> Any:
        asked.append(run)
        if run == slow:
            await goes_on.wait()
        return await outcome_of(store, run)

    monkeypatch.setattr(practise_sessions, "outcome_of", slowly)
    waiting = [asyncio.create_task(sessions.find(slow)) for _ in range(3)]
    async with asyncio.timeout(30):
        while not asked:
            await asyncio.sleep(0)
        assert await sessions.find(quick) is not None
        assert not any(task.done() for task in waiting)
        goes_on.set()
        first, *others = await asyncio.gather(*waiting)
    assert first is not None and all(found is first for found in others)
    assert asked.count(slow) == 1


async def test_the_leases_of_all_sessions_are_renewed_in_one_commit(
    web: tuple[FastAPI, httpx.AsyncClient], monkeypatch: pytest.MonkeyPatch, commits: list[int]
) -> None:
    _, client = web
    renew, renewed, enough = Leases.renew, list[Any](), asyncio.Event()

    async def renews(self: Leases, units: Any) -> None:
        await renew(self, units)
        renewed.append(units)
        if len(renewed) == 5:
            enough.set()

    monkeypatch.setattr(batch, "holding", lambda leases, held, _: holding(leases, held, lease_s=3.0))
    monkeypatch.setattr(Leases, "renew", renews)
    runs = [await _started(client, clinic="demo", part="nurse", seed=seed) for seed in range(5)]
    for run in runs:  # one after the other, because they begin at different moments
        await client.get(f"/api/practise/{run}")
    commits.clear()
    renewed.clear()
    async with asyncio.timeout(30):
        await enough.wait()
    assert len(commits) <= 3, commits  # on a busy machine one interval may need two commits
