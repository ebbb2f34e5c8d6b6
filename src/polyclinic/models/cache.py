"""A cache of answers to identical requests. Off by default; usually kept in a table of the store."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import replace
from typing import Any, Protocol

import orjson

from polyclinic.core.model import Completion, Model, ModelKind, Request, Usage
from polyclinic.core.reply import schema_of


class ResponseCache(Protocol):
    """Where answers are kept."""

    async def get(self, key: str) -> Completion | None:
        """A kept answer, if there is one."""
        ...

    async def put(self, key: str, completion: Completion) -> None:
        """Keep an answer."""
        ...


class MemoryCache:
    """Answers kept in memory, the oldest dropped first."""

    def __init__(self, most: int = 10_000) -> None:
        self._kept: OrderedDict[str, Completion] = OrderedDict()
        self._most = most

    async def get(self, key: str) -> Completion | None:
        """A kept answer, if there is one."""
        return self._kept.get(key)

    async def put(self, key: str, completion: Completion) -> None:
        """Keep an answer."""
        self._kept[key] = completion
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)


class Cached:
    """A model whose answers are kept. A kept answer costs nothing and says so in its usage."""

    def __init__(self, model: Model, cache: ResponseCache) -> None:
        self._model, self._cache = model, cache

    @property
    def name(self) -> str:
        """As in the cast."""
        return self._model.name

    @property
    def kind(self) -> ModelKind:
        """As the model it wraps."""
        return self._model.kind

    async def answer(self, request: Request) -> Completion:
        """The kept answer, or a new one that is then kept."""
        key = cache_key(self.name, request)
        kept = await self._cache.get(key)
        if kept is not None:
            return replace(kept, usage=Usage())
        completion = await self._model.answer(request)
        await self._cache.put(key, completion)
        return completion


def cache_key(model: str, request: Request) -> str:
    """Names an answer: who was asked, what, for which time, and in which form."""
    return hashlib.sha256(
        f"{model}\n{request.key}\n{request.occurrence}\n{_form(request.reply_type)}".encode()
    ).hexdigest()


_FORMS: dict[type[Any], str] = {}


def _form(reply_type: type[Any]) -> str:
    if reply_type not in _FORMS:
        schema = orjson.dumps(schema_of(reply_type), option=orjson.OPT_SORT_KEYS)
        _FORMS[reply_type] = hashlib.sha256(schema).hexdigest()[:16]
    return _FORMS[reply_type]
