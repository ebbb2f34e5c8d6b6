"""A plan is parsed and checked once; it can be described without building it, and a run is built once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from polyclinic.core.clinic import READER_ROLE
from polyclinic.core.journal import MemoryJournal
from polyclinic.errors import ConfigError
from polyclinic.runner import api
from polyclinic.runner.build.built_run import build
from polyclinic.runner.drive import drive, resume_line
from polyclinic.runner.execute.progress import Silent
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.plan.run_plan import parse_plan
from polyclinic.store.store import open_store

MEMORY = "sqlite://:memory:"


async def test_a_plan_names_the_players_as_the_built_cast_does() -> None:
    cast = "nurse=openai:gpt-5-mini?temperature=0,caller=understudy:mistake=silent@0.1,judge=http://127.0.0.1:1/v1:m"
    plan = parse_plan(make_config({"clinic": "demo", "cast": cast}))
    async with build(plan, MemoryJournal()) as built:
        models = {role.name: built.cast.model(role.name) for role in (*plan.clinic.roles, READER_ROLE)}
    assert plan.players == {role: {"model": model.name, "kind": model.kind} for role, model in models.items()}
    assert plan.players["judge"]["kind"] == "llm"


async def test_a_run_is_built_once_and_its_library_versions_are_fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[str] = []

    @asynccontextmanager
    async def counted(plan: Any, *rest: Any, **more: Any) -> AsyncIterator[Any]:
        built.append(plan.clinic.name)
        async with build(plan, *rest, **more) as made:
            yield made

    monkeypatch.setattr(api, "build", counted)
    async with open_store(MEMORY) as store:
        learned = await api.run(
            store, make_config({"clinic": "demo", "variants": ("taught",), "scenarios": "series:3"})
        )
        again = {"clinic": "demo", "variants": ("taught",), "scenarios": "2", "libraries": {"all": learned.run}}
        outcome = await api.run(store, make_config(again))
        kept = (await store.runs.get(outcome.run)).config["libraries"]
    assert built == ["demo", "demo"]
    assert "@" in kept["phrases"]


async def test_a_run_that_cannot_be_built_is_never_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*rest: Any, **more: Any) -> Any:
        raise ConfigError("an extra is missing")

    monkeypatch.setattr(api, "build", broken)
    async with open_store(MEMORY) as store:
        with pytest.raises(ConfigError, match="extra is missing"):
            await api.run(store, make_config({"clinic": "demo"}))
        assert await store.runs.all() == []


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"embedder": "openai:text-embedding-3-small"}, "embedder .*local-only"),
        ({"fhir": "https://fhir.example/r5"}, "--fhir .*local-only"),
        ({"cast": "all=openai:gpt-5-mini"}, "local-only"),
    ],
)
def test_the_plan_enforces_local_only(values: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        parse_plan(make_config({"clinic": "demo", "local_only": True, **values}))


async def test_a_person_in_the_cast_of_a_run_is_refused_before_anything_is_written() -> None:
    config = make_config({"clinic": "demo", "cast": "nurse=human,all=understudy", "store": MEMORY})
    with pytest.raises(ConfigError, match="a run has no person to answer"):
        await drive(config, Silent(), lambda run: None, lambda line: None)


async def test_a_run_does_not_store_its_stores_address_because_it_may_hold_a_password() -> None:
    address = "postgresql://me:secret@db/polyclinic"
    async with open_store(MEMORY) as store:
        outcome = await api.run(store, make_config({"clinic": "demo", "scenarios": "1", "store": address}))
        kept = (await store.runs.get(outcome.run)).config
        again = await api.resume_run(store, outcome.run)
    assert "secret" not in str(kept)
    assert (kept["scenarios"], again.done) == ("1", 1)


def test_the_printed_resume_command_holds_no_password() -> None:
    assert resume_line("demo-1", "postgresql://me:secret@db/x") == (
        "polyclinic resume demo-1 --store 'postgresql://me:***@db/x'"
    )
