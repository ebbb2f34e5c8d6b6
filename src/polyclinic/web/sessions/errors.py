"""Errors as HTTP answers. The answer to an unexpected error also has the safe words."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.security.utils import get_authorization_scheme_param
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyclinic.core.live import LAST_WORDS, Heard, WhyRefused
from polyclinic.core.plain_faults import plain_fault
from polyclinic.errors import StoreError, UnknownName, UserError
from polyclinic.web.sessions.access import AccessControl
from polyclinic.web.sessions.gate import BodyRefused
from polyclinic.web.sessions.live import Live
from polyclinic.web.sessions.refusals import readable
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
_WHY: Mapping[int, WhyRefused] = {400: "unreadable", 429: "too fast"}
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


async def refuse_body(request: Request, refused: BodyRefused) -> Response:
    """The answer to a body that is not accepted. It counts as a message of the session."""
    status, detail, why = refused.status, refused.detail, refused.why
    text = readable(refused.body)
    return await _too_fast(request, text) or await _refused(request, status, detail, why, text)


async def _too_fast(request: Request, text: str) -> Response | None:
    """The answer if the session of a request has sent too many messages. The message is counted."""
    live = _live(request)
    try:
        if live is not None:
            request.app.state.access.message(live.id)
    except HTTPException as found:
        return await _refused(request, 429, str(found.detail), "too fast", text, found.headers)
    return None


async def _refused(
    request: Request,
    status: int,
    detail: str,
    why: WhyRefused,
    text: str = "",
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A refusal. A visitor gets words to show with it, and people get the words that nobody would read otherwise."""
    body: dict[str, Any] = {"detail": detail}
    if _visitors_session(request) is not None:
        live, access = _live(request), request.app.state.access
        if why == "too fast" and live is not None and not access.one_more_read(live.id):
            text = ""
        answering = _service(request).refusals.answer(live, why, text)
        try:
            said = await asyncio.create_task(answering)  # a task: what it logs must not show the refused request
        except Broken as broken:
            return failed(broken)
        body["said"] = [heard.model_dump() for heard in said]
    return JSONResponse(body, status, headers)


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _visitors_session(request: Request) -> str | None:
    service: Service | None = getattr(request.app.state, "service", None)
    return None if service is None else service.refusals.session_of(request.method, request.url.path)


def _live(request: Request) -> Live | None:
    """The visitor's session, if their token opens it. A body may be refused before the token was checked."""
    checked: Live | None = getattr(request.state, "live", None)
    if checked is not None:
        return checked
    session = _visitors_session(request)
    if not session:
        return None
    live = _service(request).running(session)
    access: AccessControl = request.app.state.access
    _, token = get_authorization_scheme_param(request.headers.get("authorization"))
    return live if live is not None and access.opens(live, token) else None


async def unfit(request: Request, error: Exception) -> Response:
    """An answer that names the invalid fields, but never their values, which may be private or unprintable."""
    found = error if isinstance(error, RequestValidationError) else RequestValidationError([])
    faults = found.errors()[:5]
    lines = [f"{'.'.join(map(str, fault['loc'][1:])) or 'body'}: {plain_fault(fault)}" for fault in faults]
    detail = "\n".join(lines).encode("utf-8", "replace").decode()
    too_long = any(fault["type"] == "string_too_long" for fault in faults)
    why: WhyRefused = "too long" if too_long else "unreadable"
    text = readable(found.body)
    return await _too_fast(request, text) or await _refused(request, 422, detail, why, text)


def handle_errors(app: FastAPI) -> None:
    """Answer every kind of error with one line of JSON."""

    async def missing(request: Request, error: Exception) -> Response:
        return await _refused(request, 404, "not found", "no session")

    async def not_now(request: Request, error: Exception) -> Response:
        live = _live(request)
        text = readable(await request.body())
        return await _refused(request, 409, str(error), "closed" if live and live.closed else "not now", text)

    async def http(request: Request, error: Exception) -> Response:
        found = error if isinstance(error, HTTPException) else HTTPException(400)
        text = readable(await request.body()) if found.status_code in (400, 429) else ""
        why = _WHY.get(found.status_code, "no session")
        return await _refused(request, found.status_code, str(found.detail), why, text, found.headers)

    async def broken(request: Request, error: Exception) -> Response:
        found = error if isinstance(error, Broken) else await _safely(app.state.service, request, error)
        return failed(found)

    app.add_exception_handler(Broken, broken)
    app.add_exception_handler(StoreError, broken)
    app.add_exception_handler(RequestValidationError, unfit)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(UnknownName, missing)
    app.add_exception_handler(NotNow, not_now)
    app.add_exception_handler(UserError, not_now)
