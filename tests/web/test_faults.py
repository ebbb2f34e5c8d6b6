"""Whatever breaks, at whatever step: the person hears the set message, people are told, the client gets 503, and the
service does not call itself up. No cell of the matrix is silent."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from polyclinic.clinics.counsel.rules.messages import escalation_message
from polyclinic.core.switchboard import Switchboard
from polyclinic.errors import ModelError, StoreError
from polyclinic.runner.plan.config import make_config
from polyclinic.web.sessions.app import create_app
from polyclinic.web.sessions.emergency import read_emergencies
from polyclinic.web.sessions.limits import ServiceLimits

STAFF = {"Authorization": "Bearer staff-token"}
WIDE = ServiceLimits(messages_per_minute=1e6, requests_per_minute=1e7, starts_per_minute=1e6, answer_s=30)
TALK = ("Hello there.", "I am frightened.", "I am going to kill myself tonight.", "Are you still there?")


class Hangs(Exception):
    """Stands for a call that never returns."""


FAULTS: dict[str, Callable[[], Exception]] = {
    "down": lambda: ModelError("the endpoint is down"),
    "no key": lambda: StoreError("no key in OPENAI_API_KEY"),
    "full": lambda: StoreError("database or disk is full"),
    "bug": lambda: ZeroDivisionError("a bug"),
    "os": lambda: OSError(30, "read-only file system"),
    "hang": Hangs,
}
PARTS = ("guard", "planner", "counsellor", "critic", "keeper", "journal", "post", "board", "queue gone")


class Saboteur:
    """Breaks one part of the service from one message on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.part, self.fault, self.armed = "", "", False
        self.seen: Counter[int] = Counter()
        call, post = Switchboard.call, Switchboard.post

        async def broken_call(board: Switchboard, request: Any) -> Any:
            if self.armed and request.role != "desk" and self.part in (request.role, "board"):
                await self._break()
            found = await call(board, request)
            if self.armed and request.role != "desk" and self.part == "journal":
                await self._break()
            return found

        async def broken_post(board: Switchboard, queue: str, key: str, body: Any) -> None:
            if self.armed and self.part in ("post", "queue gone"):
                await self._break()
            await post(board, queue, key, body)

        monkeypatch.setattr(Switchboard, "call", broken_call)
        monkeypatch.setattr(Switchboard, "post", broken_post)

    async def _break(self) -> None:
        error = FAULTS[self.fault]()
        if isinstance(error, Hangs):
            await asyncio.sleep(3600)
        raise error


@pytest.fixture
def saboteur(monkeypatch: pytest.MonkeyPatch) -> Saboteur:
    return Saboteur(monkeypatch)


def _safe(texts: list[str], lang: str) -> bool:
    """Whether the person heard the set message, or words of ours that say that a person was asked."""
    return any(escalation_message("en" if lang == "en" else "ko", "GB") == text for text in texts)


SOME = (("no key", "hang"), (0, 2), ("en",))
EVERY = (tuple(FAULTS), tuple(range(len(TALK))), ("en", "ko"))


