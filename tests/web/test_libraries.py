"""Libraries over HTTP: what was learned links to its episode and to the prompt it changed, and can be rolled back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from polyclinic.runner.api import run
from polyclinic.runner.plan.config import make_config
from polyclinic.web.app import create_web

HEADERS = {"Authorization": "Bearer start-up"}


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    url = str(tmp_path / "s.db")
    app = create_web(url, "start-up")
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", headers=HEADERS) as found,
    ):
        config = make_config({"clinic": "demo", "variants": ("taught",), "scenarios": "series:14", "store": url})
        await run(app.state.store, config)
        yield found


async def get(client: httpx.AsyncClient, path: str) -> Any:
    answer = await client.get(path)
    assert answer.status_code == 200, f"{path}: {answer.text}"
    return answer.json()


async def kept(client: httpx.AsyncClient) -> tuple[str, str, dict[str, Any]]:
    """The library of the run, saved under a name."""
    (source,) = [one["name"] for one in (await get(client, "/api/libraries"))["libraries"]]
    answer = await client.post(f"/api/libraries/{source}/keep", json={"name": "mine"})
    assert answer.status_code == 201, answer.text
    return source, "mine.phrases", answer.json()


async def test_an_entry_links_to_its_episode_and_to_the_prompt_it_changed(client: httpx.AsyncClient) -> None:
    source, name, library = await kept(client)
    assert library["saved"] and library["name"] == name
    same = await get(client, f"/api/libraries/{source}")
    assert same["entries"] == library["entries"] and not same["saved"]
    entry = max(library["entries"], key=lambda one: one["uses"])
    assert entry["uses"] > 0 and entry["texts"]["phrase"]
    await get(client, f"/api/runs/{entry['run']}/episodes/{entry['episode']}")
    changed = await get(client, f"/api/libraries/{name}/entries/{entry['id']}/prompt")
    plus = [line["text"] for line in changed["lines"] if line["mark"] == "+"]
    assert plus and all(entry["texts"]["phrase"] in line for line in plus)
    assert any(line["mark"] == " " for line in changed["lines"]), "with some of the prompt around it"
    assert changed["episode"] != entry["episode"], "the changed prompt is of a later episode"
    unknown = await get(client, f"/api/libraries/{name}/entries/none/prompt")
    assert unknown["lines"] == []


async def test_a_rollback_needs_a_reason_and_deletes_nothing(client: httpx.AsyncClient) -> None:
    _, name, before = await kept(client)
    path = f"/api/libraries/{name}/rollback"
    assert (await client.post(path, json={"version": 1, "reason": " "})).status_code == 409
    assert (await client.post(path, json={"version": 10_000, "reason": "x"})).status_code == 409
    assert (await get(client, f"/api/libraries/{name}"))["version"] == before["version"]
    body = {"version": 1, "reason": "the phrases confused callers"}
    after = (await client.post(path, json=body, headers={"Idempotency-Key": "once"})).json()
    assert len(after["entries"]) == 1 < len(before["entries"])
    assert after["version"] > before["version"], "history only grows"
    assert after["history"][-len(before["history"]) :] == before["history"]
    assert after["history"][0]["reason"] == body["reason"]
    assert {one["id"] for one in after["removed"]} == {one["id"] for one in before["entries"][1:]}
    again = (await client.post(path, json=body, headers={"Idempotency-Key": "once"})).json()
    assert again["version"] == after["version"], "asked again after a lost answer"
    app: Any = client._transport.app  # type: ignore[attr-defined]
    entries = await app.state.store.audit_log.entries()
    assert entries[-1].target == f"library/{name}" and body["reason"] in entries[-1].action


async def test_the_unsaved_library_of_a_run_cannot_be_rolled_back(client: httpx.AsyncClient) -> None:
    source, _, _ = await kept(client)
    refused = await client.post(f"/api/libraries/{source}/rollback", json={"version": 1, "reason": "x"})
    assert refused.status_code == 409 and "only a saved library" in refused.json()["detail"]
    assert (await client.get("/api/libraries/none.phrases")).status_code in (404, 409)
    taken = await client.post(f"/api/libraries/{source}/keep", json={"name": "mine"})
    assert taken.status_code == 409


async def test_the_norms_of_a_clinic_are_shown(client: httpx.AsyncClient) -> None:
    rules = (await get(client, "/api/libraries"))["rules"]
    (duty,) = [one for one in rules if one["clinic"] == "duty"]
    assert duty["sections"][0]["title"] == "Norms"
    assert any("IF " in row[1] for row in duty["sections"][0]["body"][1]["rows"])
