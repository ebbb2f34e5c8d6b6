"""Who owns which object: a session, a run, a class, a packet. An object may belong to several people."""

from __future__ import annotations

from polyclinic.core.database import Database


class Owners:
    """The owners of objects, by the object's kind and name.

    An object without an owner belongs to those who may see everything.
    """

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
        """The names of all objects of this kind that somebody owns."""
        rows = await self._database.read(
            lambda tx: tx.execute("SELECT name FROM owners WHERE owner = ? AND kind = ?", (owner, kind))
        )
        return {str(row[0]) for row in rows}
