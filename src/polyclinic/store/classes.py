"""Classes: a code to join by, who joined, each trainee's sessions, and the educator's hints.

A trainee has no account. Their browser holds a token; only its digest is kept here. The same digest in several classes
means the same browser.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from polyclinic.core.database import Database, Transaction
from polyclinic.errors import UnknownName, UserError
from polyclinic.store.class_rows import (
    CLASS,
    HINT,
    MEMBER,
    SESSION,
    ClassRow,
    ClassSession,
    Hint,
    Member,
    class_of,
    member_of,
    session_of,
)
from polyclinic.store.journal import now_ms

CODE_SIGNS, CODE_LENGTH = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789", 6
MOST_MEMBERS, MOST_HINTS = 500, 200
_ID_BYTES = 9


class Classes:
    """The classes of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def open(self, body: str) -> ClassRow:
        """Create a class with a new, unique code."""

        def work(tx: Transaction) -> ClassRow:
            code = new_code(tx, "classes")
            row = ClassRow(id=new_id(), code=code, body=body, created_ms=now_ms(), ended_ms=0)
            tx.execute(
                "INSERT INTO classes (id, code, body, created_ms, ended_ms) VALUES (?, ?, ?, ?, 0)",
                (row.id, row.code, row.body, row.created_ms),
            )
            return row

        return await self._database.write(work)

    async def all(self, most: int = 100) -> list[ClassRow]:
        """Classes, the latest first."""
        rows = await self._database.read(
            lambda tx: tx.execute(f"SELECT {CLASS} FROM classes ORDER BY created_ms DESC, id LIMIT ?", (most,))
        )
        return [class_of(row) for row in rows]

    async def get(self, id: str) -> ClassRow:
        """One class by its id."""
        return await self._one("id", id)

    async def by_code(self, code: str) -> ClassRow:
        """One class by the code that trainees type."""
        return await self._one("code", code.strip().upper())

    async def _one(self, column: str, value: str) -> ClassRow:
        rows = await self._database.read(
            lambda tx: tx.execute(f"SELECT {CLASS} FROM classes WHERE {column} = ?", (value,))
        )
        if not rows:
            raise UnknownName("class", value, ())
        return class_of(rows[0])

    async def end(self, id: str) -> None:
        """End a class: nobody can join or begin a session any more. Ending it again changes nothing."""
        await self._database.write(
            lambda tx: tx.execute("UPDATE classes SET ended_ms = ? WHERE id = ? AND ended_ms = 0", (now_ms(), id))
        )

    async def join(self, id: str, name: str, digest: str) -> Member:
        """Join with a name. The same browser gets the same place again; a name that another browser uses is refused."""

        def work(tx: Transaction) -> Member | str:
            known = [member_of(row) for row in tx.execute(f"SELECT {MEMBER} FROM class_members WHERE class = ?", (id,))]
            mine = next((one for one in known if one.digest == digest), None)
            same = next((one for one in known if one.name.casefold() == name.casefold()), None)
            if mine is not None:
                return mine
            if same is not None and same.digest:
                return f"somebody in this class is called {same.name} already: choose another name"
            if same is not None:
                tx.execute(
                    "UPDATE class_members SET digest = ? WHERE class = ? AND number = ?", (digest, id, same.number)
                )
                return same
            if len(known) >= MOST_MEMBERS:
                return f"this class is full: {MOST_MEMBERS} people have joined"
            made = Member(class_id=id, number=len(known) + 1, name=name, digest=digest, joined_ms=now_ms())
            tx.execute(
                f"INSERT INTO class_members ({MEMBER}) VALUES (?, ?, ?, ?, ?)",
                (id, made.number, name, digest, made.joined_ms),
            )
            return made

        found = await self._database.write(work)
        if isinstance(found, str):
            raise UserError(found)
        return found

    async def readmit(self, id: str, number: int) -> None:
        """Let the next person who joins with this trainee's name take the place, if the trainee lost their browser."""
        await self._database.write(
            lambda tx: tx.execute("UPDATE class_members SET digest = '' WHERE class = ? AND number = ?", (id, number))
        )

    async def members(self, id: str) -> list[Member]:
        """Everybody who joined, in order."""
        rows = await self._database.read(
            lambda tx: tx.execute(f"SELECT {MEMBER} FROM class_members WHERE class = ? ORDER BY number", (id,))
        )
        return [member_of(row) for row in rows]

    async def sessions(self, id: str) -> list[ClassSession]:
        """All sessions of a class, by trainee and case."""
        rows = await self._database.read(
            lambda tx: tx.execute(f"SELECT {SESSION} FROM class_sessions WHERE class = ? ORDER BY member, place", (id,))
        )
        return [session_of(row) for row in rows]

    async def progress(self, id: str) -> dict[str, tuple[str, int]]:
        """For each session of a class, its episode's status and how long it took, in milliseconds."""
        rows = await self._database.read(
            lambda tx: tx.execute(
                "SELECT s.run, e.status, e.elapsed_ms FROM class_sessions s JOIN episodes e ON e.run = s.run "
                "WHERE s.class = ?",
                (id,),
            )
        )
        return {str(run): (str(status), int(elapsed)) for run, status, elapsed in rows}

    async def session(self, run: str) -> ClassSession | None:
        """The session of this run, if it belongs to a class."""
        rows = await self._database.read(
            lambda tx: tx.execute(f"SELECT {SESSION} FROM class_sessions WHERE run = ?", (run,))
        )
        return session_of(rows[0]) if rows else None

    async def keep_session(self, session: ClassSession) -> str:
        """Save a session that was just started. Returns the run that counts: if another was saved first, that one."""

        def work(tx: Transaction) -> str:
            tx.execute(
                f"INSERT INTO class_sessions ({SESSION}) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (session.run, session.class_id, session.member, session.place, session.begun_ms),
            )
            rows = tx.execute(
                "SELECT run FROM class_sessions WHERE class = ? AND member = ? AND place = ?",
                (session.class_id, session.member, session.place),
            )
            return str(rows[0][0])

        return await self._database.write(work)

    async def plays(self, run: str, digest: str) -> bool:
        """Whether the session of this run belongs to the browser with this digest."""
        rows = await self._database.read(
            lambda tx: tx.execute(
                "SELECT 1 FROM class_sessions s JOIN class_members m ON m.class = s.class AND m.number = s.member "
                "WHERE s.run = ? AND m.digest = ? AND m.digest <> ''",
                (run, digest),
            )
        )
        return bool(rows)

    async def hint(self, run: str, after_line: int, text: str, author: str) -> Hint:
        """Save a hint for a session."""

        def work(tx: Transaction) -> Hint | None:
            number = int(tx.execute("SELECT COUNT(*) FROM class_hints WHERE run = ?", (run,))[0][0]) + 1
            if number > MOST_HINTS:
                return None
            made = Hint(run=run, number=number, after_line=after_line, text=text, author=author, at_ms=now_ms())
            tx.execute(
                f"INSERT INTO class_hints ({HINT}) VALUES (?, ?, ?, ?, ?, ?)",
                (run, number, after_line, text, author, made.at_ms),
            )
            return made

        found = await self._database.write(work)
        if found is None:
            raise UserError(f"a session can have at most {MOST_HINTS} hints")
        return found

    async def hints(self, runs: Sequence[str]) -> list[Hint]:
        """The hints of some sessions, in order."""

        def work(tx: Transaction) -> list[tuple[Any, ...]]:
            return [
                row
                for run in runs
                for row in tx.execute(f"SELECT {HINT} FROM class_hints WHERE run = ? ORDER BY number", (run,))
            ]

        names = HINT.split(", ")
        return [Hint.model_validate(dict(zip(names, row, strict=True))) for row in await self._database.read(work)]


def new_id() -> str:
    """An id that cannot be guessed."""
    return secrets.token_urlsafe(_ID_BYTES).replace("_", "a").replace("-", "b")


def new_code(tx: Transaction, table: str) -> str:
    """A code that people can read out and type, and that is not used in this table yet."""
    while True:
        code = "".join(secrets.choice(CODE_SIGNS) for _ in range(CODE_LENGTH))
        if not tx.execute(f"SELECT 1 FROM {table} WHERE code = ?", (code,)):
            return code
