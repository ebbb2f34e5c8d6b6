"""The ASGI application: addresses to handlers, and every error as an OperationOutcome."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from polyclinic.core.database import Transaction
from polyclinic.core.records import RecordsError
from polyclinic.fhir.notifications import Notifier
from polyclinic.fhir.parameters import resource_types
from polyclinic.fhir.server import outcomes
from polyclinic.fhir.server.appointments import Appointments
from polyclinic.fhir.server.batches import Batches
from polyclinic.fhir.server.capability import capability_statement, index_page
from polyclinic.fhir.server.exchange import base_url, require_json, respond
from polyclinic.fhir.server.exports import Exports
from polyclinic.fhir.server.interactions import Interactions
from polyclinic.fhir.server.openapi import openapi
from polyclinic.fhir.server.operations import Operations
from polyclinic.fhir.server.searches import Searches
from polyclinic.fhir.server.subscriptions import Subscriptions
from polyclinic.fhir.store import FhirStore
from polyclinic.serving.hosts import KnownHosts
from polyclinic.serving.metrics import Metrics

_CORS: dict[str, Any] = {
    "allow_methods": ("GET", "POST", "PUT", "PATCH", "DELETE"),
    "allow_headers": (
        "Accept",
        "Authorization",
        "Content-Type",
        "If-Match",
        "If-None-Exist",
        "If-None-Match",
        "Prefer",
    ),
    "expose_headers": ("Content-Location", "ETag", "Last-Modified", "Location", "Retry-After", "X-Progress"),
}
_log = logging.getLogger("polyclinic.fhir")


def fhir_app(
    store: FhirStore, hosts: Iterable[str] = (), origins: Iterable[str] = (), notifier: Notifier | None = None
) -> Starlette:
    """A FHIR R5 server over a store. It has no users of its own: put it behind what guards it, or on loopback.

    It answers under numbers, `localhost` and these hosts' names alone: see `KnownHosts`. Web pages of these origins may
    use it from a browser. `notifier` serves subscriptions.
    """
    one, many, batches, named = Interactions(store), Searches(store), Batches(store), Operations(store)
    visits, exports, told = Appointments(store), Exports(store), Subscriptions(store, notifier)
    pages = _Pages(store, many)
    routes = [
        Route("/", pages.index, methods=["GET"]),
        Route("/_search", many.post_everywhere, methods=["POST"]),
        Route("/", batches.post, methods=["POST"]),
        Route("/metadata", pages.metadata, methods=["GET"]),
        Route("/openapi.json", pages.openapi, methods=["GET"]),
        Route("/$export", exports.system, methods=["GET"]),
        Route("/Patient/$export", exports.patients, methods=["GET"]),
        Route("/$export-status/{job}", exports.status, methods=["GET"]),
        Route("/$export-status/{job}", exports.delete, methods=["DELETE"]),
        Route("/$export-file/{job}/{name}", exports.file, methods=["GET"]),
        Route("/_history", many.history, methods=["GET"]),
        Route("/Slot/$hold", named.hold, methods=["POST"]),
        Route("/Slot/{id}/$hold", named.hold, methods=["POST"]),
        Route("/Appointment/$find", visits.find, methods=["GET", "POST"]),
        Route("/Appointment/$hold", visits.hold, methods=["POST"]),
        Route("/Appointment/{id}/$hold", visits.hold, methods=["POST"]),
        Route("/Appointment/$book", visits.book, methods=["POST"]),
        Route("/Appointment/{id}/$book", visits.book, methods=["POST"]),
        Route("/Patient/{id}/$everything", many.everything, methods=["GET"]),
        Route("/Subscription/{id}/$status", told.status, methods=["GET"]),
        Route("/Subscription/{id}/$events", told.events, methods=["GET"]),
        Route("/{type}/$validate", named.validate, methods=["POST"]),
        Route("/{type}/_search", many.post, methods=["POST"]),
        Route("/{type}/_history", many.history, methods=["GET"]),
        Route("/{type}/{id}/_history", many.history, methods=["GET"]),
        Route("/{type}/{id}/_history/{version}", one.vread, methods=["GET"]),
        Route("/{type}/{id}", one.read, methods=["GET"]),
        Route("/{type}/{id}", one.update, methods=["PUT"]),
        Route("/{type}/{id}", one.patch, methods=["PATCH"]),
        Route("/{type}/{id}", one.delete, methods=["DELETE"]),
        Route("/{type}", many.get, methods=["GET"]),
        Route("/{type}", one.create, methods=["POST"]),
        Route("/{type}", one.update, methods=["PUT"]),
        Route("/{type}", one.patch, methods=["PATCH"]),
        Route("/{type}", one.delete, methods=["DELETE"]),
    ]
    handlers = {RecordsError: _refused, HTTPException: _no_route, Exception: _broken}
    return Starlette(
        routes=routes,
        exception_handlers=handlers,  # type: ignore[arg-type]
        middleware=[
            Middleware(KnownHosts, hosts=tuple(hosts), origins=tuple(origins)),
            Middleware(CORSMiddleware, allow_origins=tuple(origins), **_CORS),
            Middleware(Metrics, service="fhir"),
        ],
    )


async def _refused(request: Request, error: RecordsError) -> Response:
    return respond(outcomes.of_error(error), error.status)


async def _no_route(request: Request, error: HTTPException) -> Response:
    code = "not-supported" if error.status_code in (404, 405) else "processing"
    text = f"{request.method} {request.url.path}: {HTTPStatus(error.status_code).phrase}"
    return respond(outcomes.outcome("error", code, text), error.status_code, dict(error.headers or {}))


async def _broken(request: Request, error: Exception) -> Response:
    _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return respond(outcomes.outcome("fatal", "exception", "the server failed; its log says why"), 500)


class _Pages:
    """What the server says about itself."""

    def __init__(self, store: FhirStore, many: Searches) -> None:
        self.store, self._many = store, many

    async def metadata(self, request: Request) -> Response:
        """GET metadata."""
        require_json(request)
        return respond(capability_statement(base_url(request)))

    async def openapi(self, request: Request) -> Response:
        """GET openapi.json."""
        return JSONResponse(openapi(base_url(request)))

    async def index(self, request: Request) -> Response:
        """GET the base: a search across types, a page for a browser, or the CapabilityStatement for a program."""
        if any(name not in ("_format", "_pretty") for name in request.query_params):
            return await self._many.everywhere(request, request.query_params.multi_items())
        if "text/html" not in request.headers.get("accept", ""):
            return await self.metadata(request)
        counts = await self.store.database.read(_counts)
        return HTMLResponse(
            index_page(base_url(request), [(type_, counts.get(type_, 0)) for type_ in resource_types()])
        )


def _counts(transaction: Transaction) -> dict[str, int]:
    return dict(transaction.execute("SELECT type, count(*) FROM fhir_resource WHERE body IS NOT NULL GROUP BY type"))
