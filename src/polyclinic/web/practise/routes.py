"""Practise over HTTP."""

from __future__ import annotations

import base64
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, Field

from polyclinic.core.live import Body
from polyclinic.errors import UnknownName
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import people_in
from polyclinic.web.access.allowed import may_choose, seen
from polyclinic.web.cases.folder import OWN, TheCases
from polyclinic.web.practise.follow import (
    About,
    InFull,
    PageLanguage,
    TheSessions,
    about,
    feedback_of,
    in_full,
    session_events,
)
from polyclinic.web.practise.start import Begun, StartPractise, practise_config
from polyclinic.web.streams import After, LastEvent, stream

LATEST = 50
router = APIRouter(prefix="/api/practise", tags=["practise"])


class Given(Body):
    """An answer: words, the fields of the form, or a tool with its arguments."""

    question: str = Field(max_length=100)
    text: str = Field("", max_length=8_000)
    values: dict[str, Any] | None = None
    tool: str = Field("", max_length=100)


class Taken(BaseModel):
    """Whether an answer was accepted; if not, `wrong` says why."""

    wrong: str = ""


@router.post("", status_code=201, summary="Start a session")
async def start(
    body: StartPractise,
    sessions: TheSessions,
    request: Request,
    cases: TheCases,
) -> Begun:
    await may_choose(request, body.others, body.case.removeprefix(OWN))
    await sessions.ready.wait(body.clinic)
    case = cases.selector(load_clinic(body.clinic), body.case)
    config = practise_config(body.model_copy(update={"case": case}), sessions.store.url)
    return Begun(id=await sessions.start(config, case))


@router.get("", summary="The latest sessions")
async def latest(sessions: TheSessions, request: Request) -> list[About]:
    rows = [row for row in await sessions.store.runs.all() if people_in(row)]
    mine = await seen(request, "practise", (row.id for row in rows))
    rows = [row for row in rows if row.id in mine][:LATEST]
    return [await about(sessions, row) for row in rows]


@router.get("/{run}", summary="A session")
async def one(run: str, sessions: TheSessions) -> InFull:
    return await in_full(sessions, run)


@router.get("/{run}/events", summary="Follow a session", response_class=StreamingResponse)
async def events(
    run: str, sessions: TheSessions, after: After = 0, last_event_id: LastEvent = None
) -> StreamingResponse:
    """One event for each line, with its number as id, and one whenever the person is asked something."""
    begin = last_event_id if last_event_id is not None else after
    return stream(await session_events(sessions, run, begin))


@router.post("/{run}/answer", summary="Answer what is asked")
async def answer(run: str, body: Given, sessions: TheSessions) -> Taken:
    """The question's key makes it safe to send an answer again: a question is not answered twice."""
    session = await sessions.find(run)
    if session is None:
        return Taken()
    await session.settled()
    return Taken(wrong=await session.answer(body.question, body.text, body.values, body.tool))


@router.get("/{run}/feedback", summary="What went well, what did not, and what to try next")
async def feedback(run: str, sessions: TheSessions, language: PageLanguage = "en") -> JSONResponse:
    return JSONResponse(await feedback_of(sessions, run, language))


@router.post("/{run}/again", status_code=201, summary="Try the same again")
async def again(run: str, sessions: TheSessions) -> Begun:
    row, _ = await sessions.row(run)
    case = (await sessions.store.runs.episodes(row.id))[0].spec.scenario
    return Begun(id=await sessions.start(make_config(row.config), case))


@router.get("/{run}/pictures/{id}", summary="A picture")
async def picture(run: str, id: str, sessions: TheSessions) -> Response:
    session = await sessions.find(run)
    if session is None or id not in session.pictures:
        raise UnknownName("picture", id)
    image = session.pictures[id]
    kept = {"Cache-Control": "private, max-age=86400"}
    return Response(base64.b64decode(image.data), media_type=image.media_type, headers=kept)
