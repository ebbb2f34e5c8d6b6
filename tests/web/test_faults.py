"""Whatever breaks at any step: the person gets the fixed message, staff are alerted, the client gets 503.

The service then does not report itself as healthy. No cell of the matrix is silent.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from benchmarks.counsel_faults import CELLS, HANGS, PARTS, Cell, matrix
from polyclinic.clinics.counsel.flow.room import Room
from polyclinic.clinics.counsel.rules.messages import escalation_message
from polyclinic.clinics.counsel.service import GUARD_FAILED
from polyclinic.clinics.counsel.service import service as counsel_service
from polyclinic.clinics.counsel.variants import VARIANTS
from polyclinic.core.live import LAST_WORDS
from polyclinic.errors import ModelError, ReplyError, StoreError
from polyclinic.web.sessions.emergency import Emergency, Telling, append_line, emergency_files, read_emergencies
from polyclinic.web.sessions.limits import ServiceLimits
from polyclinic.web.sessions.service import Service
from tests.web.conftest import DANGER, SERVICE, WIDE, Serve, Served, staff_login, started

SAFE = escalation_message("en", "GB")
QUICK = [
    *(Cell(part, "no key", step, "en") for part in PARTS for step in ("greeting", "danger")),
    *(Cell(part, HANGS, "greeting", "en") for part in ("guard", "counsellor", "keeper")),
]


@pytest.mark.parametrize("cells", [QUICK, pytest.param(CELLS, marks=pytest.mark.slow)], ids=["quick", "whole"])
async def test_no_fault_at_any_step_is_silent(
    cells: tuple[Cell, ...], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL + 1)
    found = await matrix(cells, tmp_path)
    assert [one for one in found if one.silent] == []
    assert len(found) == len(cells) and sum(one.met for one in found) > len(cells) / 2
    in_danger = {one.cell.part for one in found if one.met and one.cell.step == "danger"}
    assert in_danger >= {"screen", "trained guard", "flow", "queue", "store"}
    roles = [
        one for one in found if one.met and one.cell.step == "greeting" and one.cell.part not in ("keeper", "queue")
    ]
    assert {(one.status, one.heard) for one in roles} == {(503, "set message")}


def test_the_matrix_is_large_enough() -> None:
    assert len(CELLS) >= 300


def broken_store(served: Served, error: str = "attempt to write a readonly database") -> Any:
    async def refuse(*_: Any, **__: Any) -> None:
        raise StoreError(error)

    return patch.object(served.app.state.service._store.database, "write", refuse)


async def test_a_store_that_cannot_write_still_answers_a_person_in_danger_and_catches_up_later(serve: Serve) -> None:
    async with serve(country="GB") as served:
        url, mine = await started(served.client)
        head = await staff_login(served.app, "w", "watch")
        with broken_store(served):
            for _ in range(2):
                answer = await served.client.post(f"{url}/say", json={"text": DANGER}, headers=mine)
                assert answer.status_code == 503
                assert answer.json()["said"][0]["text"] == SAFE
            assert (await served.client.get("/health")).status_code == 503
            refused = await served.client.post("/v1/sessions", json={"lang": "ko", "patient": "x"}, headers=SERVICE)
            assert refused.status_code == 503
            assert refused.json()["said"][0]["text"] == escalation_message("ko", "GB")
            written = read_emergencies(served.folder / "s.db.emergency.jsonl")
            assert [case.words for case in written][:2] == [DANGER] * 2
            alerts = served.app.state.service.alerts
            await alerts.ring()  # unless the service has already rung
            assert len(alerts._rung) == 3, "they ring from memory"
            shown = (await served.client.get("/v1/queue/emergencies", headers=head)).json()
            assert [case["words"] for case in shown][:2] == [DANGER] * 2
            assert [case["rings"] for case in shown] == [True] * 3
            heard = await served.client.post(f"/v1/queue/{shown[0]['id']}/acknowledge", headers=head)
            assert heard.status_code == 204
            shown = (await served.client.get("/v1/queue/emergencies", headers=head)).json()
            assert [case["rings"] for case in shown] == [False, True, True]
            look = (served.folder / "s.db.audit.jsonl").read_text()
            assert "/v1/queue/emergencies" in look and "acknowledge" in look, "what staff did is in the file meanwhile"
        assert await served.app.state.service.rescue.telling.bring_in()
        queue = (await served.client.get("/v1/queue", headers=head)).json()
        assert [case["utterance"] for case in queue][:2] == [DANGER] * 2
        assert [case["rings"] for case in queue] == [False, True, True]
        assert not (served.folder / "s.db.emergency.jsonl").exists()
        assert list(served.folder.glob("s.db.emergency.jsonl.in-queue-*"))
        again = await served.client.post(f"{url}/say", json={"text": DANGER}, headers=mine)
        assert again.status_code == 200 and again.json()["said"][-1]["text"] == SAFE, "the session goes on"


@pytest.mark.parametrize("pragma", ["PRAGMA query_only = ON", "PRAGMA max_page_count = 1"])
async def test_sqlite_that_is_really_read_only_or_full_still_gives_an_answer(pragma: str, serve: Serve) -> None:
    async with serve(country="GB") as served:
        url, mine = await started(served.client)
        database = served.app.state.service._store.database
        await database.write(lambda tx: tx.execute(pragma))
        for number in range(40):
            answer = await served.client.post(f"{url}/say", json={"text": f"Hello {number} " * 200}, headers=mine)
            if answer.status_code != 200:
                break
        assert answer.status_code == 503 and answer.json()["said"][-1]["text"] == SAFE
        filed = read_emergencies(served.folder / "s.db.emergency.jsonl")
        assert filed or await served.app.state.service.cases.all(), "a full store may still take one small case"
        assert filed or "query_only" not in pragma


async def test_a_store_that_another_process_has_locked_keeps_nobody_in_danger_waiting(serve: Serve) -> None:
    async with serve(replace(WIDE, lock_wait_s=0.1), country="GB") as served:
        url, mine = await started(served.client)
        with closing(sqlite3.connect(served.folder / "s.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            async with asyncio.timeout(30):
                answer = await served.client.post(f"{url}/say", json={"text": DANGER}, headers=mine)
        assert answer.status_code == 503 and answer.json()["said"][-1]["text"] == SAFE
        assert read_emergencies(served.folder / "s.db.emergency.jsonl")[0].words == DANGER
    assert ServiceLimits().lock_wait_s <= 10


async def test_an_emergency_file_is_readable_only_by_its_owner_and_follows_no_link(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    assert append_line((path,), {"a": 1})
    assert path.stat().st_mode & 0o077 == 0
    linked = tmp_path / "link.jsonl"
    linked.symlink_to(tmp_path / "elsewhere")
    assert append_line((linked, path), {"a": 2}) and not (tmp_path / "elsewhere").exists()
    assert path.read_text().count("\n") == 2
    assert set(emergency_files(str(tmp_path / "a.db"))).isdisjoint(emergency_files(str(tmp_path / "b.db")))


class Kept:
    """A journal that keeps what is handed over."""

    def __init__(self) -> None:
        self.cases: dict[tuple[str, str], dict[str, Any]] = {}

    async def post(self, session: str, queue: str, key: str, body: dict[str, Any]) -> None:
        self.cases[session, key] = body


async def test_a_line_that_a_full_disk_cut_off_spoils_no_other_line_and_is_told_too(tmp_path: Path) -> None:
    path = tmp_path / "s.db.emergency.jsonl"
    whole = Emergency(session="0ab1", words="first", fault="full", at_ms=1).model_dump_json()
    path.write_text(f'{whole}\n{{"session":"0ab2","words":"죽고 싶')
    journal = Kept()
    assert append_line((path,), Emergency(session="0ab3", words="third", fault="full", at_ms=3).model_dump())
    for _ in range(2):  # a second start
        telling = Telling(journal, "q", str(tmp_path / "s.db"))  # type: ignore[arg-type]
        assert [case.session for case in read_emergencies(path)] == ["0ab1", "0ab2", "0ab3"] * path.exists()
        assert await telling.bring_in()
    assert [(session, body["words"][-5:]) for (session, _), body in journal.cases.items()] == [
        ("0ab1", "first"), ("0ab2", '"죽고 싶'), ("0ab3", "third")
    ]  # fmt: skip
    assert "cannot be read" in journal.cases[next(key for key in journal.cases if key[0] == "0ab2")]["reason"]


async def test_a_file_of_somebody_else_is_neither_written_nor_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.db.emergency.jsonl"
    planted = Emergency(session="0ab1", words="planted", fault="x", at_ms=1).model_dump_json() + "\n"
    path.write_text(planted)
    monkeypatch.setattr(os, "getuid", lambda: path.stat().st_uid + 1)
    journal = Kept()
    assert not append_line((path,), {"a": 1})
    assert await Telling(journal, "q", str(tmp_path / "s.db")).bring_in()  # type: ignore[arg-type]
    assert path.read_text() == planted and not journal.cases


async def test_a_file_in_a_folder_that_cannot_be_changed_keeps_nothing_else_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, renamed = Emergency(session="0ab1", words="in the file", fault="x", at_ms=1), Path.rename
    assert append_line((tmp_path / "s.db.emergency.jsonl",), written.model_dump())
    journal = Kept()
    telling = Telling(journal, "q", str(tmp_path / "s.db"))  # type: ignore[arg-type]
    telling.unstored["0ab2 fault-2"] = Emergency(session="0ab2", words="in memory", fault="x", at_ms=2)

    def refused(path: Path, to: Path) -> Path:
        if path.parent == tmp_path:
            raise OSError(30, "read-only file system")
        return renamed(path, to)

    monkeypatch.setattr(Path, "rename", refused)
    assert not await telling.bring_in()
    assert sorted(body["words"] for body in journal.cases.values()) == ["in memory", "in the file"]
    assert not telling.unstored


async def test_two_faults_in_the_same_millisecond_are_two_cases(tmp_path: Path) -> None:
    class Full:
        async def post(self, *_: object) -> None:
            raise StoreError("full")

    telling = Telling(Full(), "q", str(tmp_path / "s.db"))  # type: ignore[arg-type]
    with patch("polyclinic.web.sessions.emergency.now_ms", lambda: 5):
        assert await telling.tell("s", "a", "x") == ("file", "log")
        assert await telling.tell("s", "b", "x") == ("file", "log")
    assert [case.words for case in telling.unstored.values()] == ["a", "b"]


async def test_after_a_fault_staff_can_take_the_session_over_and_the_person_is_answered_again(serve: Serve) -> None:
    async with serve(country="GB") as served:
        url, mine = await started(served.client)
        kim = await staff_login(served.app, "Kim", "take_over")

        async def bug(*_: object) -> str:
            raise ZeroDivisionError("a bug")

        with patch.object(Room, "heard", bug):
            assert (await served.client.post(f"{url}/say", json={"text": "Hello."}, headers=mine)).status_code == 503
        taken = await served.client.post(f"{url}/take-over", json={}, headers=kim)
        assert taken.status_code == 200 and taken.json()["state"]["holder"] == "Kim"
        (case,) = (await served.client.get("/v1/queue", headers=kim)).json()
        assert case["taken_by"] == "Kim" and case["utterance"] == "Hello."


async def test_a_model_that_is_down_or_hangs_hands_the_conversation_over_to_staff(serve: Serve) -> None:
    hasty = VARIANTS["full"].model_copy(update={"answer_timeout_s": 0.5})
    with patch.dict(VARIANTS, {"full": hasty}):
        async with serve(country="GB") as served:
            kim = await staff_login(served.app, "Kim", "take_over")

            async def hang(*_: object) -> str:
                return await asyncio.sleep(3600, "")

            url, mine = await started(served.client)
            with patch("polyclinic.clinics.counsel.agents.counsellor.Counsellor.write", hang):
                answer = await served.client.post(f"{url}/say", json={"text": "Hello."}, headers=mine)
            assert answer.status_code == 503 and answer.json()["said"][-1]["text"] == SAFE
            taken = await served.client.post(f"{url}/take-over", json={}, headers=kim)
            assert taken.status_code == 200 and taken.json()["state"]["control"] == "person"
            (case,) = (await served.client.get("/v1/queue", headers=kim)).json()
            assert "no answer within" in case["reason"] and case["status"] == "taken"


@pytest.mark.parametrize("role", ["guard", "counsellor", "keeper", "reader"])
async def test_a_model_without_a_key_hands_the_conversation_over_to_staff(
    role: str, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    async with serve(country="GB", cast=f"{role}=openai:gpt-5-mini,all=understudy") as served:
        kim = await staff_login(served.app, "Kim", "take_over")
        url, mine = await started(served.client)
        answer = await served.client.post(f"{url}/say", json={"text": "Hello."}, headers=mine)
        assert answer.status_code == 503 and answer.json()["said"][-1]["text"] == SAFE
        assert (await served.client.get("/health")).status_code == 503
        cases = (await served.client.get("/v1/queue", headers=kim)).json()
        assert "OPENAI_API_KEY" in cases[-1]["reason"] and cases[-1]["rings"]
        taken = await served.client.post(f"{url}/take-over", json={}, headers=kim)
        assert taken.status_code == 200 and taken.json()["state"]["holder"] == "Kim"


async def test_a_guard_whose_verdict_cannot_be_read_is_a_fault_of_the_service(serve: Serve) -> None:
    async def unreadable(*_: object) -> None:
        raise ReplyError("Bananas!")

    async with serve(country="GB") as served:
        kim = await staff_login(served.app, "Kim", "take_over")
        url, mine = await started(served.client)
        with patch("polyclinic.clinics.counsel.agents.guard.Guard._ask", unreadable):
            answer = await served.client.post(f"{url}/say", json={"text": "Hello."}, headers=mine)
        assert answer.status_code == 503 and answer.json()["said"][-1]["text"] == SAFE
        assert (await served.client.get("/health")).status_code == 503
        (case,) = (await served.client.get("/v1/queue", headers=kim)).json()
        assert case["rings"] and case["why"] == GUARD_FAILED


async def test_a_keeper_that_fails_after_the_answer_is_reported_to_staff(serve: Serve) -> None:
    async with serve(country="GB") as served:
        url, mine = await started(served.client)

        answered = asyncio.Event()

        async def down(*_: object) -> list[Any]:
            await answered.wait()
            raise ModelError("the endpoint is down")

        with patch("polyclinic.clinics.counsel.agents.memory.Recollection.keep", down):
            answer = await served.client.post(f"{url}/say", json={"text": "Hello."}, headers=mine)
            live = await served.app.state.service.get(url.rpartition("/")[2])
            answered.set()
            await live.idle.wait()
        assert answer.status_code == 200 and answer.json()["said"][-1]["speaker"] == "counsellor"
        await asyncio.gather(*served.app.state.service._working)
        assert (await served.client.get("/health")).status_code == 503
        (case,) = await served.app.state.service.cases.all()
        assert "after the reply was sent" in case.body["reason"]


async def test_a_message_that_waits_while_the_flow_crashes_is_answered_at_once(serve: Serve) -> None:
    async with serve(country="GB") as served:
        url, mine = await started(served.client)
        answered = asyncio.Event()

        async def bug(*_: object) -> list[Any]:
            await answered.wait()
            raise ZeroDivisionError("a bug")

        with patch("polyclinic.clinics.counsel.agents.memory.Recollection.keep", bug):
            await served.client.post(f"{url}/say", json={"text": "Hello."}, headers=mine)
            waiting = asyncio.create_task(served.client.post(f"{url}/say", json={"text": DANGER}, headers=mine))
            await asyncio.sleep(0.1)
            answered.set()
            async with asyncio.timeout(20):
                answer = await waiting
        assert answer.status_code == 503 and answer.json()["said"][-1]["text"] == SAFE
        assert DANGER in [case.body["words"] for case in await served.app.state.service.cases.all()]


async def test_a_person_in_danger_gets_the_safety_message_after_the_turn_limit(serve: Serve) -> None:
    async with serve(country="GB", max_turns=1) as served:
        url, mine = await started(served.client)
        assert (await served.client.post(f"{url}/say", json={"text": "Hello."}, headers=mine)).status_code == 200
        for _ in range(2):
            answer = await served.client.post(f"{url}/say", json={"text": DANGER}, headers=mine)
            assert answer.status_code == 503 and answer.json()["said"][-1]["text"] == SAFE
        assert len(await served.app.state.service.cases.all()) == 2


async def test_a_full_service_and_a_bug_outside_every_session_answer_with_the_safe_message(serve: Serve) -> None:
    async with serve(ServiceLimits(open_sessions=1), country="GB") as served:
        url, mine = await started(served.client)
        full = await served.client.post("/v1/sessions", json={"lang": "en"}, headers=SERVICE)
        assert full.status_code == 503 and full.json()["said"][0]["text"] == SAFE and "limit" in full.json()["detail"]

        async def bug(*_: object) -> None:
            raise ZeroDivisionError("a bug")

        with patch.object(Service, "act", bug):
            answer = await served.client.post(f"{url}/say", json={"text": DANGER}, headers=mine)
        assert answer.status_code == 503 and answer.json()["said"][0]["text"] == SAFE
        assert (await served.client.get("/health")).status_code == 503
        assert len(await served.app.state.service.cases.all()) == 1


async def test_even_without_the_clinics_own_message_the_person_gets_an_answer(serve: Serve) -> None:
    async with serve() as served:
        url, mine = await started(served.client)

        def bug(*_: object) -> str:
            raise KeyError("contacts")

        with patch.object(type(counsel_service), "safe_words", bug), broken_store(served):
            answer = await served.client.post(f"{url}/say", json={"text": DANGER}, headers=mine)
        assert answer.status_code == 503 and answer.json()["said"][0]["text"] == LAST_WORDS


async def test_even_when_staff_cannot_be_alerted_the_person_gets_an_answer(serve: Serve) -> None:
    async with serve() as served:
        url, mine = await started(served.client)

        async def bug(*_: object, **__: object) -> None:
            raise ZeroDivisionError("a bug")

        with patch.object(Service, "act", bug), patch.object(Telling, "tell", bug):
            answer = await served.client.post(f"{url}/say", json={"text": DANGER}, headers=mine)
        assert answer.status_code == 503 and answer.json()["said"][0]["text"] == LAST_WORDS


async def test_a_fault_with_text_that_no_file_can_hold_is_still_reported(tmp_path: Path) -> None:
    class Full:
        async def post(self, *_: object) -> None:
            raise StoreError("full")

    telling = Telling(Full(), "q", str(tmp_path / "s.db"))  # type: ignore[arg-type]
    assert await telling.tell("s", "half a \ud800 character\0", "x") == ("file", "log")
    assert read_emergencies(tmp_path / "s.db.emergency.jsonl")[0].words == "half a ? character "


async def test_emergency_files_that_cannot_be_moved_do_not_stop_alerts(serve: Serve) -> None:
    async def bug(*_: object) -> bool:
        raise OSError("no such folder")

    with patch.object(Telling, "bring_in", bug):
        async with serve() as served:
            url, mine = await started(served.client)
            listener = served.app.state.service.alerts.listen()
            heard = asyncio.create_task(anext(listener))
            await asyncio.sleep(0)
            await served.client.post(f"{url}/say", json={"text": DANGER}, headers=mine)
            async with asyncio.timeout(20):
                alert = await heard
            assert alert is not None and alert.session == url.rpartition("/")[2]


async def test_without_a_country_nobody_gets_the_numbers_of_another_country(serve: Serve) -> None:
    async with serve() as served:
        url, mine = await started(served.client)
        answer = await served.client.post(f"{url}/say", json={"text": DANGER}, headers=mine)
        words = answer.json()["said"][-1]["text"]
    assert "your local emergency number" in words
    assert "109" not in words


async def test_a_restart_with_another_cast_finds_every_open_session_and_case_but_no_closed_one(serve: Serve) -> None:
    async with serve() as served:
        url, mine = await started(served.client)
        await served.client.post(f"{url}/say", json={"text": DANGER}, headers=mine)
        closed, theirs = await started(served.client)
        await served.client.post(f"{closed}/close", headers=theirs)
        live = (await served.app.state.service.get(closed.rpartition("/")[2])).task
        if live is not None:
            await live
        assert [live.id for live in served.app.state.service.all()] == [url.rpartition("/")[2]], "closed ones are gone"
    async with serve(cast="counsellor=understudy:mistake=fail,all=understudy") as served:
        head = await staff_login(served.app)
        views = (await served.client.get("/v1/sessions", headers=head)).json()
        assert [view["id"] for view in views] == [url.rpartition("/")[2]]
        assert len((await served.client.get("/v1/queue", headers=head)).json()) == 1
        assert (await served.client.get(closed, headers=theirs)).json()["outcome"] == "closed"


async def test_what_a_person_was_told_stays_the_same_after_a_restart_with_another_cast(serve: Serve) -> None:
    async with serve() as served:
        url, mine = await started(served.client)
        told = await served.client.post(f"{url}/say", json={"text": "Hello."}, headers=mine)
        assert told.json()["said"][-1]["speaker"] == "counsellor"
    async with serve(cast="counsellor=understudy:mistake=fail,all=understudy") as served:
        assert (await served.client.get(f"{url}/heard", headers=mine)).json() == told.json()["said"]
        assert await served.app.state.service.cases.all() == []


async def test_one_session_that_cannot_continue_is_reported_and_stops_no_other(serve: Serve) -> None:
    async with serve() as served:
        bad, _ = await started(served.client)
        good, mine = await started(served.client)
        database = served.app.state.service._store.database
        await database.write(
            lambda tx: tx.execute("UPDATE scenarios SET body = '{}' WHERE id = ?", (bad.rpartition("/")[2],))
        )
    async with serve() as served:
        assert (await served.client.post(f"{good}/say", json={"text": "Hello."}, headers=mine)).status_code == 200
        (case,) = await served.app.state.service.cases.all()
        assert case.episode == bad.rpartition("/")[2] and "cannot be read" in case.body["reason"]


async def test_a_person_whose_earlier_sessions_cannot_be_read_can_still_start(serve: Serve) -> None:
    async with serve() as served:
        body = {"lang": "en", "patient": "rosa"}
        made = (await served.client.post("/v1/sessions", json=body, headers=SERVICE)).json()
        mine = {"Authorization": f"Bearer {made['token']}"}
        await served.client.post(f"/v1/sessions/{made['id']}/close", headers=mine)
        spoilt = '{"tags": ["patient:rosa"]}'
        await served.app.state.service._store.database.write(
            lambda tx: tx.execute("UPDATE scenarios SET body = ? WHERE id = ?", (spoilt, made["id"]))
        )
    async with serve() as served:
        again = await served.client.post("/v1/sessions", json={"lang": "en", "patient": "rosa"}, headers=SERVICE)
        assert again.status_code == 201
