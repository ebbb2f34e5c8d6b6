"""Limits of the service: how often, how large, how many."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class ServiceLimits:
    """What one service accepts. Rates are per minute; a burst of one sixth of this rate is allowed at once.

    A body must come within `body_s`. A message that is not answered within `answer_s` counts as a fault. Alerts go to
    `webhook`.
    """

    messages_per_minute: float = 60.0
    requests_per_minute: float = 1_200.0
    starts_per_minute: float = 120.0
    logins_per_minute: float = 12.0
    body_bytes: int = 16_384
    body_s: float = 10.0
    open_sessions: int = 1_000
    answer_s: float = 120.0
    webhook: str = ""


class Buckets:
    """Token buckets by name. Their number is limited.

    The bucket that was unused longest is dropped first; it is full when it is used again.
    """

    def __init__(self, per_minute: float, clock: Callable[[], float] = time.monotonic, names: int = 10_000) -> None:
        self._rate, self._burst = per_minute / 60, max(1.0, per_minute / 6)
        self._clock, self._names = clock, names
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str) -> float:
        """0 if a request is allowed now, otherwise the seconds to wait."""
        now = self._clock()
        level, since = self._levels.pop(name, (self._burst, now))
        level = min(self._burst, level + (now - since) * self._rate)
        wait = 0.0 if level >= 1 else (1 - level) / self._rate
        self._levels[name] = (level if wait else level - 1, now)
        while len(self._levels) > self._names:
            self._levels.popitem(last=False)
        return wait
