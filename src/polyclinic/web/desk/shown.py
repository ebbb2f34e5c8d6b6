"""What a page sees of a desk: its clinics, what waits on it, and a session with what was said; once, or as a stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from pydantic import BaseModel, SerializeAsAny

from polyclinic.core.form import FormRow, form_rows
from polyclinic.core.live import Body, ByStaff, Heard, SessionView
from polyclinic.runner.registry import load_clinic
from polyclinic.web.sessions.live import Live
from polyclinic.web.sessions.queue import queued_case
from polyclinic.web.sessions.rooms import service_room
from polyclinic.web.sessions.schemas import QueuedCase
from polyclinic.web.sessions.service import Service
from polyclinic.web.streams import ALIVE, event

LATEST = 200


class ActionShown(BaseModel):
    """Something that can be done in a session, as a form; `when` names the states that allow it."""

    name: str
    title: str
    about: str
    when: list[str]
    by: str
    rows: tuple[FormRow, ...]


class DeskShown(BaseModel):
    """A clinic that has live sessions."""

    clinic: str
    title: str
    summary: str
    visitor: str
    states: list[str]
    queues: list[str]
    alerts: list[str]
    actions: list[ActionShown]
    opening: tuple[FormRow, ...]


class DeskSession(BaseModel):
    """A session in a list."""

    view: SerializeAsAny[SessionView]
    last: str = ""


class DeskNow(BaseModel):
    """Everything that waits: open sessions, and cases by age. `ringing` counts cases that nobody has acknowledged."""

    sessions: list[DeskSession]
    cases: list[QueuedCase]
    ringing: int


class TalkShown(BaseModel):
    """A session with what was said."""

    view: SerializeAsAny[SessionView]
    heard: list[SerializeAsAny[Heard]]


def desk_shown(name: str) -> DeskShown:
    """A clinic's desk with its forms."""
    clinic = load_clinic(name)
    room = service_room(clinic)
    return DeskShown(
        clinic=name,
        title=clinic.title,
        summary=clinic.summary,
        visitor=room.visitor,
        states=list(room.states),
        queues=list(room.queues),
        alerts=list(room.alerts),
        actions=[
            ActionShown(
                name=action.name,
                title=action.title,
                about=action.about,
                when=list(action.when),
                by=action.by,
                rows=_rows(action.body),
            )
            for action in room.actions
        ],
        opening=_rows(room.opening),
    )


def _rows(body: type[Body]) -> tuple[FormRow, ...]:
    staff = set(ByStaff.model_fields)
    return tuple(row for row in form_rows(body.model_json_schema()) if row.name not in staff)


def talk_shown(live: Live) -> TalkShown:
    """A session as a page loads it."""
    return TalkShown(view=live.state, heard=live.heard)


async def desk_now(service: Service) -> DeskNow:
    """What waits now; open cases that ring come first."""
    posts = await service.cases.all()
    cases = [queued_case(post, service) for post in posts]
    open_first = sorted(cases, key=lambda case: (case.status == "closed", not case.rings, case.created_ms))
    sessions = [DeskSession(view=live.state, last=live.heard[-1].text if live.heard else "") for live in service.all()]
    return DeskNow(sessions=sessions, cases=open_first[:LATEST], ringing=sum(case.rings for case in cases))


LOOK_S = 1.0


class SaidNow(BaseModel):
    """One thing that was said."""

    heard: SerializeAsAny[Heard]


class Viewed(BaseModel):
    """The state of the session."""

    view: SerializeAsAny[SessionView]


async def session_changes(live: Live, after: int) -> AsyncIterator[str]:
    """What is said after the line with this number, and the state of the session each time that it changes."""
    told = ""
    while True:
        view: SessionView = live.state
        while after < len(live.heard):
            after += 1
            heard: Heard = live.heard[after - 1]
            yield event("heard", SaidNow(heard=heard), heard.number)
        text = view.model_dump_json()
        if text != told:
            told = text
            yield event("view", Viewed(view=view))
        if live.closed:
            return
        await asyncio.sleep(LOOK_S / 2)
        yield ALIVE
