"""Rules for every POST: with the same key it is done only once, and what it makes belongs to the sender.

A client that lost the answer asks again under the same key and gets the same answer, also after a restart. Another body
under the same key is refused. Failures are not kept, so that the request can be tried again.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
from typing import Annotated

import orjson
from fastapi import Header
from pydantic import StringConstraints
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyclinic.store.store import Store
from polyclinic.web.access.allowed import person_of, rule_of
from polyclinic.web.entry import keep_token
from polyclinic.web.of_request import store_of

_KEY = re.compile(r"[A-Za-z0-9._-]{1,100}")
QueueKey = Annotated[
    Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{0,100}$")], Header(alias="Idempotency-Key")
]
"""A request's key, for a route whose answer holds a cookie and is therefore not stored here."""


class PostsMiddleware:
    """ASGI middleware around the routes."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._doing: dict[str, asyncio.Lock] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; a POST with a key only once."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        body = await request.body()
        key = request.headers.get("idempotency-key", "")
        if key and not _KEY.fullmatch(key):
            await JSONResponse({"detail": "Idempotency-Key: 1 to 100 letters, digits and . _ -"}, 422)(
                scope, receive, send
            )
        elif key:
            await (await self._once(request, body, key))(scope, receive, send)
        else:
            await (await self._done(request, body))(scope, receive, send)

    async def _once(self, request: Request, body: bytes, key: str) -> Response:
        name = _digest(f"{person_of(request).name} {request.method} {request.url.path} {key}".encode())
        lock = self._doing.setdefault(name, asyncio.Lock())
        try:
            async with lock:
                return await self._kept(request, body, name)
        finally:
            if not lock.locked():
                self._doing.pop(name, None)

    async def _kept(self, request: Request, body: bytes, name: str) -> Response:
        """The stored answer, or a new one. A new answer is stored unless it is a failure or holds a cookie."""
        answers, digest = store_of(request).keyed_answers, _digest(body)
        known = await answers.get(name)
        if known is not None:
            found = orjson.loads(known)
            if found["body"] != digest:
                return JSONResponse({"detail": "this key was used for another request"}, 422)
            return Response(found["answer"], found["status"], media_type=found["type"])
        answer = await self._done(request, body)
        if answer.status_code < 300 and "set-cookie" not in answer.headers:
            whole = {
                "body": digest,
                "status": answer.status_code,
                "type": answer.headers.get("content-type"),
                "answer": bytes(answer.body).decode(),
            }
            await answers.keep(name, orjson.dumps(whole).decode())
        return answer

    async def _done(self, request: Request, body: bytes) -> Response:
        """Handle the request, and store who owns what it made before the answer is sent."""
        answer = await _gathered(self._app, request.scope, body)
        person, rule = person_of(request), rule_of(request.scope)
        if rule is None or person.local or answer.status_code >= 300:
            return answer
        if rule.guest and person.account is None:
            keep_token(request, answer, await _guest(store_of(request)))
        if rule.makes is not None and person.name:
            await store_of(request).owners.add(rule.makes, str(orjson.loads(bytes(answer.body))["id"]), person.name)
        return answer


async def _guest(store: Store) -> str:
    """The token of a new guest: a learner without a password, who can use only this one login."""
    name = f"guest-{secrets.token_hex(6)}"
    await store.staff.add(name, "learner", "none")
    return (await store.staff.log_in(name))[0]


async def _gathered(app: ASGIApp, scope: Scope, body: bytes) -> Response:
    """Run an application and collect its whole answer."""
    parts: list[bytes] = []
    begun: list[Message] = []

    async def once() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def gather(message: Message) -> None:
        if message["type"] == "http.response.start":
            begun.append(message)
        else:
            parts.append(message.get("body", b""))

    await app(scope, once, gather)
    answer = Response(b"".join(parts), begun[0]["status"])
    answer.raw_headers[:] = begun[0]["headers"]
    return answer


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()
