"""One base URL that speaks the OpenAI chat protocol: its connections, limits and key, and what its models support."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from polyclinic.errors import ConfigError
from polyclinic.models.habits import Habits, Known
from polyclinic.models.limiter import Limiter
from polyclinic.models.spec import is_loopback

if TYPE_CHECKING:
    import aiohttp


_CONNECT_S = 15.0


class Endpoint:
    """One base URL: its session, its slots, and which parts of the protocol each of its models is known to take."""

    def __init__(
        self,
        base_url: str,
        key_env: str,
        concurrency: int,
        rpm: float | None = None,
        first: Habits | None = None,
        needs_key: bool = False,
    ) -> None:
        self.base_url, self.key_env, self._needs_key = base_url, key_env, needs_key
        self.known = Known(first)
        self.limiter = Limiter(concurrency, rpm, spread=True)
        self._session: aiohttp.ClientSession | None = None

    @property
    def key(self) -> str:
        """The key, read when needed and stored nowhere else."""
        return os.environ.get(self.key_env, "") if self.key_env else ""

    def session(self) -> aiohttp.ClientSession:
        """The shared session, opened at first use."""
        if self._session is None or self._session.closed:
            import aiohttp

            connector = aiohttp.TCPConnector(limit=self.limiter.most, keepalive_timeout=60, ttl_dns_cache=300)
            timeout = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S)
            own = not is_loopback(self.base_url)
            self._session = aiohttp.ClientSession(
                connector=connector, timeout=timeout, trust_env=own, auto_decompress=False
            )
        return self._session

    def headers(self) -> dict[str, str]:
        """Headers of a request. No request is sent without a key to a host that is known to need one."""
        plain = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        key = self.key
        if key:
            plain["Authorization"] = f"Bearer {key}"
        elif self._needs_key:
            raise ConfigError(
                f"{self.base_url} needs a key: set {self.key_env}, or name another variable with ?key_env=…"
            )
        return plain

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
