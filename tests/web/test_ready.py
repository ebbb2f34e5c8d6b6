"""Clinics are loaded outside the event loop, so that the first session of a clinic blocks no other session."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from polyclinic.core.clinic import Clinic
from polyclinic.errors import ConfigError, UnknownName
from polyclinic.store.store import open_store
from polyclinic.web.desk.services import Desks
from polyclinic.web.practise import ready
from polyclinic.web.practise.ready import ReadyClinics


def test_a_clinic_is_loaded_once_in_a_thread_however_many_callers_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[tuple[str, int]] = []
    monkeypatch.setattr(ready, "_load", lambda name, rehearses: loaded.append((name, threading.get_ident())))

    async def many() -> None:
        clinics = ReadyClinics()
        clinics.prepare("demo")
        await asyncio.gather(*(clinics.wait("demo") for _ in range(5)), clinics.wait("duty"))
        await clinics.wait("demo")

    asyncio.run(many())
    assert [name for name, _ in loaded] == ["demo", "duty"]
    assert threading.get_ident() not in {thread for _, thread in loaded}


def test_a_caller_who_stops_waiting_affects_no_other_and_a_clinic_that_failed_is_retried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tries: list[str] = []
    goes_on = threading.Event()

    def load(name: str, rehearses: bool) -> None:
        goes_on.wait(10)
        tries.append(name)
        if len(tries) == 1:
            raise ConfigError("not today")

    monkeypatch.setattr(ready, "_load", load)

    async def story() -> None:
        clinics = ReadyClinics()
        impatient = asyncio.create_task(clinics.wait("demo"))
        patient = asyncio.create_task(clinics.wait("demo"))
        await asyncio.sleep(0)
        impatient.cancel()
        goes_on.set()
        with pytest.raises(ConfigError):
            await patient
        await clinics.wait("demo")

    asyncio.run(story())
    assert tries == ["demo", "demo"]


def test_a_failed_rehearsal_stops_no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    rehearsed: list[str] = []

    async def fails(clinic: Clinic, selection: str) -> None:
        rehearsed.append(clinic.name)
        raise ValueError("a fault in this clinic")

    monkeypatch.setattr(ready, "_rehearse", fails)
    asyncio.run(ReadyClinics().wait("demo"))
    assert rehearsed == []
    asyncio.run(ReadyClinics(rehearses=True).wait("demo"))
    assert rehearsed == ["demo"]


TWO_SESSIONS = """
import asyncio, sys, time
import httpx
from polyclinic.web.app import create_web

async def main(store, clinic, part):
    app = create_web(store, "start-up")
    head = {"Authorization": "Bearer start-up"}
    client = httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8040", headers=head, timeout=120
    )
    async with app.router.lifespan_context(app), client:
        app.state.sessions.ready.rehearses = True
        for seed in (1, 2):
            body = {"clinic": clinic, "part": part, "seed": seed}
            run = (await client.post("/api/practise", json=body)).json()["id"]
            began = time.thread_time()
            found = (await client.get(f"/api/practise/{run}")).json()
            assert found["standing"]["asked"], found
            print(time.thread_time() - began)

asyncio.run(main(*sys.argv[1:]))
"""
AT_MOST = 12
"""Before clinics were rehearsed, the first session of these two took 50 and 100 times as much as the second."""


@pytest.mark.slow
@pytest.mark.parametrize(("clinic", "part"), [("counsel", "patient"), ("rounds", "student")])
def test_the_first_session_of_a_clinic_takes_little_more_of_the_event_loop_than_the_second(
    tmp_path: Path, clinic: str, part: str
) -> None:
    """In a separate process with nothing loaded.

    CPU time of the loop's thread is measured, so other work counts little.
    """
    command = [sys.executable, "-c", TWO_SESSIONS, str(tmp_path / "s.db"), clinic, part]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    first, second = map(float, done.stdout.split())
    assert first < AT_MOST * second, f"{1000 * first:.0f} ms, then {1000 * second:.0f}"


TWO_TALKS = """
import asyncio, sys, time
import httpx
from polyclinic.web.app import create_web

async def main(store):
    app = create_web(store, "start-up")
    head = {"Authorization": "Bearer start-up"}
    client = httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8040", headers=head, timeout=120
    )
    async with app.router.lifespan_context(app), client:
        await client.get("/api/clinics")
        for words in ("I am tired of all this.", "I do not sleep well."):
            began = time.thread_time()
            await client.get("/api/desk/counsel")
            talk = (await client.post("/api/desk/counsel/sessions", json={"values": {"lang": "en"}})).json()["id"]
            said = await client.post(f"/api/desk/counsel/sessions/{talk}/say", json={"values": {"text": words}})
            assert len(said.json()["heard"]) == 2, said.text
            print(time.thread_time() - began)

asyncio.run(main(*sys.argv[1:]))
"""
DESK_AT_MOST = 30
"""Before the desk waited for a rehearsal, its first conversation took about 80 times as much as the second."""


@pytest.mark.slow
def test_the_first_conversation_of_a_desk_takes_little_more_of_the_event_loop_than_the_second(tmp_path: Path) -> None:
    command = [sys.executable, "-c", TWO_TALKS, str(tmp_path / "s.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    first, second = map(float, done.stdout.split())
    assert first < DESK_AT_MOST * second, f"{1000 * first:.0f} ms, then {1000 * second:.0f}"


async def test_a_clinic_without_live_sessions_is_refused_before_it_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    monkeypatch.setattr(ready, "_load", lambda name, rehearses: loaded.append(name))
    async with open_store(str(tmp_path / "s.db")) as store:
        desks = Desks(store, ReadyClinics())
        with pytest.raises(UnknownName, match="counsel"):
            await desks.get("patient")
        assert loaded == []
