"""A body that comes too slowly is refused, and one that never ends is not waited for."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from polyclinic.web.sessions.gate import BodyGate, BodyRefused


async def through(parts: list[bytes], seconds: float, wait: float = 0.0, headers: Any = ()) -> tuple[int, bytes]:
    seen: list[Any] = []
    body = bytearray()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        body.extend((await receive())["body"])
        await send({"type": "http.response.start", "status": 200, "headers": []})

    left = list(parts)

    async def receive() -> Any:
        await asyncio.sleep(wait)
        if not left:
            await asyncio.sleep(3600)
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left) or wait > 0}

    async def send(message: Any) -> None:
        seen.append(message)

    await BodyGate(app, 100, seconds)({"type": "http", "headers": list(headers)}, receive, send)
    return seen[0]["status"], bytes(body)


async def test_a_slow_body_is_refused() -> None:
    assert (await through([b"a", b"b"], 0.05, wait=0.02))[0] == 408


async def test_a_whole_body_arrives_as_it_was_sent() -> None:
    assert await through([b"abc", b"def"], 5.0) == (200, b"abcdef")


@pytest.mark.parametrize("headers", [[(b"content-length", b"101")], []])
async def test_a_large_body_is_refused_with_or_without_a_stated_length(headers: Any) -> None:
    assert (await through([b"x" * 60, b"y" * 60], 5.0, headers=headers))[0] == 413


@pytest.mark.parametrize(
    ("parts", "seconds", "status", "kept"),
    [
        ([b"x" * 60, b"y" * 60], 5.0, 413, b"x" * 60 + b"y" * 40),
        ([b"half", None], 0.01, 408, b"half"),
        ([b"half a ", b"word", b""], 5.0, 400, b"half a word"),
    ],
)
async def test_what_came_of_a_refused_body_is_kept_for_people(
    parts: list[bytes | None], seconds: float, status: int, kept: bytes
) -> None:
    found: list[BodyRefused] = []
    left = list(parts)

    async def refuse(request: Request, refused: BodyRefused) -> Response:
        found.append(refused)
        return JSONResponse({}, refused.status)

    async def receive() -> Any:
        part = left.pop(0)
        if part is None:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": part, "more_body": True} if part else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        pass

    async def app(*_: Any) -> None:
        raise AssertionError("a refused body came through")

    scope = {"type": "http", "headers": [(b"content-length", b"999")]}
    await BodyGate(app, 100, seconds, refuse)(scope, receive, send)
    assert [(refused.status, refused.body) for refused in found] == [(status, kept)]
