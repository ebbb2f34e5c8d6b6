"""The table of 100,000 episodes: how long the first page takes, and a filtered, sorted, later or searched page.

``python benchmarks/web_episodes.py 100000`` runs the demo's twelve calls in both variants and copies them in the
store until there are 100,000. Then it requests each page twenty times from a server in this process. CPU time is
printed beside wall time, because a machine may be busy with other work.
"""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import tempfile
import time
from collections.abc import Sequence

import httpx

from polyclinic.core.database import Transaction
from polyclinic.runner.api import run
from polyclinic.runner.plan.config import make_config
from polyclinic.store.store import open_store
from polyclinic.web.app import create_web

PAGES = {
    "first page": "",
    "search while words are indexed": "?words=amberol",
    "search for a word": "?words=amberol",
    "first page again": "",
    "filter by outcome": "?outcome=understood",
    "filter by a value": "?metric=dose&low=1",
    "sort by scenario": "?sort=scenario&down=true",
    "sort by a metric": "?sort=metric:dose",
    "a page in the depth": "?page=1500",
    "a piece of a word": "?words=mber",
    "one letter": "?words=a",
    "three words": "?words=thank+you+calling",
    "a word that is in all": "?words=tablet",
    "a word that is in none": "?words=nowhere",
    "search, filter and sort": "?words=amberol&outcome=understood&sort=metric:dose",
}
PHRASES = {
    "a quoted phrase": ("how do I take Amberol", "do I take Amberol", "I take Amberol", "take Amberol", "I take Amb"),
    "a quoted phrase that is in all": ("for calling", "you for calling", "thank you for", "you for", "or calling"),
    "a quoted phrase that is in none, its words in all": (
        "calling for",
        "for thank",
        "you thank",
        "call for",
        "ing thank",
    ),
}
"""Each of these searches is new to the server, so no result is cached."""
ONCE = ("first page", "search while words are indexed")
INDEXED = "search for a word"
TIMES = 20


def _more(tx: Transaction, name: str, most: int, *, facts: bool) -> None:
    """Copy the episodes of a run until there are enough."""
    tables = {
        "episodes": "id",
        "scores": "episode",
        **({"episode_facts": "id", "episode_values": "episode"} if facts else {}),
    }
    columns = {table: [str(row[1]) for row in tx.execute(f"PRAGMA table_info({table})")] for table in tables}
    first = [str(row[0]) for row in tx.execute("SELECT id FROM episodes WHERE run = ?", (name,))]
    marks = ", ".join("?" * len(first))
    for copy in range(1, most // len(first)):
        for table, key in tables.items():
            names = ", ".join(columns[table])
            changed = ", ".join(
                f"{key} || '-{copy}'"
                if column == key
                else f"number + {len(first) * copy}"
                if column == "number" and key == "id"
                else column
                for column in columns[table]
            )
            tx.execute(
                f"INSERT INTO {table} ({names}) SELECT {changed} FROM {table} WHERE run = ? AND {key} IN ({marks})",
                (name, *first),
            )


async def measure(episodes: int, *, facts: bool) -> None:
    """Make the store, then measure."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"{folder}/s.db"
        async with open_store(url) as store:
            config = make_config({"clinic": "demo", "variants": ("plain", "tool"), "store": url})
            name = (await run(store, config)).run
            await store.database.write(lambda tx: _more(tx, name, episodes, facts=facts))
        app = create_web(url, "t")
        headers = {"Authorization": "Bearer t"}
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", headers=headers, timeout=300
            ) as client,
        ):
            print(f"{episodes} episodes, {'rows kept by the store' if facts else 'an older store without such rows'}")
            print("| page | CPU ms, mean | clock ms, P50 | P95 | episodes that fit |\n| --- | --- | --- | --- | --- |")
            for what, query in PAGES.items():
                if what == INDEXED:
                    cpu = time.process_time()
                    await app.state.store.words.fill(name)
                    print(f"| the rest of the words are indexed | {1000 * (time.process_time() - cpu):.0f} | | | |")
                await _page(client, what, f"/api/runs/{name}/episodes{query}")
            for what, phrases in PHRASES.items():
                await _phrases(client, what, f"/api/runs/{name}/episodes", phrases)
            size = os.path.getsize(url) / 1e6
            print(f"load {os.getloadavg()[0]:.1f}, store {size:.0f} MB, most memory {_memory_mb():.0f} MB")


async def _page(client: httpx.AsyncClient, what: str, path: str) -> None:
    times, cpu = [], time.process_time()
    for _ in range(1 if what in ONCE else TIMES):
        began = time.monotonic()
        answer = await client.get(path)
        times.append(1000 * (time.monotonic() - began))
        assert answer.status_code == 200, answer.text
    used = 1000 * (time.process_time() - cpu) / len(times)
    times.sort()
    p95 = times[int(len(times) * 0.95)] if len(times) > 1 else times[0]
    print(f"| {what} | {used:.0f} | {times[len(times) // 2]:.0f} | {p95:.0f} | {answer.json()['found']} |", flush=True)


async def _phrases(client: httpx.AsyncClient, what: str, path: str, phrases: Sequence[str]) -> None:
    """How soon the first page of a search comes, and how long the whole search takes."""
    first: list[float] = []
    whole: list[float] = []
    cpu = time.process_time()
    for phrase in phrases:
        began = time.monotonic()
        while True:
            found = (await client.get(path, params={"words": f'"{phrase}"'})).json()
            first += [time.monotonic() - began] if len(first) == len(whole) else []
            if found.get("whole", True):
                break
            await asyncio.sleep(0.4)  # as the page does
        whole.append(time.monotonic() - began)
    used = 1000 * (time.process_time() - cpu) / len(phrases)
    for name, times in ((", first page", sorted(first)), (", all", sorted(whole))):
        print(
            f"| {what}{name} | {used:.0f} | {1000 * times[2]:.0f} | {1000 * times[-1]:.0f} | {found['found']} |",
            flush=True,
        )


def _memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    """Measure with the rows that the store keeps; with `older`, without them, as in an older store."""
    episodes = int((*sys.argv[1:], "100000")[0])
    asyncio.run(measure(episodes, facts="older" not in sys.argv))
    return 0


if __name__ == "__main__":
    sys.exit(main())
