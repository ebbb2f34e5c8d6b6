"""The queue of cases as a resource, for the people who work through it."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter

from polyclinic.core.live import ByStaff, LiveService
from polyclinic.store.posts import PostStatus
from polyclinic.web.sessions.access import ERRORS, Staff, TheService
from polyclinic.web.sessions.schemas import Case, RemarkBody


def queue_routes(room: LiveService) -> APIRouter:
    """The routes of the queue. All of them need the service token."""
    router = APIRouter(prefix="/v1/queue", tags=["queue"], responses=ERRORS)

    async def listed(
        staff: Staff, service: TheService, queue: str | None = None, status: PostStatus | None = None
    ) -> list[Case]:
        """Oldest first, with the reason, the words, and who took each."""
        return [Case.from_post(post) for post in await service.cases(queue or "", status)]

    if room.queues:
        listed.__annotations__["queue"] = Literal[room.queues] | None
    router.add_api_route("", listed, methods=["GET"], summary="List the cases")

    @router.get("/{case}", summary="One case")
    async def one(case: str, staff: Staff, service: TheService) -> Case:
        """Everything the queue keeps of it."""
        return Case.from_post(await service.case(case))

    @router.post("/{case}/take", summary="Take a case")
    async def take(case: str, body: ByStaff, staff: Staff, service: TheService) -> Case:
        """Refused when somebody else has it."""
        await service.take_case(await service.case(case), body.by)
        return Case.from_post(await service.case(case))

    @router.post("/{case}/close", summary="Close a case")
    async def close(case: str, body: RemarkBody, staff: Staff, service: TheService) -> Case:
        """With a remark for the record."""
        await service.close_case(await service.case(case), f"{body.by}: {body.remark}")
        return Case.from_post(await service.case(case))

    return router
