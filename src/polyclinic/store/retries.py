"""Retry failed episodes: answers stay in the journal, except replies that could not be read."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.core.agent import REASKS
from polyclinic.core.database import Transaction
from polyclinic.core.model import Completion, Usage
from polyclinic.core.transcript import Called, Failed, Transcript
from polyclinic.core.value import json_bytes
from polyclinic.store.journal import now_ms
from polyclinic.store.leases import units_at_work

_OWN_REPLIES = ("reply", "simulated_user", "judge")


def retry_failed(tx: Transaction, run: str) -> int:
    """Make failed episodes pending again; see `Runs.retry_failed`. Returns how many."""
    busy = units_at_work(tx, run)
    failed = tx.execute(
        "SELECT id, unit, transcript FROM episodes e WHERE run = ? AND status = 'failed' AND NOT EXISTS ("
        "SELECT 1 FROM episodes later WHERE later.run = e.run AND later.unit = e.unit AND later.campaign <> '' "
        "AND later.position > e.position AND later.status = 'done')",
        (run,),
    )
    again = [(episode, transcript) for episode, unit, transcript in failed if unit not in busy]
    for episode, transcript in again:
        for key in _unreadable(Transcript.from_json(transcript)):
            for (completion,) in tx.execute(
                "DELETE FROM calls WHERE run = ? AND episode = ? AND key = ? RETURNING completion", (run, episode, key)
            ):
                put_lost(tx, run, Completion.from_json(completion).usage)
        tx.execute(
            "UPDATE episodes SET status = 'pending', outcome = '', transcript = '[]', usage = '{}' "
            "WHERE run = ? AND id = ?",
            (run, episode),
        )
    return len(again)


def put_lost(tx: Transaction, run: str, usage: Usage) -> None:
    """Keep what a call has cost whose answer is not kept: a run's limits count it too."""
    if usage != Usage():
        body = json_bytes(usage).decode()
        tx.execute("INSERT INTO lost_costs (run, usage, at_ms) VALUES (?, ?, ?)", (run, body, now_ms()))


def _unreadable(transcript: Transcript) -> list[str]:
    """The keys of the calls whose replies could not be read, if the episode failed because of them."""
    fatal = [failure for failure in transcript.of(Failed) if failure.fatal][-1:]
    if not fatal or fatal[0].calls:
        return list(fatal[0].calls) if fatal else []
    return _last_tries(transcript.of(Called)) if fatal[0].owner in _OWN_REPLIES else []


def _last_tries(calls: Sequence[Called]) -> list[str]:
    """The keys of all attempts at the last question for which no attempts were left.

    For stores of version 0.1, whose failures do not name their calls.
    """
    spent = [at for at, call in enumerate(calls) if call.attempt == REASKS]
    if not spent:
        return []
    last = calls[spent[-1]]
    keys: list[str] = []
    for call in reversed(calls[: spent[-1] + 1]):
        if (call.role, call.prompt) == (last.role, last.prompt):
            keys.append(call.key)
            if call.attempt == 0:
                break
    return keys
