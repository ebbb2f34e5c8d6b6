"""Which request bodies are accepted: small enough, fast enough, and JSON without duplicate keys."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyclinic.errors import PolyclinicError


class _Refused(PolyclinicError):
    """The reason why a body is refused."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail


class BodyGate:
    """Reads the whole body before the application sees it, with or without an announced length.

    A body that is too large is refused with 413, one that is too slow with 408, one with a duplicate key with 422.
    """

    def __init__(self, app: ASGIApp, body_bytes: int, body_s: float) -> None:
        self._app, self._most, self._seconds = app, body_bytes, body_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with a refusal."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        try:
            body = await self._read(headers.get(b"content-length", b""), receive)
            _check_names(body)
        except _Refused as refused:
            await _answer(send, refused)
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
        if announced.isdigit() and int(announced) > self._most:
            raise _Refused(413, "the body is too large")
        parts, size = [], 0
        try:
            async with asyncio.timeout(self._seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > self._most:
                        raise _Refused(413, "the body is too large")
                    if not message.get("more_body", False):
                        return b"".join(parts)
        except TimeoutError:
            raise _Refused(408, "the body came too slowly") from None


def _check_names(body: bytes | None) -> None:
    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in found]
        if len(set(names)) != len(names):
            raise _Refused(422, "body: duplicate key in one object")
        return dict(found)

    try:
        json.loads(body or b"null", object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return  # not JSON at all: the route reports it


async def _answer(send: Send, refused: _Refused) -> None:
    body = json.dumps({"detail": refused.detail}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
