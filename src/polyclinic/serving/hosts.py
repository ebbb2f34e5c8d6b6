"""Check the host and the origin of requests, as protection from web pages that reach a server on this machine.

A page in a browser can send requests to loopback. DNS rebinding (the page's own name is made to point at 127.0.0.1)
even lets it read the answers. Such requests name the page's host. So only requests to IP addresses, `localhost` and
host names that the user allowed are answered. A request from another origin that the user did not allow may not change
anything.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

_SAFE = ("GET", "HEAD", "OPTIONS")


class KnownHosts:
    """ASGI middleware: refuses requests whose `Host` is not ours, and changes requested by another origin."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        self._app, self._hosts = app, frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origin.lower() for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        refusal = self._refusal(HTTPConnection(scope), scope["method"]) if scope["type"] == "http" else None
        await (self._app if refusal is None else refusal)(scope, receive, send)

    def _refusal(self, request: HTTPConnection, method: str) -> Response | None:
        hosts = request.headers.getlist("host")
        if len(hosts) != 1 or not self._knows(_name(f"//{hosts[0]}")):
            text = "this server does not accept this host name; allow it with --allow-host\n"
            return PlainTextResponse(text, 421)
        origin = request.headers.get("origin")
        if origin is not None and origin.lower() in self._origins:
            return None
        foreign = request.headers.get("sec-fetch-site") == "cross-site" or (
            origin is not None and urlsplit(origin).netloc.lower() != hosts[0].lower()
        )
        if foreign and method not in _SAFE:
            return PlainTextResponse("requests from another origin may not change anything\n", 403)
        return None

    def _knows(self, name: str) -> bool:
        if name == "localhost" or name in self._hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def _name(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""
