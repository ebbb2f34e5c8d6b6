"""Episodes run ahead of commits. If the records refuse an episode, everything that depends on it is refused too."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from polyclinic.clinics.frontdesk.scenario.schema import Contact
from polyclinic.core.database import Dialect
from polyclinic.core.records import RecordConflict, Resource
from polyclinic.errors import EngineError, Owner, StoreError
from polyclinic.eval.results import RunResults
from polyclinic.fhir.unit_of_work import UnitOfWork
from polyclinic.runner.api import resume_run, run
from polyclinic.runner.execute import batch
from polyclinic.runner.execute.tasks import cause_of
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import load_results
from polyclinic.store.chain import ChainBroken, CommitChain
from polyclinic.store.connections import SqliteConnection
from polyclinic.store.run_rows import StoredEpisode
from polyclinic.store.store import open_store

PATIENTS = 30


Ended = list[tuple[str, str, dict[str, Any], list[tuple[str, float, str]]]]


async def hospital(concurrency: int, url: str = "sqlite://:memory:") -> tuple[Ended, Mapping[Owner, int]]:
    """How every contact of a small hospital ended, and the owners of the failures."""
    async with open_store(url) as store:
        config = make_config(
            {"clinic": "frontdesk", "scenarios": f"primary:1:{PATIENTS}", "seed": 5, "concurrency": concurrency}
        )
        results = await load_results(store, (await run(store, config)).run)
    return ends_of(results), results.failures()


def ends_of(results: RunResults) -> Ended:
    return [
        (row.scenario, row.outcome, dict(row.data), [(s.metric, s.value, s.reason) for s in row.scores])
        for row in results.episodes
    ]


def refuse(monkeypatch: pytest.MonkeyPatch, scenario: str) -> list[str]:
    """Make the records refuse the appointment of this visit at every attempt."""
    create, refused = UnitOfWork.create, []
    contacts = load_clinic("frontdesk").scenarios(f"primary:1:{PATIENTS}", 5)
    caller = next(cast(Contact, contact).caller.id for contact in contacts if contact.id == scenario)
    patient = caller.rpartition("-")[2]

    def strict(self: UnitOfWork, resource: Resource) -> Resource:
        if resource["id"].endswith(f"-{patient}-appointment"):
            refused.append(resource["id"])
            raise RecordConflict("the slot is gone")
        return create(self, resource)

    monkeypatch.setattr(UnitOfWork, "create", strict)
    return refused


async def test_everything_that_depends_on_a_refused_episode_is_refused_too(
    monkeypatch: pytest.MonkeyPatch, store_url: str
) -> None:
    broken: list[CommitChain] = []
    waves = batch.Batch._waves

    async def watched(self: batch.Batch, unit: str, rows: list[StoredEpisode], chain: CommitChain | None) -> None:
        try:
            await waves(self, unit, rows, chain)
        except ChainBroken:
            assert chain is not None
            broken.append(chain)
            raise

    monkeypatch.setattr(batch.Batch, "_waves", watched)
    clean, _ = await hospital(16)
    victim = [scenario for scenario, outcome, _, _ in clean if outcome == "booked"][4]
    refused = refuse(monkeypatch, victim)
    sequential, owners = await hospital(1)
    assert refused
    assert owners["engine"] == 1
    assert [scenario for scenario, outcome, _, _ in sequential if outcome == "failed:engine"] == [victim]
    broken.clear()
    assert await hospital(16, store_url) == (sequential, owners)
    assert broken


async def test_running_ahead_of_commits_does_not_change_the_results(monkeypatch: pytest.MonkeyPatch) -> None:
    ahead = await hospital(16)
    monkeypatch.setattr(batch, "CommitChain", lambda: None)
    assert await hospital(16) == ahead
    assert sum(outcome == "booked" for _, outcome, _, _ in ahead[0]) > PATIENTS / 2


class Table:
    """A stand-in for a transaction that sees these episodes as ended."""

    dialect: Dialect = "sqlite"

    def __init__(self, *ended: str) -> None:
        self.ended = ended

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        return [("done" if parameters[1] in self.ended else "pending",)]

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> int:
        raise AssertionError("a chain writes nothing")


def test_a_chain_refuses_what_follows_a_refusal_and_nothing_before_it() -> None:
    chain, all_ended = CommitChain(), Table("a", "b", "c")
    first, second, third = (chain.next("run", name) for name in "abc")
    with pytest.raises(RecordConflict), second.held(all_ended):
        raise RecordConflict("taken")
    with first.held(all_ended):
        pass
    with pytest.raises(ChainBroken), third.held(all_ended):
        pass
    with second.held(all_ended):
        pass
    with third.held(all_ended):
        pass
    assert issubclass(ChainBroken, EngineError)


def test_a_chain_refuses_what_follows_an_end_whose_commit_failed() -> None:
    chain = CommitChain()
    first, second, third = (chain.next("run", name) for name in "abc")
    with first.held(Table()):
        pass
    with pytest.raises(ChainBroken), second.held(Table()):
        pass
    with pytest.raises(ChainBroken), third.held(Table("a")):
        pass
    with second.held(Table("a")), third.held(Table("a", "b")):
        pass


async def test_a_failed_commit_leaves_no_gap_between_episodes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    whole, _ = await hospital(16)
    commit, failing = SqliteConnection.commit, [0]

    def full(self: SqliteConnection) -> None:
        waiting = self._db.execute("SELECT COUNT(*) FROM episodes WHERE status = 'done'").fetchone()[0]
        if waiting > 12 and failing[0] < 2:
            failing[0] += 1
            raise sqlite3.OperationalError("database or disk is full")
        commit(self)

    url = str(tmp_path / "store.db")
    with monkeypatch.context() as patch:
        patch.setattr(SqliteConnection, "commit", full)
        with pytest.raises(StoreError, match="disk is full"):
            await hospital(16, url)
    assert failing[0] == 2
    async with open_store(url) as store:
        run_id = (await store.runs.get("last")).id
        await resume_run(store, run_id)
        results = await load_results(store, run_id)
    assert ends_of(results) == whole


async def test_a_full_disk_is_reported_even_if_a_broken_chain_is_noticed_first() -> None:
    async def ends(error: Exception) -> None:
        raise error

    broken, full = ChainBroken("an earlier episode was not committed"), StoreError("disk is full")
    tasks = [asyncio.create_task(ends(error)) for error in (broken, full)]
    await asyncio.wait(tasks)
    assert cause_of(broken, tasks) is full
    assert cause_of(broken, tasks[:1]) is broken
