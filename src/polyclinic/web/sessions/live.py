"""One live session: its inbox, what was said in it, and who listens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from polyclinic.core.live import CLOSED, Heard, LiveService, SessionView
from polyclinic.core.scenario import Scenario
from polyclinic.core.transcript import Changed, Ended, Event, Said

KEEP_ALIVE_S = 15
STOPPED = "stopped"


@dataclass
class Live:
    """A session while its flow runs. The flow takes replies from `inbox`; `idle` is set while it waits there."""

    id: str
    room: LiveService
    scenario: Scenario
    token_digest: str
    person: str = ""
    heard: list[Heard] = field(default_factory=list)
    inbox: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    busy: asyncio.Lock = field(default_factory=asyncio.Lock)
    task: asyncio.Task[None] | None = None
    fault: Exception | None = None
    _answered: asyncio.Event = field(default_factory=asyncio.Event)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.state: SessionView = self.room.begin(self.id, self.scenario)

    @property
    def broken(self) -> bool:
        """Whether the flow stopped by a fault."""
        return self.state.outcome == STOPPED or self.state.outcome.startswith("failed")

    def say_safely(self) -> Heard:
        """The visitor hears the safe words, whatever else works."""
        said = self.room.heard(number=len(self.heard) + 1, speaker="service", text=self.room.safe_words(self.scenario))
        self.heard.append(said)
        self.state.heard = len(self.heard)
        self._tell()
        return said

    @property
    def closed(self) -> bool:
        """Whether the session is over."""
        return bool(self.state.outcome)

    def take(self, event: Event) -> None:
        """Follow the flow by its events; on a restart it tells them all again."""
        if isinstance(event, Ended):
            self.end(event.outcome)
            return
        if not isinstance(event, Said | Changed):
            return
        self.room.follow(self.state, event)
        if isinstance(event, Said):
            self.heard.append(self.room.hear(len(self.heard) + 1, event, self.state))
            self.state.heard = len(self.heard)
            if event.speaker != self.room.visitor:
                self._answered.set()
        self._tell()

    def end(self, outcome: str) -> None:
        """The flow is over."""
        self.state.outcome, self.state.control = outcome, CLOSED
        self.wait_for_people()
        self._tell()

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def put(self, reply: str) -> list[Heard]:
        """Hand the flow a reply, and return what was said when it has answered, or has nothing to say.

        The flow may still be busy with its memory then; the next reply waits until it is not.
        """
        await self.idle.wait()
        before = len(self.heard)
        self.idle.clear()
        self._answered.clear()
        self.inbox.put_nowait(reply)
        await self._answered.wait()
        return self.heard[before:]

    def wait_for_people(self) -> None:
        """The flow asks what happens next."""
        self.idle.set()
        self._answered.set()

    async def follow(self, after: int) -> AsyncIterator[Heard | None]:
        """Everything said after a number, then everything new as it comes; None when the state changed or to keep
        alive.
        """
        while True:
            news = self._news
            while after < len(self.heard):
                after += 1
                yield self.heard[after - 1]
            if self.closed:
                return
            try:
                async with asyncio.timeout(KEEP_ALIVE_S):
                    await news.wait()
            except TimeoutError:
                yield None
