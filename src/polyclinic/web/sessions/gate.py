"""Which request bodies are accepted: small enough, fast enough, and JSON without duplicate keys."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyclinic.core.live import WhyRefused
from polyclinic.errors import PolyclinicError


class BodyRefused(PolyclinicError):
    """Why a body is refused. `body` is what was read of it, perhaps only its beginning."""

    def __init__(self, status: int, detail: str, *, why: WhyRefused, body: bytes = b"") -> None:
        super().__init__(detail)
        self.status, self.detail, self.why, self.body = status, detail, why, body


Refuse = Callable[[Request, BodyRefused], Awaitable[Response]]


class BodyGate:
    """Reads the whole body before the application sees it, with or without an announced length.

    A body that is too large is refused with 413, one that is too slow with 408, one that breaks off with 400, one with
    a duplicate key with 422. `refuse` gets as much of the body as was allowed to come.
    """

    def __init__(self, app: ASGIApp, body_bytes: int, body_s: float, refuse: Refuse | None = None) -> None:
        self._app, self._most, self._seconds, self._refuse = app, body_bytes, body_s, refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with a refusal."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        try:
            body = await self._read(headers.get(b"content-length", b""), receive)
            _check_names(body)
        except BodyRefused as refused:
            answer = await (self._refuse or _plainly)(Request(scope), refused)
            answer.headers["connection"] = "close"
            await answer(scope, receive, send)
            return
        if body is None:
            return
        given = False

        async def again() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, again, send)

    async def _read(self, announced: bytes, receive: Receive) -> bytes | None:
        if announced.isdigit() and int(announced) > self._most and self._refuse is None:
            raise BodyRefused(413, "the body is too large", why="too long")
        body = bytearray()
        try:
            async with asyncio.timeout(self._seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        if not body:
                            return None
                        raise BodyRefused(400, "the body broke off", why="unreadable", body=bytes(body))
                    body += message.get("body", b"")
                    if len(body) > self._most:
                        beginning = bytes(body[: self._most])
                        raise BodyRefused(413, "the body is too large", why="too long", body=beginning)
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError:
            raise BodyRefused(408, "the body came too slowly", why="unreadable", body=bytes(body)) from None


async def _plainly(request: Request, refused: BodyRefused) -> Response:
    return JSONResponse({"detail": refused.detail}, refused.status)


def _check_names(body: bytes | None) -> None:
    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in found]
        if len(set(names)) != len(names):
            raise BodyRefused(422, "body: duplicate key in one object", why="unreadable", body=body or b"")
        return dict(found)

    try:
        json.loads(body or b"null", object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return  # not JSON at all: the route reports it
