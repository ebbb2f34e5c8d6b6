"""Every way to start a run parses its plan once, selects its episodes once and builds it once."""

from __future__ import annotations

import asyncio
import io
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

import polyclinic
from polyclinic.cli.main import invoke
from polyclinic.runner.build import built_run
from polyclinic.runner.plan import run_plan
from polyclinic.runner.plan.config import make_config
from polyclinic.store.store import Store, open_store
from polyclinic.web.practise.sessions import Sessions
from polyclinic.web.practise.start import StartPractise, practise_config
from polyclinic.web.runs.jobs import Jobs

ONCE = {"parsed": 1, "selected": 1, "built": 1}


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often a plan was parsed, its episodes selected, and its models opened."""
    found: Counter[str] = Counter()

    def count(module: Any, name: str, what: str) -> None:
        real: Callable[..., Any] = getattr(module, name)

        @wraps(real)
        def counted(*given: Any, **options: Any) -> Any:
            found[what] += 1
            return real(*given, **options)

        monkeypatch.setattr(module, name, counted)

    count(run_plan, "choose_models", "parsed")
    count(run_plan, "expand", "selected")
    count(built_run, "open_cast", "built")
    return found


@contextmanager
def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO(text))
        yield


@pytest.mark.parametrize(
    "words",
    [
        "run demo --scenarios 1",
        "demo --clinic demo",
        "play demo --role caller --scenarios 1",
    ],
    ids=lambda words: words.split()[0],
)
def test_a_command_parses_once(
    words: str, counts: Counter[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with typed(monkeypatch, "How do I take it?\nyes\nThank you.\ny\n"):
        assert invoke([*words.split(), "--store", str(tmp_path / "s.db")]) in (0, 1)
    assert counts == ONCE


def test_a_notebook_parses_once(counts: Counter[str], tmp_path: Path) -> None:
    assert polyclinic.run("demo", scenarios="1", store=str(tmp_path / "s.db")).episodes
    assert counts == ONCE


async def _run(store: Store) -> None:
    jobs = Jobs(store)
    run = await jobs.start(make_config({"clinic": "demo", "scenarios": "1"}))
    while jobs.is_going(run):
        await asyncio.sleep(0.01)
    assert (await jobs.going(run)).done == 1


async def _practise(store: Store) -> None:
    sessions = Sessions(store)
    run = await sessions.start(practise_config(StartPractise(clinic="demo", part="nurse"), ""))
    session = await sessions.find(run)
    assert session is not None
    await session.settled()
    assert session.standing.asked is not None
    await sessions.close()


@pytest.mark.parametrize("start", [_run, _practise])
async def test_the_browser_parses_once(
    start: Callable[[Store], Awaitable[None]], counts: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polyclinic.web.practise.ready._load", lambda clinic, rehearses: None)
    async with open_store("sqlite://:memory:") as store:
        await start(store)
    assert counts == ONCE


async def test_a_server_forgets_the_plans_of_sessions_that_nobody_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyclinic.web.practise.ready._load", lambda clinic, rehearses: None)
    monkeypatch.setattr("polyclinic.web.practise.sessions.MOST", 2)
    config = practise_config(StartPractise(clinic="demo", part="nurse"), "")
    async with open_store("sqlite://:memory:") as store:
        sessions = Sessions(store)
        begun = [await sessions.start(config) for _ in range(3)]
        assert list(sessions._plans) == begun[1:]
