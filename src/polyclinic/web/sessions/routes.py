"""Sessions over HTTP: start, say, stream, state, hand over, take over, speak, hand back, close."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Query
from fastapi.responses import StreamingResponse

from polyclinic.clinics.counsel.prompts import DeskSays
from polyclinic.web.sessions.door import ERRORS, Mine, Staff, TheDoor, Theirs, TheService
from polyclinic.web.sessions.live import Live
from polyclinic.web.sessions.schemas import (
    Answered,
    Heard,
    PersonBody,
    ReasonBody,
    SayBody,
    SessionState,
    SpeakBody,
    StartBody,
    Started,
)

OPEN = ("automatic", "escalated", "person")


def session_routes() -> APIRouter:
    """The routes of sessions."""
    router = APIRouter(prefix="/v1/sessions", tags=["sessions"], responses=ERRORS)

    @router.post("", status_code=201, summary="Start a session")
    async def start(body: StartBody, staff: Staff, door: TheDoor, service: TheService) -> Started:
        """Opens a session and returns the token that opens it and no other."""
        door.start()
        live, token = await service.start(body)
        return Started(**live.state.model_dump(), token=token)

    @router.get("", summary="List the sessions")
    async def listed(staff: Staff, service: TheService) -> list[SessionState]:
        """Every session of this service, with the service token."""
        return [live.state for live in service.all()]

    @router.get("/{session}", summary="A session's state")
    async def state(live: Mine) -> SessionState:
        """Where the session stands and who holds it."""
        return live.state

    @router.get("/{session}/heard", summary="What was said")
    async def heard(live: Mine, after: Annotated[int, Query(ge=0, le=1_000_000)] = 0) -> list[Heard]:
        """Everything said aloud, after a number."""
        return live.heard[after:]

    @router.post("/{session}/say", summary="The patient says something")
    async def say(live: Mine, body: SayBody, door: TheDoor, service: TheService) -> Answered:
        """Returns when the answer, or the set message, is there. While a person holds the session nobody else answers."""
        door.message(live.id)
        return _answered(live, await service.act(live, DeskSays(kind="patient", text=body.text), when=OPEN))

    @router.get("/{session}/stream", summary="Follow a session", response_class=StreamingResponse)
    async def stream(
        live: Mine,
        after: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
        last_event_id: Annotated[int | None, Header(ge=0, le=1_000_000)] = None,
    ) -> StreamingResponse:
        """Server-sent events: one for each utterance, with its number as id; ends when the session is closed."""
        return StreamingResponse(
            _events(live, last_event_id if last_event_id is not None else after), media_type="text/event-stream"
        )

    @router.post("/{session}/hand-over", summary="Ask for a person")
    async def hand_over(live: Mine, body: ReasonBody, door: TheDoor, service: TheService) -> Answered:
        """Puts the session into the queue without a crisis; automated talk stops."""
        door.message(live.id)
        event = DeskSays(kind="hand_over", text=body.reason, by="the session")
        return _answered(live, await service.act(live, event, when=("automatic",)))

    _person_routes(router)
    return router


def _person_routes(router: APIRouter) -> None:
    @router.post("/{session}/take-over", summary="A person takes the session over")
    async def take_over(live: Theirs, body: PersonBody, service: TheService) -> Answered:
        """Automated talk stops; the session's open cases are marked as taken by this person."""
        said = await service.act(live, DeskSays(kind="take_over", by=body.by), when=("automatic", "escalated"))
        await service.take_cases(live.id, body.by)
        return _answered(live, said)

    @router.post("/{session}/speak", summary="The person says something")
    async def speak(live: Theirs, body: SpeakBody, service: TheService) -> Answered:
        """To the patient, in the person's own name."""
        event = DeskSays(kind="person", text=body.text, by=body.by)
        return _answered(live, await service.act(live, event, when=("person",)))

    @router.post("/{session}/hand-back", summary="The person hands the session back")
    async def hand_back(live: Theirs, body: PersonBody, service: TheService) -> Answered:
        """Automated talk goes on; the session's cases are closed."""
        said = await service.act(live, DeskSays(kind="hand_back", by=body.by), when=("person",))
        await service.close_cases(live.id, f"handed back by {body.by}")
        return _answered(live, said)

    @router.post("/{session}/close", summary="Close the session")
    async def close(live: Mine, service: TheService) -> Answered:
        """Ends the session; its transcript stays in the store."""
        said = await service.act(live, DeskSays(kind="close", by="the session"), when=OPEN)
        return _answered(live, said)


def _answered(live: Live, said: list[Heard]) -> Answered:
    return Answered(state=live.state, said=said)


async def _events(live: Live, after: int) -> AsyncIterator[str]:
    async for heard in live.follow(after):
        yield (
            ": waiting\n\n"
            if heard is None
            else f"id: {heard.number}\nevent: heard\ndata: {heard.model_dump_json()}\n\n"
        )
    yield f"event: closed\ndata: {live.state.model_dump_json()}\n\n"
