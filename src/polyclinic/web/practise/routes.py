"""Practise over HTTP."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from typing import Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from polyclinic.errors import UnknownName
from polyclinic.eval.sections import sections_to_plain
from polyclinic.runner.plan.config import RunConfig, make_config
from polyclinic.runner.plan.run_plan import MINUTES, WHO
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import people_in
from polyclinic.web.access.allowed import may_choose, seen
from polyclinic.web.cases.folder import OWN, TheCases
from polyclinic.web.catalogue import case_selector, seat_of
from polyclinic.web.once import Key, TheOnce
from polyclinic.web.practise.about import About, TheSessions, about
from polyclinic.web.practise.session import Session
from polyclinic.web.practise.sessions import Sessions
from polyclinic.web.practise.view import Line, Situation
from polyclinic.web.streams import ALIVE, After, LastEvent, event, stream

LATEST = 50
router = APIRouter(prefix="/api/practise", tags=["practise"])


class StartPractise(BaseModel):
    """What to play: who one is, in which case, and who plays the others."""

    model_config = ConfigDict(extra="forbid")

    clinic: str = Field(max_length=100)
    part: str = Field(max_length=100)
    case: str = Field("", max_length=200)
    way: str = Field("", max_length=100)
    seed: int = Field(0, ge=0, lt=2**63)
    others: str = Field("all=understudy", max_length=1_000, description="a cast, as for --cast")
    who: str = Field("", max_length=80)
    minutes: int = Field(0, ge=0, le=600, description="how long the station lasts; 0: no limit")
    language: Literal["en", "ko"] = "en"


class Begun(BaseModel):
    """Where a new session is."""

    id: str


class InFull(BaseModel):
    """A session as a page loads it; the stream goes on from `standing.seen`."""

    about: About
    lines: list[Line]
    standing: Situation


class Given(BaseModel):
    """An answer: words, the fields of the form, or a tool with its arguments."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(max_length=100)
    text: str = Field("", max_length=8_000)
    values: dict[str, Any] | None = None
    tool: str = Field("", max_length=100)


class Taken(BaseModel):
    """Whether an answer was taken; if not, `wrong` says why."""

    wrong: str = ""


@router.post("", status_code=201, summary="Start a session")
async def start(
    body: StartPractise,
    sessions: TheSessions,
    request: Request,
    once: TheOnce,
    cases: TheCases,
    key: Key = "",
) -> Begun:
    await may_choose(request, body.others, body.case.removeprefix(OWN))

    async def work() -> Begun:
        case = cases.selector(load_clinic(body.clinic), body.case)
        return Begun(id=await sessions.start(_config(body.model_copy(update={"case": case}), sessions.store.url)))

    return await once.do(key, Begun, work)


@router.get("", summary="The latest sessions")
async def latest(sessions: TheSessions, request: Request) -> list[About]:
    rows = [row for row in await sessions.store.runs.all() if people_in(row)]
    mine = await seen(request, "practise", (row.id for row in rows))
    rows = [row for row in rows if row.id in mine][:LATEST]
    return [await about(sessions, row) for row in rows]


@router.get("/{run}", summary="A session")
async def one(run: str, sessions: TheSessions) -> InFull:
    row, _ = await sessions.row(run)
    session = await sessions.find(run)
    if session is not None:
        await session.settled()
        return InFull(about=await about(sessions, row), lines=session.lines, standing=session.standing)
    ended = await sessions.ended(run)
    standing = Situation(state="ended", seen=len(ended.lines))
    return InFull(about=await about(sessions, row), lines=ended.lines, standing=standing)


@router.get("/{run}/events", summary="Follow a session", response_class=StreamingResponse)
async def events(
    run: str, sessions: TheSessions, after: After = 0, last_event_id: LastEvent = None
) -> StreamingResponse:
    """One event for each line, with its number as id, and one whenever something is asked of the person."""
    session = await sessions.find(run)
    begin = last_event_id if last_event_id is not None else after
    return stream(_events(session, begin) if session is not None else _over(sessions, run, begin))


@router.post("/{run}/answer", summary="Answer what is asked")
async def answer(run: str, body: Given, sessions: TheSessions) -> Taken:
    """The question's key makes it safe to send an answer again: one that was answered is not answered twice."""
    session = await sessions.find(run)
    if session is None:
        return Taken()
    await session.settled()
    return Taken(wrong=await session.answer(body.question, body.text, body.values, body.tool))


@router.get("/{run}/feedback", summary="What went well, what did not, and what to try next")
async def feedback(run: str, sessions: TheSessions) -> JSONResponse:
    row, seat = await sessions.row(run)
    ended = await sessions.ended(run)
    about = {m.name: m.about for judge in load_clinic(row.clinic).judges() for m in judge.metrics}
    return JSONResponse(
        {
            "outcome": ended.outcome,
            "part": seat,
            "sections": sections_to_plain(ended.sections),
            "figures": [
                {"name": name, "value": value, "about": about.get(name, "")} for name, value in ended.figures.items()
            ],
            "elapsed_ms": ended.elapsed_ms,
            "lines": [line.model_dump() for line in ended.lines],
        }
    )


@router.post("/{run}/again", status_code=201, summary="Try the same again")
async def again(run: str, sessions: TheSessions, once: TheOnce, key: Key = "") -> Begun:
    async def work() -> Begun:
        row, _ = await sessions.row(run)
        return Begun(id=await sessions.start(make_config(row.config)))

    return await once.do(key, Begun, work)


@router.get("/{run}/pictures/{id}", summary="A picture")
async def picture(run: str, id: str, sessions: TheSessions) -> Response:
    session = await sessions.find(run)
    if session is None or id not in session.pictures:
        raise UnknownName("picture", id, ())
    image = session.pictures[id]
    kept = {"Cache-Control": "private, max-age=86400"}
    return Response(base64.b64decode(image.data), media_type=image.media_type, headers=kept)


def _config(body: StartPractise, store: str) -> RunConfig:
    clinic = load_clinic(body.clinic)
    seat = seat_of(clinic, body.part)
    options = {WHO: body.who.strip(), MINUTES: str(body.minutes) if body.minutes else ""}
    return make_config(
        {
            "clinic": clinic.name,
            "variants": (body.way or clinic.first_variant,),
            "scenarios": case_selector(clinic, body.part, body.language, body.case),
            "seed": body.seed,
            "cast": f"{seat}=human,{body.others or 'all=understudy'}",
            "options": {name: value for name, value in options.items() if value},
            "concurrency": 1,
            "store": store,
        }
    )


async def _events(session: Session, after: int) -> AsyncIterator[str]:
    async for found in session.follow(after):
        if found is None:
            yield ALIVE
        elif isinstance(found, Line):
            yield event("line", found, found.number)
        else:
            yield event("standing", found)


async def _over(sessions: Sessions, run: str, after: int) -> AsyncIterator[str]:
    lines = (await sessions.ended(run)).lines
    for line in lines[after:]:
        yield event("line", line, line.number)
    yield event("standing", Situation(state="ended", seen=len(lines)))
