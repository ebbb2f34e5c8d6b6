"""Server-sent events: each has a number, so that a page that lost its connection continues where it stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated

from fastapi import Header, Query
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

KEEP_ALIVE_S = 15.0
MEDIA = "text/event-stream"
After = Annotated[int, Query(ge=0, le=10_000_000)]
LastEvent = Annotated[int | None, Header(ge=0, le=10_000_000)]


class News:
    """Wakes all who wait when something has changed."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def tell(self) -> None:
        """Wake everybody up."""
        self._event.set()
        self._event = asyncio.Event()

    async def wait(self, longest_s: float = KEEP_ALIVE_S) -> bool:
        """Wait until something changes; False if nothing changed for a while."""
        try:
            async with asyncio.timeout(longest_s):
                await self._event.wait()
        except TimeoutError:
            return False
        return True


def event(kind: str, body: BaseModel, number: int | None = None) -> str:
    """One event as text, in the format of server-sent events."""
    head = f"id: {number}\n" if number is not None else ""
    return f"{head}event: {kind}\ndata: {body.model_dump_json()}\n\n"


ALIVE = ": waiting\n\n"


async def each_change(kind: str, look: Callable[[], Awaitable[BaseModel]], every_s: float) -> AsyncIterator[str]:
    """The whole content as one event whenever something in it changes, and a keep-alive sign while nothing does."""
    told, number = "", 0
    while True:
        found = await look()
        text = found.model_dump_json()
        if text != told:
            told, number = text, number + 1
            yield event(kind, found, number)
        else:
            yield ALIVE
        await asyncio.sleep(every_s)


def stream(events: AsyncIterator[str]) -> StreamingResponse:
    """The HTTP answer for a stream of events."""
    return StreamingResponse(events, media_type=MEDIA)
