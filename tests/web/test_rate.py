"""A rating over HTTP: blind, in each rater's own order, with evidence and pairs, and with the figures of the audit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from polyclinic.eval.audit import read_ratings
from polyclinic.eval.audit_report import audit, audit_sections, people_by_variant
from polyclinic.eval.sections import sections_to_plain
from polyclinic.runner.api import resume_run, start_run
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.results import load_results
from polyclinic.store.store import Store, open_store
from polyclinic.web.rate.packets import body_of
from tests.web.test_classes import Open, opened, tmp_store

__all__ = ["opened", "tmp_store"]


@pytest.fixture
async def run(tmp_store: str) -> str:
    """A finished run of two variants."""
    config = make_config(
        {
            "clinic": "demo",
            "variants": ("plain", "tool"),
            "scenarios": "4",
            "store": tmp_store,
            "cast": "all=understudy",
        }
    )
    async with open_store(tmp_store) as store:
        made = await start_run(store, config)
        await resume_run(store, made)
    return made


async def open_packet(client: httpx.AsyncClient, run: str, **more: Any) -> dict[str, Any]:
    answer = await client.post("/api/packets", json={"run": run, "episodes": 6, "pairs": 3, **more})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def join(client: httpx.AsyncClient, code: str, name: str) -> httpx.Response:
    return await client.post("/api/rate", json={"code": code, "name": name})


async def rate_all(client: httpx.AsyncClient, id: str, shift: int) -> None:
    """Rate everything: numbers depend only on the code and the shift, and of a pair always the first is chosen."""
    packet = (await client.get(f"/api/rate/{id}")).json()
    for item in packet["items"]:
        for question in packet["questions"]:
            span = question["high"] - question["low"] + 1
            value = question["low"] + (ord(item["code"][0]) + shift * (ord(item["code"][1]) % 2)) % span
            answer = await client.post(
                f"/api/rate/{id}/items/{item['code']}", json={"question": question["id"], "value": value}
            )
            assert answer.status_code == 200, answer.text
    for number in range(len(packet["rounds"])):
        await client.post(f"/api/rate/{id}/rounds/{number}", json={"better": "first"})


async def test_a_rating_continues_after_a_restart_and_gives_the_figures_of_the_audit(
    opened: Open, run: str, tmp_store: str
) -> None:
    async with opened() as browser:
        leader, kim, lee = browser(), browser(), browser()
        made = await open_packet(leader, run)
        for rater, name in ((kim, "Kim"), (lee, "Lee")):
            assert (await join(rater, made["code"].lower(), name)).json() == {"id": made["id"]}
        await rate_all(kim, made["id"], 0)
        cookies = lee.cookies
    async with opened() as browser:
        leader, lee = browser(), browser()
        lee.cookies = cookies
        now = (await leader.get(f"/api/packets/{made['id']}")).json()
        done = [(one["name"], one["rated"], one["judged"]) for one in now["raters"]]
        assert done == [("Kim", 6, 6), ("Lee", 0, 0)], "nothing is lost"
        await rate_all(lee, made["id"], 1)
        found = (await leader.get(f"/api/packets/{made['id']}/agreement")).json()
        await leader.post(f"/api/packets/{made['id']}/end")
        late = await lee.post(f"/api/rate/{made['id']}/rounds/0", json={"better": "second"})
        assert late.status_code == 409 and "ended" in late.json()["detail"]
    async with open_store(tmp_store) as store:
        expected = await by_sheets(store, made["id"])
        assert found["sections"][0] == expected, "the browser and the sheets give the same figures"
    figures = json.dumps(found["sections"][0])
    assert all(name in figures for name in ("alpha (ordinal)", "ICC(2,1)", "kappa (quadratic)", "judge minus people"))
    arena = json.dumps(found["sections"][1])
    assert "plain against tool" in arena and "alpha (nominal)" in arena
    table = next(block for block in found["sections"][1]["body"] if block["kind"] == "table")
    assert table["rows"][0][2:6] == [0, 6, 0, 0.0], "a rater who always takes the first one has no preference"


async def by_sheets(store: Store, id: str) -> dict[str, Any]:
    """The same ratings, filled in by hand on the sheets of `polyclinic audit`."""
    row = await store.packets.get(id)
    key, answers = body_of(row).key, await store.packets.answers(id)
    sheets = []
    for rater in ("Kim", "Lee"):
        lines = ["item," + ",".join(question.id for question in key.questions)]
        for code in key.items:
            mine = [one for one in answers if (one.rater, one.item) == (rater, code)]
            given = {one.question: str(json.loads(one.body)["value"]) for one in mine}
            lines.append(f"{code}," + ",".join(given[question.id] for question in key.questions))
        sheets.append(Path(store.url).with_name(f"ratings_{rater}.csv"))
        sheets[-1].write_text("\n".join(lines), encoding="utf-8")
    ratings = [rating for sheet in sheets for rating in read_ratings(sheet, key)]
    results = await load_results(store, key.run)
    sections = audit_sections(audit(results, key, ratings), people_by_variant(results, key, ratings))
    found: dict[str, Any] = sections_to_plain(sections)[0]
    return found


async def test_a_rater_sees_no_name_of_a_run_an_episode_a_variant_or_a_model(opened: Open, run: str) -> None:
    async with opened() as browser:
        leader, kim, lee = browser(), browser(), browser()
        made = await open_packet(leader, run)
        for rater, name in ((kim, "Kim"), (lee, "Lee")):
            await join(rater, made["code"], name)
        packets = [(await rater.get(f"/api/rate/{made['id']}")).json() for rater in (kim, lee)]
        seen = json.dumps(packets[0])
        for item in packets[0]["items"]:
            seen += (await kim.get(f"/api/rate/{made['id']}/items/{item['code']}")).text
        for number in range(len(packets[0]["rounds"])):
            seen += (await kim.get(f"/api/rate/{made['id']}/rounds/{number}")).text
        episodes = [one["id"] for one in (await leader.get(f"/api/runs/{run}/episodes")).json()["episodes"]]
        for name in (run, "understudy", "variant", "swapped", *episodes):
            assert name not in seen, name
        orders = [[item["code"] for item in packet["items"]] for packet in packets]
        assert sorted(orders[0]) == sorted(orders[1]) and orders[0] != orders[1], "each rater has their own order"


async def test_every_pair_is_shown_again_in_reverse_order_after_all_pairs_were_shown_once(
    opened: Open, run: str
) -> None:
    async with opened() as browser:
        leader, kim = browser(), browser()
        made = await open_packet(leader, run)
        await join(kim, made["code"], "Kim")
        rounds = [(await kim.get(f"/api/rate/{made['id']}/rounds/{number}")).json() for number in range(6)]
        sides = [(json.dumps(one["first"]), json.dumps(one["second"])) for one in rounds]
        assert {frozenset(pair) for pair in sides[:3]} == {frozenset(pair) for pair in sides[3:]}
        assert all((second, first) in sides[3:] for first, second in sides[:3])
        assert (await kim.get(f"/api/rate/{made['id']}/rounds/6")).status_code == 404


async def test_evidence_must_be_in_the_transcript_and_links_to_its_episode(opened: Open, run: str) -> None:
    async with opened() as browser:
        leader, kim, other = browser(), browser(), browser()
        made = await open_packet(leader, run)
        await join(kim, made["code"], "Kim")
        packet = (await kim.get(f"/api/rate/{made['id']}")).json()
        path = f"/api/rate/{made['id']}/items/{packet['items'][0]['code']}"
        lines = (await kim.get(path)).json()["lines"]
        question = packet["questions"][0]
        words = lines[0]["text"][2:9]
        body = {"question": question["id"], "value": question["high"], "comment": "<b>clear</b>"}
        right = {"line": 0, "start": 2, "end": 9, "words": words}
        for wrong in ({**right, "words": "other"}, {**right, "line": 99}, {**right, "start": 3}):
            assert (await kim.post(path, json={**body, "evidence": [wrong]})).status_code == 409
        assert (await kim.post(path, json={**body, "value": question["high"] + 1})).status_code == 409
        assert (await kim.post(path, json={**body, "question": "other"})).status_code == 404
        kept = (await kim.post(path, json={**body, "evidence": [right]})).json()["answers"][question["id"]]
        assert kept == {"value": question["high"], "comment": "<b>clear</b>", "evidence": [right]}
        found = (await leader.get(f"/api/packets/{made['id']}/agreement")).json()["evidence"]
        assert [(one["words"], one["rater"]) for one in found] == [(words, "Kim")]
        assert (await leader.get(f"/api/runs/{run}/episodes/{found[0]['episode']}")).status_code == 200
        assert (await kim.post(path, json={"question": question["id"]})).json()["answers"] == {}, "taken back"
        assert (await other.get(path)).status_code == 404, "a person who did not join sees nothing"
        assert "already" in (await join(other, made["code"], "kim")).json()["detail"]


async def test_a_rubric_is_chosen_by_name_and_never_read_from_a_file(opened: Open, run: str) -> None:
    async with opened() as browser:
        leader = browser()
        names = (await leader.get(f"/api/packets/rubrics/{run}")).json()["names"]
        assert names
        assert (await open_packet(leader, run, rubric=names[0]))["questions"] > 0
        wrong = await leader.post("/api/packets", json={"run": run, "rubric": "/etc/passwd"})
        assert wrong.status_code == 404
        assert len((await leader.get("/api/packets")).json()) == 1
