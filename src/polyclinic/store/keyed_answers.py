"""Answers by the key of their request: a client that asks again after a lost answer gets the same answer."""

from __future__ import annotations

from polyclinic.core.database import Database, Transaction
from polyclinic.store.journal import now_ms

KEPT_MS = 24 * 3_600_000


class KeyedAnswers:
    """The answers to requests with a key; they are kept for a day."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, key: str) -> str | None:
        """The answer under this key, if there was one."""
        rows = await self._database.read(
            lambda tx: tx.execute("SELECT answer FROM keyed_answers WHERE key = ?", (key,))
        )
        return str(rows[0][0]) if rows else None

    async def keep(self, key: str, answer: str) -> None:
        """Save an answer, and delete those older than a day."""

        def work(tx: Transaction) -> None:
            now = now_ms()
            tx.execute("DELETE FROM keyed_answers WHERE at_ms < ?", (now - KEPT_MS,))
            tx.execute(
                "INSERT INTO keyed_answers (key, answer, at_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                (key, answer, now),
            )

        await self._database.write(work)
