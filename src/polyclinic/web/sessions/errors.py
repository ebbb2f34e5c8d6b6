"""Errors as HTTP answers. The answer to an unexpected error also has the safe words."""

from __future__ import annotations

import logging

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyclinic.core.live import LAST_WORDS, Heard
from polyclinic.core.plain_faults import plain_fault
from polyclinic.errors import StoreError, UnknownName, UserError
from polyclinic.web.sessions.rescue import Broken
from polyclinic.web.sessions.service import NotNow, Service

_LOG = logging.getLogger(__name__)


PAGES = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What a browser lets our pages do: send requests to this service, and to no other host."""
_PRIVATE = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": PAGES,
}
_HEADERS = [(name.lower().encode(), value.encode()) for name, value in _PRIVATE.items()]


class Outermost:
    """The outermost middleware. No cache may store an answer.

    An error before an answer was sent ends in 503 with the safe words.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and answer if it fails."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def sent(message: Message) -> None:
            nonlocal begun
            begun = True
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
            await send(message)

        try:
            await self._app(scope, receive, sent)
        except Exception as fault:
            _LOG.critical("%s %s failed", scope["method"], scope["path"], exc_info=True)
            if begun:
                raise
            try:
                broken = await _safely(scope["app"].state.service, Request(scope), fault)
            except Exception:
                _LOG.critical("people could not be informed either", exc_info=True)
                broken = Broken([Heard(number=0, speaker="service", text=LAST_WORDS)], ())
            await failed(broken)(scope, receive, sent)


async def _safely(service: Service, request: Request, fault: Exception) -> Broken:
    """The error with the safe words. People are informed if a visitor was waiting for an answer."""
    parts = request.url.path.split("/")
    visitor = request.method == "POST" and parts[1:3] == ["v1", "sessions"]
    return await service.last_resort(parts[3] if visitor and len(parts) > 3 else "", fault, tell=visitor)


def failed(error: Broken) -> JSONResponse:
    """The 503 answer with the safe words, for the client to show."""
    return JSONResponse({"detail": str(error), "said": [heard.model_dump() for heard in error.said]}, 503)


async def unfit(request: Request, error: Exception) -> Response:
    """An answer that names the invalid fields, but never their values, which may be private or unprintable."""
    faults = error.errors()[:5] if isinstance(error, RequestValidationError) else []
    lines = [f"{'.'.join(map(str, fault['loc'][1:])) or 'body'}: {plain_fault(fault)}" for fault in faults]
    return JSONResponse({"detail": "\n".join(lines).encode("utf-8", "replace").decode()}, 422)


def handle_errors(app: FastAPI) -> None:
    """Answer every kind of error with one line of JSON."""

    async def missing(request: Request, error: Exception) -> Response:
        return JSONResponse({"detail": "not found"}, 404)

    async def not_now(request: Request, error: Exception) -> Response:
        return JSONResponse({"detail": str(error)}, 409)

    async def broken(request: Request, error: Exception) -> Response:
        found = error if isinstance(error, Broken) else await _safely(app.state.service, request, error)
        return failed(found)

    app.add_exception_handler(Broken, broken)
    app.add_exception_handler(StoreError, broken)
    app.add_exception_handler(RequestValidationError, unfit)
    app.add_exception_handler(UnknownName, missing)
    app.add_exception_handler(NotNow, not_now)
    app.add_exception_handler(UserError, not_now)
