"""Alerts: an open case rings until somebody acknowledges it, at once and again every minute.

It rings at a webhook, if there is one, and for every member of staff who listens to the queue's stream. Their page
makes a sound. A webhook gets no words of the conversation, and no reason, which may quote them. A webhook that fails is
tried again soon, and until it works the service does not report itself as healthy. An emergency that could not be
stored rings from memory.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from urllib.parse import urlsplit

import httpx
from pydantic import BaseModel

from polyclinic.core.live import CaseWords
from polyclinic.errors import ConfigError
from polyclinic.store.posts import Post
from polyclinic.web.sessions.schemas import case_id

_LOG = logging.getLogger(__name__)
AGAIN_S, RETRY_S, WEBHOOK_S, KEEP_ALIVE_S, LOOK_WITHIN_S = 60.0, 5.0, 10.0, 15.0, 5.0
RING_WAITS_S, KEPT_ALERTS = 0.5, 100
Send = Callable[[str, "Alert"], Awaitable[None]]


class Alert(BaseModel):
    """One ring: for which case, why, since when, and how often it has rung before."""

    case: str
    session: str
    queue: str
    reason: str
    since_ms: int
    times: int = 0
    sound: bool = True


async def post_alert(url: str, alert: Alert) -> None:
    """Send an alert to a webhook; any answer except 2xx is a failure. What else it answers is not read."""
    told = alert.model_dump(exclude={"reason"})
    async with (
        httpx.AsyncClient(timeout=WEBHOOK_S, follow_redirects=False, trust_env=False) as client,
        client.stream("POST", url, json=told) as answer,
    ):
        if not answer.is_success:
            raise httpx.HTTPError(f"the webhook answered {answer.status_code}")


def check_webhook(url: str, local_only: bool) -> str:
    """Return a valid webhook address, or raise an error that says how to write one."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"--alert {url}: write an address such as https://pager.example/hook")
    if local_only and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        raise ConfigError(f"--alert {url}: --local-only refuses an address outside this machine")
    return url


class Alerts:
    """Rings for open cases of the queues that alert."""

    def __init__(
        self,
        stored: Callable[[], Awaitable[list[Alert]]],
        unstored: Callable[[], list[Alert]],
        webhook: str = "",
        clock: Callable[[], float] = time.monotonic,
        send: Send = post_alert,
    ) -> None:
        self._stored, self._unstored = stored, unstored
        self._webhook, self._clock, self._send = webhook, clock, send
        self._acknowledged: set[str] = set()
        self._rung: dict[str, tuple[int, float]] = {}
        self._missed: set[str] = set()
        self._blind = False
        self._listeners: set[asyncio.Queue[Alert]] = set()
        self.calls: set[asyncio.Task[None]] = set()

    @property
    def failing(self) -> bool:
        """Whether an alert did not reach the webhook, or open cases cannot be read."""
        return self._blind or bool(self._missed)

    @property
    def listening(self) -> int:
        """How many members of staff listen now."""
        return len(self._listeners)

    def acknowledge(self, cases: Collection[str]) -> None:
        """Stop ringing for these cases. Each stays in the queue until it is taken and closed."""
        self._acknowledged.update(cases)

    def acknowledged(self, case: str) -> bool:
        """Whether somebody has acknowledged this case."""
        return case in self._acknowledged

    async def ring(self) -> int:
        """Ring for every open case that is due; returns how many.

        Calls of a slow webhook go on afterwards: the staff hear of the next case at once.
        """
        waiting = {alert.case: alert for alert in [*await self._look(), *self._unstored()]}
        now, due = self._clock(), []
        for case, alert in waiting.items():
            times, after = self._rung.get(case, (0, now))
            if case not in self._acknowledged and now >= after:
                self._rung[case] = times + 1, now + AGAIN_S
                due.append(alert.model_copy(update={"times": times}))
        self._missed &= waiting.keys() - self._acknowledged
        if not self._blind:
            self._acknowledged &= waiting.keys()
            self._rung = {case: rung for case, rung in self._rung.items() if case in waiting}
        for alert in due:
            self._say(alert)
        if self._webhook and due:
            calls = {asyncio.create_task(self._page(alert)) for alert in due}
            self.calls |= calls
            await asyncio.wait(calls, timeout=RING_WAITS_S)
            self.calls = {call for call in self.calls if not call.done()}
        return len(due)

    async def _look(self) -> list[Alert]:
        """The open cases. If the store cannot be read in time, cases in memory still ring, and `failing` is set."""
        try:
            async with asyncio.timeout(LOOK_WITHIN_S):
                found = await self._stored()
        except Exception:
            _LOG.critical("open cases could not be read for alerts", exc_info=True)
            self._blind = True
            return []
        self._blind = False
        return found

    def _say(self, alert: Alert) -> None:
        for listener in self._listeners:
            if listener.full():
                listener.get_nowait()
            listener.put_nowait(alert)

    async def _page(self, alert: Alert) -> None:
        try:
            async with asyncio.timeout(WEBHOOK_S):
                await self._send(self._webhook, alert)
            self._missed.discard(alert.case)
        except Exception:
            _LOG.critical("the alert for case %s did not reach the webhook", alert.case, exc_info=True)
            self._rung[alert.case] = alert.times + 1, self._clock() + RETRY_S
            self._missed.add(alert.case)

    async def listen(self) -> AsyncIterator[Alert | None]:
        """Every alert from now on; None to keep the connection alive."""
        mine: asyncio.Queue[Alert] = asyncio.Queue(maxsize=KEPT_ALERTS)
        self._listeners.add(mine)
        try:
            while True:
                try:
                    async with asyncio.timeout(KEEP_ALIVE_S):
                        alert = await mine.get()
                except TimeoutError:
                    yield None
                    continue
                yield alert
        finally:
            self._listeners.discard(mine)


def alert_for(post: Post) -> Alert:
    """The alert for a case."""
    return Alert(
        case=case_id(post),
        session=post.episode,
        queue=post.queue,
        reason=CaseWords.from_message(post.body).reason[:300],
        since_ms=post.created_ms,
    )
