"""What an ill person is answered by the offline counsellor: a message said first, and said third.

python benchmarks/counsel_first_words.py FILE [--json]

FILE has one message a line: {"kind": ..., "language": "en" or "ko", "text": ...}. A kind is information (a plain
question), feeling, small (a greeting, thanks), leaving or story. Each message has two sessions of the real service: it
is the first message of one and, after a greeting and a yes, the third of the other. A line shows the answer, the
sources it names and the people who were told: called (the queue of crises), flagged, or asked to review a draft. The
table then counts these, the different answers, and how often the commonest one was given.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx
from fastapi import FastAPI

from polyclinic.clinics.counsel.rules.guard import FLAG_QUEUE, QUEUE, REVIEW_QUEUE
from polyclinic.core.files import json_lines
from polyclinic.runner.plan.config import make_config
from polyclinic.web.sessions.app import create_app
from polyclinic.web.sessions.limits import ServiceLimits

TOKEN = "service-token"
BEFORE = {"en": ("Hello.", "Yes, let us talk."), "ko": ("안녕하세요.", "네, 이야기해 봅시다.")}
TOLD = {QUEUE: "called", FLAG_QUEUE: "flagged", REVIEW_QUEUE: "review"}
COLUMNS = ("with a source", *TOLD.values(), "different answers", "the commonest")


@dataclass(frozen=True)
class Answered:
    """A message and what the person got. `place`: 1 if it was the first message, 3 if it was the third."""

    kind: str
    language: str
    text: str
    place: int
    answer: str
    sources: tuple[str, ...]
    people: tuple[str, ...]

    def __str__(self) -> str:
        told = "".join(f" [{each}]" for each in (*self.sources, *(name.upper() for name in self.people)))
        return f"{self.kind} {self.language} {self.place}: {self.text} -> {self.answer}{told}"


def bearer(token: str) -> dict[str, str]:
    """The header that shows who asks."""
    return {"Authorization": f"Bearer {token}"}


async def answered(app: FastAPI, client: httpx.AsyncClient, row: dict[str, str], place: int) -> Answered:
    """One session."""
    lang = row["language"]
    begun = (await client.post("/v1/sessions", json={"lang": lang}, headers=bearer(TOKEN))).raise_for_status().json()
    mine = bearer(begun["token"])

    async def say(text: str) -> list[dict[str, object]]:
        done = await client.post(f"/v1/sessions/{begun['id']}/say", json={"text": text}, headers=mine)
        return [said for said in done.raise_for_status().json()["said"] if said["speaker"] != "patient"]

    for text in BEFORE[lang][: place - 1]:
        await say(text)
    said = await say(row["text"])
    posts = [post for post in await app.state.service.cases.all() if post.episode == begun["id"]]
    return Answered(
        row["kind"],
        lang,
        row["text"],
        place,
        answer=" ".join(str(each["text"]) for each in said),
        sources=tuple(str(source) for each in said for source in each["sources"]),  # type: ignore[attr-defined]
        people=tuple(TOLD[post.queue] for post in posts),
    )


async def all_answers(rows: list[dict[str, str]]) -> list[Answered]:
    """Every message first, then every message third."""
    with tempfile.TemporaryDirectory() as folder:
        given = {"clinic": "counsel", "store": f"{folder}/talks.db", "judges": ("none",), "options": {"country": "GB"}}
        app = create_app(make_config(given), TOKEN, ServiceLimits(starts_per_minute=1e6, open_sessions=10**6))
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test", timeout=120) as client,
        ):
            return [await answered(app, client, row, place) for place in (1, 3) for row in rows]


def table(found: Iterable[Answered]) -> str:
    """One row for each place, kind and language."""
    rows: dict[tuple[str, ...], list[Answered]] = {}
    for one in found:
        rows.setdefault((str(one.place), one.kind, one.language), []).append(one)
    lines = [
        f"| {' | '.join(('message', 'kind', 'language', 'n', *COLUMNS))} |",
        "| --- " * (4 + len(COLUMNS)) + "|",
    ]
    for key, mine in rows.items():
        answers = Counter(one.answer for one in mine)
        people = (sum(name in one.people for one in mine) for name in TOLD.values())
        counts = (sum(bool(one.sources) for one in mine), *people, len(answers), max(answers.values()))
        lines.append("| " + " | ".join(map(str, (*key, len(mine), *counts))) + " |")
    return "\n".join(lines)


def main() -> None:
    """Print every answer and the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("file", type=Path)
    options.add_argument("--json", action="store_true", help="one JSON object for each answer, and no table")
    given = options.parse_args()
    found = asyncio.run(all_answers([row for _, row in json_lines(given.file.read_text("utf-8"), str(given.file))]))
    for one in found:
        print(json.dumps(asdict(one), ensure_ascii=False) if given.json else one)
    if not given.json:
        print(table(found))


if __name__ == "__main__":
    main()
