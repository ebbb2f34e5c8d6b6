"""What an educator does with a class, over HTTP."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, Field

from polyclinic.core.live import Body
from polyclinic.errors import UnknownName
from polyclinic.web.access.allowed import may_choose, seen
from polyclinic.web.cases.folder import OWN, TheCases
from polyclinic.web.classes.classroom import ClassNow, Classroom, ClassShown, TheClassroom, body_of, shown
from polyclinic.web.classes.settings import ClassSettings, class_body
from polyclinic.web.classes.table import ClassTable, class_table, table_csv
from polyclinic.web.classes.xapi import Statement, send_statements, statements
from polyclinic.web.practise.follow import InFull, PageLanguage, feedback_of, in_full, session_events
from polyclinic.web.streams import After, LastEvent, stream

router = APIRouter(prefix="/api/classes", tags=["class"])


class HintGiven(Body):
    """A hint for one trainee, or with 0 for everybody who is in a session."""

    member: int = Field(0, ge=0)
    text: str = Field(min_length=1, max_length=1_000, pattern=r"\S")
    author: str = Field("", max_length=80)


class HintsGiven(BaseModel):
    """How many trainees got a hint."""

    told: int


class RecordStore(Body):
    """Where statements go. Name and password are used once and not kept."""

    url: str = Field(max_length=500)
    user: str = Field("", max_length=200)
    password: str = Field("", max_length=500)


class StatementsSent(BaseModel):
    """How many statements were sent to the record store."""

    sent: int


@router.post("", status_code=201, summary="Open a class")
async def start(body: ClassSettings, classroom: TheClassroom, cases: TheCases, request: Request) -> ClassShown:
    await may_choose(request, body.others, *(case.removeprefix(OWN) for case in body.cases))
    store = classroom.sessions.store
    made = await class_body(store, cases, body)
    return shown(await store.classes.open(made.model_dump_json()))


@router.get("", summary="The latest classes")
async def latest(classroom: TheClassroom, request: Request) -> list[ClassShown]:
    rows = await classroom.sessions.store.classes.all()
    mine = await seen(request, "class", (row.id for row in rows))
    return [shown(row) for row in rows if row.id in mine]


@router.get("/{id}", summary="A class with everybody in it")
async def one(id: str, classroom: TheClassroom) -> ClassNow:
    return await classroom.now(id)


@router.get("/{id}/events", summary="Follow a class", response_class=StreamingResponse)
async def events(id: str, classroom: TheClassroom) -> StreamingResponse:
    """The whole class each time that something in it changes."""
    await classroom.sessions.store.classes.get(id)
    return stream(classroom.changes(id))


@router.post("/{id}/hints", summary="Send a hint")
async def hint(id: str, body: HintGiven, classroom: TheClassroom) -> HintsGiven:
    return HintsGiven(told=len(await classroom.hint(id, body.member, body.text.strip(), body.author.strip())))


@router.post("/{id}/members/{number}/readmit", summary="Let a trainee join again who lost their browser")
async def readmit(id: str, number: int, classroom: TheClassroom) -> ClassNow:
    await classroom.sessions.store.classes.readmit(id, number)
    return await classroom.now(id)


@router.post("/{id}/end", summary="End the class")
async def end(id: str, classroom: TheClassroom) -> ClassNow:
    await classroom.end(id)
    return await classroom.now(id)


@router.get("/{id}/sessions/{run}", summary="Look at a trainee's session")
async def watched(id: str, run: str, classroom: TheClassroom) -> InFull:
    await _must_be_in(classroom, id, run)
    return await in_full(classroom.sessions, run)


@router.get("/{id}/sessions/{run}/events", summary="Watch a trainee's session", response_class=StreamingResponse)
async def watching(
    id: str, run: str, classroom: TheClassroom, after: After = 0, last_event_id: LastEvent = None
) -> StreamingResponse:
    await _must_be_in(classroom, id, run)
    begin = last_event_id if last_event_id is not None else after
    return stream(await session_events(classroom.sessions, run, begin, watching=True))


@router.get("/{id}/sessions/{run}/feedback", summary="A trainee's feedback")
async def feedback(id: str, run: str, classroom: TheClassroom, language: PageLanguage = "en") -> JSONResponse:
    await _must_be_in(classroom, id, run)
    return JSONResponse(await feedback_of(classroom.sessions, run, language))


@router.get("/{id}/table", summary="Each trainee's feedback")
async def table(id: str, classroom: TheClassroom) -> ClassTable:
    return await class_table(classroom, id)


@router.get("/{id}/table.csv", summary="The table for a spreadsheet")
async def spreadsheet(id: str, classroom: TheClassroom) -> Response:
    found = await class_table(classroom, id)
    return Response(table_csv(found), media_type="text/csv; charset=utf-8", headers=_file(found, "csv"))


@router.get("/{id}/xapi.json", summary="The class as xAPI statements")
async def xapi(id: str, classroom: TheClassroom, request: Request) -> JSONResponse:
    found = await class_table(classroom, id)
    return JSONResponse(await _statements(classroom, found, request), headers=_file(found, "json"))


@router.post("/{id}/xapi", summary="Send the statements to a learning record store")
async def to_record_store(id: str, body: RecordStore, classroom: TheClassroom, request: Request) -> StatementsSent:
    found = await _statements(classroom, await class_table(classroom, id), request)
    return StatementsSent(sent=await send_statements(body.url, body.user, body.password, found))


async def _must_be_in(classroom: Classroom, id: str, run: str) -> None:
    found = await classroom.sessions.store.classes.session(run)
    if found is None or found.class_id != id:
        raise UnknownName("session", run)


async def _statements(classroom: Classroom, found: ClassTable, request: Request) -> list[Statement]:
    settings = body_of(await classroom.sessions.store.classes.get(found.now.about.id)).settings
    return statements(found, settings.language, str(request.base_url).rstrip("/"))


def _file(found: ClassTable, ending: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="class-{found.now.about.code}.{ending}"'}
