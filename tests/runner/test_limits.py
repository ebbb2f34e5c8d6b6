"""Limits stop a run cleanly: nothing is lost, nothing is counted twice, and a campaign's order is kept."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from polyclinic.clinics.demo import clinic as demo
from polyclinic.clinics.demo.scenario import Call
from polyclinic.core.campaign import Effect
from polyclinic.core.episode import Episode
from polyclinic.errors import ConfigError, LimitReached
from polyclinic.runner.api import resume_run, run, start_run
from polyclinic.runner.plan import run_plan
from polyclinic.runner.plan.config import RunConfig, make_config
from polyclinic.runner.results import load_results
from polyclinic.store.leases import holders
from polyclinic.store.store import open_store
from polyclinic.testing.fault_server import FaultServer, SentBody, ServerFault

MEMORY = "sqlite://:memory:"


def config(**values: object) -> RunConfig:
    return make_config({"clinic": "demo", "variants": ("tool",), "scenarios": "12", **values})


@pytest.fixture
def priced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model called `paid` with a price, on an endpoint that counts as remote."""
    prices = tmp_path / "prices.toml"
    prices.write_text('as_of = "2026-01-01"\n[models]\npaid = { input = "10", output = "10" }\n')
    monkeypatch.setenv("POLYCLINIC_PRICES", str(prices))
    monkeypatch.setattr("polyclinic.models.spec.is_loopback", lambda url: False)


async def test_an_episode_that_used_all_its_tokens_is_judged_and_the_run_goes_on() -> None:
    async with open_store(MEMORY) as store:
        outcome = await run(store, config(max_tokens_per_episode=200))
        results = await load_results(store, outcome.run)
    assert (outcome.done, outcome.left, outcome.limit) == (12, 0, None)
    assert {row.outcome for row in results.episodes} == {"limit:tokens"}
    assert all(row.value("understood") == 0 for row in results.episodes)


async def test_usage_before_a_stop_counts_when_the_run_is_resumed() -> None:
    async with open_store(MEMORY) as store:
        stopped = await run(store, config(max_tokens=4000, concurrency=1))
        again = await resume_run(store, stopped.run)
        more = await resume_run(store, stopped.run, overrides={"max_tokens": 5000})
    assert stopped.limit is not None
    assert again.limit is not None
    assert again.done == stopped.done
    assert more.limit is not None
    assert stopped.done <= more.done < 12


@pytest.mark.usefixtures("priced")
async def test_concurrent_calls_do_not_exceed_a_budget_but_use_it_up() -> None:
    async with FaultServer(latency_s=0.01) as server, open_store(MEMORY) as store:
        values = {"cast": f"nurse={server.url}:paid?max_tokens=200,all=understudy", "scenarios": "40"}
        stopped = await run(store, config(**values, max_cost_usd=0.05, concurrency=40))
        spent = (await store.runs.spent(stopped.run)).cost_nano_usd
        assert stopped.limit is not None
        assert stopped.limit.limit == "cost"
        assert 40_000_000 < spent <= 50_000_000
        answered = server.counts["answered"]
        kept = await store.database.read(lambda tx: tx.execute("SELECT COUNT(*) FROM calls WHERE role = 'nurse'"))
        assert kept[0][0] == answered, "a call that was paid for must be kept, although the run is stopping"


@pytest.mark.usefixtures("priced")
async def test_a_budget_for_a_model_without_a_price_is_refused_before_anything_is_written() -> None:
    async with open_store(MEMORY) as store:
        with pytest.raises(ConfigError, match=r"no price is known for http://127\.0\.0\.1:9/v1:unknown"):
            await start_run(store, config(cast="nurse=http://127.0.0.1:9/v1:unknown", max_cost_usd=1))
        assert await store.runs.all() == []


class Came(Effect):
    kind = "came"
    position: int


class Order:
    """Shared state that records the order of its episodes."""

    takes: tuple[type[Effect], ...] = (Came,)

    def __init__(self) -> None:
        self.seen: list[int] = []

    def apply(self, effect: Effect) -> None:
        assert isinstance(effect, Came)
        self.seen.append(effect.position)


async def test_no_episode_overtakes_one_that_a_limit_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    ready = asyncio.Event()
    stopping = True

    async def flow(episode: Episode) -> str:
        position = episode.spec.position
        if position == 0:
            await ready.wait()
            if stopping:
                raise LimitReached("tokens", "the run's limit of tokens is reached")
        elif position == 2:
            ready.set()
        await episode.enter_lane("*")
        shared = episode.shared(Order)
        assert shared is not None
        before = list(shared.seen)
        episode.effect(Came(position=position))
        return f"after {before}"

    def row_of(selector: str, seed: int) -> Sequence[Call]:
        return [call.model_copy(update={"campaign": "row"}) for call in demo.scenarios("3", seed)]

    def shared(*_: Any) -> Order:
        return Order()

    line = replace(demo, flow=flow, scenarios=row_of, open_campaign=shared)
    monkeypatch.setattr(run_plan, "load_clinic", lambda name: line)
    async with open_store(MEMORY) as store:
        first = await run(store, config(judges=("none",)))
        assert (first.done, first.left, first.exit_code) == (0, 3, 3)
        stopping = False
        second = await resume_run(store, first.run)
        outcomes = [row.outcome for row in await store.runs.episodes(first.run)]
    assert second.done == 3
    assert outcomes == ["after []", "after [0]", "after [0, 1]"]


