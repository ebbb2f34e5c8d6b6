"""Clinics are made ready beside the event loop, so that the first session of one stops no other."""

from __future__ import annotations

import asyncio
import threading

import pytest

from polyclinic.errors import ConfigError
from polyclinic.web.practise import ready
from polyclinic.web.practise.ready import ReadyClinics


def test_a_clinic_is_loaded_once_in_a_thread_however_many_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[tuple[str, int]] = []
    monkeypatch.setattr(ready, "_load", lambda name: loaded.append((name, threading.get_ident())))

    async def many() -> None:
        clinics = ReadyClinics()
        clinics.prepare("demo")
        await asyncio.gather(*(clinics.wait("demo") for _ in range(5)), clinics.wait("duty"))
        await clinics.wait("demo")

    asyncio.run(many())
    assert [name for name, _ in loaded] == ["demo", "duty"]
    assert threading.get_ident() not in {thread for _, thread in loaded}


def test_who_stops_waiting_stops_nobody_else_and_a_clinic_that_failed_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tries: list[str] = []
    goes_on = threading.Event()

    def load(name: str) -> None:
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
