"""The browser's application: pages, and the API behind them, over one store.

`make frontend` built the pages. Every address that is neither a file nor the API gets the same HTML file.
"""

from __future__ import annotations

import asyncio
import errno
import mimetypes
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import cache, lru_cache
from pathlib import Path

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import JSONResponse, Response

from polyclinic import __version__
from polyclinic.core.files import package_file
from polyclinic.core.turns import cancel_all
from polyclinic.errors import PolyclinicError, StoreError, UnknownName, UserError
from polyclinic.runner.registry import load_clinic
from polyclinic.serving.hosts import KnownHosts
from polyclinic.serving.metrics import Metrics
from polyclinic.store.store import folder_of, open_store
from polyclinic.web.access import routes as access
from polyclinic.web.access.allowed import checked
from polyclinic.web.boards import routes as boards
from polyclinic.web.cases import routes as cases_place
from polyclinic.web.cases.folder import CaseFolder
from polyclinic.web.catalogue import CaseShown, ClinicInFull, ClinicShown, all_clinics, cases_to_play, clinic_in_full
from polyclinic.web.classes import join_routes
from polyclinic.web.classes import routes as classes
from polyclinic.web.desk import routes as desk
from polyclinic.web.desk import session_routes as desk_sessions
from polyclinic.web.desk.services import Desks
from polyclinic.web.entry import PER_MINUTE, EntryGate
from polyclinic.web.fixed_words import korean_words
from polyclinic.web.libraries import routes as libraries
from polyclinic.web.posts import PostsMiddleware
from polyclinic.web.practise import routes as practise
from polyclinic.web.practise.sessions import Sessions
from polyclinic.web.rate import rater_routes
from polyclinic.web.rate import routes as rate
from polyclinic.web.runs import compare_routes, episode_routes
from polyclinic.web.runs import routes as run_routes
from polyclinic.web.runs.pages import RunPages
from polyclinic.web.sessions.errors import unfit
from polyclinic.web.sessions.gate import BodyGate
from polyclinic.web.sessions.limits import Rates
from polyclinic.web.sessions.logins import Logins, Passwords
from polyclinic.web.sessions.trail import Trail

FOLDER = "static"
_FOREVER = "public, max-age=31536000, immutable"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".webmanifest": "application/json"}


@lru_cache(maxsize=128)
def built_file(path: str) -> bytes | None:
    """A built file by its path in the folder; None if there is none."""
    parts = path.split("/")
    if any(part in ("", ".", "..") or "\\" in part for part in parts):
        return None
    found = package_file("polyclinic.web", f"{FOLDER}/{path}")
    return found.read_bytes() if found.is_file() else None


def serve_pages(app: FastAPI) -> None:
    """Add the route that answers every address that no other route handles."""

    @app.get("/{path:path}", include_in_schema=False)
    async def page(path: str, request: Request) -> Response:
        if path.startswith("api/"):
            return Response('{"detail":"not found"}', 404, media_type="application/json")
        found = built_file(path) if "." in path.rpartition("/")[2] else None
        if found is None:
            whole = built_file("index.html")
            return Response(whole or b"the pages are not built: make frontend", media_type="text/html")
        ending = "." + path.rpartition(".")[2]
        kind = _TYPES.get(ending) or mimetypes.guess_type(path)[0] or "application/octet-stream"
        kept = {"Cache-Control": _FOREVER} if path.startswith("assets/") else {}
        return Response(found, media_type=kind, headers=kept)


BODY_BYTES, BODY_S, LOGINS_PER_MINUTE = 262_144, 20.0, 12.0
ABOUT = """What the browser uses, for notebooks and scripts too: send the start-up token as `Authorization: Bearer …`.

A research and training tool, never a medical device and not for clinical use."""


PLACES = (
    access,
    practise,
    run_routes,
    episode_routes,
    compare_routes,
    desk,
    desk_sessions,
    classes,
    join_routes,
    rate,
    rater_routes,
    cases_place,
    libraries,
    boards,
)


