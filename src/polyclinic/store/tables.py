"""What every part of a store does with its tables: select rows, run a single statement, join by a code."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from polyclinic.core.database import Database, Transaction
from polyclinic.core.message import Frozen
from polyclinic.errors import UnknownName
from polyclinic.store.journal import now_ms

CODE_SIGNS, CODE_LENGTH = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789", 6
_ID_BYTES = 9
F = TypeVar("F", bound=Frozen)
_Row = tuple[Any, ...]


class Tables:
    """Some tables of a store. The values of a statement stand for its `?`, in order."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def select(self, sql: str, values: Sequence[object] = ()) -> Awaitable[list[_Row]]:
        """The rows that a SELECT finds."""
        return self.database.read(lambda tx: tx.execute(sql, values))

    async def objects(self, kind: type[F], sql: str, *values: object) -> list[F]:
        """The rows that a SELECT finds, as objects."""
        return [read_row(kind, row) for row in await self.select(sql, values)]

    def change(self, sql: str, values: Sequence[object] = ()) -> Awaitable[list[_Row]]:
        """Change rows with one statement; the await returns after its commit."""
        return self.database.write(lambda tx: tx.execute(sql, values))


def read_row(kind: type[F], row: _Row) -> F:
    """A row as an object; the columns are in the order of its fields."""
    return kind.model_validate(dict(zip(kind.model_fields, row, strict=True)))


class JoinedByCode(Tables, Generic[F]):
    """Objects with a code by which people join. Each has an id, the code, a beginning and an end."""

    kind: ClassVar[str]
    table: ClassVar[str]
    row_type: type[F]

    async def add(self, **given: object) -> F:
        """Create an object with a new, unique code."""

        def work(tx: Transaction) -> F:
            code = _new_code(tx, self.table)
            row = {"id": _new_id(), "code": code, **given, "created_ms": now_ms(), "ended_ms": 0}
            marks = ", ".join("?" * len(row))
            tx.execute(f"INSERT INTO {self.table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))
            return self.row_type.model_validate(row)

        return await self.database.write(work)

    async def all(self, most: int = 100) -> list[F]:
        """All objects, the latest first."""
        return await self._found("ORDER BY created_ms DESC, id LIMIT ?", most)

    async def get(self, id: str) -> F:
        """One object by its id."""
        return await self._one("id", id)

    async def by_code(self, code: str) -> F:
        """One object by the code that people type."""
        return await self._one("code", code.strip().upper())

    async def _one(self, column: str, value: str) -> F:
        for row in await self._found(f"WHERE {column} = ?", value):
            return row
        raise UnknownName(self.kind, value)

    async def _found(self, which: str, value: object) -> list[F]:
        columns = ", ".join(self.row_type.model_fields)
        return await self.objects(self.row_type, f"SELECT {columns} FROM {self.table} {which}", value)

    async def end(self, id: str) -> None:
        """End it: nobody can join it any more. Ending it again changes nothing."""
        await self.change(f"UPDATE {self.table} SET ended_ms = ? WHERE id = ? AND ended_ms = 0", (now_ms(), id))


def _new_id() -> str:
    """An id that cannot be guessed."""
    return secrets.token_urlsafe(_ID_BYTES).replace("_", "a").replace("-", "b")


def _new_code(tx: Transaction, table: str) -> str:
    """A code that people can read out and type, and that is not used in this table yet."""
    while True:
        code = "".join(secrets.choice(CODE_SIGNS) for _ in range(CODE_LENGTH))
        if not tx.execute(f"SELECT 1 FROM {table} WHERE code = ?", (code,)):
            return code
