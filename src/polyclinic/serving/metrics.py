"""Metrics of a server in Prometheus' text format at ``/metrics``: requests, durations and the process itself.

Numbers only: no path with an id in it, no name, and nothing that anybody said.

Also a setting of malloc that lets a long-running server hold less freed memory.
"""

from __future__ import annotations

import ctypes
import os
import resource
import secrets
import sys
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import accumulate

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATH = "/metrics"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class Metrics:
    """ASGI middleware: counts every request and answers ``/metrics``.

    If a token is set, ``/metrics`` is only shown to requests with this token.
    """

    def __init__(self, app: ASGIApp, service: str, token: str = "") -> None:
        self._app, self._service, self._token = app, service, token
        self._requests: Counter[tuple[str, str]] = Counter()
        self._durations = [0] * (len(BOUNDS_S) + 1)
        self._seconds = 0.0
        self._in_progress = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count the request and pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["path"] == PATH:
            await self._answer(HTTPConnection(scope))(scope, receive, send)
        else:
            await self._counted(scope, receive, send)

    def _answer(self, request: HTTPConnection) -> PlainTextResponse:
        given = request.headers.get("authorization", "").encode()
        if self._token and not secrets.compare_digest(given, f"Bearer {self._token}".encode()):
            return PlainTextResponse("the service token is needed\n", 401, {"WWW-Authenticate": "Bearer"})
        return PlainTextResponse(self.text(), headers={"Content-Type": CONTENT_TYPE})

    async def _counted(self, scope: Scope, receive: Receive, send: Send) -> None:
        status = "none"

        async def heard(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
            await send(message)

        began = time.monotonic()
        self._in_progress += 1
        try:
            await self._app(scope, receive, heard)
        finally:
            took = time.monotonic() - began
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._in_progress -= 1
            self._requests[method, status] += 1
            self._durations[bisect_left(BOUNDS_S, took)] += 1
            self._seconds += took

    def text(self) -> str:
        """All metrics in the text format."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        own = {"service": self._service}
        yield from _about("http_requests_total", "counter", "Requests by method and status.")
        for (method, status), count in sorted(self._requests.items()):
            yield _sample("http_requests_total", count, {**own, "method": method, "status": status})
        name = "http_request_duration_seconds"
        yield from _about(name, "histogram", "How long requests took.")
        sums = list(accumulate(self._durations))
        for bound, count in zip((*map(str, BOUNDS_S), "+Inf"), sums, strict=True):
            yield _sample(f"{name}_bucket", count, {**own, "le": bound})
        yield _sample(f"{name}_sum", round(self._seconds, 6), own)
        yield _sample(f"{name}_count", sums[-1], own)
        yield from _about("http_requests_in_progress", "gauge", "Requests that are being answered.")
        yield _sample("http_requests_in_progress", self._in_progress, own)
        yield from _process(own)


def _process(own: Mapping[str, str]) -> Iterator[str]:
    used = resource.getrusage(resource.RUSAGE_SELF)
    yield from _about("process_cpu_seconds_total", "counter", "CPU time of the process.")
    yield _sample("process_cpu_seconds_total", round(used.ru_utime + used.ru_stime, 3), own)
    yield from _about("process_max_resident_memory_bytes", "gauge", "The most memory the process has had.")
    yield _sample("process_max_resident_memory_bytes", used.ru_maxrss * 1024, own)
    if os.path.isdir("/proc/self/fd"):
        yield from _about("process_open_fds", "gauge", "Open files and connections.")
        yield _sample("process_open_fds", len(os.listdir("/proc/self/fd")), own)


def _about(name: str, kind: str, text: str) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} {kind}"


def _sample(name: str, value: float, labels: Mapping[str, str]) -> str:
    listed = ",".join(f'{key}="{text}"' for key, text in labels.items())
    return f"{name}{{{listed}}} {value}"


_ARENAS = -8  # M_ARENA_MAX in glibc's malloc.h
MOST_ARENAS = 2


def few_arenas() -> bool:
    """Let all threads share two malloc arenas; returns whether that was possible. Call it before threads start.

    glibc gives each thread an arena of its own, eight for each core. Memory that one thread freed is not used by
    another, so a server with a dozen threads holds many times what it needs. Other C libraries have no such setting.
    """
    if not sys.platform.startswith("linux"):
        return False
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    return set_option is not None and bool(set_option(_ARENAS, MOST_ARENAS))