def create_web(
    store: str, token: str, *, accounts: bool = False, hosts: Iterable[str] = (), cases: Path | None = None
) -> FastAPI:
    """The application. The store is opened when it starts.

    With `accounts` people log in; without accounts, the token opens everything. The folder of people's own cases is
    beside the store, unless another one is given.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_store(store) as found:
            app.state.store = found
            app.state.logins = Logins(
                found.staff, Trail(found.audit_log, store), Rates(PER_MINUTE, LOGINS_PER_MINUTE), Passwords()
            )
            app.state.sessions = sessions = Sessions(found, rehearses=accounts)
            app.state.runs = runs = RunPages(found)
            app.state.desks = desks = Desks(found, sessions.ready)
            app.state.cases = CaseFolder(cases or folder_of(store) / "cases")
            work = [
                asyncio.create_task(sessions.watch()),
                asyncio.create_task(desks.restore()),
                asyncio.create_task(asyncio.to_thread(all_clinics)),  # so that the first page need not wait
            ]
            try:
                yield
            finally:
                await cancel_all(work)
                await desks.close()
                await runs.jobs.close()
                await runs.indexes.close()
                await sessions.close()

    app = FastAPI(
        title="Polyclinic",
        version=__version__,
        description=ABOUT,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        dependencies=[Depends(checked)],
    )
    _catalogue(app)
    app.router.routes.extend(_places().routes)
    serve_pages(app)
    _errors(app)
    app.add_middleware(PostsMiddleware)
    app.add_middleware(BodyGate, body_bytes=BODY_BYTES, body_s=BODY_S)
    app.add_middleware(GZipMiddleware, minimum_size=1_000, compresslevel=6)
    app.add_middleware(EntryGate, token=token, accounts=accounts)
    app.add_middleware(Metrics, service="web", token=token)
    app.add_middleware(KnownHosts, hosts=hosts)
    return app


@cache
def _places() -> APIRouter:
    """The routes of all places, each behind the check of who may use it.

    FastAPI takes half a second to work them out, so all applications of a process share them.
    """
    router = APIRouter(dependencies=[Depends(checked)])
    for place in PLACES:
        router.include_router(place.router)
    return router


def _catalogue(app: FastAPI) -> None:
    @app.get("/api/clinics", tags=["clinics"], summary="All clinics")
    async def clinics() -> list[ClinicShown]:
        return await asyncio.to_thread(all_clinics)

    @app.get("/api/words/ko", tags=["clinics"], summary="Korean for the fixed English texts of clinics")
    async def korean() -> dict[str, str]:
        return await asyncio.to_thread(korean_words)

    @app.get("/api/clinics/{name}", tags=["clinics"], summary="One clinic")
    async def clinic(name: str) -> ClinicInFull:
        return clinic_in_full(name)

    @app.get("/api/clinics/{name}/cases", tags=["clinics"], summary="The cases that have a part")
    async def cases(name: str, part: str, request: Request, language: str = "en", seed: int = 0) -> list[CaseShown]:
        clinic = load_clinic(name)
        request.app.state.sessions.ready.prepare(clinic.name)
        return cases_to_play(clinic, part, language, seed, cases_place.own_to_play(request.app.state.cases, clinic))


def _errors(app: FastAPI) -> None:
    """Answer every error with one line of JSON. A user's mistake says what is wrong; other errors show no details."""

    def answer(status: int) -> object:
        async def told(request: Request, error: Exception) -> Response:
            return JSONResponse({"detail": str(error)}, status)

        return told

    for kind, status in ((UnknownName, 404), (UserError, 409), (StoreError, 503), (PolyclinicError, 500)):
        app.add_exception_handler(kind, answer(status))  # type: ignore[arg-type]
    app.add_exception_handler(RequestValidationError, unfit)
    app.add_exception_handler(OSError, _too_long)


async def _too_long(request: Request, error: Exception) -> Response:
    """Answer for a name that is too long. A case's name may be a file name, and file systems limit its length."""
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return JSONResponse({"detail": "this name is too long"}, 409)
    raise error
