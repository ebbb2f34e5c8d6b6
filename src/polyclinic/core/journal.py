"""The journal: with it, a run survives `kill -9`.

Every reply that cost money or somebody's time is committed before it is used (see `core.switchboard`), keyed by
episode, canonical request and occurrence. An episode that starts again first loads what was recorded for it. Then it
runs as usual, and each call that it made before is answered from the journal.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any, NamedTuple, Protocol

from polyclinic.core.model import Completion, Request

CallKey = tuple[str, int]
PostKey = tuple[str, str]


class CallRecord(NamedTuple):
    """One answered call, as it is kept. `latency_ms` never enters a transcript: it differs from run to run."""

    episode: str
    occurrence: int
    request: Request
    model: str
    completion: Completion
    latency_ms: int


class Journal(Protocol):
    """Keeps an episode's calls and the messages that it handed over to staff."""

    async def load(self, episode: str) -> Mapping[CallKey, Completion]:
        """The calls that were recorded for this episode so far."""
        ...

    def record(self, call: CallRecord) -> Awaitable[None]:
        """Keep one answered call; the await returns after the commit."""
        ...

    async def post(self, episode: str, queue: str, key: str, body: Mapping[str, Any]) -> None:
        """Hand a message over to staff, once for each (episode, queue, key); returns after the commit."""
        ...

    async def posted(self, episode: str) -> Mapping[PostKey, Mapping[str, Any]]:
        """The messages that this episode handed over to staff so far."""
        ...


class MemoryJournal:
    """A journal in memory, for tests, notebooks and play-throughs that need no store."""

    def __init__(self) -> None:
        self.calls: dict[str, dict[CallKey, Completion]] = {}
        self.posts: dict[tuple[str, str, str], dict[str, Any]] = {}

    async def load(self, episode: str) -> Mapping[CallKey, Completion]:
        """The calls that were recorded for this episode so far."""
        return dict(self.calls.get(episode, {}))

    async def record(self, call: CallRecord) -> None:
        """Keep one answered call."""
        self.calls.setdefault(call.episode, {})[(call.request.key, call.occurrence)] = call.completion

    async def post(self, episode: str, queue: str, key: str, body: Mapping[str, Any]) -> None:
        """Hand a message over to staff, once for each (episode, queue, key)."""
        self.posts.setdefault((episode, queue, key), dict(body))

    async def posted(self, episode: str) -> Mapping[PostKey, Mapping[str, Any]]:
        """The messages that this episode handed over to staff so far."""
        return {(queue, key): body for (mine, queue, key), body in self.posts.items() if mine == episode}
