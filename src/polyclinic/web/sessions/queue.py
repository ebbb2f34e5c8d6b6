"""The queue of cases as a resource, for the people who work through it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Literal

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from polyclinic.core.live import LiveService
from polyclinic.store.posts import Post, PostStatus
from polyclinic.web.sessions.access import (
    ERRORS,
    StaffToken,
    StillAllowed,
    Taker,
    TheAccess,
    TheService,
    Watcher,
    who_holds,
)
from polyclinic.web.sessions.emergency import Emergency
from polyclinic.web.sessions.schemas import QueuedCase, RemarkBody, case_id
from polyclinic.web.sessions.service import Service
from polyclinic.web.streams import ALIVE, event
from polyclinic.web.streams import stream as as_stream

STAFF_STREAMS = 200


class UnstoredCase(Emergency):
    """An emergency that could not be stored, with the id to acknowledge it by. `rings` until it is acknowledged."""

    id: str
    rings: bool


def queue_routes(room: LiveService) -> APIRouter:
    """The routes of the queue. All of them need a staff login."""
    router = APIRouter(prefix="/v1/queue", tags=["queue"], responses=ERRORS)

    async def listed(
        who: Watcher, service: TheService, queue: str | None = None, status: PostStatus | None = None
    ) -> list[QueuedCase]:
        """The cases, oldest first, with the reason, the words, and who took each."""
        return [queued_case(post, service) for post in await service.cases.all(queue or "", status)]

    if room.queues:
        listed.__annotations__["queue"] = Literal[room.queues] | None
    router.add_api_route("", listed, methods=["GET"], summary="List the cases")

    @router.get("/stream", summary="Follow the alerts", response_class=StreamingResponse)
    async def stream(who: Watcher, token: StaffToken, access: TheAccess, service: TheService) -> StreamingResponse:
        """Server-sent events: one each time an open case rings, at once and again every minute until acknowledged.

        Ends when the login ends.
        """
        access.one_more_stream(service.alerts.listening, STAFF_STREAMS)
        return as_stream(_alerts(service, StillAllowed(who_holds(token, service))))

    @router.get("/emergencies", summary="Emergencies that could not be stored")
    async def emergencies(who: Watcher, service: TheService) -> list[UnstoredCase]:
        """They are also in the emergency file, and go into the queue as soon as the store can be written to."""
        rings = [(alert.case, not service.alerts.acknowledged(alert.case)) for alert in service.rescue.alerts()]
        return [
            UnstoredCase(**case.model_dump(), id=name, rings=ring)
            for case, (name, ring) in zip(service.rescue.unstored(), rings, strict=True)
        ]

    @router.post("/{case}/acknowledge", summary="Acknowledge an alert", status_code=204)
    async def acknowledge(case: str, who: Watcher, service: TheService) -> None:
        """The case stops ringing; it stays open until somebody takes it."""
        await service.acknowledge(case, who)

    @router.get("/{case}", summary="One case")
    async def one(case: str, who: Watcher, service: TheService) -> QueuedCase:
        """Everything that the queue stores about a case."""
        return queued_case(await service.cases.find(case), service)

    @router.post("/{case}/take", summary="Take a case")
    async def take(case: str, who: Taker, service: TheService) -> QueuedCase:
        """Refused if somebody else has the case."""
        async with service.trail.act(who, "take case", f"case/{case}"):
            await service.cases.take(await service.cases.find(case), who.name)
        return queued_case(await service.cases.find(case), service)

    @router.post("/{case}/close", summary="Close a case")
    async def close(case: str, body: RemarkBody, who: Taker, service: TheService) -> QueuedCase:
        """Needs a remark for the record. Refused if somebody else has the case, except for an administrator."""
        async with service.trail.act(who, "close case", f"case/{case}"):
            await service.cases.close(await service.cases.find(case), who, body.remark)
        return queued_case(await service.cases.find(case), service)

    return router


def queued_case(post: Post, service: Service) -> QueuedCase:
    """A stored hand-over as staff see it now."""
    rings = service.cases.rings(post) and not service.alerts.acknowledged(case_id(post))
    return QueuedCase.from_post(post, rings, service.why)


async def _alerts(service: Service, still: StillAllowed) -> AsyncIterator[str]:
    async for alert in service.alerts.listen():
        if not await still.allowed():
            return
        yield ALIVE if alert is None else event("alert", alert)
