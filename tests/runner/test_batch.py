from __future__ import annotations

import asyncio
import gc
import sqlite3
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from polyclinic.clinics.demo.state import Recalled
from polyclinic.core.execute import EpisodeResult
from polyclinic.core.transcript import Learned, Said
from polyclinic.errors import StoreError, UnknownName, UserError
from polyclinic.runner import api
from polyclinic.runner.api import resume_run, run, start_run
from polyclinic.runner.execute import batch
from polyclinic.runner.execute.progress import Silent
from polyclinic.runner.execute.rescore import rescore
from polyclinic.runner.plan.config import RunConfig, make_config
from polyclinic.runner.plan.libraries import save_learned
from polyclinic.runner.plan.run_plan import plan_run
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import load_results
from polyclinic.store import upkeep
from polyclinic.store.connections import SqliteConnection
from polyclinic.store.leases import Leases, break_leases, holders
from polyclinic.store.runs import Runs
from polyclinic.store.store import Store, open_store
from polyclinic.testing.fault_server import FaultServer
from polyclinic.testing.runs import exported

MEMORY = "sqlite://:memory:"


def config(**values: object) -> RunConfig:
    return make_config({"clinic": "demo", "variants": ("tool",), "scenarios": "6", **values})


async def test_every_combination_of_scenario_variant_and_trial_is_run_and_scored() -> None:
    async with open_store(MEMORY) as store:
        outcome = await run(store, config(variants=("plain", "tool"), trials=2))
        results = await load_results(store, outcome.run)
    assert (outcome.done, outcome.failed, outcome.exit_code) == (24, 0, 0)
    assert {row.variant for row in results.episodes} == {"plain", "tool"}
    assert all(row.value("courtesy") is not None for row in results.episodes)


async def test_a_series_learns_from_one_episode_to_the_next() -> None:
    async with open_store(MEMORY) as store:
        outcome = await run(store, config(variants=("taught",), scenarios="series:6"))
        rows = await store.runs.episodes(outcome.run)
        recalled = [(await store.runs.transcript(outcome.run, row.spec.id)).notes(Recalled)[0].phrases for row in rows]
        learned = (await store.runs.transcript(outcome.run, rows[0].spec.id)).of(Learned)
    assert recalled[0] == ()
    assert all(recalled[1:])
    assert learned[0].action == "added"


async def test_a_lease_held_elsewhere_is_reported_with_its_age_and_how_to_break_it(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "POLL_S", 0.05)
    async with open_store(MEMORY) as store:
        name = await start_run(store, config())
        unit = (await store.runs.episodes(name))[0].unit
        far = Leases(store.database, name, "far-away:77:1")
        assert await far.claim(unit) is not None
        work = asyncio.create_task(resume_run(store, name))
        while not (said := [each.getMessage() for each in caplog.records if each.name == "polyclinic.runner"]):
            assert not work.done()
            await asyncio.sleep(0.01)
        await asyncio.sleep(3 * batch.POLL_S)
        await far.release(unit)
        assert (await work).done == 6
    assert [each.getMessage() for each in caplog.records if each.name == "polyclinic.runner"] == said
    assert "waiting for process 77 on far-away (1 units, held, last renewed" in said[0]
    assert f"polyclinic runs release {name} --store" in said[0]


async def test_failed_episodes_are_counted_separately_and_retried_only_on_resume() -> None:
    cast = "caller=understudy:mistake=silent@0.8,all=understudy"
    async with open_store(MEMORY) as store:
        first = await run(store, config(scenarios="12", cast=cast))
        results = await load_results(store, first.run)
        again = await resume_run(store, first.run)
        attempts = {row.attempt for row in await store.runs.episodes(first.run) if row.status == "failed"}
    assert 0 < first.failed < 12
    assert first.exit_code == 1
    assert results.failures() == {"simulated_user": first.failed}
    assert all(not row.scores for row in results.episodes if row.status == "failed")
    assert again.failed == first.failed
    assert attempts == {2}


