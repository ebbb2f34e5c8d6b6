"""The audit log: which member of staff looked at what and did what.

Entries are only added. The database refuses to change or delete a row, and each row holds the digest of the one before
it. So a change that bypasses the database is noticed. If rows are cut off at the end, the log itself does not show it:
to notice that too, keep the last digest in another place.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator

import orjson

from polyclinic.core.database import Transaction
from polyclinic.core.message import Frozen
from polyclinic.store.journal import now_ms
from polyclinic.store.tables import Tables

_COLUMNS = "number, at_ms, who, role, action, target, outcome, digest"


class AuditEntry(Frozen):
    """One entry: somebody looked at something or did something."""

    number: int
    at_ms: int
    who: str
    role: str
    action: str
    target: str
    outcome: str
    digest: str


class AuditLog(Tables):
    """The audit log of a store."""

    async def append(self, who: str, role: str, action: str, target: str = "", outcome: str = "done") -> None:
        """Write one entry; it is committed when this returns."""
        at = now_ms()

        def work(tx: Transaction) -> None:
            if tx.dialect == "postgres":
                tx.execute("SELECT pg_advisory_xact_lock(7018653)")
            last = tx.execute("SELECT number, digest FROM audit_log ORDER BY number DESC LIMIT 1")
            number, before = (int(last[0][0]) + 1, str(last[0][1])) if last else (1, "")
            row = (number, at, who, role, action, target, outcome)
            tx.execute(
                f"INSERT INTO audit_log ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, _digest(before, row))
            )

        await self.database.write(work)

    async def entries(self, after: int = 0, most: int = 10_000) -> list[AuditEntry]:
        """Entries after a number, in order."""
        sql = f"SELECT {_COLUMNS} FROM audit_log WHERE number > ? ORDER BY number LIMIT ?"
        return await self.objects(AuditEntry, sql, after, most)

    async def every(self) -> AsyncIterator[AuditEntry]:
        """The whole log in order; it is read in parts."""
        after = 0
        while found := await self.entries(after):
            for entry in found:
                yield entry
            after = found[-1].number

    async def targets(self, action: str) -> set[str]:
        """Every target for which this action was done."""
        rows = await self.select("SELECT target FROM audit_log WHERE action = ? AND outcome = 'done'", (action,))
        return {str(row[0]) for row in rows}

    async def broken_at(self) -> int:
        """The number of the first entry that does not match the one before it; 0 if all match."""
        before, number = "", 0
        async for entry in self.every():
            row = (entry.number, entry.at_ms, entry.who, entry.role, entry.action, entry.target, entry.outcome)
            if entry.number != number + 1 or entry.digest != _digest(before, row):
                return entry.number
            before, number = entry.digest, entry.number
        return 0


def _digest(before: str, row: tuple[object, ...]) -> str:
    return hashlib.sha256(before.encode() + orjson.dumps(row)).hexdigest()
