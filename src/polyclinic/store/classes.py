"""Classes: a code to join by, who joined, each trainee's sessions, and the educator's hints.

A trainee has no account. Their browser holds a token; only its digest is kept here. The same digest in several classes
means the same browser.
"""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.core.database import Transaction
from polyclinic.errors import UserError
from polyclinic.store.class_rows import HINT, MEMBER, SESSION, ClassRow, ClassSession, Hint, Member
from polyclinic.store.journal import now_ms
from polyclinic.store.tables import JoinedByCode, read_row

MOST_MEMBERS, MOST_HINTS = 500, 200


class Classes(JoinedByCode[ClassRow]):
    """The classes of a store."""

    kind, table, row_type = "class", "classes", ClassRow

    async def open(self, body: str) -> ClassRow:
        """Create a class with a new, unique code."""
        return await self.add(body=body)

    async def join(self, id: str, name: str, digest: str) -> Member:
        """Join with a name. The same browser gets the same place again; a name that another browser uses is refused."""

        def work(tx: Transaction) -> Member:
            found = tx.execute(f"SELECT {MEMBER} FROM class_members WHERE class = ?", (id,))
            known = [read_row(Member, row) for row in found]
            mine = next((one for one in known if one.digest == digest), None)
            same = next((one for one in known if one.name.casefold() == name.casefold()), None)
            if mine is not None:
                return mine
            if same is not None and same.digest:
                raise UserError(f"somebody in this class is called {same.name} already: choose another name")
            if same is not None:
                tx.execute(
                    "UPDATE class_members SET digest = ? WHERE class = ? AND number = ?", (digest, id, same.number)
                )
                return same
            if len(known) >= MOST_MEMBERS:
                raise UserError(f"this class is full: {MOST_MEMBERS} people have joined")
            made = Member(class_id=id, number=len(known) + 1, name=name, digest=digest, joined_ms=now_ms())
            tx.execute(
                f"INSERT INTO class_members ({MEMBER}) VALUES (?, ?, ?, ?, ?)",
                (id, made.number, name, digest, made.joined_ms),
            )
            return made

        return await self.database.write(work)

    async def readmit(self, id: str, number: int) -> None:
        """Let the next person who joins with this trainee's name take the place, if the trainee lost their browser."""
        await self.change("UPDATE class_members SET digest = '' WHERE class = ? AND number = ?", (id, number))

    async def members(self, id: str) -> list[Member]:
        """Everybody who joined, in order."""
        return await self.objects(Member, f"SELECT {MEMBER} FROM class_members WHERE class = ? ORDER BY number", id)

    async def sessions(self, id: str) -> list[ClassSession]:
        """All sessions of a class, by trainee and case."""
        sql = f"SELECT {SESSION} FROM class_sessions WHERE class = ? ORDER BY member, place"
        return await self.objects(ClassSession, sql, id)

    async def progress(self, id: str) -> dict[str, tuple[str, int]]:
        """For each session of a class, its episode's status and how long it took, in milliseconds."""
        rows = await self.select(
            "SELECT s.run, e.status, e.elapsed_ms FROM class_sessions s JOIN episodes e ON e.run = s.run "
            "WHERE s.class = ?",
            (id,),
        )
        return {str(run): (str(status), int(elapsed)) for run, status, elapsed in rows}

    async def session(self, run: str) -> ClassSession | None:
        """The session of this run, if it belongs to a class."""
        found = await self.objects(ClassSession, f"SELECT {SESSION} FROM class_sessions WHERE run = ?", run)
        return found[0] if found else None

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

        return await self.database.write(work)

    async def plays(self, run: str, digest: str) -> bool:
        """Whether the session of this run belongs to the browser with this digest."""
        rows = await self.select(
            "SELECT 1 FROM class_sessions s JOIN class_members m ON m.class = s.class AND m.number = s.member "
            "WHERE s.run = ? AND m.digest = ? AND m.digest <> ''",
            (run, digest),
        )
        return bool(rows)

    async def hint(self, run: str, after_line: int, text: str, author: str) -> Hint:
        """Save a hint for a session."""

        def work(tx: Transaction) -> Hint:
            number = int(tx.execute("SELECT COUNT(*) FROM class_hints WHERE run = ?", (run,))[0][0]) + 1
            if number > MOST_HINTS:
                raise UserError(f"a session can have at most {MOST_HINTS} hints")
            made = Hint(run=run, number=number, after_line=after_line, text=text, author=author, at_ms=now_ms())
            tx.execute(
                f"INSERT INTO class_hints ({HINT}) VALUES (?, ?, ?, ?, ?, ?)",
                (run, number, after_line, text, author, made.at_ms),
            )
            return made

        return await self.database.write(work)

    async def hints(self, runs: Sequence[str]) -> list[Hint]:
        """The hints of some sessions, in order."""
        sql = f"SELECT {HINT} FROM class_hints WHERE run = ? ORDER BY number"
        rows = await self.database.read(lambda tx: [row for run in runs for row in tx.execute(sql, (run,))])
        return [read_row(Hint, row) for row in rows]
