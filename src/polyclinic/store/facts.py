"""The values that a table of episodes shows, in short rows that can be filtered and sorted quickly.

A row is written when its episode ends. Rows of older stores are made when somebody first opens a run.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import orjson

from polyclinic.core.database import Database, Transaction
from polyclinic.core.execute import EpisodeResult
from polyclinic.core.judge import values_of
from polyclinic.core.transcript import Score

AT_ONCE = 1_000
_COLUMNS = "run, id, number, scenario, variant, trial, status, attempt, outcome, owners, calls, cost_nano, elapsed_ms"
_INSERT = f"INSERT INTO episode_facts ({_COLUMNS}) VALUES ({', '.join('?' * 13)})"
_READ = "id, number, scenario, variant, trial, status, attempt, outcome, transcript, usage, elapsed_ms"
_FAILED = '"kind":"failed"'


def put_values(
    transaction: Transaction, run: str, episode: str, scores: Sequence[Score], *, first: bool = False
) -> None:
    """Replace the numbers of one episode; `first` means that there are none yet."""
    if not first:
        transaction.execute("DELETE FROM episode_values WHERE run = ? AND episode = ?", (run, episode))
    transaction.executemany(
        "INSERT INTO episode_values (run, episode, metric, value) VALUES (?, ?, ?, ?)",
        [(run, episode, metric, value) for metric, value in values_of(scores).items()],
    )


def put_ended(transaction: Transaction, result: EpisodeResult, number: int, attempt: int, elapsed_ms: int) -> None:
    """Write the row of an episode that ends now, from the given values."""
    spec = result.spec
    if attempt > 1:
        transaction.execute("DELETE FROM episode_facts WHERE run = ? AND id = ?", (spec.run, spec.id))
    owners = dict.fromkeys(failure.owner for failure in result.failures)
    transaction.execute(
        _INSERT,
        (
            *(spec.run, spec.id, number, spec.scenario, spec.variant, spec.trial),
            *(result.status, attempt, result.outcome, _joined(owners), sum(result.calls.values())),
            *(sum(used.cost_nano_usd for used in result.usage.values()), elapsed_ms),
        ),
    )


def put_facts(transaction: Transaction, run: str, episodes: Sequence[str]) -> None:
    """Write the rows of these episodes as they are now."""
    marks = ", ".join("?" * len(episodes))
    found = transaction.execute(f"SELECT {_READ} FROM episodes WHERE run = ? AND id IN ({marks})", (run, *episodes))
    transaction.execute(f"DELETE FROM episode_facts WHERE run = ? AND id IN ({marks})", (run, *episodes))
    transaction.executemany(_INSERT, [(run, *_fact(row)) for row in found])


def _fact(row: Sequence[Any]) -> tuple[Any, ...]:
    *known, transcript, usage, elapsed_ms = row
    used = orjson.loads(usage).values()
    calls = sum(each.get("calls", 0) for each in used)
    cost = sum(each.get("cost_nano_usd", 0) for each in used)
    return (*known, _owners(transcript), calls, cost, elapsed_ms)


def _joined(owners: Collection[str]) -> str:
    """Write the owners of failures as `|a|b|`, so that a search can find one of them."""
    return f"|{'|'.join(owners)}|" if owners else ""


def _owners(transcript: str) -> str:
    if _FAILED not in transcript:
        return ""
    events = orjson.loads(transcript)
    owners = dict.fromkeys(str(event["owner"]) for event in events if event.get("kind") == "failed")
    return _joined(owners)


class EpisodeFacts:
    """The rows of all episodes in a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def fill(self, run: str) -> int:
        """Make the missing rows, in parts, so that others do not have to wait. Returns how many were made."""
        made = 0
        while missing := await self._database.read(lambda tx: _missing(tx, run)):
            await self._database.write(lambda tx, missing=missing: _make(tx, run, missing))  # type: ignore[misc]
            made += len(missing)
        return made


def _missing(transaction: Transaction, run: str) -> list[str]:
    rows = transaction.execute(
        "SELECT e.id FROM episodes e LEFT JOIN episode_facts f ON f.run = e.run AND f.id = e.id "
        "WHERE e.run = ? AND e.status <> 'pending' AND (f.id IS NULL OR f.attempt <> e.attempt) LIMIT ?",
        (run, AT_ONCE),
    )
    return [str(row[0]) for row in rows]


def _make(transaction: Transaction, run: str, episodes: Sequence[str]) -> None:
    marks = ", ".join("?" * len(episodes))
    rows = transaction.execute(
        f"SELECT episode, body FROM scores WHERE run = ? AND scoring = 'live' AND episode IN ({marks})",
        (run, *episodes),
    )
    scores: dict[str, list[Score]] = {episode: [] for episode in episodes}
    for episode, body in rows:
        scores[episode].append(Score.from_json(body))
    put_facts(transaction, run, episodes)
    for episode, mine in scores.items():
        put_values(transaction, run, episode, mine)
