"""A class as it is now: who joined, the session of each trainee, and how far each has come."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from fastapi import Depends, Request
from pydantic import BaseModel

from polyclinic.errors import UserError
from polyclinic.store.class_rows import ClassRow, ClassSession, Hint, Member
from polyclinic.store.journal import now_ms
from polyclinic.web.catalogue import CaseShown
from polyclinic.web.classes.settings import ClassBody
from polyclinic.web.practise.sessions import Sessions
from polyclinic.web.streams import each_change

LOOK_S = 1.0
Where = Literal["others", "you", "ended", "stopped", "closed", "away", "failed"]


class SessionShown(BaseModel):
    """A trainee's session in one case. `away`: no page has it open.

    `lines` is None while the session is not in memory.
    """

    run: str
    place: int
    where: Where
    begun_ms: int
    elapsed_ms: int = 0
    lines: int | None = None
    last: str = ""
    hints: int = 0


class MemberShown(BaseModel):
    """A trainee. `here`: a page of theirs is open now.

    `free`: the next person who joins with this name gets this place.
    """

    number: int
    name: str
    joined_ms: int
    here: bool
    free: bool
    sessions: list[SessionShown]


class ClassShown(BaseModel):
    """A class in a list."""

    id: str
    code: str
    title: str
    clinic: str
    clinic_title: str
    part: str
    created_ms: int
    ended_ms: int
    minutes: int
    educator: str
    cases: list[CaseShown]


class ClassNow(BaseModel):
    """A class with everybody in it."""

    about: ClassShown
    members: list[MemberShown]


@dataclass(frozen=True)
class Classroom:
    """Shows classes, begins sessions in them, sends hints and ends classes."""

    sessions: Sessions

    async def now(self, id: str) -> ClassNow:
        """The class as it is now."""
        classes = self.sessions.store.classes
        row = await classes.get(id)
        kept = await classes.sessions(id)
        progress = await classes.progress(id)
        hints = [hint.run for hint in await classes.hints([one.run for one in kept])]
        members = [
            self._member(member, [one for one in kept if one.member == member.number], progress, hints)
            for member in await classes.members(id)
        ]
        return ClassNow(about=shown(row), members=members)

    def _member(
        self, member: Member, kept: Sequence[ClassSession], progress: dict[str, tuple[str, int]], hints: Sequence[str]
    ) -> MemberShown:
        open_now = [session for one in kept if (session := self.sessions.peek(one.run)) is not None]
        return MemberShown(
            number=member.number,
            name=member.name,
            joined_ms=member.joined_ms,
            here=any(session.listening for session in open_now),
            free=not member.digest,
            sessions=[self._session(one, *progress.get(one.run, ("", 0)), hints.count(one.run)) for one in kept],
        )

    def _session(self, kept: ClassSession, status: str, elapsed_ms: int, hints: int) -> SessionShown:
        found = SessionShown(run=kept.run, place=kept.place, where="away", begun_ms=kept.begun_ms, hints=hints)
        if status in ("done", "failed"):
            return found.model_copy(
                update={"where": "ended" if status == "done" else "failed", "elapsed_ms": elapsed_ms}
            )
        session = self.sessions.peek(kept.run)
        if session is None or session.over:
            return found
        last = session.lines[-1].text if session.lines else ""
        where = session.standing.state if session.listening or session.standing.state == "closed" else "away"
        return found.model_copy(update={"where": where, "lines": len(session.lines), "last": last})

    def changes(self, id: str) -> AsyncIterator[str]:
        """The whole class each time that something in it changes."""
        return each_change("class", partial(self.now, id), LOOK_S)

    async def begin(self, row: ClassRow, member: Member, place: int) -> str:
        """Start the trainee's session in a case, unless they have one; returns its run."""
        classes, body = self.sessions.store.classes, body_of(row)
        for known in await classes.sessions(row.id):
            if (known.member, known.place) == (member.number, place):
                return known.run
        if row.ended_ms:
            raise UserError("the class has ended")
        if place >= len(body.cases):
            raise UserError(f"the class has {len(body.cases)} cases")
        config = body.settings.config(body.selectors[place], member.name, self.sessions.store.url)
        run = await self.sessions.start(config, body.selectors[place])
        return await classes.keep_session(
            ClassSession(run=run, class_id=row.id, member=member.number, place=place, begun_ms=now_ms())
        )

    async def hint(self, id: str, member: int, text: str, author: str) -> list[Hint]:
        """Send a hint to one trainee's latest open session; with member 0, to everybody."""
        told, classes = [], self.sessions.store.classes
        for one in (await self.now(id)).members:
            open_ones = [each for each in one.sessions if each.where not in ("ended", "failed")]
            if member not in (0, one.number) or not open_ones:
                continue
            run = open_ones[-1].run
            before = self.sessions.peek(run)
            hint = await classes.hint(run, len(before.lines) if before is not None else 0, text, author)
            told.append(hint)
            opened = self.sessions.peek(run)
            if opened is not None:
                opened.take_hint(hint)
        if not told:
            raise UserError("nobody is in a session now, so nobody would see the hint")
        return told

    async def end(self, id: str) -> None:
        """End the class. Nobody can begin or answer any more; what was said stays."""
        await self.sessions.store.classes.end(id)
        for one in await self.sessions.store.classes.sessions(id):
            session = self.sessions.peek(one.run)
            if session is not None:
                session.shut()


def body_of(row: ClassRow) -> ClassBody:
    """What was chosen for a class."""
    return ClassBody.model_validate_json(row.body)


def shown(row: ClassRow) -> ClassShown:
    """A class as pages show it."""
    body = body_of(row)
    return ClassShown(
        id=row.id,
        code=row.code,
        title=body.settings.title,
        clinic=body.settings.clinic,
        clinic_title=body.clinic_title,
        part=body.settings.part,
        minutes=body.settings.minutes,
        educator=body.settings.educator,
        created_ms=row.created_ms,
        ended_ms=row.ended_ms,
        cases=body.cases,
    )


def _classroom(request: Request) -> Classroom:
    found: Sessions = request.app.state.sessions
    return Classroom(found)


TheClassroom = Annotated[Classroom, Depends(_classroom)]
"""The server's classes, as a dependency for routes."""
