from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyclinic.core.campaign import Effect, StoredEffect
from polyclinic.core.episode import EpisodeSpec
from polyclinic.core.execute import EpisodeResult
from polyclinic.core.library import Entry, Operation, StoredLesson
from polyclinic.core.model import Completion, Usage
from polyclinic.core.transcript import Called, Ended, Failed, Said, Score, Transcript
from polyclinic.core.value import json_bytes
from polyclinic.errors import ConfigError, UnknownName, UserError
from polyclinic.runner.registry import load_clinic
from polyclinic.store import leases as leases_module
from polyclinic.store.export import export_rows, parquet_from_rows
from polyclinic.store.leases import ClaimedEpisode, LeaseLost, Leases, is_dead, this_process
from polyclinic.store.libraries import SavedLibrary
from polyclinic.store.store import Store, open_store

UNIT = "call-01:tool:0"


async def make_run(store: Store) -> str:
    scenario = load_clinic("demo").scenarios("1", 0)[0]
    spec = EpisodeSpec(UNIT, "demo", scenario.id, "tool", 0, 0)
    return await store.runs.create("demo-abc", "demo", {"seed": 0}, {}, [scenario], [(UNIT, spec)])


def result(status: str = "done", **changes: object) -> EpisodeResult:
    spec = EpisodeSpec(UNIT, "demo", "call-01", "tool", 0, 0)
    made = EpisodeResult(spec, "done", "fine", Transcript([Said(speaker="a", text="b"), Ended(outcome="fine")]))
    made.status = "done" if status == "done" else "failed"
    for name, value in changes.items():
        setattr(made, name, value)
    return made


async def test_a_run_gets_the_wanted_id_with_a_number_added_if_it_is_taken(store: Store) -> None:
    assert await make_run(store) == "demo-abc"
    assert await make_run(store) == "demo-abc-2"
    assert (await store.runs.get("last")).id == "demo-abc-2"
    assert (await store.runs.get("demo-abc")).id == "demo-abc"
    with pytest.raises(UnknownName, match="did you mean demo-abc"):
        await store.runs.get("demo-abd")


async def test_an_end_without_the_lease_is_refused_and_stores_nothing(store: Store) -> None:
    run = await make_run(store)
    with pytest.raises(LeaseLost):
        await store.runs.finish(run, UNIT, result(), "nobody", 0)
    assert (await store.runs.episodes(run))[0].status == "pending"


class Book(Effect):
    kind = "book"
    slot: int


async def test_an_end_commits_transcript_scores_effects_and_hooks_together(store: Store) -> None:
    run = await make_run(store)
    await store.database.write(lambda tx: tx.execute("CREATE TABLE side (n BIGINT)"))
    mine = Leases(store.database, run, this_process())
    assert await mine.claim(UNIT) == {UNIT: ClaimedEpisode("pending", recorded=False)}
    broken = result(
        scores=[Score(metric="m", value=1, judge="j")],
        effects=[Book(slot=1)],
        commit_hooks=[lambda tx: tx.execute("INSERT INTO side (n) VALUES (1)"), lambda tx: tx.execute("nonsense")],
    )
    with pytest.raises(Exception, match="nonsense"):
        await store.runs.finish(run, UNIT, broken, this_process(), 5)
    assert await store.runs.effects(run, UNIT) == []
    assert await store.database.read(lambda tx: tx.execute("SELECT n FROM side")) == []
    broken.commit_hooks.pop()
    await store.runs.finish(run, UNIT, broken, this_process(), 5)
    kept = [effect for _, effect in await store.runs.effects(run, UNIT)]
    assert kept == [StoredEffect(kind="book", data={"slot": 1})]
    assert kept[0].as_one_of((Book,)) == Book(slot=1)
    assert await store.database.read(lambda tx: tx.execute("SELECT n FROM side")) == [(1,)]
    assert (await store.scores.read(run, "live"))[UNIT][0].metric == "m"
    assert (await store.runs.transcript(run, UNIT)).outcome() == "fine"


async def test_a_lease_is_refused_while_its_holder_lives(store: Store) -> None:
    run = await make_run(store)
    assert await Leases(store.database, run, "elsewhere:1:1").claim(UNIT) is not None
    assert await Leases(store.database, run, this_process()).claim(UNIT) is None


async def test_an_expired_lease_and_a_dead_holders_lease_can_be_taken(store: Store) -> None:
    run = await make_run(store)
    assert await Leases(store.database, run, "elsewhere:1:1", lease_s=-1).claim(UNIT) is not None
    host = this_process().partition(":")[0]
    assert await Leases(store.database, run, f"{host}:999999999:1").claim(UNIT) is not None
    mine = Leases(store.database, run, this_process())
    assert await mine.claim(UNIT) is not None
    await mine.renew([UNIT])
    await mine.release(UNIT)
    assert await Leases(store.database, run, "elsewhere:1:1").claim(UNIT) is not None


def test_a_process_with_the_reused_number_of_a_dead_one_is_recognised_as_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host, pid, started = this_process().split(":")
    assert not is_dead(this_process())
    assert is_dead(f"{host}:{pid}:{int(started) + 1}")
    assert not is_dead("another-host:1:1")
    monkeypatch.setattr(leases_module, "_started", lambda pid: "0")
    assert not is_dead(f"{host}:{pid}:0")


