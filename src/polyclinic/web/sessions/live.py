"""One live session: its inbox, what was said in it, and who listens."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from polyclinic.core.live import CLOSED, LAST_WORDS, Heard, LiveService, SessionView
from polyclinic.core.scenario import Scenario
from polyclinic.core.transcript import FAULT_OWNERS, Changed, Ended, Event, Failed, Said

KEEP_ALIVE_S = 15
STOPPED = "stopped"
_BY_FAULT = (STOPPED, "failed", "limit")
_LOG = logging.getLogger(__name__)


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
    faults: list[Failed] = field(default_factory=list)
    listening: int = 0
    _answered: asyncio.Event = field(default_factory=asyncio.Event)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.state: SessionView = self.room.begin(self.id, self.scenario)

    @property
    def broken(self) -> bool:
        """Whether the flow stopped because of a fault, or because of a limit while a visitor waited for an answer."""
        return self.state.outcome.startswith(_BY_FAULT)

    def begin_again(self) -> None:
        """Reset the session, so that the flow can replay its journal from the beginning."""
        self.heard.clear()
        self.inbox = asyncio.Queue()
        self.idle.clear()
        self._answered.clear()
        self.fault = None
        self.state = self.room.begin(self.id, self.scenario)

    def say_safely(self) -> Heard:
        """Show the visitor the safe words, even if everything else fails."""
        words = safe_words(self.room, self.scenario)
        said = self.room.heard(number=len(self.heard) + 1, speaker="service", text=words)
        self.heard.append(said)
        self.state.heard = len(self.heard)
        self._tell()
        return said

    @property
    def closed(self) -> bool:
        """Whether the session is over."""
        return bool(self.state.outcome)

    def take(self, event: Event) -> None:
        """Handle one event of the flow. After a restart the flow sends all events again."""
        if isinstance(event, Ended):
            self.end(event.outcome)
            return
        if isinstance(event, Failed) and event.owner in FAULT_OWNERS:
            self.faults.append(event)
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
        """Mark the session as over."""
        self.state.outcome, self.state.control = outcome, CLOSED
        self.wait_for_people()
        self._tell()

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def put(self, reply: str) -> list[Heard]:
        """Give the flow a reply. Returns what was said, once the flow has answered or has nothing to say.

        The flow may still be busy with its memory then; the next reply waits for it.
        """
        await self.idle.wait()
        if self.closed:
            return []
        before = len(self.heard)
        self.faults.clear()
        self.idle.clear()
        self._answered.clear()
        self.inbox.put_nowait(reply)
        await self._answered.wait()
        return self.heard[before:]

    def wait_for_people(self) -> None:
        """Wait until people do something; called by the flow."""
        self.idle.set()
        self._answered.set()

    async def follow(self, after: int) -> AsyncIterator[Heard | None]:
        """Everything said after the line with this number, then each new line.

        None means that the state changed, or is a keep-alive.
        """
        self.listening += 1
        try:
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
        finally:
            self.listening -= 1


def safe_words(room: LiveService, scenario: Scenario) -> str:
    """The clinic's safe words; if these fail too, built-in words."""
    try:
        return room.safe_words(scenario)
    except Exception:
        _LOG.exception("the clinic's safe words failed")
        return LAST_WORDS
