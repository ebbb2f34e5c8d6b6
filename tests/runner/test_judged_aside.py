"""In a campaign the next episode is played while the last one is judged; ends are still committed in order."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from polyclinic.clinics.duty.rules.notes import PromptShown
from polyclinic.core import execute
from polyclinic.core.execute import EpisodeResult, run_episode
from polyclinic.core.judge import Case
from polyclinic.eval.results import RunResults
from polyclinic.runner.api import resume_run, run
from polyclinic.runner.execute import batch
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.results import load_results
from polyclinic.store.store import Store, open_store

SHIFTS = 4


def duty() -> Any:
    return make_config({"clinic": "duty", "scenarios": f"T2:{SHIFTS}", "seed": 3, "concurrency": 8})


def ends_of(results: RunResults) -> list[tuple[object, ...]]:
    return [
        (row.scenario, row.outcome, [(s.metric, s.value, s.subject) for s in row.scores], row.transcript.events)
        for row in results.episodes
    ]


async def alone(store: Store) -> list[tuple[object, ...]]:
    """The same campaign without concurrency."""
    config = make_config({"clinic": "duty", "scenarios": f"T2:{SHIFTS}", "seed": 3, "concurrency": 1})
    return ends_of(await load_results(store, (await run(store, config)).run))


class Slowly:
    """A judge that finishes the first shift last: it waits until `until` shifts have been played."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, until: int = SHIFTS) -> None:
        self.order: list[str] = []
        self._until = until
        self._judge_case = execute.judge_case
        monkeypatch.setattr(execute, "judge_case", self.judge_case)

    async def judge_case(self, context: Any, board: Any, case: Case, seed: int) -> Any:
        self.order.append(f"played {case.scenario.id}")
        first = len(self.order) == 1
        while first and len(self.order) < self._until:
            await asyncio.sleep(0.01)
        return await self._judge_case(context, board, case, seed)


async def test_the_next_shift_is_played_while_the_last_one_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_store("sqlite://:memory:") as store:
        expected = await alone(store)
        slowly = Slowly(monkeypatch)
        ended: list[str] = []
        end = batch.Batch._end

        def watched(self: batch.Batch, unit: str, result: EpisodeResult, *rest: Any) -> Any:
            ended.append(result.spec.scenario)
            return end(self, unit, result, *rest)

        monkeypatch.setattr(batch.Batch, "_end", watched)
        found = await asyncio.wait_for(run(store, duty()), timeout=60)
        results = await load_results(store, found.run)
    assert ends_of(results) == expected
    assert ended == [row.scenario for row in results.episodes]
    assert len(slowly.order) == SHIFTS


async def test_a_run_stopped_while_a_shift_is_judged_gives_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_store("sqlite://:memory:") as store:
        expected = await alone(store)
    async with open_store("sqlite://:memory:") as store:
        with monkeypatch.context() as broken:
            slowly = Slowly(broken, until=SHIFTS + 1)
            going = asyncio.create_task(run(store, duty()))
            while len(slowly.order) < 2:
                await asyncio.sleep(0.01)
            going.cancel()
            with pytest.raises(asyncio.CancelledError):
                await going
        (row,) = await store.runs.all()
        assert await store.runs.counts(row.id) == {"pending": SHIFTS}
        await resume_run(store, row.id)
        results = await load_results(store, row.id)
    assert ends_of(results) == expected


async def test_when_a_shift_fails_later_shifts_that_used_its_changes_are_played_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The failed shift's changes are not stored, so the shifts that used them are played again without them."""
    failed: list[str] = []

    async def unwritten(*arguments: Any, **options: Any) -> EpisodeResult:
        result = await run_episode(*arguments, **options)
        if result.spec.position == 1:
            failed.append(result.spec.scenario)
            return execute.as_failed(result, "the journal could not be written")
        return result

    monkeypatch.setattr(batch, "run_episode", unwritten)
    async with open_store("sqlite://:memory:") as store:
        results = await load_results(store, (await run(store, duty())).run)
    assert [row.outcome == "failed:engine" for row in results.episodes] == [False, True, False, False]
    shown = [row.transcript.notes(PromptShown)[0].shift for row in results.episodes]
    assert shown[2:] == [2, 3]
