"""Limits of the service: how often, how large, how many."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from fastapi import HTTPException


@dataclass(frozen=True)
class ServiceLimits:
    """What one service accepts. Rates are per minute; a burst of one sixth of this rate is allowed at once.

    Of the messages that come too fast, `refused_read_per_minute` are still read for danger.
    A body must come within `body_s`. A message that is not answered within `answer_s` counts as a fault, and so does a
    store that another process has locked for `lock_wait_s`, or that does not answer for twice as long. Alerts go to
    `webhook`.
    """

    messages_per_minute: float = 60.0
    refused_read_per_minute: float = 12.0
    requests_per_minute: float = 1_200.0
    starts_per_minute: float = 120.0
    logins_per_minute: float = 12.0
    body_bytes: int = 65_536
    body_s: float = 10.0
    open_sessions: int = 1_000
    answer_s: float = 120.0
    lock_wait_s: float = 10.0
    webhook: str = ""


class Buckets:
    """Token buckets by name. Their number is limited.

    The bucket that was unused longest is dropped first; it is full when it is used again.
    """

    def __init__(self, per_minute: float, clock: Callable[[], float] | None = None, names: int = 10_000) -> None:
        self._rate, self._burst = per_minute / 60, max(1.0, per_minute / 6)
        self._clock, self._names = clock, names
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str) -> float:
        """0 if a request is allowed now, otherwise the seconds to wait."""
        now = (self._clock or time.monotonic)()
        level, since = self._levels.pop(name, (self._burst, now))
        level = min(self._burst, level + (now - since) * self._rate)
        wait = 0.0 if level >= 1 else (1 - level) / self._rate
        self._levels[name] = (level if wait else level - 1, now)
        while len(self._levels) > self._names:
            self._levels.popitem(last=False)
        return wait


class Rates:
    """Counts requests by sender, and attempts to log in."""

    def __init__(self, requests_per_minute: float, logins_per_minute: float) -> None:
        self._requests = Buckets(requests_per_minute)
        self._logins = Buckets(logins_per_minute)
        self._all_logins = Buckets(10 * logins_per_minute)

    def request(self, name: str) -> None:
        """Count one request of a token."""
        refuse_until(self._requests.take(name))

    def login(self, name: str, place: str) -> None:
        """Count one attempt to log in: by name and address, and in total.

        Because the address counts, nobody can lock a person out from elsewhere.
        """
        refuse_until(self._logins.take(f"{name} {place}"))
        refuse_until(self._all_logins.take("all"))


def refuse_until(seconds: float) -> None:
    """Refuse while there are seconds left to wait."""
    if seconds > 0:
        raise HTTPException(429, "too many requests: wait a little", {"Retry-After": str(math.ceil(seconds))})
