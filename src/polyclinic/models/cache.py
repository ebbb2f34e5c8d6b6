"""A cache of answers to identical requests. Off by default; usually kept in a table of the store."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any, Protocol

import orjson

from polyclinic.core.model import Completion, Model, Request, Usage, Wrapper
from polyclinic.core.reply import schema_of
from polyclinic.core.value import once_a_type


class ResponseCache(Protocol):
    """Where answers are kept."""

    async def get(self, key: str) -> Completion | None:
        """A kept answer, if there is one."""
        ...

    async def put(self, key: str, completion: Completion) -> None:
        """Keep an answer."""
        ...


class Cached(Wrapper):
    """A model whose answers are cached. A cached answer costs nothing, and its usage says so."""

    def __init__(self, model: Model, cache: ResponseCache) -> None:
        super().__init__(model)
        self._cache = cache

    async def answer(self, request: Request) -> Completion:
        """The cached answer, or a new one that is then cached."""
        key = cache_key(self.name, request)
        kept = await self._cache.get(key)
        if kept is not None:
            return replace(kept, usage=Usage())
        completion = await self._model.answer(request)
        await self._cache.put(key, completion)
        return completion


def cache_key(model: str, request: Request) -> str:
    """The cache key of an answer: which model was asked, what, which repetition it is, and in which form."""
    return hashlib.sha256(
        f"{model}\n{request.key}\n{request.occurrence}\n{form_of(request.reply_type)}".encode()
    ).hexdigest()


@once_a_type
def form_of(reply_type: type[Any]) -> str:
    """A digest of the form that a reply must have."""
    return hashlib.sha256(orjson.dumps(schema_of(reply_type), option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
