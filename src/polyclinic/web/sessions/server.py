"""The listening side: connections that send nothing, half a request or a byte now and then, or that do not read what
they asked for, are closed; the address is told.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S, READ_S, KEEP_ALIVE_S, CONNECTIONS = 10.0, 30.0, 15, 2_000


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 in which the head of a request must come within a time, and an answer must be read within one.

    The clock for a head starts with the connection, and for later requests with their first byte; more bytes do not
    start it again. Bodies have their own limit (see `gate`).
    """

    head_s: float = HEAD_S
    read_s: float = READ_S

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the clock."""
        super().connection_made(transport)
        self._reading: asyncio.TimerHandle | None = None
        self._head: asyncio.TimerHandle | None = self.loop.call_later(self.head_s, self._close)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clocks."""
        self._stop_head()
        self._stop_reading()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Between two requests uvicorn's own limit holds; from a head's first byte to its last, ours does."""
        super().handle_events()
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_head()
        elif self._head is None and self.conn.trailing_data[0]:
            self._head = self.loop.call_later(self.head_s, self._close)

    def pause_writing(self) -> None:
        """The other side does not read; give it a while."""
        super().pause_writing()
        if self._reading is None:
            self._reading = self.loop.call_later(self.read_s, self._abort)

    def resume_writing(self) -> None:
        """It does."""
        self._stop_reading()
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """Nothing came after the last answer; one that was not even read is dropped."""
        super().timeout_keep_alive_handler()
        self._reading = self._reading or self.loop.call_later(self.read_s, self._abort)

    def _close(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()

    def _abort(self) -> None:
        self.transport.abort()

    def _stop_head(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _stop_reading(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None


class SpokenServer(uvicorn.Server):
    """Says its address once it listens."""

    def __init__(self, config: uvicorn.Config, say: Callable[[str], None]) -> None:
        super().__init__(config)
        self._say = say

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then say where."""
        await super().startup(sockets)
        for server in self.servers:
            for listening in server.sockets:
                host, port = listening.getsockname()[:2]
                self._say(f"http://{f'[{host}]' if ':' in host else host}:{port}")


def server_config(app: Any, host: str, port: int) -> uvicorn.Config:
    """How a service listens."""
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        http=BoundedProtocol,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        limit_concurrency=CONNECTIONS,
        h11_max_incomplete_event_size=16_384,
    )