@pytest.mark.parametrize("cells", [SOME, pytest.param(EVERY, marks=pytest.mark.slow)], ids=["some", "every"])
@pytest.mark.parametrize("part", PARTS)
async def test_no_fault_at_any_step_is_silent(
    part: str, cells: tuple[tuple[str, ...], tuple[int, ...], tuple[str, ...]], saboteur: Saboteur, tmp_path: Path
) -> None:
    store = str(tmp_path / "s.db")
    config = make_config(
        {
            "clinic": "counsel",
            "store": store,
            "judges": ("none",),
            "embedder": "hashing",
            "options": {"country": "GB"},
        }
    )
    app = create_app(config, "staff-token", WIDE)
    tried = 0
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client,
    ):
        for fault, step, lang in itertools.product(*cells):
            saboteur.armed = False
            made = (await client.post("/v1/sessions", json={"lang": lang}, headers=STAFF)).json()
            url, mine = f"/v1/sessions/{made['id']}", {"Authorization": f"Bearer {made['token']}"}
            for number, text in enumerate(TALK):
                if number == step:
                    saboteur.part, saboteur.fault, saboteur.armed = part, fault, True
                app.state.service._answer_s = 0.3 if saboteur.armed and fault == "hang" else 30.0
                answer = await client.post(f"{url}/say", json={"text": text}, headers=mine)
                saboteur.armed, app.state.service._answer_s = False, 30.0
                if number < step:
                    assert answer.status_code == 200
                    continue
                heard = [said["text"] for said in answer.json()["said"] if said["speaker"] != "patient"]
                queue = (await client.get("/v1/queue", headers=STAFF)).json()
                told = [case for case in queue if case["session"] == made["id"]]
                where = f"{part} {fault} at message {step} ({lang}): {answer.status_code} {answer.text[:300]}"
                saboteur.seen[answer.status_code] += 1
                if answer.status_code == 503:
                    assert _safe(heard, lang), where
                    assert told or read_emergencies(store), where
                    assert (await client.get("/health")).status_code == 503, where
                else:
                    assert answer.status_code == 200, where
                    held = answer.json()["state"]["control"] in ("escalated", "person")
                    assert heard or (held and told), where
                    if number == 2:
                        assert _safe(heard, lang) and told, where
                break
            tried += 1
    assert tried == len(list(itertools.product(*cells)))


async def test_an_unwritable_store_still_answers_a_person_in_danger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "s.db"
    config = make_config(
        {
            "clinic": "counsel",
            "store": str(store),
            "judges": ("none",),
            "embedder": "hashing",
            "options": {"country": "GB"},
        }
    )
    app = create_app(config, "staff-token", WIDE)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client,
    ):
        made = (await client.post("/v1/sessions", json={"lang": "en"}, headers=STAFF)).json()
        mine = {"Authorization": f"Bearer {made['token']}"}

        async def refuse(*_: Any, **__: Any) -> None:
            raise StoreError("attempt to write a readonly database")

        monkeypatch.setattr(app.state.service._store.database, "write", refuse)
        for _ in range(2):
            answer = await client.post(
                f"/v1/sessions/{made['id']}/say", json={"text": "I will end my life tonight."}, headers=mine
            )
            assert answer.status_code == 503
            assert answer.json()["said"][0]["text"] == escalation_message("en", "GB")
        assert (await client.get("/health")).status_code == 503
        refused = await client.post("/v1/sessions", json={"lang": "ko"}, headers=STAFF)
        assert refused.status_code == 503
        assert refused.json()["said"][0]["text"] == escalation_message("ko", "GB")
    written = [orjson.loads(line) for line in (tmp_path / "s.db.emergency.jsonl").read_bytes().splitlines()]
    assert [case["words"] for case in written][:2] == ["I will end my life tonight."] * 2


async def test_without_a_country_nobody_is_sent_to_another_countrys_numbers() -> None:
    words = escalation_message("en", "ZZ")
    assert "your local emergency number" in words
    assert "109" not in words


async def test_a_restart_with_another_cast_finds_every_open_session_and_case(tmp_path: Path) -> None:
    made: dict[str, str] = {}
    for number, cast in enumerate(("all=understudy", "all=understudy,counsellor=understudy")):
        config = make_config(
            {
                "clinic": "counsel",
                "store": str(tmp_path / "s.db"),
                "judges": ("none",),
                "embedder": "hashing",
                "cast": cast,
            }
        )
        app = create_app(config, "staff-token", WIDE)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client,
        ):
            if number == 0:
                made = (await client.post("/v1/sessions", json={"lang": "en"}, headers=STAFF)).json()
                mine = {"Authorization": f"Bearer {made['token']}"}
                await client.post(f"/v1/sessions/{made['id']}/say", json={"text": TALK[2]}, headers=mine)
            assert [view["id"] for view in (await client.get("/v1/sessions", headers=STAFF)).json()] == [made["id"]]
            assert len((await client.get("/v1/queue", headers=STAFF)).json()) == 1
