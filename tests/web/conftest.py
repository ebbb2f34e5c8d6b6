"""A counselling service in this process, and its staff, for the tests of live sessions."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import httpx
import pytest
from argon2 import PasswordHasher
from fastapi import FastAPI

from polyclinic.runner.plan.config import make_config
from polyclinic.store.staff import StaffRole
from polyclinic.web.sessions import limits, logins
from polyclinic.web.sessions.app import create_app
from polyclinic.web.sessions.limits import ServiceLimits

SERVICE = {"Authorization": "Bearer service-token"}
DANGER = "I am going to kill myself tonight."
WIDE = ServiceLimits(messages_per_minute=1e6, requests_per_minute=1e7, starts_per_minute=1e6)


class Served(NamedTuple):
    """A running service, a client that talks to it, and the path of its store."""

    app: FastAPI
    client: httpx.AsyncClient
    folder: Path


Serve = Callable[..., AbstractAsyncContextManager[Served]]


@pytest.fixture(scope="module", autouse=True)
def passwords_are_checked_quickly() -> Iterator[None]:
    """Hash with the least work: a third of a second for each login would be most of the time of these tests."""
    quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logins, "_hasher", lambda: quick)
        yield


@pytest.fixture
def serve(tmp_path: Path) -> Serve:
    """Open the service on one store; opening it again is a restart."""

    @asynccontextmanager
    async def open_it(
        limits: ServiceLimits = WIDE, cast: str = "all=understudy", country: str = "", **settings: object
    ) -> AsyncIterator[Served]:
        config = make_config(
            {
                "clinic": "counsel",
                "store": str(tmp_path / "s.db"),
                "judges": ("none",),
                "embedder": "hashing",
                "cast": cast,
                "options": {"country": country} if country else {},
                **settings,
            }
        )
        app = create_app(config, "service-token", limits)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client,
        ):
            yield Served(app, client, tmp_path)

    return open_it


@pytest.fixture
def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time stands still for the rate limits. On a busy machine seconds pass, and the limits would allow more tries."""
    now = time.monotonic()
    monkeypatch.setattr(limits, "time", SimpleNamespace(monotonic=lambda: now))


async def started(client: httpx.AsyncClient, lang: str = "en") -> tuple[str, dict[str, str]]:
    """The address of a new session and the header of its visitor."""
    made = (await client.post("/v1/sessions", json={"lang": lang}, headers=SERVICE)).json()
    return f"/v1/sessions/{made['id']}", {"Authorization": f"Bearer {made['token']}"}


async def staff_login(app: FastAPI, name: str = "Nurse Kim", role: StaffRole = "administer") -> dict[str, str]:
    """The header of somebody who is logged in; the account is created if there is none."""
    accounts = app.state.service.staff
    if await accounts.find(name) is None:
        await accounts.add(name, role, "no password opens this")
    token, _ = await accounts.log_in(name)
    return {"Authorization": f"Bearer {token}"}
