"""The HTTP application: sessions and the queue, behind tokens and limits, described by OpenAPI."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache

from fastapi import APIRouter, FastAPI, Response
from fastapi.responses import HTMLResponse, JSONResponse

from polyclinic.core.files import package_text
from polyclinic.core.live import LiveService
from polyclinic.runner.plan.config import RunConfig
from polyclinic.runner.registry import load_clinic
from polyclinic.serving.metrics import Metrics
from polyclinic.store.store import open_store
from polyclinic.web.sessions.access import AccessControl
from polyclinic.web.sessions.docs_page import docs_page
from polyclinic.web.sessions.errors import Outermost, handle_errors, refuse_body
from polyclinic.web.sessions.gate import BodyGate
from polyclinic.web.sessions.limits import ServiceLimits
from polyclinic.web.sessions.opening import open_service
from polyclinic.web.sessions.queue import queue_routes
from polyclinic.web.sessions.rooms import service_room
from polyclinic.web.sessions.routes import session_routes
from polyclinic.web.sessions.staff import audit_routes, staff_routes

ABOUT = """{summary}

Live sessions of the clinic {name}: a research and training tool, never a medical device and not for clinical use.

The service token (`Authorization: Bearer …`) starts sessions; a session's own token opens that session as its
visitor; staff log in by name and get a token that ends."""


def create_app(config: RunConfig, token: str, limits: ServiceLimits | None = None) -> FastAPI:
    """The application. The store is opened and open sessions are resumed when it starts."""
    bounds = limits or ServiceLimits()
    clinic = load_clinic(config.clinic)
    room = service_room(clinic)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with (
            open_store(config.store, lock_wait_s=bounds.lock_wait_s, longest_s=2 * bounds.lock_wait_s) as store,
            open_service(store, config, bounds) as service,
        ):
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
    token = token or secrets.token_urlsafe(24)
    app.state.access = AccessControl(token, bounds)
    app.router.routes.extend(_routes(room).routes)
    handle_errors(app)

    app.add_middleware(BodyGate, body_bytes=bounds.body_bytes, body_s=bounds.body_s, refuse=refuse_body)
    app.add_middleware(Metrics, service=clinic.name, token=token)
    app.add_middleware(Outermost)

    @app.get("/health", summary="Whether the service is up", tags=["service"])
    async def health() -> Response:
        """Needs no token. 503 when something failed recently or the store cannot be written to."""
        up = await app.state.service.healthy()
        return JSONResponse({"status": "up" if up else "not up"}, 200 if up else 503)

    @app.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        """The API description as a page that loads nothing from other hosts."""
        return HTMLResponse(docs_page(app.openapi()))

    @app.get("/staff", include_in_schema=False)
    async def staff_page() -> HTMLResponse:
        """The page where staff log in, get alerts and work through the queue."""
        return HTMLResponse(package_text("polyclinic.web.sessions", "staff.html"))

    return app


@cache
def _routes(room: LiveService) -> APIRouter:
    """All routes of a clinic's service.

    FastAPI takes half a second to work them out, so all applications of a process share them.
    """
    router = APIRouter()
    for part in (session_routes(room), queue_routes(room), staff_routes(), audit_routes()):
        router.include_router(part)
    return router
