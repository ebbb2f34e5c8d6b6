"""The sessions of a desk over HTTP: what staff and visitors do in a session."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field, ValidationError

from polyclinic.core.live import Action, Body, LiveService
from polyclinic.core.plain_faults import plain_fault
from polyclinic.errors import UnknownName, UserError
from polyclinic.runner.registry import load_clinic
from polyclinic.store.staff import NAME
from polyclinic.web.access.allowed import TheRequester, acting_as, must
from polyclinic.web.desk.services import ChosenService
from polyclinic.web.desk.shown import TalkShown, session_changes, talk_shown
from polyclinic.web.sessions.refusals import words_in
from polyclinic.web.sessions.rescue import Broken
from polyclinic.web.sessions.rooms import service_room
from polyclinic.web.streams import After, LastEvent, stream

router = APIRouter(prefix="/api/desk/{clinic}/sessions", tags=["desk"])


class Done(Body):
    """What somebody does: their name, and the fields of the form."""

    by: str = Field("desk", pattern=NAME)
    values: dict[str, Any] = Field(default_factory=dict)


class Opened(BaseModel):
    """The id of a new session."""

    id: str


@router.post("", status_code=201, summary="Open a session")
async def start(clinic: str, body: Done, service: ChosenService) -> Opened:
    opening = _read(service_room(load_clinic(clinic)).opening, body.values)
    live, _ = await service.start(opening)
    return Opened(id=live.id)


@router.get("/{session}", summary="A session")
async def one(session: str, service: ChosenService) -> TalkShown:
    return talk_shown(await service.get(session))


@router.get("/{session}/events", summary="Follow a session", response_class=StreamingResponse)
async def follow(
    session: str, service: ChosenService, after: After = 0, last_event_id: LastEvent = None
) -> StreamingResponse:
    begin = last_event_id if last_event_id is not None else after
    return stream(session_changes(await service.get(session), begin))


@router.post("/{session}/{action}", summary="Do something in a session")
async def act(
    clinic: str, session: str, action: str, body: Done, service: ChosenService, person: TheRequester, request: Request
) -> TalkShown:
    live = await service.get(session)
    chosen = _action(service_room(load_clinic(clinic)), action)
    if chosen.by == "staff":
        await must(request, "desk", "change")
    who = acting_as(person, body.by) if chosen.by == "staff" else None
    values = body.values if who is None else {**body.values, "by": who.name}
    try:
        given = _read(chosen.body, values)
    except UserError as refused:
        if chosen.by == "staff":
            raise
        said = await service.refusals.answer(live, "too long", words_in(values))
        raise UserError("\n".join((str(refused), *(heard.text for heard in said)))) from None
    try:
        await service.act(live, chosen, given, who)
    except Broken:
        if not live.heard:
            raise
    return talk_shown(live)


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
        raise UserError(f"{'.'.join(map(str, fault['loc']))}: {plain_fault(fault)}") from None
