"""Sessions over HTTP: start, state, what was said, the stream, and one address for each action of
the clinic's service.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, create_model

from polyclinic.core.live import Action, Body, Heard, LiveService, NoBody, SessionView
from polyclinic.web.sessions.access import (
    ERRORS,
    Application,
    Mine,
    StaffToken,
    StillAllowed,
    Taker,
    TheAccess,
    Theirs,
    TheService,
    Watcher,
    who_holds,
)
from polyclinic.web.sessions.live import Live
from polyclinic.web.streams import ALIVE, event
from polyclinic.web.streams import stream as as_stream

SESSION_STREAMS = 10
_Endpoint = Callable[..., Awaitable[BaseModel]]


def session_routes(room: LiveService) -> APIRouter:
    """The routes of sessions. Requests and answers have the types that the clinic's service names."""
    router = APIRouter(prefix="/v1/sessions", tags=["sessions"], responses=ERRORS)
    answered = create_model(
        "Answered",
        __doc__="What followed.",
        state=(room.view, ...),
        said=(list[room.heard], ...),  # type: ignore[name-defined]
    )
    _add_start(router, room)

    @router.get("", summary="List the sessions", response_model=list[room.view])  # type: ignore[name-defined]
    async def listed(who: Watcher, service: TheService) -> list[SessionView]:
        """Every open session, for staff."""
        return [live.state for live in service.all()]

    @router.get("/{session}", summary="A session's state", response_model=room.view)
    async def state(live: Mine) -> SessionView:
        """The state of the session and who holds it."""
        return live.state

    @router.get("/{session}/heard", summary="What was said", response_model=list[room.heard])  # type: ignore[name-defined]
    async def heard(live: Mine, after: Annotated[int, Query(ge=0, le=1_000_000)] = 0) -> list[Heard]:
        """Everything said aloud after the line with this number."""
        return live.heard[after:]

    @router.get("/{session}/stream", summary="Follow a session", response_class=StreamingResponse)
    async def stream(
        live: Mine,
        token: StaffToken,
        access: TheAccess,
        service: TheService,
        after: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
        last_event_id: Annotated[int | None, Header(ge=0, le=1_000_000)] = None,
    ) -> StreamingResponse:
        """Server-sent events: one for each utterance, with its number as id; ends when the session is closed. While
        an answer takes long, an event `waiting` every 15 seconds has words to show until the answer comes.
        """
        access.one_more_stream(live.listening, SESSION_STREAMS)
        holds = who_holds(token, service) if not access.opens(live, token) else _always
        begin = last_event_id if last_event_id is not None else after
        return as_stream(_events(live, begin, StillAllowed(holds)))

    for action in room.actions:
        router.add_api_route(
            f"/{{session}}/{action.name}",
            _endpoint(action, answered),
            methods=["POST"],
            summary=action.title,
            description=action.about,
            response_model=answered,
        )
    return router


def _add_start(router: APIRouter, room: LiveService) -> None:
    started = create_model(
        "Started",
        __base__=room.view,
        __doc__="A new session, with a token for this session only.",
        token=(str, ...),
    )

    async def start(body: Body, application: Application, access: TheAccess, service: TheService) -> BaseModel:
        """Opens a session and returns a token for this session only."""
        access.start()
        live, token = await service.start(body)
        return started(**live.state.model_dump(), token=token)

    start.__annotations__["body"] = room.opening
    router.add_api_route(
        "", start, methods=["POST"], status_code=201, summary="Start a session", response_model=started
    )


def _endpoint(action: Action[Any], answered: type[BaseModel]) -> _Endpoint:
    """The function behind one action's address. Its body has the action's own type, so that the
    description shows it.
    """

    async def act(live: Mine, body: Body, access: TheAccess, service: TheService) -> BaseModel:
        if action.body is not NoBody:
            access.message(live.id)
        said = await service.act(live, action, body)
        return answered(state=live.state, said=said)

    async def act_alone(live: Mine, access: TheAccess, service: TheService) -> BaseModel:
        return await act(live, NoBody(), access, service)

    async def act_as_staff(who: Taker, live: Theirs, body: Body, service: TheService) -> BaseModel:
        said = await service.act(live, action, body, who)
        return answered(state=live.state, said=said)

    alone: _Endpoint = act_alone if action.body is NoBody else act
    chosen = act_as_staff if action.by == "staff" else alone
    if action.body is not NoBody:
        chosen.__annotations__["body"] = action.body
    chosen.__name__ = action.name.replace("-", "_")
    return chosen


async def _always() -> bool:
    return True


async def _events(live: Live, after: int, still: StillAllowed) -> AsyncIterator[str]:
    async for heard in live.follow(after):
        if not await still.allowed():
            return
        if heard is not None:
            yield event("heard", heard, heard.number)
        else:
            yield event("waiting", live.waits()) if live.waiting else ALIVE
    yield event("closed", live.state)
