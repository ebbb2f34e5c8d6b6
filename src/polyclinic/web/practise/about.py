"""What is known of a session of practice before it begins, and where to find the sessions."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Depends, Request
from pydantic import BaseModel

from polyclinic.runner.plan.run_plan import MINUTES, WHO
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import people_in
from polyclinic.store.run_rows import RunRow
from polyclinic.web.practise.sessions import Sessions


class About(BaseModel):
    """What is known of a session before it begins."""

    id: str
    clinic: str
    title: str
    part: str
    case: str
    introduction: str
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
        way=episode.spec.variant,
        who=row.config["options"].get(WHO, ""),
        minutes=int(row.config["options"].get(MINUTES) or 0),
        begun_ms=row.created_ms,
        state=state,
    )


def _sessions(request: Request) -> Sessions:
    found: Sessions = request.app.state.sessions
    return found


TheSessions = Annotated[Sessions, Depends(_sessions)]
"""The server's sessions, as a dependency for routes."""
