"""Named libraries: what runs learned, saved for later runs, with the whole history of operations."""

from __future__ import annotations

from collections.abc import Sequence

import orjson
from pydantic import TypeAdapter

from polyclinic.core.campaign import StoredEffect
from polyclinic.core.database import Transaction
from polyclinic.core.library import LibraryChanged, Operation
from polyclinic.core.message import Frozen
from polyclinic.errors import UnknownName
from polyclinic.store.journal import now_ms
from polyclinic.store.tables import Tables

PIN = "@"
_OPERATIONS: TypeAdapter[list[Operation]] = TypeAdapter(list[Operation])


class SavedLibrary(Frozen):
    """A saved library. Its operations rebuild it; with the same embedder the result is exactly the same."""

    name: str
    clinic: str
    library: str
    embedder: str
    about: str
    operations: tuple[Operation, ...]


def library_operations(effects: Sequence[StoredEffect], library: str) -> list[Operation]:
    """The operations on one library among a campaign's effects."""
    return [
        change.operation
        for change in (LibraryChanged.read(effect.data) for effect in effects if effect.kind == LibraryChanged.kind)
        if change.library == library
    ]


class Libraries(Tables):
    """The named libraries of a store."""

    async def save(self, saved: SavedLibrary) -> None:
        """Save a library under its name. It replaces an earlier one."""
        text = _OPERATIONS.dump_json(list(saved.operations)).decode()
        row = (saved.name, saved.clinic, saved.library, saved.embedder, text, saved.about, now_ms())

        def work(tx: Transaction) -> None:
            tx.execute("DELETE FROM libraries WHERE name = ?", (saved.name,))
            tx.execute(
                "INSERT INTO libraries (name, clinic, library, embedder, operations, about, created_ms) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                row,
            )

        await self.database.write(work)

    async def learning_runs(self) -> list[str]:
        """The runs whose episodes changed a library."""
        kind = f'%"kind":"{LibraryChanged.kind}"%'
        rows = await self.select("SELECT DISTINCT run FROM effects WHERE body LIKE ? ORDER BY run DESC", (kind,))
        return [row[0] for row in rows]

    async def call_with(
        self, runs: Sequence[str], words: str, apart: tuple[str, str]
    ) -> tuple[str, str, str, str, str] | None:
        """Find the first call of these runs whose request contains these words.

        Returns its run, episode, role, prompt and request; None if there is no such call.

        `apart` is the run and episode in which the words were learned: its calls are skipped.
        """
        plain = orjson.dumps(words).decode()[1:-1]
        like = "%" + plain.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"
        query = (
            "SELECT run, episode, role, prompt, request FROM calls WHERE run = ? AND request LIKE ? ESCAPE '!' "
            "AND NOT (run = ? AND episode = ?) ORDER BY episode, key LIMIT 1"
        )

        def work(tx: Transaction) -> tuple[str, str, str, str, str] | None:
            for run in runs:
                for found in tx.execute(query, (run, like, *apart)):
                    return found[0], found[1], found[2], found[3], found[4]
            return None

        return await self.database.read(work)

    async def names(self, pinned: bool = False) -> list[str]:
        """The names of all libraries.

        With `pinned`, also the copies of libraries that runs began with (NAME@DIGEST).
        """
        rows = await self.select("SELECT name FROM libraries ORDER BY name")
        return [row[0] for row in rows if pinned or PIN not in row[0]]

    async def load(self, name: str) -> SavedLibrary:
        """A library by name."""
        rows = await self.select(
            "SELECT name, clinic, library, embedder, about, operations FROM libraries WHERE name = ?", (name,)
        )
        if not rows:
            raise UnknownName("library", name, await self.names())
        found, clinic, library, embedder, about, operations = rows[0]
        return SavedLibrary(
            name=found,
            clinic=clinic,
            library=library,
            embedder=embedder,
            about=about,
            operations=tuple(_OPERATIONS.validate_json(operations)),
        )
