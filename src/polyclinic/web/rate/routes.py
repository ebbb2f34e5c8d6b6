"""What the leader of a rating does, over HTTP: open a packet, see the progress, end it, read the agreement."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from polyclinic.eval.sections import sections_to_plain
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.reports import rubric_names
from polyclinic.store.packets import PacketRow, RaterAnswer
from polyclinic.web.access.allowed import must, seen
from polyclinic.web.rate.packets import (
    BACKWARD,
    FORWARD,
    PacketBody,
    PacketSettings,
    RaterProgress,
    RatingGiven,
    TheRoom,
    body_of,
)

router = APIRouter(prefix="/api/packets", tags=["rate"])


class PacketShown(BaseModel):
    """A packet in a list."""

    id: str
    code: str
    title: str
    run: str
    clinic: str
    clinic_title: str
    items: int
    pairs: int
    questions: int
    created_ms: int
    ended_ms: int


class PacketNow(BaseModel):
    """A packet with everybody who rates it."""

    about: PacketShown
    raters: list[RaterProgress]


class Rubrics(BaseModel):
    """The rubrics that can be used to rate a run's episodes."""

    names: list[str]


@router.post("", status_code=201, summary="Open a packet")
async def start(body: PacketSettings, room: TheRoom, request: Request) -> PacketShown:
    await must(request, "run", "see", body.run)
    return _shown(await room.open(body))


@router.get("", summary="The latest packets")
async def latest(room: TheRoom, request: Request) -> list[PacketShown]:
    rows = await room.store.packets.all()
    mine = await seen(request, "packet", (row.id for row in rows))
    return [_shown(row) for row in rows if row.id in mine]


@router.get("/rubrics/{run}", summary="The rubrics of a run's clinic")
async def rubrics(run: str, room: TheRoom) -> Rubrics:
    return Rubrics(names=rubric_names((await room.store.runs.get(run)).clinic))


@router.get("/{id}", summary="A packet and how far each rater is")
async def one(id: str, room: TheRoom) -> PacketNow:
    row = await room.store.packets.get(id)
    return PacketNow(about=_shown(row), raters=await room.progress(row))


@router.post("/{id}/end", summary="End the rating")
async def end(id: str, room: TheRoom) -> PacketNow:
    await room.store.packets.end(id)
    return await one(id, room)


@router.get("/{id}/agreement", summary="How far people agree with each other, and the judge with people")
async def agreement(id: str, room: TheRoom) -> JSONResponse:
    row = await room.store.packets.get(id)
    body, answers = body_of(row), await room.store.packets.answers(id)
    return JSONResponse(
        {
            "sections": sections_to_plain(await room.agreement(row)),
            "evidence": [found for answer in answers for found in _evidence(body, answer)],
        }
    )


def _evidence(body: PacketBody, answer: RaterAnswer) -> list[dict[str, object]]:
    """The words that a rater marked, with their episode. The rating is no longer blind here."""
    if answer.question in (FORWARD, BACKWARD):
        return []
    given = RatingGiven.model_validate_json(answer.body)
    return [
        {
            "item": answer.item,
            "episode": body.key.items[answer.item],
            "rater": answer.rater,
            "question": answer.question,
            "value": given.value,
            "words": one.words,
        }
        for one in given.evidence
    ]


def _shown(row: PacketRow) -> PacketShown:
    body = body_of(row)
    return PacketShown(
        id=row.id,
        code=row.code,
        title=body.title,
        run=row.run,
        clinic=body.key.clinic,
        clinic_title=load_clinic(body.key.clinic).title,
        items=len(body.key.items),
        pairs=len(body.pairs),
        questions=len(body.key.questions),
        created_ms=row.created_ms,
        ended_ms=row.ended_ms,
    )
