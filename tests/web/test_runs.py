"""Runs over HTTP: figures link to episodes and episodes to their calls; a run can be started, stopped and resumed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from polyclinic.core.transcript import Score
from polyclinic.runner.api import run
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.results import load_results
from polyclinic.store.scores import put_scores
from polyclinic.store.store import open_store
from polyclinic.web.app import create_web
from polyclinic.web.runs import phrases
from polyclinic.web.runs.columns import with_phrase

HEADERS = {"Authorization": "Bearer start-up"}


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    url = str(tmp_path / "s.db")
    app = create_web(url, "start-up")
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", headers=HEADERS) as found,
    ):
        await run(
            app.state.store,
            make_config({"clinic": "demo", "variants": ("plain", "tool"), "scenarios": "4", "store": url}),
        )
        yield found


async def get(client: httpx.AsyncClient, path: str) -> Any:
    answer = await client.get(path)
    assert answer.status_code == 200, f"{path}: {answer.text}"
    return answer.json()


async def test_a_figure_is_the_mean_of_the_episodes_it_links_to(client: httpx.AsyncClient) -> None:
    (row,) = await get(client, "/api/runs")
    assert (row["clinic"], row["done"], row["left"], row["going"], row["person"]) == ("demo", 8, 0, False, False)
    report = await get(client, f"/api/runs/{row['id']}/report")
    assert report["headline"][0]["text"].startswith("8 episodes")
    for metric in report["metrics"]:
        assert metric["rests_on"] and metric["about"]
        for variant, value in metric["values"].items():
            query = f"variant={variant}&metric={metric['name']}&sort=metric:{metric['name']}"
            page = await get(client, f"/api/runs/{row['id']}/episodes?{query}")
            values = [one["values"][metric["name"]] for one in page["episodes"]]
            assert values == sorted(values) and len(values) == value["n"]
            assert values[0] <= value["mean"] <= values[-1]
            if metric["name"] == "understood":  # one score for each episode, all of the same weight
                assert sum(values) / len(values) == pytest.approx(value["mean"])


async def test_episodes_are_filtered_and_sorted_by_the_server(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    (row,) = await get(client, "/api/runs")
    path = f"/api/runs/{row['id']}/episodes"
    everything = await get(client, path)
    assert everything["all"] == everything["found"] == 8 and everything["variants"] == ["plain", "tool"]
    outcome = everything["episodes"][0]["outcome"]
    some = await get(client, f"{path}?outcome={outcome}")
    assert some["found"] == sum(one["outcome"] == outcome for one in everything["episodes"])
    low = await get(client, f"{path}?metric=dose&low=1")
    assert low["found"] == sum(one["values"].get("dose", 0) >= 1 for one in everything["episodes"])
    found = await get(client, f"{path}?words=AMBEROL")
    assert {one["scenario"] for one in found["episodes"]} == {"call-01"}
    for order in ("", "&sort=metric:dose", "&sort=cost_usd&down=true", "&metric=dose&low=0"):
        paged = [await get(client, f"{path}?words=amberol&size=1&page={page}{order}") for page in range(3)]
        assert [one["found"] for one in paged] == [2, 2, 2], "also beyond the last page"
        assert {one["id"] for page in paged for one in page["episodes"]} == {one["id"] for one in found["episodes"]}
    assert (await get(client, f"{path}?words=100%25"))["found"] == 0, "a percent sign is a sign, not a pattern"
    assert (await get(client, f"{path}?words=take+thank"))["found"] == 8, "words may be in any order"
    asked: list[int] = []

    def watched(tx: Any, run: str, numbers: list[int], phrase: str) -> set[int]:
        asked.append(len(numbers))
        return with_phrase(tx, run, numbers, phrase)

    monkeypatch.setattr(phrases, "AT_ONCE", 1)
    monkeypatch.setattr(phrases, "ANSWER_S", 60.0)
    monkeypatch.setattr(phrases, "with_phrase", watched)
    for phrase, count in (("how+do+I+take+amberol", 2), ("take+thank", 0)):
        held = await get(client, f'{path}?words="{phrase}"')
        assert (held["found"], held["whole"]) == (count, True), "a quoted phrase is looked for as it is"
    assert asked == [1] * 10, "nobody waits for all transcripts at once"
    narrow = await get(client, f'{path}?words="how+do+I+take+amberol"&variant=plain')
    assert [one["variant"] for one in narrow["episodes"]] == ["plain"], (
        "episodes with a phrase are filtered like any others"
    )
    second = await get(client, f"{path}?size=3&page=1&sort=scenario&down=true")
    names = [one["scenario"] for one in second["episodes"]]
    assert len(names) == 3 and names == sorted(names, reverse=True)
    assert (await client.get(f"{path}?sort=transcript")).status_code == 409


async def test_several_scores_of_one_metric_become_one_number_as_in_the_report(
    client: httpx.AsyncClient, tmp_path: Path
) -> None:
    (row,) = await get(client, "/api/runs")
    async with open_store(str(tmp_path / "s.db")) as store:
        one = (await store.runs.episodes(row["id"]))[0].spec.id
        scores = [Score(metric="dose", value=value, judge="j", subject=who) for value, who in ((1, "a"), (0, "b"))]
        await store.database.write(lambda tx: put_scores(tx, row["id"], one, "live", scores))
        results = await load_results(store, row["id"])
    page = await get(client, f"/api/runs/{row['id']}/episodes")
    assert page["episodes"][0]["values"]["dose"] == results.episodes[0].value("dose") == 0.5


async def test_an_episode_shows_the_prompt_and_reply_behind_a_line(client: httpx.AsyncClient) -> None:
    (row,) = await get(client, "/api/runs")
    page = await get(client, f"/api/runs/{row['id']}/episodes?variant=tool")
    path = f"/api/runs/{row['id']}/episodes/{page['episodes'][0]['id']}"
    episode = await get(client, path)
    assert episode["introduction"] == "Ada asks about Amberol" and episode["scores"] and episode["calls"]
    assert {"said", "tool", "ended"} <= {one["kind"] for one in episode["events"]}
    said = next(one for one in episode["events"] if one["kind"] == "said" and one["speaker"] == "nurse")
    call = await get(client, f"{path}/calls/{said['call']}")
    assert call["prompt"] == "NurseAdvises" and said["text"] in call["reply"] and call["messages"]
    assert (await client.get(f"{path}/calls/0")).status_code == 404
    assert (await client.get(f"/api/runs/{row['id']}/episodes/none")).status_code == 404


async def test_two_variants_are_compared(client: httpx.AsyncClient) -> None:
    (row,) = await get(client, "/api/runs")
    found = await get(client, f"/api/compare?left={row['id']}/plain&right={row['id']}/tool")
    assert not found["tested"], "no p-values where rules play everybody"
    assert {one["metric"] for one in found["rows"]} >= {"dose", "understood"}


async def test_a_run_is_started_followed_stopped_and_resumed(client: httpx.AsyncClient) -> None:
    body = {"clinic": "demo", "variants": ["plain"], "scenarios": "12", "trials": 20}
    started = await client.post("/api/runs", json=body, headers={"Idempotency-Key": "k"})
    assert started.status_code == 201
    again = await client.post("/api/runs", json=body, headers={"Idempotency-Key": "k"})
    run_id = started.json()["id"]
    assert again.json()["id"] == run_id
    stopped = (await client.post(f"/api/runs/{run_id}/stop")).json()
    assert not stopped["going"] and stopped["left"] > 0
    resumed = (await client.post(f"/api/runs/{run_id}/resume")).json()
    assert resumed["going"]
    async with asyncio.timeout(60):
        told = (await client.get(f"/api/runs/{run_id}/events")).text
    assert "event: progress" in told and told.count("data: ") >= 1
    assert (await get(client, f"/api/runs/{run_id}"))["done"] == 240
    refused = await client.post("/api/runs", json={"clinic": "demo", "cast": "nurse=human"})
    assert refused.status_code == 409
