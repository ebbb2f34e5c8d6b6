"""The ASGI application: addresses to handlers, and every error as an OperationOutcome."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from polyclinic.core.database import Transaction
from polyclinic.core.records import RecordsError
from polyclinic.fhir.parameters import resource_types
from polyclinic.fhir.server import outcomes
from polyclinic.fhir.server.appointments import Appointments
from polyclinic.fhir.server.batches import Batches
from polyclinic.fhir.server.capability import capability_statement, index_page
from polyclinic.fhir.server.exchange import base_url, require_json, respond
from polyclinic.fhir.server.interactions import Interactions
from polyclinic.fhir.server.openapi import openapi
from polyclinic.fhir.server.operations import Operations
from polyclinic.fhir.server.searches import Searches
from polyclinic.fhir.store import FhirStore
from polyclinic.serving.hosts import KnownHosts
from polyclinic.serving.metrics import Metrics

_log = logging.getLogger("polyclinic.fhir")


def fhir_app(store: FhirStore, hosts: Iterable[str] = ()) -> Starlette:
    """A FHIR R5 server over a store. It has no users of its own: put it behind what guards it, or on loopback.

    It answers under numbers, `localhost` and these hosts' names alone: see `KnownHosts`.
    """
    one, many, batches, named = Interactions(store), Searches(store), Batches(store), Operations(store)
    visits = Appointments(store)
    pages = _Pages(store)
    routes = [
        Route("/", pages.index, methods=["GET"]),
        Route("/", batches.post, methods=["POST"]),
        Route("/metadata", pages.metadata, methods=["GET"]),
        Route("/openapi.json", pages.openapi, methods=["GET"]),
        Route("/_history", many.history, methods=["GET"]),
        Route("/Slot/$hold", named.hold, methods=["POST"]),
        Route("/Slot/{id}/$hold", named.hold, methods=["POST"]),
        Route("/Appointment/$find", visits.find, methods=["GET", "POST"]),
        Route("/Appointment/$hold", visits.hold, methods=["POST"]),
        Route("/Appointment/{id}/$hold", visits.hold, methods=["POST"]),
        Route("/Appointment/$book", visits.book, methods=["POST"]),
        Route("/Appointment/{id}/$book", visits.book, methods=["POST"]),
        Route("/Patient/{id}/$everything", many.everything, methods=["GET"]),
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
        middleware=[Middleware(KnownHosts, hosts=tuple(hosts)), Middleware(Metrics, service="fhir")],
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

    def __init__(self, store: FhirStore) -> None:
        self.store = store

    async def metadata(self, request: Request) -> Response:
        """GET metadata."""
        require_json(request)
        return respond(capability_statement(base_url(request)))

    async def openapi(self, request: Request) -> Response:
        """GET openapi.json."""
        return JSONResponse(openapi(base_url(request)))

    async def index(self, request: Request) -> Response:
        """GET the base: a page for a browser, the CapabilityStatement for a program."""
        if "text/html" not in request.headers.get("accept", ""):
            return await self.metadata(request)
        counts = await self.store.database.read(_counts)
        return HTMLResponse(
            index_page(base_url(request), [(type_, counts.get(type_, 0)) for type_ in resource_types()])
        )


def _counts(transaction: Transaction) -> dict[str, int]:
    return dict(transaction.execute("SELECT type, count(*) FROM fhir_resource WHERE body IS NOT NULL GROUP BY type"))
