"""Timeouts for connections: a request must arrive, and an answer must be read, within a time limit.

uvicorn waits forever for the rest of a request. A thousand clients that each send one line and then nothing would keep
a thousand connections open. Here they are closed. Connections of clients that do not read the answer are closed too.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADERS_S = 15.0
BODY_IDLE_S = 20.0
BODY_S = 300.0
READ_S = 30.0
KEEP_ALIVE_S = 75
CONNECTIONS = 2000
TOO_LONG, LONG_HEAD = 431, "the head of the request is too long"
NO_HTTP = "this is no HTTP/1.1 request that the server can read"
HEAD_BYTES = 64 * 1024  # the longest head of a request: a FHIR search may be long


class _BoundedHeads(h11.Connection):
    """Refuses a head that is too long. h11 itself refuses only one that is not complete yet: a longer head that arrives
    in one piece would pass.
    """

    def __init__(self, head_bytes: int) -> None:
        super().__init__(h11.SERVER, head_bytes)
        self.head_bytes, self.refused_as = head_bytes, 400

    def next_event(self) -> Any:
        """The next event; an error if it is a request with too long a head."""
        try:
            event = super().next_event()
            if isinstance(event, h11.Request):
                size = len(event.target) + sum(len(name) + len(value) + 4 for name, value in event.headers)
                if size > self.head_bytes:
                    raise h11.RemoteProtocolError(LONG_HEAD, error_status_hint=TOO_LONG)
        except h11.RemoteProtocolError as error:
            self.refused_as = error.error_status_hint
            raise
        return event


class BoundedRequests(H11Protocol):
    """uvicorn's protocol with two timers: one for what the client must send, one for what it must read. The head of a
    request is bounded, too.
    """

    headers_s: float = HEADERS_S
    body_idle_s: float = BODY_IDLE_S
    body_s: float = BODY_S
    read_s: float = READ_S
    _timer: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None
    _since: float | None = None
    """When the part that we wait for now (headers or body) began."""

    def __init__(self, config: uvicorn.Config, *args: Any, **kwargs: Any) -> None:
        super().__init__(config, *args, **kwargs)
        self.conn = self._heads = _BoundedHeads(config.h11_max_incomplete_event_size or HEAD_BYTES)

    def send_400_response(self, msg: str) -> None:
        """Refuse what cannot be read as a request, in one line, and close the connection."""
        status, most = self._heads.refused_as, self._heads.head_bytes
        line = f"{f'{LONG_HEAD}: it may have {most} bytes' if status == TOO_LONG else NO_HTTP}\n".encode()
        headers = [("Content-Type", "text/plain"), ("Content-Length", str(len(line))), ("Connection", "close")]
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):  # no answer has begun
            answer = h11.Response(status_code=status, headers=headers)
            for event in (answer, h11.Data(data=line), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer: a new connection must send its first request soon."""
        super().connection_made(transport)
        self._wind(self.headers_s)

    def data_received(self, data: bytes) -> None:
        """Restart or stop the timer: the data may complete one part of a request, or begin the next."""
        awaited = self.conn.their_state
        super().data_received(data)
        state = self.conn.their_state
        if state is not awaited:
            self._since = None
        if state is h11.SEND_BODY:
            self._wind(self.body_s, idle_s=self.body_idle_s)
        elif state is h11.IDLE:
            self._wind(self.headers_s)
        else:
            self._stop()

    def on_response_complete(self) -> None:
        """Start the timer if the next request has already begun to arrive."""
        super().on_response_complete()
        if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
            self._wind(self.headers_s)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timers."""
        self._stop()
        self._has_read()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not read; start the timer for reading."""
        super().pause_writing()
        self._must_read()

    def resume_writing(self) -> None:
        """The client reads again; stop the timer for reading."""
        self._has_read()
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """No request came after the last answer. If that answer was not read either, drop the connection."""
        super().timeout_keep_alive_handler()
        self._must_read()

    def _must_read(self) -> None:
        self._reading = self._reading or self.loop.call_later(self.read_s, self.transport.abort)

    def _has_read(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
        self._reading = None

    def _wind(self, whole_s: float, *, idle_s: float | None = None) -> None:
        now = self.loop.time()
        self._since = now if self._since is None else self._since
        left = self._since + whole_s - now
        self._stop(keep=True)
        self._timer = self.loop.call_later(max(0.0, left if idle_s is None else min(left, idle_s)), self._give_up)

    def _stop(self, *, keep: bool = False) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        if not keep:
            self._since = None

    def _give_up(self) -> None:
        if self.flow.read_paused:  # we have paused reading ourselves: the client is not silent
            self._timer = self.loop.call_later(self.body_idle_s, self._give_up)
        elif not self.transport.is_closing():
            self.transport.close()


def server_config(app: Any, *, protocol: type[BoundedRequests] = BoundedRequests, **settings: Any) -> uvicorn.Config:
    """uvicorn's settings for our servers."""
    ours: dict[str, Any] = {
        "http": protocol,
        "log_level": "warning",
        "access_log": False,
        "server_header": False,
        "timeout_keep_alive": KEEP_ALIVE_S,
        "limit_concurrency": CONNECTIONS,
        "ws": "none",
        "h11_max_incomplete_event_size": HEAD_BYTES,
    }
    return uvicorn.Config(app, **{**ours, **settings})