async def test_a_budget_stops_the_run_and_more_budget_finishes_it() -> None:
    async with open_store(MEMORY) as store:
        stopped = await run(store, config(scenarios="20", max_tokens=4000, concurrency=2))
        assert stopped.limit is not None
        assert (stopped.exit_code, stopped.left > 0, stopped.done > 0) == (3, True, True)
        finished = await resume_run(store, stopped.run, overrides={"max_tokens": 10_000_000})
        limited = await exported(store, finished.run)
    async with open_store(MEMORY) as store:
        whole = await run(store, config(scenarios="20"))
        assert limited == await exported(store, whole.run)
    assert (finished.exit_code, finished.left) == (0, 0)


async def test_an_episode_that_reaches_its_own_limit_ends_and_does_not_stop_the_run() -> None:
    async with open_store(MEMORY) as store:
        outcome = await run(store, config(max_turns=1, variants=("tool",), scenarios="12"))
        rows = await store.runs.episodes(outcome.run)
    assert outcome.done == 12
    assert "limit:turns" in {row.outcome for row in rows}


async def test_two_processes_share_a_run_and_no_episode_is_done_twice(tmp_path_factory: pytest.TempPathFactory) -> None:
    url = str(tmp_path_factory.mktemp("shared") / "s.db")
    ended: list[str] = []

    class Count(Silent):
        def ended(self, result: EpisodeResult) -> None:
            ended.append(result.spec.id)

    async with open_store(url) as one, open_store(url) as two:
        id = await start_run(one, config(scenarios="40"))
        await asyncio.gather(*(resume_run(store, id, progress=Count(), concurrency=4) for store in (one, two)))
    assert sorted(ended) == sorted(set(ended))
    assert len(ended) == 40


async def test_units_held_by_another_live_process_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "POLL_S", 0.01)
    async with open_store(MEMORY) as store:
        id = await start_run(store, config(scenarios="3"))
        other = Leases(store.database, id, "elsewhere:1:1")
        await other.claim("call-02:tool:0")
        work = asyncio.create_task(resume_run(store, id))
        while len([row for row in await store.runs.episodes(id) if row.status == "done"]) < 2:
            await asyncio.sleep(0.01)
        assert not work.done()
        await other.release("call-02:tool:0")
        assert (await work).done == 3


