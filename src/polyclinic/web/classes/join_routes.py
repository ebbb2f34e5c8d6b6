"""What a trainee does in a class, over HTTP: join by code and name, see the cases, begin one."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from polyclinic.core.live import Body
from polyclinic.errors import UnknownName, UserError
from polyclinic.store.class_rows import ClassRow, Member
from polyclinic.store.staff import token_digest
from polyclinic.web.classes.classroom import Classroom, TheClassroom, body_of
from polyclinic.web.classes.joining import Joined, Joining, Trainee, by_its_code, remember, token_for
from polyclinic.web.posts import QueueKey
from polyclinic.web.practise.start import Begun

router = APIRouter(prefix="/api/join", tags=["class"])


class MyCase(BaseModel):
    """One case of the class, as a trainee sees it."""

    place: int
    introduction: str
    state: Literal["new", "open", "done", "failed"]
    run: str = ""


class MyClass(BaseModel):
    """A class as a trainee sees it."""

    id: str
    title: str
    clinic_title: str
    part: str
    minutes: int
    educator: str
    name: str
    ended: bool
    cases: list[MyCase]


class Beginning(Body):
    """Which case to begin or go on with."""

    place: int = Field(ge=0, lt=1_000)


@router.post("", summary="Join a class")
async def join(
    body: Joining, classroom: TheClassroom, request: Request, response: Response, key: QueueKey = ""
) -> Joined:
    """A browser that joins again gets its own place back."""
    classes = classroom.sessions.store.classes
    row = await by_its_code(request, body.code, classes.by_code)
    token = token_for(request, key)
    if row.ended_ms and await _find(classroom, row.id, token_digest(token)) is None:
        raise UserError("the class has ended")
    await classes.join(row.id, body.name, token_digest(token))
    remember(request, response, token)
    return Joined(id=row.id)


@router.get("/{id}", summary="My class")
async def mine(id: str, classroom: TheClassroom, digest: Trainee) -> MyClass:
    row, member = await _mine(classroom, id, digest)
    classes, body = classroom.sessions.store.classes, body_of(row)
    runs = {one.place: one.run for one in await classes.sessions(id) if one.member == member.number}
    progress = await classes.progress(id)
    return MyClass(
        id=id,
        title=body.settings.title,
        clinic_title=body.clinic_title,
        part=body.settings.part,
        minutes=body.settings.minutes,
        educator=body.settings.educator,
        name=member.name,
        ended=bool(row.ended_ms),
        cases=[
            MyCase(
                place=place,
                introduction=case.introduction,
                state=_state(progress.get(runs[place], ("", 0))[0]) if place in runs else "new",
                run=runs.get(place, ""),
            )
            for place, case in enumerate(body.cases)
        ],
    )


@router.post("/{id}/begin", summary="Begin a case, or go on with it")
async def begin(id: str, body: Beginning, classroom: TheClassroom, digest: Trainee) -> Begun:
    """A trainee has one session in each case, so beginning it again leads to the same one."""
    row, member = await _mine(classroom, id, digest)
    return Begun(id=await classroom.begin(row, member, body.place))


async def _mine(classroom: Classroom, id: str, digest: str) -> tuple[ClassRow, Member]:
    row = await classroom.sessions.store.classes.get(id)
    found = await _find(classroom, id, digest)
    if found is None:
        raise UnknownName("class", id)
    return row, found


async def _find(classroom: Classroom, id: str, digest: str) -> Member | None:
    members = await classroom.sessions.store.classes.members(id)
    return next((one for one in members if digest and one.digest == digest), None)


def _state(status: str) -> Literal["open", "done", "failed"]:
    return "done" if status == "done" else "failed" if status == "failed" else "open"
