"""The HTTP application: sessions and the queue, behind tokens and limits, described by OpenAPI."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from polyclinic.errors import UnknownName, UserError
from polyclinic.runner.plan.config import RunConfig
from polyclinic.runner.registry import load_clinic
from polyclinic.store.store import open_store
from polyclinic.web.sessions.access import AccessControl
from polyclinic.web.sessions.limits import ServiceLimits, SizeLimit
from polyclinic.web.sessions.queue import queue_routes
from polyclinic.web.sessions.routes import session_routes
from polyclinic.web.sessions.service import Broken, NotNow, open_service, service_room

ABOUT = """{summary}

Live sessions of the clinic {name}: a research and training tool that is not for clinical use.

The service token (`Authorization: Bearer …`) opens everything; a session's own token opens that session as
its visitor."""


def create_app(config: RunConfig, token: str, limits: ServiceLimits | None = None) -> FastAPI:
    """The application. The store is opened and open sessions are resumed when it starts."""
    bounds = limits or ServiceLimits()
    clinic = load_clinic(config.clinic)
    room = service_room(clinic)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_store(config.store) as store, open_service(store, config, bounds) as service:
            app.state.service = service
            yield

    app = FastAPI(
        title=f"Polyclinic {clinic.name}",
        version="1",
        description=ABOUT.format(summary=clinic.summary, name=clinic.name),
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.access = AccessControl(token or secrets.token_urlsafe(24), bounds)
    app.include_router(session_routes(room))
    app.include_router(queue_routes(room))
    app.add_middleware(SizeLimit, body_bytes=bounds.body_bytes)
    _handle_errors(app)

    @app.middleware("http")
    async def private(request: Request, follow: Callable[[Request], Awaitable[Response]]) -> Response:
        response = await follow(request)
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response

    @app.get("/health", summary="Whether the service is up", tags=["service"])
    async def health() -> Response:
        """Needs no token. 503 when something broke lately or the store takes no write."""
        up = await app.state.service.healthy()
        return JSONResponse({"status": "up" if up else "not up"}, 200 if up else 503)

    return app


def _handle_errors(app: FastAPI) -> None:
    async def missing(request: Request, error: Exception) -> Response:
        return JSONResponse({"detail": "not found"}, 404)

    async def not_now(request: Request, error: Exception) -> Response:
        return JSONResponse({"detail": str(error)}, 409)

    async def unfit(request: Request, error: Exception) -> Response:
        """What does not fit, by field; never the words themselves, which may be private or unprintable."""
        faults = error.errors()[:5] if isinstance(error, RequestValidationError) else []
        lines = [f"{'.'.join(map(str, fault['loc'][1:])) or 'body'}: {fault['msg']}" for fault in faults]
        return JSONResponse({"detail": "; ".join(lines).encode("utf-8", "replace").decode()}, 422)

    async def broken(request: Request, error: Exception) -> Response:
        """The safe words, for the client to show, whatever it was that failed."""
        said = [heard.model_dump() for heard in error.said] if isinstance(error, Broken) else []
        return JSONResponse({"detail": str(error), "said": said}, 503)

    app.add_exception_handler(Broken, broken)
    app.add_exception_handler(RequestValidationError, unfit)
    app.add_exception_handler(UnknownName, missing)
    app.add_exception_handler(NotNow, not_now)
    app.add_exception_handler(UserError, not_now)