@pytest.mark.parametrize(
    ("kind", "options"),
    [("stall", ""), ("rate_limit", ""), ("drip", ""), ("stall", "&stream=false")],
)
async def test_a_time_limit_ends_a_run_within_two_seconds_including_calls_under_way(
    kind: ServerFault, options: str
) -> None:
    async with open_store(MEMORY) as store:
        async with FaultServer(faults=1.0, kinds=[kind], stall_s=30.0, retry_after_s=20.0) as server:
            cast = f"all=understudy,nurse={server.url}:any?timeout_s=60&idle_s=60{options}"
            started = time.monotonic()
            stopped = await run(store, config(cast=cast, max_seconds=1, concurrency=4))
            took = time.monotonic() - started
            assert server.requests
        assert stopped.limit is not None
        assert stopped.limit.limit == "time"
        assert took < 3
        assert (stopped.exit_code, stopped.done, stopped.left) == (3, 0, 12)
        again = await resume_run(
            store, stopped.run, overrides={"max_seconds": None, "cast": "all=understudy"}, concurrency=4
        )
    assert (again.done, again.left) == (12, 0)


@pytest.mark.usefixtures("priced")
async def test_a_cost_limit_is_never_exceeded_by_more_than_one_call_whatever_comes_back() -> None:
    """The price is $10 per million tokens. Malformed replies are billed too, the cost stays near the limit of five
    cents, and every request has a token limit.
    """
    limit = 0.05

    async def respond(request: web.Request, body: SentBody) -> web.StreamResponse | None:
        if len(server.requests) % 3:
            usage = {"prompt_tokens": 150, "completion_tokens": 60}
            return web.json_response({"choices": ["x"], "usage": usage})
        return None

    async with open_store(MEMORY) as store, FaultServer(respond=respond) as server:
        cast = f"all=understudy,nurse={server.url}:paid?tries=4"
        stopped = await run(store, config(cast=cast, max_cost_usd=limit, concurrency=16))
        billed = 0
        for number, body in enumerate(server.requests, start=1):
            assert body["max_tokens"] < 1_000
            billed += 210 if number % 3 else 300
    assert stopped.limit is not None
    assert stopped.limit.limit == "cost"
    assert 0.5 * limit < billed * 10 / 1_000_000 <= limit + 300 * 10 / 1_000_000


@pytest.mark.usefixtures("priced")
async def test_what_calls_without_an_answer_have_cost_still_counts_when_the_run_is_resumed() -> None:
    """Nothing that the endpoint bills can be used. Its journal is empty, but the money is spent."""

    async def respond(request: web.Request, body: SentBody) -> web.StreamResponse:
        return web.json_response({"choices": ["x"], "usage": {"prompt_tokens": 150, "completion_tokens": 150}})

    async with open_store(MEMORY) as store, FaultServer(respond=respond) as server:
        cast = f"all=understudy,nurse={server.url}:paid?tries=4"
        stopped = await run(store, config(cast=cast, max_cost_usd=0.05, concurrency=16))
        paid = len(server.requests)
        again = await resume_run(store, stopped.run)
        assert len(server.requests) == paid > 0
        spent = await store.runs.spent(stopped.run)
    assert stopped.limit is not None and again.limit is not None
    assert (stopped.limit.limit, again.limit.limit) == ("cost", "cost")
    assert spent.input_tokens + spent.output_tokens == 300 * paid


@pytest.mark.usefixtures("priced")
async def test_calls_that_a_time_limit_broke_off_still_count_when_the_run_is_resumed() -> None:
    async with open_store(MEMORY) as store:
        async with FaultServer(faults=1.0, kinds=["stall"], stall_s=30.0) as server:
            cast = f"all=understudy,nurse={server.url}:paid?max_tokens=200"
            stopped = await run(store, config(cast=cast, max_seconds=0.5, max_cost_usd=1, concurrency=4))
            asked = len(server.requests)
        spent = await store.runs.spent(stopped.run)
    assert asked >= 1
    assert spent.output_tokens == 200 * asked


async def test_a_budget_is_spent_by_one_process_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process counts its own calls: two at once spent nearly twice what was allowed."""
    monkeypatch.setattr("polyclinic.runner.execute.batch.POLL_S", 0.02)
    async with FaultServer(latency_s=0.05) as server, open_store(MEMORY) as store:
        cast = f"nurse={server.url}:any,caller={server.url}:any,all=understudy"
        limits = {"max_tokens": 8_000}
        id = await start_run(store, config(variants=("plain",), scenarios="40", cast=cast, judges=("none",), **limits))
        first = asyncio.create_task(resume_run(store, id))
        while not server.busy:
            await asyncio.sleep(0.005)
        with pytest.raises(ConfigError, match=f"the budget of {id} is spent by process .* runs release {id} --store"):
            await resume_run(store, id)
        stopped = await first
        spent = await store.runs.spent(id)
        assert stopped.limit is not None
        assert 6_000 < spent.input_tokens + spent.output_tokens <= 8_000
        both = [resume_run(store, id, overrides={"max_tokens": None}) for _ in range(2)]
        outcomes = await asyncio.gather(*both)
        assert await store.database.read(lambda tx: holders(tx, id)) == []
    assert [(each.done, each.left) for each in outcomes] == [(40, 0)] * 2, "without a limit, two share the work"
