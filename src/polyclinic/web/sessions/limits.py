"""Limits of the service: how often, how large, how many."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send


@dataclass(frozen=True)
class ServiceLimits:
    """What one service accepts. Rates are per minute; a burst of one sixth of a minute's worth is allowed at once.

    A message that is not answered within `answer_s` counts as a fault.
    """

    messages_per_minute: float = 60.0
    requests_per_minute: float = 1_200.0
    starts_per_minute: float = 120.0
    body_bytes: int = 16_384
    open_sessions: int = 1_000
    answer_s: float = 120.0


class Buckets:
    """Token buckets by name, bounded in number; the longest unused is forgotten first, and is then full again."""

    def __init__(self, per_minute: float, clock: Callable[[], float] = time.monotonic, names: int = 10_000) -> None:
        self._rate, self._burst = per_minute / 60, max(1.0, per_minute / 6)
        self._clock, self._names = clock, names
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str) -> float:
        """0 when it is allowed now, else the seconds to wait."""
        now = self._clock()
        level, since = self._levels.pop(name, (self._burst, now))
        level = min(self._burst, level + (now - since) * self._rate)
        wait = 0.0 if level >= 1 else (1 - level) / self._rate
        self._levels[name] = (level if wait else level - 1, now)
        while len(self._levels) > self._names:
            self._levels.popitem(last=False)
        return wait


class _TooLarge(Exception):
    pass


class SizeLimit:
    """Refuses bodies over a size with 413, by their announced length or as they come."""

    def __init__(self, app: ASGIApp, body_bytes: int) -> None:
        self._app, self._most = app, body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count what comes in."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = dict(scope["headers"]).get(b"content-length", b"")
        if announced.isdigit() and int(announced) > self._most:
            await _refuse(send)
            return
        seen, begun = 0, False

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._most:
                raise _TooLarge
            return message

        async def noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, counted, noted)
        except _TooLarge:
            if not begun:
                await _refuse(send)


async def _refuse(send: Send) -> None:
    body = b'{"detail":"the body is too large"}'
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
