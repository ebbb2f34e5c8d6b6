"""Maintenance of a store: check that its data is complete, and remove what nobody needs any more.

Runs are removed by name, or because nothing ever happened in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import orjson
from pydantic import ValidationError

from polyclinic.core.database import Transaction
from polyclinic.core.model import Completion
from polyclinic.core.plain_faults import plain_fault
from polyclinic.core.transcript import Called, Transcript
from polyclinic.errors import ConfigError, PolyclinicError
from polyclinic.store.journal import now_ms
from polyclinic.store.leases import is_dead, units_at_work
from polyclinic.store.libraries import PIN

RUN_TABLES = (
    "calls",
    "lost_costs",
    "effects",
    "scores",
    "episode_facts",
    "episode_values",
    "episode_words",
    "episode_word_parts",
    "posts",
    "leases",
    "episodes",
    "scenarios",
)
"""The tables whose rows belong to a run, besides `runs` itself."""


def delete_run(transaction: Transaction, run: str) -> int:
    """Delete a run with all its rows; returns how many episodes it had. Refused while a process works on it.

    Saved libraries stay. Records in FHIR tables stay too, because they may be of other runs.
    """
    if units_at_work(transaction, run):
        raise ConfigError(
            f"a process is working on {run}: stop it first, or, if it is gone, free the run with:"
            f" polyclinic runs release {run}"
        )
    episodes = int(transaction.execute("SELECT COUNT(*) FROM episodes WHERE run = ?", (run,))[0][0])
    for table in RUN_TABLES:
        transaction.execute(f"DELETE FROM {table} WHERE run = ?", (run,))
    transaction.execute("DELETE FROM runs WHERE id = ?", (run,))
    return episodes


def take_back(transaction: Transaction, run: str) -> bool:
    """Delete a run in which nothing has happened: no episode ended, no call was answered, and nothing was handed over.

    Returns whether it was deleted.
    """
    happened = transaction.execute(
        "SELECT EXISTS (SELECT 1 FROM episodes WHERE run = ? AND status <> 'pending')"
        " OR EXISTS (SELECT 1 FROM calls WHERE run = ?) OR EXISTS (SELECT 1 FROM posts WHERE run = ?)"
        " OR EXISTS (SELECT 1 FROM lost_costs WHERE run = ?)",
        (run, run, run, run),
    )[0][0]
    if happened or units_at_work(transaction, run):
        return False
    delete_run(transaction, run)
    return True


_READS = (ValueError, KeyError, TypeError, PolyclinicError, ValidationError)


def problems(transaction: Transaction) -> Iterator[str]:
    """The problems in a store, one line each."""
    if transaction.dialect == "sqlite":
        found = [row[0] for row in transaction.execute("PRAGMA integrity_check(20)")]
        yield from (f"the file is damaged: {line}" for line in found if line != "ok")
    runs = {row[0]: row[1] for row in transaction.execute("SELECT id, config FROM runs ORDER BY number")}
    for table in RUN_TABLES:
        lost = transaction.execute(f"SELECT COUNT(*) FROM {table} WHERE run NOT IN (SELECT id FROM runs)")[0][0]
        if lost:
            yield f"{table}: {lost} rows belong to no run (polyclinic store prune removes them)"
    libraries = {row[0] for row in transaction.execute("SELECT name FROM libraries")}
    for run, config in runs.items():
        yield from _of_run(transaction, run, config, libraries)


def _of_run(transaction: Transaction, run: str, config: str, libraries: set[str]) -> Iterator[str]:
    try:
        named = orjson.loads(config).get("libraries", {}).values()
        for name in named:
            if PIN in name and name not in libraries:
                yield f"{run}: the library {name} that it began with is gone"
    except _READS as error:
        yield f"{run}: its configuration cannot be read: {_why(error)}"
    without = transaction.execute(
        "SELECT COUNT(*) FROM episodes e WHERE run = ? AND NOT EXISTS"
        " (SELECT 1 FROM scenarios s WHERE s.run = e.run AND s.id = e.scenario)",
        (run,),
    )[0][0]
    if without:
        yield f"{run}: {without} episodes have no scenario"
    for (episode,) in transaction.execute("SELECT id FROM episodes WHERE run = ? AND status = 'done'", (run,)):
        yield from _of_episode(transaction, run, episode)


def _of_episode(transaction: Transaction, run: str, episode: str) -> Iterator[str]:
    rows = transaction.execute("SELECT transcript FROM episodes WHERE run = ? AND id = ?", (run, episode))
    statement = "SELECT key, occurrence, request, completion FROM calls WHERE run = ? AND episode = ?"
    try:
        called = Transcript.from_json(rows[0][0]).of(Called)
    except _READS as error:
        yield f"{run} {episode}: its transcript cannot be read: {_why(error)}"
        return
    kept = set()
    for key, occurrence, request, completion in transaction.execute(statement, (run, episode)):
        kept.add((key, int(occurrence)))
        try:
            orjson.loads(request)
            Completion.from_json(completion)
        except _READS as error:
            yield f"{run} {episode}: the call {key[:12]} cannot be read: {_why(error)}"
    missing = sum((call.key, call.occurrence) not in kept for call in called)
    if missing:
        yield f"{run} {episode}: {missing} of its {len(called)} calls are missing from the journal"


def _why(error: Exception) -> str:
    """What a fault is, in one line."""
    return plain_fault(error.errors()[0]) if isinstance(error, ValidationError) else str(error)


@dataclass(frozen=True)
class Pruned:
    """How many rows were removed, by kind."""

    leases: int = 0
    lost: int = 0
    libraries: int = 0
    cache: int = 0


def prune(transaction: Transaction, *, cache: bool = False, only_count: bool = False) -> Pruned:
    """Remove what nobody needs: leases of dead processes, rows without a run, and unused copies of libraries.

    A copy is unused if no run began with it. `cache` also empties the response cache. With `only_count`, nothing is
    removed.
    """
    now = now_ms()
    dead = [
        (run, unit)
        for run, unit, owner, expires in transaction.execute("SELECT run, unit, owner, expires_ms FROM leases")
        if int(expires) < now or is_dead(owner)
    ]
    lost = 0
    for table in RUN_TABLES:
        where = "run NOT IN (SELECT id FROM runs)"
        lost += int(transaction.execute(f"SELECT COUNT(*) FROM {table} WHERE {where}")[0][0])
        if not only_count:
            transaction.execute(f"DELETE FROM {table} WHERE {where}")
    configs = " ".join(row[0] for row in transaction.execute("SELECT config FROM runs"))
    copies = [row[0] for row in transaction.execute("SELECT name FROM libraries") if PIN in row[0]]
    unused = [name for name in copies if f'"{name}"' not in configs]
    cached = int(transaction.execute("SELECT COUNT(*) FROM cache")[0][0]) if cache else 0
    if not only_count:
        transaction.executemany("DELETE FROM leases WHERE run = ? AND unit = ?", dead)
        transaction.executemany("DELETE FROM libraries WHERE name = ?", [(name,) for name in unused])
        if cache:
            transaction.execute("DELETE FROM cache")
    return Pruned(len(dead), lost, len(unused), cached)
