"""One person's session: the run goes on in a task, and waits whenever the person is asked.

What was said and answered is in the run's journal. So a session that was closed, evicted or killed goes on from there.
The run is resumed, and gives the same lines again with the same numbers.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

from polyclinic.core.message import Image
from polyclinic.core.transcript import Event
from polyclinic.core.turns import cancel_all
from polyclinic.errors import PersonLeft, PolyclinicError
from polyclinic.models.human import HumanDesk, HumanQuestion
from polyclinic.runner.api import resume_run
from polyclinic.runner.plan.run_plan import RunPlan
from polyclinic.store.class_rows import Hint
from polyclinic.store.store import Store
from polyclinic.web.practise.view import Asked, LineListener, SeenLine, Situation, State, asked_of
from polyclinic.web.streams import News

_LOG = logging.getLogger(__name__)
FIRST_S = 20.0
"""How long the response to an answer waits for the next lines; later lines come by the stream."""


class PracticeSession:
    """A session while its run goes on in this process. `plan` is given if this process has just saved the run."""

    def __init__(self, store: Store, run: str, seat: str, plan: RunPlan | None = None) -> None:
        self.run, self.seat = run, seat
        self.pictures: dict[str, Image] = {}
        self.used = time.monotonic()
        self.listening = self.watching = 0
        self._hints: list[Hint] = []
        self._shut = False
        self._store, self._desk, self._heard = store, HumanDesk(), LineListener(seat)
        self._question: HumanQuestion | None = None
        self._asked: Asked | None = None
        self._state: State = "others"
        self._why = ""
        self._news = News()
        self._task = asyncio.create_task(self._play(plan))

    @property
    def lines(self) -> list[SeenLine]:
        """All that the person may see so far."""
        return self._heard.lines

    @property
    def standing(self) -> Situation:
        """The state of the session."""
        if self._shut and self._state in ("you", "others"):
            return Situation(state="closed", seen=len(self.lines))
        return Situation(state=self._state, asked=self._asked, why=self._why, seen=len(self.lines))

    @property
    def over(self) -> bool:
        """Whether the session is over."""
        return self._task.done()

    async def settled(self, longest_s: float = FIRST_S) -> None:
        """Wait until the person is asked or the session is over, but only for a while."""
        ends = time.monotonic() + longest_s
        while self._state == "others" and time.monotonic() < ends:
            await self._news.wait(ends - time.monotonic())

    async def answer(self, key: str, text: str, values: Mapping[str, Any] | None, tool: str) -> str:
        """Answer the question with this key. If the answer is not accepted, returns the reason.

        A question that was answered before stays as it is.
        """
        self.used = time.monotonic()
        if self._shut:
            return "the class has ended"
        question = self._question
        if question is None or question.key != key:
            return ""
        if tool:
            wrong = self._desk.use(question.id, tool, values or {})
        elif values is not None:
            wrong = self._desk.fill_in(question.id, values)
        else:
            wrong = self._desk.reply(question.id, text)
        if not wrong:
            self._question, self._asked, self._state = None, None, "others"
            self._news.tell()
            await self.settled()
        return wrong

    def take_hint(self, hint: Hint) -> None:
        """Show a hint of the educator; it is already stored."""
        if all(hint.number != known.number for known in self._hints):
            self._hints.append(hint)
            self._news.tell()

    def shut(self) -> None:
        """Close the session because the class has ended: from now on it can only be read."""
        self._shut = True
        self._news.tell()

    async def follow(self, after: int, *, watching: bool = False) -> AsyncIterator[SeenLine | Situation | Hint | None]:
        """Every line after this number and every hint, then each new line or hint, and the state whenever it changes.

        None is a keep-alive sign. Somebody who only watches does not count as present.
        """
        self.listening += not watching
        self.watching += watching
        hinted = 0
        told: Situation | None = None
        try:
            while True:
                while after < len(self.lines):
                    after += 1
                    yield self.lines[after - 1]
                while hinted < len(self._hints):
                    hinted += 1
                    yield self._hints[hinted - 1]
                standing = self.standing
                if standing != told:
                    told = standing
                    yield standing
                if self.over:
                    return
                news = after < len(self.lines) or hinted < len(self._hints) or self.standing != told
                if not news and not await self._news.wait():
                    yield None
        finally:
            self.listening -= not watching
            self.watching -= watching
            self.used = time.monotonic()

    async def close(self) -> None:
        """Remove the session from memory; the journal still has it."""
        await cancel_all([self._task])

    async def _play(self, plan: RunPlan | None) -> None:
        asking = asyncio.create_task(self._ask())
        try:
            now = await resume_run(
                self._store, self.run, plan=plan, desk=self._desk, listener=self._hear, retry_failed=False
            )
            self._end(
                "stopped" if now.left else "ended",
                "another window or program holds this session" if now.left else "",
            )
        except PersonLeft:
            self._end("stopped", "")
        except PolyclinicError as error:
            _LOG.warning("session %s stopped: %s", self.run, error)
            self._end("stopped", str(error))
        finally:
            await cancel_all([asking])

    def _end(self, state: State, why: str) -> None:
        self._question, self._asked, self._state, self._why = None, None, state, why
        self._news.tell()

    async def _ask(self) -> None:
        while True:
            question = await self._desk.next()
            if question.error:
                continue  # reported to the person who gave the answer
            self.pictures |= {image.digest: image for image in question.pictures}
            self._question, self._asked, self._state = question, asked_of(question), "you"
            self._news.tell()

    def _hear(self, episode: str, event: Event) -> None:
        if self._heard.hear(event):
            self._news.tell()
