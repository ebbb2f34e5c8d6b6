"""The server of live sessions. It limits connections (see `serving.connections`) and reports its address."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import uvicorn

from polyclinic.serving.connections import server_config

KEEP_ALIVE_S, HEAD_BYTES = 15, 16_384


class SpokenServer(uvicorn.Server):
    """A server that reports its address once it listens."""

    def __init__(self, config: uvicorn.Config, say: Callable[[str], None]) -> None:
        super().__init__(config)
        self._say = say

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then report the address."""
        await super().startup(sockets)
        for server in self.servers:
            for listening in server.sockets:
                host, port = listening.getsockname()[:2]
                self._say(f"http://{f'[{host}]' if ':' in host else host}:{port}")


def service_config(app: Any, host: str, port: int, *, leave_s: int | None = None) -> uvicorn.Config:
    """The server settings of a service. `leave_s`: how long it waits for open streams when it stops."""
    return server_config(
        app,
        host=host,
        port=port,
        timeout_keep_alive=KEEP_ALIVE_S,
        h11_max_incomplete_event_size=HEAD_BYTES,
        timeout_graceful_shutdown=leave_s,
    )
