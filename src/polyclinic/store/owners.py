"""Who owns what: a session, a run, a class, a packet. An object may belong to several people."""

from __future__ import annotations

from polyclinic.core.database import Database


class Owners:
    """Owners by the kind and the name of an object. What nobody owns belongs to those who may see all."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, kind: str, name: str, owner: str) -> None:
        """Add an owner; adding the same one again changes nothing."""
        await self._database.write(
            lambda tx: tx.execute(
                "INSERT INTO owners (kind, name, owner) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (kind, name, owner)
            )
        )

    async def of(self, kind: str, name: str) -> set[str]:
        """Who owns an object."""
        rows = await self._database.read(
            lambda tx: tx.execute("SELECT owner FROM owners WHERE kind = ? AND name = ?", (kind, name))
        )
        return {str(row[0]) for row in rows}

    async def owned(self, kind: str, owner: str) -> set[str]:
        """The names of all that somebody owns."""
        rows = await self._database.read(
            lambda tx: tx.execute("SELECT name FROM owners WHERE owner = ? AND kind = ?", (owner, kind))
        )
        return {str(row[0]) for row in rows}
