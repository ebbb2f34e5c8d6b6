"""The counsel clinic, measured offline: guard, sources, faults, ablation, drafts, memory, and the service under load.

    python benchmarks/counsel.py guard      screen and understudy guard on the labelled utterances and on later trials
    python benchmarks/counsel.py sources    hit@1 and hit@3 of the questions, by language
    python benchmarks/counsel.py tables     tables 1 and 2 with understudies
    python benchmarks/counsel.py service    latency of 100 sessions that are open at once, and CPU per turn
    python benchmarks/counsel.py all        everything, written to benchmarks/results/counsel.md

The two halves of the labelled utterances are measured separately.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import platform
import tempfile
import time
from importlib import resources
from pathlib import Path
from typing import Any

import httpx

from polyclinic.cli.eval import open_bench
from polyclinic.clinics.counsel import clinic
from polyclinic.clinics.counsel.documents import shipped
from polyclinic.clinics.counsel.evaluations.guard import HALVES, evaluate_guard
from polyclinic.clinics.counsel.judges import LIKERT
from polyclinic.clinics.counsel.report.page import _Answers, _p95
from polyclinic.clinics.counsel.tools import Knowledge
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.seed import stream
from polyclinic.retrieval.embedders import embedder
from polyclinic.runner.api import run
from polyclinic.runner.build.built_run import build
from polyclinic.runner.plan.config import make_config, read_config
from polyclinic.runner.plan.run_plan import parse_plan
from polyclinic.runner.results import load_results
from polyclinic.store.store import open_store
from polyclinic.web.sessions.app import create_app
from polyclinic.web.sessions.limits import ServiceLimits

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results" / "counsel.md"
LINES = (
    "Hello there.",
    "Yes, we can talk.",
    "One more chemo will cure it, won't it?",
    "I see now. I had it wrong.",
    "Does morphine shorten life?",
    "I understand now.",
    "What matters most to me is my garden.",
    "No, I don't want that.",
)


def table(head: list[str], rows: list[list[Any]]) -> str:
    """A Markdown table."""
    cells = [[_cell(value) for value in row] for row in rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *cells]) + "\n"


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


async def guard() -> str:
    """The guard on every shipped set."""
    rows: list[list[Any]] = []
    journal = MemoryJournal()
    async with build(parse_plan(make_config({"clinic": "counsel"})), journal) as built:
        for name in HALVES:
            bench = await open_bench(clinic, built.context.players, journal, 0)
            figures = (await evaluate_guard(bench, name)).figures
            for judge, one in (("screen", figures.screen), ("trained", figures.trained), ("both", figures.both)):
                shares = (one.explicit_recall, one.danger_recall, one.passive_flagged, one.acceptance_specificity)
                rows.append([name, judge, figures.rows, *shares])
    head = ["set", "judge", "rows", "explicit recall", "danger recall", "passive flagged", "acceptance specificity"]
    return f"## The guard\n\n{table(head, rows)}"


def sources() -> str:
    """Whether questions find their document."""
    found = Knowledge(embedder(), shipped())
    rows: list[list[Any]] = []
    for file in ("questions", "questions_unseen"):
        text = resources.files("polyclinic.clinics.counsel").joinpath(f"data/{file}.jsonl").read_text(encoding="utf-8")
        questions = [json.loads(line) for line in text.splitlines()]
        for lang in ("en", "ko"):
            mine = [question for question in questions if question["lang"] == lang]
            hits = [[s.id in q["documents"] for s in found.search(q["question"], lang, 3)] for q in mine]
            rows.append([file, lang, len(mine), *(sum(any(h[:k]) for h in hits) / len(mine) for k in (1, 3))])
    return f"## Sources ({len(found)} documents)\n\n{table(['questions', 'lang', 'n', 'hit@1', 'hit@3'], rows)}"


async def tables() -> str:
    """Tables 1 and 2 with understudies."""
    text = ""
    async with open_store("sqlite://:memory:") as store:
        for recipe in ("counsel", "counsel-drafts"):
            outcome = await run(store, read_config(str(ROOT / "recipes" / f"{recipe}.toml")))
            results = await load_results(store, outcome.run)
            rows: list[list[Any]] = []
            for name in results.variant_names():
                values = {
                    metric: [v for row in results.of(name) if (v := row.value(metric)) is not None]
                    for metric in (*LIKERT, "overall", "escalated", "false_alarm", "stage_order", "fallbacks")
                }
                seen = _Answers(results.of(name))
                costs = [sum(seen.tokens) / len(seen.tokens), _p95(seen.tokens), sum(seen.drafts) / len(seen.drafts)]
                rows.append([name, *(sum(v) / len(v) if v else None for v in values.values()), *costs])
            head = [
                "variant",
                *LIKERT,
                "overall",
                "escalated",
                "false alarm",
                "order",
                "fallbacks",
                "tokens",
                "P95",
                "drafts",
            ]
            text += f"## recipes/{recipe}.toml\n\n{table(head, rows)}\n"
    return text


async def load(sessions: int, turns: int, think_s: float, store: str, embedder: str) -> list[Any]:
    """Measure latency and CPU per turn while many sessions are open at once, each with random pauses."""
    limits = ServiceLimits(messages_per_minute=1e6, requests_per_minute=1e7, starts_per_minute=1e6)
    app = create_app(
        make_config({"clinic": "counsel", "store": store, "judges": ("none",), "embedder": embedder}), "token", limits
    )
    staff, waits = {"Authorization": "Bearer token"}, list[float]()
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://here") as client,
    ):
        opened = [(await client.post("/v1/sessions", json={}, headers=staff)).json() for _ in range(sessions)]

        async def talk(number: int, session: dict[str, str]) -> None:
            chance, mine = stream("load", number), {"Authorization": f"Bearer {session['token']}"}
            await asyncio.sleep(chance.random() * think_s)
            for turn in range(turns):
                began = time.perf_counter()
                words = {"text": LINES[turn % len(LINES)]}
                answer = await client.post(f"/v1/sessions/{session['id']}/say", json=words, headers=mine, timeout=60)
                answer.raise_for_status()
                waits.append(time.perf_counter() - began)
                await asyncio.sleep(chance.expovariate(1 / think_s))

        cpu = time.process_time()
        await asyncio.gather(*(talk(number, session) for number, session in enumerate(opened)))
        cpu = time.process_time() - cpu
    waits.sort()
    milliseconds = [1000 * waits[int(share * len(waits))] for share in (0.5, 0.95)]
    kind = "memory" if "memory" in store else "file, synchronous"
    return [
        kind,
        sessions,
        len(waits),
        think_s,
        *(round(ms, 1) for ms in milliseconds),
        round(1000 * cpu / len(waits), 1),
    ]


async def service(think_s: float, embedder: str) -> str:
    """Latency with one hundred open sessions."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [await load(100, 6, think_s, url, embedder) for url in ("sqlite://:memory:", f"{folder}/load.db")]
    busy = os.getloadavg()[0]
    head = ["store", "sessions", "answers", "pause (s, mean)", "P50 (ms)", "P95 (ms)", "CPU per turn (ms)"]
    note = f"Load average while measuring: {busy:.1f} on {os.cpu_count()} cores."
    return f"## The service under load\n\n{table(head, rows)}\n{note}\n"


def main() -> None:
    """Measure what was requested."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("guard", "sources", "tables", "service", "all"))
    parser.add_argument("--pause", type=float, default=8.0, help="mean seconds between a person's messages")
    parser.add_argument("--embedder", default="", help="for the service; empty: the built-in one")
    chosen = parser.parse_args()
    logging.disable(logging.INFO)
    parts: list[str] = []
    if chosen.what in ("guard", "all"):
        parts.append(asyncio.run(guard()))
    if chosen.what in ("sources", "all"):
        parts.append(sources())
    if chosen.what in ("tables", "all"):
        parts.append(asyncio.run(tables()))
    if chosen.what in ("service", "all"):
        parts.append(asyncio.run(service(chosen.pause, chosen.embedder)))
    text = "\n".join(parts)
    print(text)
    if chosen.what == "all":
        how = f"`python benchmarks/counsel.py all`, understudies only, Python {platform.python_version()}."
        head = f"# Counsel, measured\n\n{how}\n\n"
        RESULTS.write_text(head + text, encoding="utf-8")


if __name__ == "__main__":
    main()