def count_commits(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """A list that gets an item for each commit from now on."""
    commits: list[None] = []
    begin = SqliteConnection.begin

    def counted(self: SqliteConnection, write: bool) -> None:
        commits.extend([None] * write)
        begin(self, write)

    monkeypatch.setattr(SqliteConnection, "begin", counted)
    return commits


async def test_the_next_episode_is_claimed_in_the_commit_that_ends_the_one_before(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_store(str(tmp_path_factory.mktemp("claims") / "s.db")) as store:
        id = await start_run(store, config(scenarios="20", concurrency=1))
        commits = count_commits(monkeypatch)
        assert (await resume_run(store, id)).done == 20
    assert len(commits) <= 25


async def test_a_unit_claimed_ahead_is_given_back_when_a_limit_stops_the_run() -> None:
    async with open_store(MEMORY) as store:
        stopped = await run(store, config(scenarios="20", max_tokens=4000, concurrency=2))
        left = await store.database.read(lambda tx: holders(tx, stopped.run))
    assert stopped.limit is not None
    assert left == []


async def test_the_leases_of_a_stopped_run_are_given_back_together(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """One commit for each of 2,000 took half a minute after the time limit."""
    async with (
        FaultServer(faults=1.0, kinds=["stall"], stall_s=30.0) as server,
        open_store(str(tmp_path_factory.mktemp("leases") / "s.db")) as store,
    ):
        cast = f"all=understudy,nurse={server.url}:any"
        id = await start_run(store, config(scenarios="100", concurrency=100, cast=cast))
        work = asyncio.create_task(resume_run(store, id))
        while server.busy < 100:
            await asyncio.sleep(0.01)
        commits = count_commits(monkeypatch)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        assert await store.database.read(lambda tx: holders(tx, id)) == []
    assert len(commits) < 40


async def test_a_full_disk_is_one_error_although_the_next_unit_was_claimed_with_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The claim fails with the end that it shares a commit with, and nobody awaits it any more."""
    unheard: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: unheard.append(context))
    commit = SqliteConnection.commit

    def full(self: SqliteConnection) -> None:
        if self._db.execute("SELECT COUNT(*) FROM episodes WHERE status = 'done'").fetchone()[0] > 5:
            raise sqlite3.OperationalError("database or disk is full")
        commit(self)

    async with open_store(MEMORY) as store:
        id = await start_run(store, config(scenarios="20", concurrency=4))
        with monkeypatch.context() as patch:
            patch.setattr(SqliteConnection, "commit", full)
            with pytest.raises(StoreError, match="disk is full"):
                await resume_run(store, id)
        gc.collect()
        assert unheard == []
        assert (await resume_run(store, id)).done == 20


async def test_a_run_that_somebody_deletes_while_it_runs_ends_with_that_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setattr(upkeep, "units_at_work", lambda transaction, run: set())
    url = str(tmp_path_factory.mktemp("gone") / "s.db")
    async with open_store(url) as store, open_store(url) as other:
        id = await start_run(store, config(scenarios="30", concurrency=2))
        work = asyncio.create_task(resume_run(store, id))
        while (await other.runs.counts(id)).get("done", 0) < 4:
            await asyncio.sleep(0.001)
        await other.database.write(lambda tx: break_leases(tx, id))
        await other.database.write(lambda tx: upkeep.delete_run(tx, id))
        with pytest.raises(UnknownName, match=id):
            await work
        assert await other.database.read(lambda tx: holders(tx, id)) == []


async def test_a_language_model_over_http_plays_every_role() -> None:
    async with FaultServer(seed=3) as server, open_store(MEMORY) as store:
        cast = f"nurse={server.url}:any,caller={server.url}:any,judge=understudy"
        outcome = await run(store, config(cast=cast, scenarios="6"))
        results = await load_results(store, outcome.run)
    assert outcome.done == 6
    assert results.usage()["nurse"].input_tokens > 0
    assert not results.usage()["nurse"].estimated
    assert [member.kind for member in results.cast] == ["llm", "llm", "understudy", "reader"]


async def test_a_recorded_run_can_be_replayed() -> None:
    async with open_store(MEMORY) as store:
        first = await run(store, config())
        again = await run(store, config(cast=f"all=replay:{first.run}"))
        spoken = [await _words(store, outcome.run) for outcome in (first, again)]
    assert again.done == 6
    assert spoken[0] == spoken[1]


async def _words(store: Store, run: str) -> list[str]:
    rows = await store.runs.episodes(run)
    return [said.text for row in rows for said in (await store.runs.transcript(run, row.spec.id)).of(Said)]


async def test_rescoring_changes_no_transcript_and_is_stored_beside_the_runs_own_scores() -> None:
    async with open_store(MEMORY) as store:
        outcome = await run(store, config())
        before = await exported(store, outcome.run)
        name, count, failures = await rescore(store, outcome.run, "strict", ("courtesy",), samples=3)
        assert (name, count, failures) == ("strict", 6, [])
        assert await exported(store, outcome.run) == before
        strict = await load_results(store, outcome.run, "strict")
    assert {score.metric for row in strict.episodes for score in row.scores} == {"courtesy"}
    assert len(strict.episodes[0].scores) == 3
    assert strict.episodes[0].value("courtesy") == 5


async def test_a_judge_whose_reply_cannot_be_read_gives_no_score() -> None:
    async with FaultServer(moods=("nonsense",)) as server, open_store(MEMORY) as store:
        outcome = await run(store, config(cast=f"judge={server.url}:any,all=understudy", scenarios="2"))
        results = await load_results(store, outcome.run)
    assert (outcome.done, outcome.judge_failures, outcome.exit_code) == (2, 2, 1)
    assert results.failures() == {"judge": 2}
    assert all(row.value("courtesy") is None and row.value("dose") == 1 for row in results.episodes)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"clinic": "dmeo"}, "did you mean demo"),
        ({"variants": ("tol",)}, "did you mean tool"),
        ({"judges": ("curtesy",)}, "did you mean courtesy"),
        ({"cast": "nruse=understudy"}, "did you mean nurse"),
        ({"cast": "nurse=understudy:mistake=rud@1"}, "did you mean rude"),
        ({"scenarios": "nine"}, "'nine' selects no call"),
        ({"libraries": {"phrase": "x"}}, "did you mean phrases"),
        ({"libraries": {"phrases": "x"}}, "'x' is not a library, run or file"),
    ],
)
async def test_a_typo_is_answered_with_the_nearest_name_and_nothing_is_written(
    values: dict[str, object], words: str
) -> None:
    async with open_store(MEMORY) as store:
        with pytest.raises(UserError, match=words):
            await start_run(store, config(**values))
        assert await store.runs.all() == []


async def test_a_library_that_changes_before_a_resume_does_not_change_the_run() -> None:
    async def learn(store: Store, cases: int) -> None:
        taught = await run(store, config(variants=("taught",), scenarios=f"series:{cases}"))
        await save_learned(store, taught.run, load_clinic("demo"), "lesson", "")

    exports = []
    for change in (False, True):
        async with open_store(MEMORY) as store:
            await learn(store, 3)
            id = await start_run(store, config(variants=("taught",), scenarios="6", libraries={"all": "lesson"}))
            if change:
                await learn(store, 5)
            await resume_run(store, id)
            exports.append(await exported(store, id))
            assert await store.libraries.names() == ["lesson.phrases"]
    assert exports[0] == exports[1]


async def test_a_lease_that_could_not_be_renewed_is_renewed_at_the_next_moment(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A connection that is lost for a moment ends no run, and nobody else takes over its work meanwhile."""
    renewed: list[bool] = []
    renew = Leases.renew

    async def broken_once(self: Leases, units: Sequence[str]) -> None:
        renewed.append(bool(renewed))
        if len(renewed) == 1:
            raise StoreError("the store cannot be used: the connection is lost")
        await renew(self, units)

    monkeypatch.setattr(Leases, "renew", broken_once)
    monkeypatch.setattr(api, "Batch", partial(batch.Batch, lease_s=0.3))
    async with FaultServer(latency_s=0.5) as server, open_store(MEMORY) as store:
        outcome = await run(store, config(scenarios="4", cast=f"nurse={server.url}:any,all=understudy"))
    assert (outcome.done, outcome.exit_code) == (4, 0)
    assert any(renewed)
    assert "the leases were not renewed, and will be in 0 s: the store cannot be used" in caplog.text


async def test_a_run_that_is_stopped_while_it_is_saved_still_tells_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise there is a run, and nobody is told how to continue it."""
    told: list[str] = []
    create = Runs.create

    async def stopped_meanwhile(self: Runs, *given: Any) -> str:
        asyncio.get_running_loop().call_soon(work.cancel)
        return await create(self, *given)

    monkeypatch.setattr(Runs, "create", stopped_meanwhile)
    async with open_store(MEMORY) as store:
        plan = await plan_run(store, config())
        work = asyncio.create_task(api.run_plan(store, plan, written=lambda run, _: told.append(run)))
        with pytest.raises(asyncio.CancelledError):
            await work
        assert told == [row.id for row in await store.runs.all()]
    assert len(told) == 1
