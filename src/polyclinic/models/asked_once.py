"""A language model that reads: each question about a text is answered once in a run, whichever episode asks first.

Its answers are kept in the store's response cache under the run's name, so episodes side by side, a resumed run and
workers on a cluster share them. The seed that is sent comes from the question, so it does not matter who asks first.
An answer given again costs no money. Its tokens count again, because limits on tokens decide when an episode ends, and
that must not depend on the order of episodes. Each episode's journal holds its answers as before.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace
from weakref import WeakValueDictionary

from polyclinic.core.agent import read_completion
from polyclinic.core.model import Completion, Model, Request, Wrapper, role_of
from polyclinic.core.reading import READER
from polyclinic.core.reply import Unreadable
from polyclinic.core.switchboard import Players
from polyclinic.models.cache import ResponseCache, form_of


class AskedOnce(Wrapper):
    """A reader whose answers are shared by the episodes of one run."""

    def __init__(self, model: Model, kept: ResponseCache, run: str) -> None:
        super().__init__(model)
        self._kept, self._run = kept, run
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def answer(self, request: Request) -> Completion:
        """The answer that this run has, or a new one. A reply that cannot be read is not kept."""
        request = seeded(request)
        key = once_key(self._run, self.name, request)
        lock = self._asking.setdefault(key, asyncio.Lock())
        async with lock:
            kept = await self._kept.get(key)
            if kept is not None:
                return replace(kept, usage=replace(kept.usage, cost_nano_usd=0))
            completion = await self._model.answer(request)
            if not _readable(request, completion):
                return completion
            await self._kept.put(key, completion)
            first = await self._kept.get(key)  # another worker may have been quicker
        return completion if first is None else replace(first, usage=completion.usage)


class ReadersOnce:
    """Players among whom a language model that reads answers each question once in the run."""

    def __init__(self, players: Players, kept: ResponseCache, run: str) -> None:
        self._players, self._kept, self._run = players, kept, run
        self._readers: dict[str, AskedOnce] = {}

    def model(self, role: str) -> Model:
        """Who plays this role."""
        model = self._players.model(role)
        if role_of(role) != READER or model.kind != "llm":
            return model
        return self._readers.setdefault(role, AskedOnce(model, self._kept, self._run))

    def describe(self) -> dict[str, str]:
        """The name of the model for each role."""
        return self._players.describe()


def seeded(request: Request) -> Request:
    """The request with a seed that depends only on what is asked."""
    asked = b"".join(message.canonical() for message in request.messages)
    seed = int.from_bytes(hashlib.sha256(asked).digest()[:4], "big") % 2**31
    return replace(request, settings=replace(request.settings, seed=seed), occurrence=0)


def once_key(run: str, model: str, request: Request) -> str:
    """The key of a seeded request's answer in one run."""
    return hashlib.sha256(f"once\n{run}\n{model}\n{request.key}\n{form_of(request.reply_type)}".encode()).hexdigest()


def _readable(request: Request, completion: Completion) -> bool:
    try:
        read_completion(request.prompt, completion)
    except Unreadable:
        return False
    return True
