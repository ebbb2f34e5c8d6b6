"""The table of episodes at 100,000: how much CPU a page takes, first, filtered, sorted, deep and searched.

``python benchmarks/web_episodes.py 100000`` runs eight episodes, copies them in the store until there are so many, and
asks the server in this process. CPU time is printed beside the clock, because a machine may be busy with other work.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time

import httpx

from polyclinic.core.database import Transaction
from polyclinic.runner.api import run
from polyclinic.runner.plan.config import make_config
from polyclinic.store.store import open_store
from polyclinic.web.app import create_web

PAGES = {
    "first page": "",
    "again": "",
    "filter by outcome": "?outcome=understood",
    "filter by a value": "?metric=dose&low=1",
    "sort by scenario": "?sort=scenario&down=true",
    "sort by a metric": "?sort=metric:dose",
    "a page in the depth": "?page=1500",
    "search for words": "?words=amberol",
}


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


async def measure(episodes: int, facts: bool) -> None:
    """Make the store, then look."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"{folder}/s.db"
        async with open_store(url) as store:
            config = make_config({"clinic": "demo", "variants": ("plain", "tool"), "scenarios": "4", "store": url})
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
            for what, query in PAGES.items():
                began, cpu = time.monotonic(), time.process_time()
                answer = await client.get(f"/api/runs/{name}/episodes{query}")
                assert answer.status_code == 200, answer.text
                took, used = time.monotonic() - began, time.process_time() - cpu
                print(f"| {what} | {1000 * used:.0f} | {1000 * took:.0f} | {answer.json()['found']} |")


def main() -> int:
    """Measure with the rows that the store keeps, and without."""
    episodes = int((*sys.argv[1:], "100000")[0])
    for kept in (True, False):
        asyncio.run(measure(episodes, kept))
    return 0


if __name__ == "__main__":
    sys.exit(main())
