"""schemathesis against the session service's own description: never a 5xx, and every error is one line of JSON."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.core.result import Ok

from polyclinic.runner.plan.config import make_config
from polyclinic.store.store import open_store
from polyclinic.web.sessions.app import create_app
from polyclinic.web.sessions.limits import ServiceLimits
from polyclinic.web.sessions.logins import hash_password

pytestmark = pytest.mark.filterwarnings("ignore")
STAFF = {"Authorization": "Bearer service-token"}
PASSWORD = "a password of the fuzz"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A running service on a free loopback port."""
    config = make_config(
        {
            "clinic": "counsel",
            "store": str(tmp_path_factory.mktemp("fuzz") / "s.db"),
            "judges": ("none",),
            "embedder": "hashing",
        }
    )
    limits = ServiceLimits(
        messages_per_minute=1e6,
        requests_per_minute=1e7,
        starts_per_minute=1e6,
        logins_per_minute=1e6,
        open_sessions=500,
    )
    asyncio.run(_account(config.store))
    server = uvicorn.Server(
        uvicorn.Config(create_app(config, "service-token", limits), host="127.0.0.1", port=0, log_level="error")
    )
    up = threading.Event()
    told = server.startup

    async def startup(sockets: Any = None) -> None:
        await told(sockets)
        up.set()

    server.startup = startup  # type: ignore[method-assign]
    thread = threading.Thread(target=server.run)
    thread.start()
    assert up.wait(30)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)


async def _account(store: str) -> None:
    async with open_store(store) as found:
        await found.staff.add("fuzz", "administer", await hash_password(PASSWORD))


def login(base: str) -> dict[str, str]:
    body = {"name": "fuzz", "password": PASSWORD}
    token = httpx.post(f"{base}/v1/staff/login", json=body, timeout=120).json()["token"]
    return {"Authorization": f"Bearer {token}"}


def started(base: str) -> str:
    return str(httpx.post(f"{base}/v1/sessions", json={}, headers=STAFF, timeout=120).json()["id"])


@pytest.mark.parametrize("examples", [3, pytest.param(60, marks=pytest.mark.slow)])
def test_no_generated_request_breaks_the_service(base: str, examples: int) -> None:
    schema = schemathesis.openapi.from_url(f"{base}/openapi.json")
    answers: Counter[int] = Counter()
    session = [started(base)]
    people = [login(base)]
    operations = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    assert len(operations) >= 14
    for operation in operations:
        if operation.path == "/v1/queue/stream":
            continue  # it never ends
        people[0] = login(base)
        modes = [operation.as_strategy(), operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE)]

        @settings(
            max_examples=2 * examples,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=st.one_of(modes), real=st.booleans(), allowed=st.integers(0, 4))
        def one(case: Any, real: bool, allowed: int) -> None:
            if case.path.endswith("/stream"):
                httpx.post(f"{base}/v1/sessions/{session[0]}/close", headers=STAFF, timeout=120)
            if real and isinstance(case.path_parameters, dict) and "session" in case.path_parameters:
                case.path_parameters["session"] = session[0]
            response = case.call(base_url=base, headers=(None, *people * 2, STAFF, STAFF)[allowed], timeout=120)
            answers[response.status_code] += 1
            assert response.status_code < 500, (case.as_curl_command(), response.text)
            if response.status_code >= 400:
                assert "detail" in response.json(), case.as_curl_command()
            if httpx.get(f"{base}/v1/sessions/{session[0]}", headers=STAFF, timeout=120).json()["control"] == "closed":
                session[0] = started(base)

        one()
    assert answers[200] + answers[201] > 10 and answers[401] > 0 and answers[404] > 0


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"\xff\xfe\x00", "application/json"),
        (b"{", "application/json"),
        (b'{"text": "\\ud800"}', "application/json"),
        (b'{"text": "a\\u0000b"}', "application/json"),
        (b"[" * 5_000, "application/json"),
        (b"text=hello", "application/x-www-form-urlencoded"),
        (b'{"text": "' + "𝕂".encode() * 900 + b'"}', "application/json"),
    ],
)
def test_nasty_bodies_cause_no_server_error(base: str, body: bytes, content_type: str) -> None:
    url = f"{base}/v1/sessions/{started(base)}/say"
    answer = httpx.post(url, content=body, headers={**STAFF, "Content-Type": content_type}, timeout=120)
    assert answer.status_code < 500
