"""One live session: its inbox, what was said in it, and who listens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from polyclinic.clinics.counsel.prompts import DeskSays
from polyclinic.clinics.counsel.scenario import Talk
from polyclinic.clinics.counsel.state import STAGES, Control
from polyclinic.core.transcript import Changed, Ended, Event, Said
from polyclinic.web.sessions.schemas import Heard, SessionState


@dataclass
class Live:
    """A session while its flow runs. The flow takes from `inbox`; `idle` is set while it waits there."""

    id: str
    talk: Talk
    token_digest: str
    patient: str = ""
    control: Control = "automatic"
    holder: str = ""
    stage: str = STAGES[0]
    turn: int = 0
    outcome: str = ""
    heard: list[Heard] = field(default_factory=list)
    inbox: asyncio.Queue[DeskSays] = field(default_factory=asyncio.Queue)
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    busy: asyncio.Lock = field(default_factory=asyncio.Lock)
    task: asyncio.Task[None] | None = None
    _answered: asyncio.Event = field(default_factory=asyncio.Event)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def take(self, event: Event) -> None:
        """Follow the flow by its events; on a restart it tells them all again."""
        if isinstance(event, Said):
            self._said(event)
        elif isinstance(event, Changed) and event.what == "control":
            self.control, self.holder = event.after["by"], event.after["holder"]
        elif isinstance(event, Changed) and event.what == "stage":
            self.stage = str(event.after)
        elif isinstance(event, Ended):
            self.end(event.outcome)
            return
        else:
            return
        self._tell()

    def _said(self, event: Said) -> None:
        self.turn = int(event.data.get("turn", self.turn))
        self.heard.append(
            Heard.model_validate(
                {
                    "number": len(self.heard) + 1,
                    "speaker": event.speaker,
                    "text": event.text,
                    "turn": self.turn,
                    "stage": str(event.data.get("stage", "")),
                    "sources": [claim["source"] for claim in event.data.get("claims", ())],
                }
            )
        )
        if event.speaker != "patient":
            self._answered.set()

    def end(self, outcome: str) -> None:
        """The flow is over."""
        self.outcome, self.control = outcome, "closed"
        self.wait_for_people()
        self._tell()

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def put(self, event: DeskSays) -> list[Heard]:
        """Hand the flow something, and return what was said when it has answered, or has nothing to say.

        The flow may still be busy with its memory then; the next thing waits until it is not.
        """
        await self.idle.wait()
        before = len(self.heard)
        self.idle.clear()
        self._answered.clear()
        self.inbox.put_nowait(event)
        await self._answered.wait()
        return self.heard[before:]

    def wait_for_people(self) -> None:
        """The flow asks what happens next."""
        self.idle.set()
        self._answered.set()

    async def follow(self, after: int) -> AsyncIterator[Heard | None]:
        """Everything said after a number, then everything new as it comes; None when the state changed or to keep alive."""
        while True:
            news = self._news
            while after < len(self.heard):
                after += 1
                yield self.heard[after - 1]
            if self.outcome:
                return
            try:
                async with asyncio.timeout(15):
                    await news.wait()
            except TimeoutError:
                yield None

    @property
    def state(self) -> SessionState:
        """Where it stands."""
        return SessionState(
            id=self.id,
            lang=self.talk.lang,
            country=self.talk.persona.country,
            control=self.control,
            holder=self.holder,
            stage=self.stage,
            turn=self.turn,
            outcome=self.outcome,
            heard=len(self.heard),
        )
