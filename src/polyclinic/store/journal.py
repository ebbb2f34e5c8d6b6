"""The journal of calls and hand-overs in a database: each row is committed before anyone acts on it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from polyclinic.core.database import Database, RowWork, Transaction
from polyclinic.core.journal import CallKey, CallRecord, PostKey
from polyclinic.core.model import Completion
from polyclinic.core.value import json_bytes

_INSERT_CALL = (
    "INSERT INTO calls (run, episode, key, occurrence, role, prompt, model, request, completion, latency_ms) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
)
_INSERT_POST = (
    "INSERT INTO posts (run, episode, queue, key, body, created_ms, status, taken_by, taken_ms, closed_ms, remark) "
    "VALUES (?, ?, ?, ?, ?, ?, 'open', '', 0, 0, '') ON CONFLICT DO NOTHING"
)


def now_ms() -> int:
    """The current time in milliseconds, for leases and bookkeeping; it is never part of a transcript."""
    return time.time_ns() // 1_000_000


def _call_row(run: str, call: CallRecord) -> tuple[object, ...]:
    request = call.request
    return (
        run,
        call.episode,
        request.key,
        call.occurrence,
        request.role,
        request.prompt.prompt_name(),
        call.model,
        request.canonical.decode(),
        json_bytes(call.completion).decode(),
        call.latency_ms,
    )


def keep_calls(run: str, calls: Sequence[CallRecord]) -> Callable[[Transaction], object]:
    """A function that saves these calls inside a larger transaction."""
    rows = [_call_row(run, call) for call in calls]
    return lambda transaction: transaction.executemany(_INSERT_CALL, rows)


class SentMessage(NamedTuple):
    """A message of a stored request: its role and its text."""

    role: str
    content: str


def sent_messages(request: str) -> list[SentMessage]:
    """The messages of a stored request."""
    return [SentMessage(each["role"], each["content"]) for each in orjson.loads(request)["messages"]]


class StoreJournal:
    """One run's journal."""

    def __init__(self, database: Database, run: str) -> None:
        self._database, self._run = database, run

    async def load(self, episode: str) -> Mapping[CallKey, Completion]:
        """The answers recorded for this episode so far."""
        rows = await self._database.read(
            lambda tx: tx.execute(
                "SELECT key, occurrence, completion FROM calls WHERE run = ? AND episode = ?", (self._run, episode)
            )
        )
        return {(key, int(occurrence)): Completion.from_json(text) for key, occurrence, text in rows}

    async def find(self, episode: str, key: CallKey) -> tuple[list[SentMessage], Completion] | None:
        """The messages that were sent in one call, and the raw answer; None if the call is not stored."""
        rows = await self._database.read(
            lambda tx: tx.execute(
                "SELECT request, completion FROM calls WHERE run = ? AND episode = ? AND key = ? AND occurrence = ?",
                (self._run, episode, *key),
            )
        )
        return (sent_messages(rows[0][0]), Completion.from_json(rows[0][1])) if rows else None

    def record(self, call: CallRecord) -> Awaitable[None]:
        """Save one answered call; the await returns after the commit."""
        return self._database.write(RowWork(_INSERT_CALL, _call_row(self._run, call)))

    async def post(self, episode: str, queue: str, key: str, body: Mapping[str, Any]) -> None:
        """Hand something over to staff, once for each (episode, queue, key); returns after the commit."""
        row = (self._run, episode, queue, key, orjson.dumps(body, option=orjson.OPT_SORT_KEYS).decode(), now_ms())
        await self._database.write(RowWork(_INSERT_POST, row))

    async def posted(self, episode: str) -> Mapping[PostKey, Mapping[str, Any]]:
        """What this episode has handed over to staff so far."""
        rows = await self._database.read(
            lambda tx: tx.execute(
                "SELECT queue, key, body FROM posts WHERE run = ? AND episode = ?", (self._run, episode)
            )
        )
        return {(queue, key): orjson.loads(body) for queue, key, body in rows}


class StoreCache:
    """The response cache: off unless the user asks for it, shared by all runs of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, key: str) -> Completion | None:
        """A cached answer, if there is one."""
        rows = await self._database.read(lambda tx: tx.execute("SELECT completion FROM cache WHERE key = ?", (key,)))
        return Completion.from_json(rows[0][0]) if rows else None

    async def put(self, key: str, completion: Completion) -> None:
        """Cache an answer."""
        row = (key, completion.to_json().decode())

        def insert(transaction: Transaction) -> None:
            transaction.execute("INSERT INTO cache (key, completion) VALUES (?, ?) ON CONFLICT DO NOTHING", row)

        await self._database.write(insert)
