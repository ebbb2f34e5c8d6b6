"""The access matrix with real objects: each kind of object that somebody made, every other role and every route."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from polyclinic.web.access.routes_table import ROUTES
from polyclinic.web.access.table import AccessRole, reach
from tests.web.test_access import app, as_role

__all__ = ["app"]
OWNED = ("practise", "run", "talk", "class", "packet")
OTHERS: tuple[AccessRole, ...] = ("nobody", "learner", "educator", "rater", "supervisor")


async def made(client: httpx.AsyncClient, path: str, body: dict[str, Any]) -> str:
    answer = await client.post(f"/api/{path}", json=body)
    assert answer.status_code in (200, 201), answer.text
    return str(answer.json()["id"])


async def everything(client: httpx.AsyncClient) -> dict[str, str]:
    """One real object of each kind that somebody can own, by kind."""
    run = await made(client, "runs", {"clinic": "demo", "variants": ["plain"], "scenarios": "2"})
    async with asyncio.timeout(60):
        while (await client.get(f"/api/runs/{run}")).json()["left"]:
            await asyncio.sleep(0.02)
    return {
        "practise": await made(client, "practise", {"clinic": "demo", "part": "nurse"}),
        "run": run,
        "talk": await made(client, "desk/counsel/sessions", {"values": {"lang": "en"}}),
        "class": await made(client, "classes", {"clinic": "demo", "part": "nurse", "educator": "Kim", "title": "A"}),
        "packet": await made(client, "packets", {"run": run, "episodes": 2, "pairs": 0, "title": "B"}),
    }


def addresses(objects: dict[str, str]) -> list[tuple[str, str, str]]:
    """Every route that names one of these objects: its row, its method and its address with a real object."""
    found = []
    for route, rule in ROUTES.items():
        if rule.parameter and rule.thing in OWNED:
            method, path = route.split(" ")
            names = {rule.parameter: objects[rule.thing], "clinic": "counsel", "run": objects["practise"]}
            names |= {"run": objects[rule.thing]} if rule.thing in ("practise", "run") else {}
            address = re.sub(r"\{(\w+)\}", lambda name, names=names: names.get(name[1], "1"), path)  # type: ignore[misc]
            found.append((route, method, address))
    return found


@pytest.mark.parametrize("role", OTHERS)
async def test_an_object_does_not_exist_for_roles_that_may_reach_only_their_own_objects(
    app: FastAPI, role: AccessRole
) -> None:
    """The status is 404, because 403 would reveal that the object exists.

    Where a role may reach no object of a kind, the status is 403 for all of them.
    """
    wrong, tried = [], 0
    async with await as_role(app, "administrator") as owner, await as_role(app, role) as client:
        objects = await everything(owner)
        for route, method, address in addresses(objects):
            rule = ROUTES[route]
            far = reach(role, rule.thing, rule.verb)
            if far == "all":
                continue
            status = (await client.request(method, address, json={} if method == "POST" else None)).status_code
            tried += 1
            if status != {"no": 401 if role == "nobody" else 403, "own": 404}[far]:
                wrong.append(f"{role}: {route} reaches {far} and was answered {status}")
        for thing, path in (("practise", "practise"), ("class", "classes"), ("packet", "packets")):
            listed = await client.get(f"/api/{path}")
            assert objects[thing] not in listed.text, f"{role} sees {thing} in a list"
    assert wrong == [] and tried > 10


async def test_people_who_may_see_runs_see_neither_board_nor_library_of_a_run_with_a_person(app: FastAPI) -> None:
    """Board and library contain the words of the person who played."""
    body = {"clinic": "demo", "part": "nurse", "way": "taught"}
    async with await as_role(app, "learner") as learner:
        library = f"{await made(learner, 'practise', body)}.phrases"
        board = await made(learner, "practise", {"clinic": "frontdesk", "part": "patient"})
    async with await as_role(app, "administrator") as owner:
        assert (await owner.get(f"/api/libraries/{library}")).status_code == 200
        assert (await owner.get(f"/api/boards/{board}")).status_code == 200
    for role in ("educator", "rater"):
        async with await as_role(app, role) as client:
            for path in (f"libraries/{library}", f"libraries/{library}/entries/1/prompt", f"boards/{board}"):
                assert (await client.get(f"/api/{path}")).status_code == 404, f"{role}: {path}"
            assert (await client.get(f"/api/boards/{board}/bookings/1")).status_code == 404
            for path in ("libraries", "boards", "runs"):
                listed = (await client.get(f"/api/{path}")).text
                assert library.partition(".")[0] not in listed and board not in listed, f"{role}: {path}"
