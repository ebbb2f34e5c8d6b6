"""The desk over HTTP: sessions, the queue, what staff and visitors do, and the audit log."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from polyclinic.core.form import FormRow, form_rows
from polyclinic.core.live import Action, Body, ByStaff, Heard, LiveService, SessionView
from polyclinic.errors import UnknownName, UserError
from polyclinic.runner.registry import clinics_with, load_clinic
from polyclinic.store.audit_log import AuditEntry
from polyclinic.store.staff import NAME, Account
from polyclinic.web.desk.services import Desks
from polyclinic.web.once import Key, Once
from polyclinic.web.sessions.live import Live
from polyclinic.web.sessions.rescue import Broken
from polyclinic.web.sessions.rooms import service_room
from polyclinic.web.sessions.schemas import Case, case_id
from polyclinic.web.sessions.service import Service
from polyclinic.web.streams import ALIVE, After, LastEvent, event, stream

LOOK_S = 1.0
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


class SessionShown(BaseModel):
    """A session in a list."""

    view: dict[str, Any]
    last: str = ""


class DeskNow(BaseModel):
    """All that waits: open sessions, and cases by age. `ringing` counts cases that nobody has acknowledged."""

    sessions: list[SessionShown]
    cases: list[Case]
    ringing: int


class TalkShown(BaseModel):
    """A session with what was said."""

    view: dict[str, Any]
    heard: list[dict[str, Any]]


class Done(BaseModel):
    """What somebody does: their name, and the fields of the form."""

    model_config = ConfigDict(extra="forbid")

    by: str = Field("desk", pattern=NAME)
    values: dict[str, Any] = Field(default_factory=dict)


class Remarked(BaseModel):
    """Who acts on a case, and why it is closed."""

    model_config = ConfigDict(extra="forbid")

    by: str = Field("desk", pattern=NAME)
    remark: str = Field("", max_length=2_000)


class Opened(BaseModel):
    """Where a new session is."""

    id: str


def _desks(request: Request) -> Desks:
    found: Desks = request.app.state.desks
    return found


async def _service(clinic: str, request: Request) -> Service:
    return await _desks(request).get(clinic)


Chosen = Annotated[Service, Depends(_service)]


def desk_routes() -> APIRouter:
    """The routes."""
    router = APIRouter(prefix="/api/desk", tags=["desk"])

    @router.get("", summary="The clinics that have live sessions")
    async def desks() -> list[DeskShown]:
        return [_desk(name) for name in clinics_with("service")]

    @router.get("/{clinic}", summary="What waits")
    async def now(service: Chosen) -> DeskNow:
        return await _now(service)

    @router.get("/{clinic}/events", summary="Follow the desk", response_class=StreamingResponse)
    async def events(service: Chosen) -> StreamingResponse:
        """The whole desk each time that something on it changes."""
        return stream(_changes(service))

    @router.get("/{clinic}/audit", summary="Who did what, the latest first")
    async def audit(service: Chosen) -> list[AuditEntry]:
        entries = [entry async for entry in service.trail.log.every()]
        return entries[: -LATEST - 1 : -1]

    @router.post("/{clinic}/sessions", status_code=201, summary="Open a session")
    async def start(clinic: str, body: Done, service: Chosen, request: Request, key: Key = "") -> Opened:
        async def work() -> Opened:
            opening = _read(service_room(load_clinic(clinic)).opening, body.values)
            live, _ = await service.start(opening)
            return Opened(id=live.id)

        once: Once = request.app.state.once
        return await once.do(key, Opened, work)

    @router.get("/{clinic}/sessions/{session}", summary="A session")
    async def one(session: str, service: Chosen) -> TalkShown:
        return _talk(await service.get(session))

    @router.get("/{clinic}/sessions/{session}/events", summary="Follow a session", response_class=StreamingResponse)
    async def follow(
        session: str, service: Chosen, after: After = 0, last_event_id: LastEvent = None
    ) -> StreamingResponse:
        begin = last_event_id if last_event_id is not None else after
        return stream(_heard(await service.get(session), begin))

    @router.post("/{clinic}/sessions/{session}/{action}", summary="Do something in a session")
    async def act(
        clinic: str, session: str, action: str, body: Done, service: Chosen, request: Request, key: Key = ""
    ) -> TalkShown:
        async def work() -> TalkShown:
            live = await service.get(session)
            chosen = _action(service_room(load_clinic(clinic)), action)
            who = Account(name=body.by, role="administer") if chosen.by == "staff" else None
            values = body.values if who is None else {**body.values, "by": body.by}
            try:
                await service.act(live, chosen, _read(chosen.body, values), who)
            except Broken:
                if not live.heard:
                    raise
            return _talk(live)

        once: Once = request.app.state.once
        return await once.do(key, TalkShown, work)

    @router.post("/{clinic}/cases/{case}/{verb}", summary="Acknowledge, take or close a case")
    async def case(case: str, verb: str, body: Remarked, service: Chosen) -> DeskNow:
        who = Account(name=body.by, role="administer")
        if verb == "acknowledge":
            await service.acknowledge(case, who)
        elif verb == "take":
            async with service.trail.act(who, "take case", f"case/{case}"):
                await service.cases.take(await service.cases.find(case), who.name)
        elif verb == "close":
            if not body.remark.strip():
                raise UserError("say why it is closed")
            async with service.trail.act(who, "close case", f"case/{case}"):
                await service.cases.close(await service.cases.find(case), who, body.remark)
        else:
            raise UnknownName("thing to do with a case", verb, ("acknowledge", "take", "close"))
        return await _now(service)

    return router


def _desk(name: str) -> DeskShown:
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


def _action(room: LiveService, name: str) -> Action[Any]:
    for action in room.actions:
        if action.name == name:
            return action
    raise UnknownName("action", name, (action.name for action in room.actions))


def _read(kind: type[Body], values: dict[str, Any]) -> Body:
    try:
        return kind.model_validate({name: value for name, value in values.items() if value not in (None, "")})
    except ValidationError as error:
        fault = error.errors()[0]
        raise UserError(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}") from None


def _talk(live: Live) -> TalkShown:
    return TalkShown(view=live.state.model_dump(), heard=[heard.model_dump() for heard in live.heard])


async def _now(service: Service) -> DeskNow:
    posts = await service.cases.all()
    cases = [
        Case.from_post(post, service.cases.rings(post) and not service.alerts.acknowledged(case_id(post)))
        for post in posts
    ]
    open_first = sorted(cases, key=lambda case: (case.status == "closed", not case.rings, case.created_ms))
    sessions = [
        SessionShown(view=live.state.model_dump(), last=live.heard[-1].text if live.heard else "")
        for live in service.all()
    ]
    return DeskNow(sessions=sessions, cases=open_first[:LATEST], ringing=sum(case.rings for case in cases))


async def _changes(service: Service) -> AsyncIterator[str]:
    told, number = "", 0
    while True:
        found = await _now(service)
        text = found.model_dump_json()
        if text != told:
            told, number = text, number + 1
            yield event("desk", found, number)
        else:
            yield ALIVE
        await asyncio.sleep(LOOK_S)


class SaidNow(BaseModel):
    """One thing that was said."""

    heard: dict[str, Any]


class Viewed(BaseModel):
    """Where the session stands."""

    view: dict[str, Any]


async def _heard(live: Live, after: int) -> AsyncIterator[str]:
    told = ""
    while True:
        view: SessionView = live.state
        while after < len(live.heard):
            after += 1
            heard: Heard = live.heard[after - 1]
            yield event("heard", SaidNow(heard=heard.model_dump()), heard.number)
        text = view.model_dump_json()
        if text != told:
            told = text
            yield event("view", Viewed(view=view.model_dump()))
        if live.closed:
            return
        await asyncio.sleep(LOOK_S / 2)
        yield ALIVE
