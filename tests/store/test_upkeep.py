"""A store is moved, backed up, checked and pruned: the same bytes come out, and nothing is lost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from polyclinic.cli.main import invoke
from polyclinic.errors import ConfigError, StoreError
from polyclinic.fhir.schema import create_tables
from polyclinic.runner.api import resume_run, run, start_run
from polyclinic.runner.plan.config import make_config
from polyclinic.store import transfer
from polyclinic.store.leases import Leases
from polyclinic.store.store import Store, open_store
from polyclinic.store.transfer import back_up, move_store
from polyclinic.store.upkeep import Pruned, problems, prune
from polyclinic.testing.runs import exported

RECORDS = "SELECT type, id, version, updated, body, schedule, status, start_at FROM fhir_resource ORDER BY type, id"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with runs of a clinic that learns and of a clinic that keeps records."""
    path = tmp_path_factory.mktemp("filled") / "store.db"

    async def fill() -> None:
        async with open_store(str(path)) as store:
            await run(
                store, make_config({"clinic": "demo", "variants": ("taught",), "scenarios": "series:4", "keep_as": "x"})
            )
            await run(store, make_config({"clinic": "frontdesk", "scenarios": "primary:1:6"}))

    asyncio.run(fill())
    return path


@pytest.fixture
async def store(filled: Path, tmp_path: Path) -> AsyncIterator[Store]:
    """A copy of the store, to be damaged."""
    path = tmp_path / "copy.db"
    path.write_bytes(filled.read_bytes())
    async with open_store(str(path)) as opened:
        yield opened


async def everything(url: str) -> tuple[Any, ...]:
    """Everything that a user can read from a store."""
    async with open_store(url) as store:
        rows = await store.runs.all()
        runs = [await exported(store, row.id) for row in rows]
        libraries = [await store.libraries.load(name) for name in await store.libraries.names(pinned=True)]
        return [row.id for row in rows], runs, libraries, await store.database.read(lambda tx: tx.execute(RECORDS))


async def test_a_store_moved_to_another_place_and_back_is_identical(
    filled: Path, store_url: str, tmp_path: Path
) -> None:
    before = filled.read_bytes()
    there = move_store(str(filled), store_url, create_tables)
    back = move_store(store_url, str(tmp_path / "back.db"), create_tables)
    assert there == back
    assert there.rows["episodes"] == 14 and there.rows["fhir_resource"] > 100 and there.rows["libraries"] == 1
    whole = await everything(str(filled))
    assert await everything(store_url) == whole
    assert await everything(str(tmp_path / "back.db")) == whole
    assert filled.read_bytes() == before


async def test_a_moved_run_continues_where_it_stopped(store_url: str, tmp_path: Path) -> None:
    config = make_config({"clinic": "demo", "scenarios": "6"})
    async with open_store(str(tmp_path / "a.db")) as store:
        name = await start_run(store, config)
    move_store(str(tmp_path / "a.db"), store_url, create_tables)
    async with open_store(store_url) as store:
        assert (await resume_run(store, name)).done == 6


async def test_nothing_is_moved_onto_another_store_or_away_from_a_running_process(filled: Path, store: Store) -> None:
    with pytest.raises(ConfigError, match="is not empty"):
        move_store(str(filled), store.url, create_tables)
    with pytest.raises(ConfigError, match="there is no store"):
        move_store(str(filled) + "x", store.url, create_tables)
    name = (await store.runs.all())[0].id
    assert await Leases(store.database, name, "far-away:7:1").claim("some unit") is not None
    with pytest.raises(ConfigError, match=f"polyclinic runs release {name}"):
        move_store(store.url, store.url + ".new", create_tables)


