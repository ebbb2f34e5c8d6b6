"""One live session: its inbox, what was said in it, and who listens."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from polyclinic.core.live import CLOSED, LAST_WORDS, Heard, LiveService, SessionView
from polyclinic.core.scenario import Scenario
from polyclinic.core.transcript import FAULT_OWNERS, Changed, Ended, Event, Failed, Said
from polyclinic.store.staff import token_digest

KEEP_ALIVE_S = 15
_FAILED, _LIMIT = "failed", "limit"
_LOG = logging.getLogger(__name__)


@dataclass
class Live:
    """A session while its flow runs. The flow takes replies from `inbox`; `idle` is set while it waits there.

    A line keeps its number, whatever fails: a flow that runs again says the same lines again, and those are not new.
    `safe` are the numbers of the safe words, which no flow said. `stopped`: a fault ended the flow, not the session.
    """

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
    safe: set[int] = field(default_factory=set)
    stopped: bool = False
    listening: int = 0
    _again: int = 0
    _before: SessionView | None = None
    _answered: asyncio.Event = field(default_factory=asyncio.Event)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.state: SessionView = self.room.begin(self.id, self.scenario)

    @property
    def broken(self) -> bool:
        """Whether the flow stopped because of a fault, or because of a limit while a visitor waited for an answer."""
        return self.stopped or self.state.outcome.startswith(_LIMIT)

    def opens_with(self, token: str) -> bool:
        """Whether a token opens this session."""
        return secrets.compare_digest(token_digest(token), self.token_digest)

    def stop(self) -> None:
        """A fault ended the flow. The session stays as it was, and the next action tries it again."""
        self.state = self._before or self.state
        self.stopped = True
        self.wait_for_people()
        self._tell()

    def begin_again(self) -> None:
        """Reset the session, so that the flow can replay its journal from the beginning."""
        self._again, self._before, self.stopped = 0, self.state, False
        self.inbox = asyncio.Queue()
        self.idle.clear()
        self._answered.clear()
        self.fault = None
        self.state = self.room.begin(self.id, self.scenario)
        self.state.heard = len(self.heard)

    def say_safely(self) -> Heard:
        """Show the visitor the safe words, even if everything else fails."""
        said = self._add_safe_words()
        self._tell()
        return said

    def _add_safe_words(self) -> Heard:
        number = len(self.heard) + 1
        words = safe_words(self.room, self.scenario)
        self.safe.add(number)
        return self._add(self.room.heard(number=number, speaker="service", text=words))

    def _add(self, line: Heard) -> Heard:
        self.heard.append(line)
        self._again = self.state.heard = len(self.heard)
        return line

    @property
    def waiting(self) -> bool:
        """Whether the visitor waits for an answer."""
        return self.task is not None and not self._answered.is_set()

    def waits(self) -> Heard:
        """What the visitor is told while they wait. It is no line of the conversation, so it has no number in it."""
        words = self.room.waiting_words(self.scenario)
        return self.room.heard(number=0, speaker="service", text=words)

    @property
    def closed(self) -> bool:
        """Whether the session is over."""
        return bool(self.state.outcome)

    def take(self, event: Event) -> None:
        """Handle one event of the flow. After a restart the flow sends all events again."""
        if isinstance(event, Ended):
            if not event.outcome.startswith(_FAILED):  # a fault ends no session
                self.end(event.outcome)
            return
        if isinstance(event, Failed) and event.owner in FAULT_OWNERS:
            self.faults.append(event)
        if not isinstance(event, Said | Changed):
            return
        self.room.follow(self.state, event)
        if isinstance(event, Said):
            if not self._heard_before(event):
                while len(self.heard) + 1 in self.safe:  # said before a restart
                    self._add_safe_words()
                self._add(self.room.hear(len(self.heard) + 1, event, self.state))
            if event.speaker != self.room.visitor:
                self._answered.set()
        self._tell()

    def _heard_before(self, said: Said) -> bool:
        """Whether a flow that runs again says a line that it has said before."""
        while self._again < len(self.heard) and self._again + 1 in self.safe:
            self._again += 1
        if self._again == len(self.heard):
            return False
        known = self.heard[self._again]
        same = (known.speaker, known.text) == (said.speaker, said.text)
        self._again = self._again + 1 if same else len(self.heard)
        return same

    def ready(self) -> None:
        """The flow has come to where it waits for people."""
        self._before = None
        while len(self.heard) + 1 in self.safe:
            self._add_safe_words()

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
        if self.closed or self.stopped:
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
