"""The ASGI application: routes to handlers, and every error as an OperationOutcome."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeAlias

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from polyclinic.core.database import Transaction
from polyclinic.core.records import RecordsError
from polyclinic.fhir.parameters import resource_types
from polyclinic.fhir.r4.mapping import TYPES
from polyclinic.fhir.server import outcomes
from polyclinic.fhir.server.access import OPEN, Access, access_of
from polyclinic.fhir.server.appointments import Appointments
from polyclinic.fhir.server.batches import Batches
from polyclinic.fhir.server.capability import capability_statement, index_page
from polyclinic.fhir.server.exchange import base_url, in_r4, require_json, resource_type, respond
from polyclinic.fhir.server.exports import Exports
from polyclinic.fhir.server.interactions import Interactions
from polyclinic.fhir.server.openapi import openapi
from polyclinic.fhir.server.operations import Operations, Subscriptions
from polyclinic.fhir.server.r4_edge import R4Edge
from polyclinic.fhir.server.searches import Searches
from polyclinic.fhir.smart.scopes import Letter
from polyclinic.fhir.store import FhirStore
from polyclinic.serving.hosts import KnownHosts
from polyclinic.serving.metrics import Metrics

if TYPE_CHECKING:
    from polyclinic.fhir.server.smart import Smart

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


Handler: TypeAlias = Callable[[Request], Awaitable[Response]]
Need: TypeAlias = Callable[[Access, Request], None]
"""Raises an error unless the token allows what a route does."""
_Address: TypeAlias = tuple[str, str, Handler, Need]


def fhir_app(
    store: FhirStore,
    hosts: Iterable[str] = (),
    origins: Iterable[str] = (),
    smart: Smart | None = None,
) -> Starlette:
    """A FHIR R5 server over a store, and under `/r4` the same in R4 for scheduling.

    Without `smart` everybody may do everything, so use that on loopback only.

    It answers only requests to IP addresses, `localhost` and the names in `hosts`: see `KnownHosts`. Web pages of the
    origins in `origins` may use it from a browser. A `Notifier` over the same store serves subscriptions.
    """
    exports = Exports(store, guarded=smart is not None)
    pages = _Pages(store, smart)
    routes = [
        Route("/metadata", pages.metadata, methods=["GET"]),
        Route("/openapi.json", pages.openapi, methods=["GET"]),
        *(smart.routes() if smart is not None else ()),
        *(
            Route(path, _guarded(handler, need), methods=[method])
            for method, path, handler, need in _addresses(store, exports, pages)
        ),
    ]
    handlers = {RecordsError: _refused, HTTPException: _no_route, Exception: _broken}
    app = Starlette(
        routes=routes,
        exception_handlers=handlers,  # type: ignore[arg-type]
        middleware=[
            Middleware(KnownHosts, hosts=tuple(hosts), origins=tuple(origins)),
            Middleware(CORSMiddleware, allow_origins=tuple(origins), **_CORS),
            Middleware(R4Edge),
            Middleware(Metrics, service="fhir"),
            *(smart.middleware() if smart is not None else ()),
        ],
    )
    app.state.exports = exports
    return app


def _addresses(store: FhirStore, exports: Exports, pages: _Pages) -> list[_Address]:
    """All routes, in the order in which a path is compared with them.

    Routes with fixed names come before those with `{type}` and `{id}`.
    """
    one, many, batches, named = Interactions(store), Searches(store), Batches(store), Operations(store)
    visits, told = Appointments(store), Subscriptions(store)
    own = _own_checks
    return [
        ("GET", "/", pages.index, own),
        ("POST", "/_search", many.post_everywhere, own),
        ("POST", "/", batches.post, own),
        ("GET", "/$export", exports.system, own),
        ("GET", "/Patient/$export", exports.patients, own),
        ("GET", "/$export-status/{job}", exports.status, own),
        ("DELETE", "/$export-status/{job}", exports.delete, own),
        ("GET", "/$export-file/{job}/{name}", exports.file, own),
        ("GET", "/_history", many.history, own),
        ("POST", "/Slot/$hold", named.hold, _on("Slot", "u", "r")),
        ("POST", "/Slot/{id}/$hold", named.hold, _on("Slot", "u", "r")),
        ("GET", "/Appointment/$find", visits.find, _on("Slot", "s")),
        ("POST", "/Appointment/$find", visits.find, _on("Slot", "s")),
        ("POST", "/Appointment/$hold", visits.hold, _on("Appointment", "c")),
        ("POST", "/Appointment/{id}/$hold", visits.hold, _on("Appointment", "c")),
        ("POST", "/Appointment/$book", visits.book, _on("Appointment", "c")),
        ("POST", "/Appointment/{id}/$book", visits.book, _on("Appointment", "c")),
        ("GET", "/Patient/{id}/$everything", many.everything, _on("Patient", "r")),
        ("GET", "/Subscription/{id}/$status", told.status, _on("Subscription", "r")),
        ("GET", "/Subscription/{id}/$events", told.events, _on("Subscription", "r")),
        (
            "POST",
            "/{type}/$validate",
            named.validate,
            lambda access, asked: access.require_any(resource_type(asked)),
        ),
        ("POST", "/{type}/_search", many.post, _typed("s")),
        ("GET", "/{type}/_history", many.history, _typed("s")),
        ("GET", "/{type}/{id}/_history", many.history, _typed("r")),
        ("GET", "/{type}/{id}/_history/{version}", one.vread, _typed("r")),
        ("GET", "/{type}/{id}", one.read, _typed("r")),
        ("PUT", "/{type}/{id}", one.update, _typed("u")),
        ("PATCH", "/{type}/{id}", one.patch, _typed("u", "r")),
        ("DELETE", "/{type}/{id}", one.delete, _typed("d")),
        ("GET", "/{type}", many.get, _typed("s")),
        ("POST", "/{type}", one.create, _typed("c")),
        ("PUT", "/{type}", one.update, _typed("u", "s")),
        ("PATCH", "/{type}", one.patch, _typed("u", "r", "s")),
        ("DELETE", "/{type}", one.delete, _typed("d", "s")),
    ]


def _typed(*letters: Letter) -> Need:
    """A check that the token has these scope letters for the type in the path."""
    return lambda access, request: access.require(resource_type(request), *letters)


def _on(type_: str, *letters: Letter) -> Need:
    return lambda access, request: access.require(type_, *letters)


def _own_checks(access: Access, request: Request) -> None:
    """Check nothing here: the handler itself checks each type that it touches."""


def _guarded(handler: Handler, need: Need) -> Handler:
    """Wrap a handler so that it runs only if the token allows it."""

    async def run(request: Request) -> Response:
        access = access_of(request)
        if access is not OPEN:
            need(access, request)
        return await handler(request)

    return run


async def _refused(request: Request, error: RecordsError) -> Response:
    return respond(access_of(request).refusal(error), error.status)


async def _no_route(request: Request, error: HTTPException) -> Response:
    code = "not-supported" if error.status_code in (404, 405) else "processing"
    text = f"{request.method} {request.url.path}: {HTTPStatus(error.status_code).phrase}"
    return respond(outcomes.outcome("error", code, text), error.status_code, dict(error.headers or {}))


async def _broken(request: Request, error: Exception) -> Response:
    _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return respond(outcomes.outcome("fatal", "exception", "the server failed; see its log for the reason"), 500)


class _Pages:
    """Handlers for what the server says about itself."""

    def __init__(self, store: FhirStore, smart: Smart | None) -> None:
        self.store, self._many, self._smart = store, Searches(store), smart

    async def metadata(self, request: Request) -> Response:
        """GET metadata."""
        require_json(request)
        statement = capability_statement(base_url(request))
        if self._smart is not None:
            statement["rest"][0]["security"] = self._smart.security()
        return respond(statement)

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
        types = access_of(request).countable(TYPES if in_r4(request) else resource_types())
        return HTMLResponse(index_page(base_url(request), [(type_, counts.get(type_, 0)) for type_ in types]))


def _counts(transaction: Transaction) -> dict[str, int]:
    return dict(transaction.execute("SELECT type, count(*) FROM fhir_resource WHERE body IS NOT NULL GROUP BY type"))
