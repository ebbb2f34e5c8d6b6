"""The queue of cases as a resource, for the people who work through it."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from polyclinic.store.posts import PostStatus
from polyclinic.web.sessions.door import ERRORS, Staff, TheService
from polyclinic.web.sessions.schemas import Case, PersonBody, RemarkBody

QueueName = Literal["counsel-crisis", "counsel-review"]


def queue_routes() -> APIRouter:
    """The routes of the queue. All of them need the service token."""
    router = APIRouter(prefix="/v1/queue", tags=["queue"], responses=ERRORS)

    @router.get("", summary="List the cases")
    async def listed(
        staff: Staff,
        service: TheService,
        queue: Annotated[QueueName | None, Query()] = None,
        status: Annotated[PostStatus | None, Query()] = None,
    ) -> list[Case]:
        """Oldest first, with the reason, the words, and who took each."""
        return [Case.of(post, post.episode) for post in await service.cases(queue or "", status or "")]

    @router.get("/{case}", summary="One case")
    async def one(case: str, staff: Staff, service: TheService) -> Case:
        """Everything the queue keeps of it."""
        post = await service.case(case)
        return Case.of(post, post.episode)

    @router.post("/{case}/take", summary="Take a case")
    async def take(case: str, body: PersonBody, staff: Staff, service: TheService) -> Case:
        """Refused when somebody else has it."""
        await service.take_case(await service.case(case), body.by)
        return Case.of(await service.case(case), case.partition(".")[0])

    @router.post("/{case}/close", summary="Close a case")
    async def close(case: str, body: RemarkBody, staff: Staff, service: TheService) -> Case:
        """With a remark for the record."""
        await service.close_case(await service.case(case), f"{body.by}: {body.remark}")
        return Case.of(await service.case(case), case.partition(".")[0])

    return router
