"""A store in which every page has something to show, all from a clinic that `polyclinic new` made."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx
from playwright.sync_api import Page

from tests.web.browser.conftest import Server
from tests.web.test_web import begin, to_the_end

CLINIC = "my_ward"
LONGEST_S = 120.0


@dataclass
class Furnished:
    """The addresses of every page, and the cookies of the browser that joined a class and a rating."""

    addresses: list[str] = field(default_factory=list)
    cookies: list[Any] = field(default_factory=list)

    def come_in(self, page: Page, server: Server) -> list[str]:
        """Let this browser see all pages; the first call creates their data."""
        if self.addresses:
            page.context.add_cookies(self.cookies)
        else:
            self.addresses = pages_with_something(page, server)
            self.cookies = page.context.cookies()
        return self.addresses


def ask(page: Page, server: Server, path: str, body: dict[str, Any] | None = None) -> Any:
    """Send a request with the cookies of this page, whose browser is the trainee and the rater of all pages."""
    url = f"{server.url}/api/{path}"
    answer = page.request.get(url) if body is None else page.request.post(url, data=body)
    assert answer.ok, f"{path}: {answer.status} {answer.text()}"
    return answer.json()


def finished_run(page: Page, server: Server, variants: list[str], scenarios: str) -> str:
    run = str(ask(page, server, "runs", {"clinic": CLINIC, "variants": variants, "scenarios": scenarios})["id"])
    until = time.monotonic() + LONGEST_S
    while ask(page, server, f"runs/{run}")["left"] and time.monotonic() < until:
        time.sleep(0.1)
    return run


async def _sessions(server: Server) -> tuple[str, str]:
    """A practice session that is still open, and one that is over."""
    headers = {"Authorization": f"Bearer {server.token}"}
    async with httpx.AsyncClient(base_url=server.url, headers=headers, timeout=LONGEST_S) as client:
        open_one, over = await begin(client, CLINIC, "nurse"), await begin(client, CLINIC, "caller")
        await to_the_end(client, over)
    return open_one, over


def _case(page: Page, server: Server) -> str:
    """Save a user's own case; return its kind."""
    kind = next(one["kind"] for one in ask(page, server, "cases")["kinds"] if one["clinic"] == CLINIC)
    path = f"cases/{CLINIC}/{kind}"
    form = ask(page, server, f"{path}/form")
    values = ask(page, server, f"{path}/examples/{form['examples'][0]['name']}")["values"]
    ask(page, server, path, {"values": values | {form["named_by"]: "mine"}})
    return str(kind)


def pages_with_something(page: Page, server: Server) -> list[str]:
    """The address of every page."""
    run, taught = finished_run(page, server, ["plain", "tool"], "2"), finished_run(page, server, ["taught"], "series:4")
    first, second = (quote(one["id"], safe="") for one in ask(page, server, f"runs/{run}/episodes")["episodes"][:2])
    library = next(one["name"] for one in ask(page, server, "libraries")["libraries"] if one["name"].startswith(taught))
    kind = _case(page, server)
    made = ask(page, server, "classes", {"clinic": CLINIC, "part": "nurse", "educator": "Dr Kim", "title": "A class"})
    ask(page, server, "join", {"code": made["code"], "name": "Ada"})
    ask(page, server, f"join/{made['id']}/begin", {"place": 0})
    packet = ask(page, server, "packets", {"run": run, "episodes": 2, "pairs": 1, "title": "A rating"})
    ask(page, server, "rate", {"code": packet["code"], "name": "Kim"})
    item = ask(page, server, f"rate/{packet['id']}")["items"][0]["code"]
    talk = ask(page, server, f"desk/{CLINIC}/sessions", {})["id"]
    with ThreadPoolExecutor(1) as apart:  # the browser uses this thread's event loop
        going, over = apart.submit(asyncio.run, _sessions(server)).result()
    return [
        "/",
        f"/practise?clinic={CLINIC}&part=nurse",
        f"/practise/{going}",
        f"/practise/{over}/feedback",
        "/runs",
        f"/runs/{run}",
        f"/runs/{run}/episodes/{first}",
        f"/runs/{run}/episodes/{first}?beside={second}",
        f"/compare?left={run}/plain&right={run}/tool",
        f"/desk/{CLINIC}",
        f"/talk/{CLINIC}/{talk}",
        "/cases",
        f"/cases/{CLINIC}/{kind}?file=mine",
        "/board",
        "/libraries",
        f"/libraries/{quote(library, safe='')}",
        "/class",
        f"/class/{made['id']}",
        "/join",
        f"/join/{made['id']}",
        "/rate",
        "/rate/join",
        f"/rate/{packet['id']}",
        f"/rate/{packet['id']}/mine?item={item}",
        f"/rate/{packet['id']}/mine?pair=0",
        "/nowhere",
    ]
