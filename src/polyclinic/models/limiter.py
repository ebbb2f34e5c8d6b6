"""How many calls an endpoint gets at once: up to a maximum, half as many after "too many requests", then more again.

All models on one endpoint share one `Limiter`. Waiting is first come, first served.

Calls to an endpoint can be spread: few start at once, and all of them together no faster than this process can handle
their answers. Calls that start together are answered together, and then each waits until all the others were handled,
in every round.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

MOST_SPREAD_S = 0.002
_FIRST_SPREAD_S = 0.001
_MEASURED_EVERY = 32
_GROUP = 8  # so many start together: one commit and one round of the event loop serve them all
_ROOM = 1.5  # calls start so much further apart than one keeps the event loop's thread busy: other threads work too


class Limiter:
    """Slots for calls, and a pause of all starts if the endpoint asked for one."""

    def __init__(self, concurrency: int, rpm: float | None = None, *, spread: bool = False) -> None:
        self.most = concurrency
        self.allowed = float(concurrency)
        self.busy = 0
        self._interval_s = 60.0 / rpm if rpm else 0.0
        self._spread, self._spread_s = spread, _FIRST_SPREAD_S if spread else 0.0
        self._measured, self._calls = time.thread_time(), 0
        self._next_start = 0.0
        self._paused_until = 0.0
        self._lowered_at = float("-inf")
        self._waiting: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Hold one of the slots."""
        await self._acquire()
        try:
            yield
        finally:
            self.busy -= 1
            self._wake()

    async def _acquire(self) -> None:
        if not self._waiting and self.busy < int(self.allowed):
            self.busy += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.busy -= 1
                self._wake()
            raise

    def _wake(self) -> None:
        while self._waiting and self.busy < int(self.allowed):
            turn = self._waiting.popleft()
            if not turn.done():
                self.busy += 1
                turn.set_result(None)

    def starts_now(self) -> bool:
        """Whether a call may start at once. If so, it counts as started."""
        now = asyncio.get_running_loop().time()
        if max(self._next_start, self._paused_until) > now:
            return False
        self._next_start = now + self._gap()
        return True

    async def start(self) -> None:
        """Wait until the endpoint may be asked: its own pause is over and the rate allows it."""
        loop = asyncio.get_running_loop()
        at = max(self._next_start, loop.time())
        self._next_start = at + self._gap()
        if at > loop.time():
            group_s = _GROUP * self._spread_s
            await asyncio.sleep((math.ceil(at / group_s) * group_s if group_s else at) - loop.time())
        left = self._paused_until - loop.time()
        if left > 0:
            await asyncio.sleep(left)

    def _gap(self) -> float:
        """The time until the next call may start. It follows how busy a call keeps the thread of the event loop."""
        if self._spread:
            self._calls += 1
            if self._calls == _MEASURED_EVERY:
                busy = time.thread_time()
                apart_s = _ROOM * (busy - self._measured) / self._calls
                self._spread_s = max(0.0, min(MOST_SPREAD_S, apart_s))
                self._measured, self._calls = busy, 0
        return max(self._interval_s, self._spread_s)

    def throttled(self, retry_after_s: float | None) -> None:
        """After "too many requests": halve the number of calls, at most once a second. Pause as long as the endpoint
        asked.
        """
        now = asyncio.get_running_loop().time()
        if now - self._lowered_at >= 1.0:
            self.allowed = max(1.0, self.allowed / 2)
            self._lowered_at = now
        if retry_after_s:
            self._paused_until = max(self._paused_until, now + retry_after_s)

    def succeeded(self) -> None:
        """Called after a successful call: allow a few more calls at once again."""
        if self.allowed < self.most:
            self.allowed = min(float(self.most), self.allowed + max(1.0, 0.05 * self.allowed) / 4)
            self._wake()