@pytest.mark.parametrize("named", [("bad0", "bad1", "bad2"), ()], ids=["named by the failure", "of version 0.1"])
async def test_a_retry_drops_unreadable_replies_and_keeps_the_others(store: Store, named: tuple[str, ...]) -> None:
    run = await make_run(store)
    await Leases(store.database, run, this_process()).claim(UNIT)
    calls = [
        Called(role="a", prompt="P", model="m", key="good", occurrence=0, text="x"),
        Called(role="b", prompt="Q", model="m", key="bad0", occurrence=0, text="x", attempt=0),
        Called(role="b", prompt="Q", model="m", key="bad1", occurrence=0, text="x", attempt=1),
        Called(role="b", prompt="Q", model="m", key="bad2", occurrence=0, text="x", attempt=2),
        Called(role="c", prompt="P", model="m", key="beside", occurrence=0, text="x", attempt=1),
    ]
    failure = Failed(owner="reply", error="words that nothing looks at", prompt="Q" if named else "", calls=named)
    failed = result("failed", transcript=Transcript([*calls, failure]))
    await store.database.write(
        lambda tx: tx.executemany(
            "INSERT INTO calls (run, episode, key, occurrence, role, prompt, model, request, completion, latency_ms) "
            "VALUES (?, ?, ?, 0, '', '', '', '{}', ?, 0)",
            [(run, UNIT, call.key, json_bytes(Completion(usage=Usage(input_tokens=7))).decode()) for call in calls],
        )
    )
    await store.runs.finish(run, UNIT, failed, this_process(), 0)
    before = await store.runs.spent(run)
    assert await store.runs.retry_failed(run) == 1
    assert await store.runs.spent(run) == before == Usage(input_tokens=35), "dropped replies were paid for"
    rows = await store.database.read(lambda tx: tx.execute("SELECT key FROM calls"))
    assert sorted(rows) == [("beside",), ("good",)]
    row = (await store.runs.episodes(run))[0]
    assert (row.status, row.outcome, row.usage) == ("pending", "", {})
    assert [line async for line in export_rows(store, run, "calls")] == []


async def test_a_retry_does_not_touch_what_another_process_is_working_on(store: Store) -> None:
    run = await make_run(store)
    await Leases(store.database, run, this_process()).claim(UNIT)
    await store.runs.finish(run, UNIT, result("failed"), this_process(), 0)
    elsewhere = Leases(store.database, run, "another-host:1:1")
    await elsewhere.claim(UNIT)
    assert await store.runs.retry_failed(run) == 0
    await elsewhere.release(UNIT)
    assert await store.runs.retry_failed(run) == 1


async def test_a_damaged_store_is_reported_in_one_line(tmp_path: Path) -> None:
    url = str(tmp_path / "s.db")
    async with open_store(url) as store:
        await make_run(store)
    damaged = bytearray(Path(url).read_bytes())
    damaged[8192:] = b"Z" * (len(damaged) - 8192)
    Path(url).write_bytes(damaged)
    with pytest.raises(UserError, match=r"^the store .*cannot be (used|opened) \(.*malformed\): .*--store.*$"):
        async with open_store(url) as store:
            await store.runs.all()


async def test_a_post_is_taken_once_and_closed_with_a_remark(store: Store) -> None:
    journal = store.journal("r")
    await journal.post("e", "queue", "k", {"why": "risk"})
    await journal.post("e", "queue", "k", {"why": "again"})
    (post,) = await store.posts.waiting("queue")
    assert post.body == {"why": "risk"}
    assert await journal.posted("e") == {("queue", "k"): {"why": "risk"}}
    await store.posts.take(post, "dr kim")
    with pytest.raises(UserError, match="cannot be taken any more"):
        await store.posts.take(post, "dr lee")
    await store.posts.close(post, "called back")
    (closed,) = await store.posts.waiting(status="closed")
    assert (closed.taken_by, closed.remark) == ("dr kim", "called back")
    assert await store.posts.waiting("queue", "open") == []


async def test_a_named_library_comes_back_with_its_whole_history(store: Store) -> None:
    operations = (
        Operation(action="add", entry=Entry(id="1", key="k", value=StoredLesson({"a": [1]}))),
        Operation(action="use", id="1"),
    )
    saved = SavedLibrary(name="n.l", clinic="c", library="l", embedder="e", about="", operations=operations)
    await store.libraries.save(saved)
    await store.libraries.save(saved)
    assert await store.libraries.load("n.l") == saved
    with pytest.raises(UnknownName, match=r"did you mean n\.l"):
        await store.libraries.load("n.x")


def test_parquet_keeps_numbers_as_numbers_and_nested_values_as_json(tmp_path: Path) -> None:
    import arro3.core
    import arro3.io

    path = tmp_path / "rows.parquet"
    parquet_from_rows(path, [{"a": 1, "b": 1.5, "c": {"x": [1]}, "d": True}, {"a": 2, "b": 2, "e": "only here"}])
    with path.open("rb") as file:
        read = arro3.core.Table.from_arrow(arro3.io.read_parquet(file).read_all())
    columns = {name: read[name].to_pylist() for name in read.schema.names}
    assert columns["a"] == [1, 2]
    assert columns["b"] == [1.5, 2.0]
    assert json.loads(columns["c"][0]) == {"x": [1]}
    assert columns["d"] == [True, None]
    assert columns["e"] == [None, "only here"]
    with pytest.raises(ConfigError, match="nothing to export"):
        parquet_from_rows(path, [])
