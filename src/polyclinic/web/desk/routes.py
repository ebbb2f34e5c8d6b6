"""The desk over HTTP: the queue, its cases, and the audit log."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter
from fastapi.responses import StreamingResponse
from pydantic import Field

from polyclinic.core.live import Body
from polyclinic.errors import UnknownName, UserError
from polyclinic.runner.registry import clinics_with
from polyclinic.store.audit_log import AuditEntry
from polyclinic.store.staff import MOST_NAME, NAME
from polyclinic.web.access.allowed import TheRequester, acting_as
from polyclinic.web.desk.services import ChosenService
from polyclinic.web.desk.shown import LATEST, LOOK_S, DeskNow, DeskShown, desk_now, desk_shown
from polyclinic.web.streams import each_change, stream

router = APIRouter(prefix="/api/desk", tags=["desk"])


class Remarked(Body):
    """Who acts on a case, and why it is closed."""

    by: str = Field("desk", pattern=NAME, max_length=MOST_NAME)
    remark: str = Field("", max_length=2_000)


@router.get("", summary="The clinics that have live sessions")
async def desks() -> list[DeskShown]:
    return [desk_shown(name) for name in clinics_with("service")]


@router.get("/{clinic}", summary="What waits for staff")
async def now(service: ChosenService) -> DeskNow:
    return await desk_now(service)


@router.get("/{clinic}/events", summary="Follow the desk", response_class=StreamingResponse)
async def events(service: ChosenService) -> StreamingResponse:
    """The whole desk each time that something on it changes."""
    return stream(each_change("desk", partial(desk_now, service), LOOK_S))


@router.get("/{clinic}/audit", summary="Who did what, the latest first")
async def audit(service: ChosenService) -> list[AuditEntry]:
    entries = [entry async for entry in service.trail.log.every()]
    return entries[: -LATEST - 1 : -1]


@router.post("/{clinic}/cases/{case}/{verb}", summary="Acknowledge, take or close a case")
async def case(case: str, verb: str, body: Remarked, service: ChosenService, person: TheRequester) -> DeskNow:
    who = acting_as(person, body.by)
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
        raise UnknownName("action for a case", verb, ("acknowledge", "take", "close"))
    return await desk_now(service)
