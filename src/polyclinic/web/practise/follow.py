"""A session as a page loads it, and as it goes on; for the person who plays, and for people who watch.

The sessions are a dependency for routes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Literal

from fastapi import Depends, Query
from pydantic import BaseModel

from polyclinic.eval.sections import sections_to_plain
from polyclinic.runner.plan.run_plan import MINUTES, WHO
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import metrics_told, people_in
from polyclinic.store.class_rows import Hint
from polyclinic.store.run_rows import RunRow
from polyclinic.web.of_request import kept
from polyclinic.web.practise.session import PracticeSession
from polyclinic.web.practise.sessions import Sessions
from polyclinic.web.practise.view import HintShown, SeenLine, Situation
from polyclinic.web.streams import ALIVE, event


class About(BaseModel):
    """What is known of a session before it begins."""

    id: str
    clinic: str
    title: str
    part: str
    case: str
    introduction: str
    language: Literal["en", "ko"]
    way: str
    who: str
    minutes: int
    begun_ms: int
    state: Literal["open", "done", "failed"]


async def about(sessions: Sessions, row: RunRow) -> About:
    """What is known of the session of a run."""
    runs = sessions.store.runs
    episode = (await runs.episodes(row.id))[0]
    clinic = load_clinic(row.clinic)
    body = await runs.scenario(row.id, episode.spec.scenario)
    made = clinic.read_scenario(body or "{}")
    state: Literal["open", "done", "failed"] = (
        "done" if episode.status == "done" else "failed" if episode.status == "failed" else "open"
    )
    return About(
        id=row.id,
        clinic=row.clinic,
        title=clinic.title,
        part=people_in(row)[0],
        case=episode.spec.scenario,
        introduction=made.introduction(),
        language=made.language() or "en",
        way=episode.spec.variant,
        who=row.config["options"].get(WHO, ""),
        minutes=int(row.config["options"].get(MINUTES) or 0),
        begun_ms=row.created_ms,
        state=state,
    )


TheSessions = Annotated[Sessions, Depends(kept("sessions"))]
"""The server's sessions, as a dependency for routes."""


PageLanguage = Annotated[Literal["en", "ko"], Query(description="the language of the feedback's own sentences")]


class InFull(BaseModel):
    """A session as a page loads it; the stream goes on from `standing.seen`."""

    about: About
    lines: list[SeenLine]
    standing: Situation
    hints: list[HintShown] = []
    class_id: str = ""


async def in_full(sessions: Sessions, run: str) -> InFull:
    """The session as a page loads it, continued from where it was left."""
    row, seat = await sessions.row(run)
    session, known, kept = await asyncio.gather(
        sessions.open(row, seat), about(sessions, row), sessions.store.classes.session(row.id)
    )
    hints = [_hint(one) for one in await sessions.store.classes.hints([row.id])] if kept is not None else []
    if session is not None:
        await session.settled()
        lines, standing = session.lines, session.standing
    else:
        lines = (await sessions.ended(run)).lines
        standing = Situation(state="ended", seen=len(lines))
    class_id = kept.class_id if kept is not None else ""
    return InFull(about=known, lines=lines, standing=standing, hints=hints, class_id=class_id)


async def feedback_of(sessions: Sessions, run: str, language: str) -> dict[str, object]:
    """What went well in a finished session, what did not, and what to try next; figures come last.

    If the person's part is not `measured`, the text only says what the session recorded.
    """
    ended = await sessions.ended(run, language)
    known = metrics_told(ended.clinic)
    return {
        "outcome": ended.outcome,
        "part": ended.part,
        "measured": bool(ended.figures or ended.not_valid or ended.clinic.role(ended.part).metrics),
        "sections": sections_to_plain(ended.sections),
        "figures": [
            {"name": name, "value": value, "about": known[name].about if name in known else ""}
            for name, value in ended.figures.items()
        ],
        "not_valid": [known[name].about if name in known else name for name in ended.not_valid],
        "elapsed_ms": ended.elapsed_ms,
        "lines": [line.model_dump() for line in ended.lines],
    }


async def session_events(sessions: Sessions, run: str, after: int, *, watching: bool = False) -> AsyncIterator[str]:
    """The events of a session after the line with this number."""
    session = await sessions.find(run)
    return _events(session, after, watching) if session is not None else _over(sessions, run, after)


async def _events(session: PracticeSession, after: int, watching: bool) -> AsyncIterator[str]:
    async for found in session.follow(after, watching=watching):
        if found is None:
            yield ALIVE
        elif isinstance(found, SeenLine):
            yield event("line", found, found.number)
        elif isinstance(found, Hint):
            yield event("hint", _hint(found))
        else:
            yield event("standing", found)


async def _over(sessions: Sessions, run: str, after: int) -> AsyncIterator[str]:
    lines = (await sessions.ended(run)).lines
    for line in lines[after:]:
        yield event("line", line, line.number)
    yield event("standing", Situation(state="ended", seen=len(lines)))


def _hint(hint: Hint) -> HintShown:
    return HintShown(number=hint.number, after=hint.after_line, text=hint.text, author=hint.author)
