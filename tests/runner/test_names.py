"""`last` names the last run at the time of the command, not the one that the command starts."""

from __future__ import annotations

from pathlib import Path

from polyclinic.clinics.demo.state import Recalled
from polyclinic.core.library import Entry, Operation, StoredLesson
from polyclinic.runner.api import run
from polyclinic.runner.execute.rescore import rescore
from polyclinic.runner.plan.config import RunConfig, make_config
from polyclinic.runner.plan.libraries import read_library, save_learned, write_library_file
from polyclinic.runner.registry import load_clinic
from polyclinic.store.store import open_store
from polyclinic.testing.fault_server import FaultServer

MEMORY = "sqlite://:memory:"


def config(**values: object) -> RunConfig:
    return make_config({"clinic": "demo", "variants": ("taught",), "scenarios": "4", **values})


async def test_a_recording_of_the_last_run_can_play_the_next_one() -> None:
    async with open_store(MEMORY) as store:
        first = await run(store, config())
        again = await run(store, config(cast="nurse=replay:last,caller=replay:demo,judge=understudy"))
        row = await store.runs.get(again.run)
    assert (again.done, again.failed) == (4, 0)
    assert row.config["cast"] == f"nurse=replay:{first.run},caller=replay:{first.run},judge=understudy"


async def test_a_run_starts_from_what_the_last_one_learned() -> None:
    async with open_store(MEMORY) as store:
        learned = await run(store, config(scenarios="series:4"))
        later = await run(store, config(libraries={"all": "last"}))
        rows = await store.runs.episodes(later.run)
        recalled = [(await store.runs.transcript(later.run, row.spec.id)).notes(Recalled)[0].phrases for row in rows]
        (began_with,) = (await store.runs.get(later.run)).config["libraries"].values()
        assert began_with.startswith(f"{learned.run}.phrases@")
    assert all(recalled)


async def test_the_library_a_run_began_with_is_saved_together_with_what_it_learned(tmp_path: Path) -> None:
    entry = Entry(id="old", key="an older question", value=StoredLesson({"phrase": "an older phrase"}))
    file = tmp_path / "old.jsonl"
    write_library_file(str(file), [Operation(action="add", entry=entry)])
    async with open_store(MEMORY) as store:
        first = await run(store, config(scenarios="series:2", libraries={"phrases": str(file)}))
        saved = await save_learned(store, first.run, load_clinic("demo"), "kept", "default")
        kept = (await store.libraries.load("kept.phrases")).operations
        assert list(kept) == await read_library(store, first.run, "phrases")
    assert saved == {"kept.phrases": len(kept)}
    assert kept[0].entry == entry
    assert len(kept) > 2


async def test_a_recording_holds_the_replies_of_the_run_and_not_those_of_a_later_scoring() -> None:
    async with FaultServer(moods=("nonsense",)) as server, open_store(MEMORY) as store:
        first = await run(store, config())
        _, _, failures = await rescore(store, first.run, cast=f"judge={server.url}:any", judges=("courtesy",))
        assert len(failures) == 4
        again = await run(store, config(cast=f"all=replay:{first.run}"))
        assert len(await store.scores.read(again.run, "live")) == 4
        scores = await store.scores.read(again.run, "live")
    assert all(any(score.metric == "courtesy" for score in mine) for mine in scores.values())
