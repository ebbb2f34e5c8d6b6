"""Requests that must not be done twice: a client that lost the answer asks again under the same key."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Header, Request
from pydantic import BaseModel, StringConstraints
from typing_extensions import TypeVar

from polyclinic.store.keyed_answers import KeyedAnswers

Key = Annotated[Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{0,100}$")], Header(alias="Idempotency-Key")]
M = TypeVar("M", bound=BaseModel)


class Once:
    """Does what comes under a key once, also when the same comes again while it is being done."""

    def __init__(self, answers: KeyedAnswers) -> None:
        self._answers = answers
        self._doing: dict[str, asyncio.Lock] = {}

    async def do(self, key: str, kind: type[M], work: Callable[[], Awaitable[M]]) -> M:
        """The answer, from now or from before. Without a key it is done each time."""
        if not key:
            return await work()
        lock = self._doing.setdefault(key, asyncio.Lock())
        try:
            async with lock:
                known = await self._answers.get(key)
                if known is not None:
                    return kind.model_validate_json(known)
                found = await work()
                await self._answers.keep(key, found.model_dump_json())
                return found
        finally:
            if not lock.locked():
                self._doing.pop(key, None)


def _once(request: Request) -> Once:
    found: Once = request.app.state.once
    return found


TheOnce = Annotated[Once, Depends(_once)]
"""The server's `Once`, as a route asks for it."""
