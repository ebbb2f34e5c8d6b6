"""Whatever fails: the visitor gets the safe words, and people are informed."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence

from polyclinic.core.live import LAST_WORDS, Heard, LiveService
from polyclinic.errors import PolyclinicError
from polyclinic.store.journal import now_ms
from polyclinic.store.posts import Posts
from polyclinic.web.sessions.alerts import Alert, Alerts
from polyclinic.web.sessions.cases import Cases
from polyclinic.web.sessions.emergency import QUEUE_S, Emergency, Telling
from polyclinic.web.sessions.live import Live, safe_words
from polyclinic.web.sessions.lost import Lost
from polyclinic.web.sessions.schemas import case_name

_LOG = logging.getLogger(__name__)
FAULT_SHOWS_S, PROBE_S = 600, 1.0
"""How long the service counts as unhealthy after a fault, and the shortest time between two checks of the store."""


class Broken(PolyclinicError):
    """The software failed while a visitor waited for an answer.

    The visitor got the safe words, and people were informed.
    """

    def __init__(self, said: Sequence[Heard], told: Sequence[str], why: str = "") -> None:
        super().__init__(why or "the service failed; staff have been informed")
        self.said, self.told = list(said), tuple(told)


class Rescue:
    """What a service does about faults."""

    def __init__(self, room: LiveService, telling: Telling, cases: Cases, posts: Posts) -> None:
        self._room, self.telling, self._cases, self._posts = room, telling, cases, posts
        self._probed = 0.0

    async def stopped(self, live: Live, words: str, fault: Exception, lost: Lost | None = None) -> Broken:
        """Handle a flow that cannot go on. `lost`: what the visitor did, which the flow may not have got."""
        if live.task is not None and not live.task.done() and live.task is not asyncio.current_task():
            live.task.cancel()
        live.fault = fault
        live.stop()
        said = live.say_safely()
        what = f"{type(fault).__name__}: {fault}"
        lost = (lost or Lost()).model_copy(update={"heard": said.number})
        return Broken([said], await self.telling.tell(live.id, words, what, lost))

    async def faulty(self, live: Live, said: list[Heard], words: str, since_ms: int) -> Broken:
        """Handle a flow that went on after a fault. It may have informed people and said the safe words itself."""
        what = "; ".join(f"{fault.where}: {fault.error}" for fault in live.faults)
        live.faults.clear()
        lost = Lost()
        if safe_words(self._room, live.scenario) not in [heard.text for heard in said]:
            said = [*said, safe := live.say_safely()]
            lost = Lost(heard=safe.number)
        if await self._posted(live.id, since_ms):
            self.telling.last_ms = now_ms()
            _LOG.critical("EMERGENCY in session %s: %s (reported by: queue)", live.id, what)
            return Broken(said, ("queue", "log"))
        return Broken(said, await self.telling.tell(live.id, words, what, lost))

    async def _posted(self, session: str, since_ms: int) -> bool:
        try:
            async with asyncio.timeout(QUEUE_S):
                return await self._cases.posted_since(session, self.telling.queue, since_ms)
        except Exception:
            _LOG.exception("the queue could not be read")
            return False

    async def last_resort(
        self, session: str, live: Live | None, options: Mapping[str, str], fault: Exception, tell: bool
    ) -> Broken:
        """Handle an unexpected fault outside any session's flow. `tell`: a visitor was waiting for an answer."""
        try:
            made = live.scenario if live else self._room.scenario(session, self._room.opening(), {}, options)
            words = safe_words(self._room, made)
        except Exception:
            _LOG.exception("the clinic's safe words for an unknown session failed")
            words = LAST_WORDS
        self.telling.last_ms = now_ms()
        ways = await self.telling.tell(session, "", f"{type(fault).__name__}: {fault}") if tell else ()
        return Broken([self._room.heard(number=0, speaker="service", text=words)], ways)

    async def healthy(self, alerts: Alerts) -> bool:
        """Whether nothing failed recently, alerts get through, and the store can be written to."""
        if alerts.failing or now_ms() - self.telling.last_ms < FAULT_SHOWS_S * 1_000:
            return False
        if time.monotonic() - self._probed < PROBE_S:
            return True
        try:
            async with asyncio.timeout(QUEUE_S):
                await self._posts.probe()
        except Exception:
            _LOG.exception("the store cannot be written to")
            return False
        self._probed = time.monotonic()
        return True

    def unstored(self) -> list[Emergency]:
        """Emergencies that could not be stored yet."""
        return list(self.telling.unstored.values())

    def alerts(self) -> list[Alert]:
        """The alerts for these emergencies."""
        return [_alert_of(case, self.telling.queue) for case in self.unstored()]


def _alert_of(case: Emergency, queue: str) -> Alert:
    return Alert(
        case=case_name(case.session, queue, case.key),
        session=case.session,
        queue=queue,
        reason=str(case.body()["reason"])[:300],
        since_ms=case.at_ms,
    )
