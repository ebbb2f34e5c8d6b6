"""Limits for requests, and for attempts to log in."""

from __future__ import annotations

import math

from fastapi import HTTPException

from polyclinic.web.sessions.limits import Buckets


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
