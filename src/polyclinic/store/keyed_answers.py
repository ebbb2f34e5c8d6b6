"""Answers by the key of their request: a client that asks again after a lost answer gets the same answer."""

from __future__ import annotations

from polyclinic.core.database import Transaction
from polyclinic.store.journal import now_ms
from polyclinic.store.tables import Tables

KEPT_MS = 24 * 3_600_000


class KeyedAnswers(Tables):
    """The answers to requests with a key; they are kept for a day."""

    async def get(self, key: str) -> str | None:
        """The answer under this key, if there was one."""
        rows = await self.select("SELECT answer FROM keyed_answers WHERE key = ?", (key,))
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

        await self.database.write(work)