async def test_a_copy_that_differs_is_deleted(filled: Path, store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counts: Iterator[int] = iter(range(1000))
    monkeypatch.setattr(transfer, "_digest", lambda rows: (len(list(rows)), str(next(counts))))
    with pytest.raises(StoreError, match="nothing was kept"):
        move_store(str(filled), store_url, create_tables)
    async with open_store(store_url) as store:
        assert await store.runs.all() == []


async def test_a_backup_of_a_store_in_use_is_complete(store_url: str, tmp_path: Path) -> None:
    async with open_store(store_url) as store:
        running = asyncio.create_task(run(store, make_config({"clinic": "demo", "scenarios": "40", "concurrency": 4})))
        while not running.done() and not (await store.runs.all()):
            await asyncio.sleep(0.01)
        await asyncio.to_thread(back_up, store_url, tmp_path / "backup.db", create_tables)
        name = (await running).run
        whole = await exported(store, name)
    async with open_store(str(tmp_path / "backup.db")) as backup:
        assert await backup.database.read(lambda tx: list(problems(tx))) == []
        await resume_run(backup, name)
        assert await exported(backup, name) == whole
    with pytest.raises(ConfigError, match="exists already"):
        back_up(store_url, tmp_path / "backup.db", create_tables)


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("DELETE FROM calls WHERE rowid = (SELECT MIN(rowid) FROM calls)", "calls are missing from the journal"),
        ("UPDATE calls SET completion = '{' WHERE rowid = (SELECT MIN(rowid) FROM calls)", "cannot be read"),
        ("UPDATE episodes SET transcript = '[{]' WHERE number = 0", "its transcript cannot be read"),
        ("DELETE FROM scenarios WHERE rowid = (SELECT MIN(rowid) FROM scenarios)", "have no scenario"),
        ("DELETE FROM runs WHERE clinic = 'demo'", "rows belong to no run"),
        ("UPDATE runs SET config = '{' WHERE clinic = 'demo'", "configuration cannot be read"),
    ],
)
async def test_a_check_finds_what_is_incomplete(store: Store, statement: str, says: str) -> None:
    assert await store.database.read(lambda tx: list(problems(tx))) == []
    await store.database.write(lambda tx: tx.execute(statement))
    found = await store.database.read(lambda tx: list(problems(tx)))
    assert any(says in line for line in found), found
    assert not any("\n" in line for line in found), "each problem is one line"


async def test_pruning_removes_only_what_is_no_longer_needed(store: Store) -> None:
    whole = await everything(store.url)
    name = whole[0][0]

    def litter(tx: Any) -> None:
        tx.execute("INSERT INTO leases VALUES (?, 'u', 'far-away:1:1', 5)", (name,))
        tx.execute("INSERT INTO scenarios VALUES ('gone', 's', '{}')")
        tx.execute("INSERT INTO libraries VALUES ('a.b@00', 'demo', 'b', '', '[]', '', 0)")
        tx.execute("INSERT INTO cache VALUES ('k', '{}')")

    await store.database.write(litter)
    counted = await store.database.write(lambda tx: prune(tx, cache=True, only_count=True))
    assert counted == Pruned(leases=1, lost=1, libraries=1, cache=1)
    assert await store.database.write(lambda tx: prune(tx, cache=True)) == counted
    assert await everything(store.url) == whole
    assert await store.database.write(lambda tx: prune(tx, cache=True)) == Pruned()


def test_a_damaged_file_is_reported_in_one_line(
    filled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = bytearray(filled.read_bytes())
    middle = len(body) // 2
    body[middle : middle + 40_000] = b"\x55" * 40_000
    (tmp_path / "damaged.db").write_bytes(body)
    assert invoke(["store", "check", "--store", str(tmp_path / "damaged.db")]) in (1, 2)
    out, err = capsys.readouterr()
    assert "damaged" in out or "malformed" in err
    assert invoke(["store", "check", "--store", str(filled)]) == 0
    assert capsys.readouterr().out == "everything is whole\n"


@pytest.mark.parametrize("cut", [True, False], ids=["cut off", "no database"])
def test_a_file_that_is_no_whole_database_is_neither_moved_nor_backed_up(
    filled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], cut: bool
) -> None:
    bad, new = tmp_path / "bad.db", tmp_path / "new.db"
    bad.write_bytes(filled.read_bytes()[:30_000] if cut else b"hello" * 1_000)
    for words in (["move", str(bad), str(new)], ["backup", str(new), "--store", str(bad)]):
        assert invoke(["store", *words]) == 2
        assert f"the store '{bad}' cannot be opened" in capsys.readouterr().err
        assert not new.exists()


def test_the_commands_report_what_they_did(filled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new, backup = str(tmp_path / "new.db"), str(tmp_path / "backup.db")
    assert invoke(["store", "move", str(filled), new]) == 0
    assert "14 episodes" in capsys.readouterr().out
    assert invoke(["store", "prune", "--store", new, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["removed"]["leases"] == 0
    assert invoke(["store", "backup", backup, "--store", new]) == 0
    assert invoke(["store", "backup", backup, "--store", new]) == 2


def test_the_rows_of_a_moved_store_are_told_with_the_right_noun(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = str(tmp_path / "old.db"), str(tmp_path / "new.db")
    assert invoke(["run", "demo", "--scenarios", "1", "--store", source]) == 0
    assert invoke(["store", "move", source, target]) == 0
    told = capsys.readouterr().out
    assert ", 1 run," in told and ", 1 episode," in told
