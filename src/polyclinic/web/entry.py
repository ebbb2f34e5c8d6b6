"""Who may come in, and what a browser may do with what it gets.

On one's own machine there are no accounts: the address that `polyclinic web` prints holds a token, which becomes a
cookie. Requests under another name, from another site or without the cookie are refused. No page may load anything from
another host, run a script that is not a file of ours, or be put into a frame.
"""

from __future__ import annotations

import hmac
import math
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyclinic.web.sessions.limits import Buckets

TOKEN = "token"
WRONG_PER_MINUTE = 120.0
"""How often one place may come without the token before it has to wait."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
_NO_STORE = (b"cache-control", b"no-store")
_LOST = "This address needs its token: open the whole address that `polyclinic web` printed.\n"


class EntryGate:
    """ASGI middleware around everything."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token
        self._wrong = Buckets(WRONG_PER_MINUTE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer for it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", ()))
                kept = any(name.lower() == b"cache-control" for name, _ in headers)
                message = {**message, "headers": [*headers, *_HEADERS, *([] if kept else [_NO_STORE])]}
            await send(message)

        request = Request(scope)
        answer = self._refusal(request)
        await (self._app if answer is None else answer)(scope, receive, sent)

    def _refusal(self, request: Request) -> Response | None:
        """The answer to who may not come in, or who comes in with the token in the address."""
        given = request.query_params.get(TOKEN)
        if given is not None and request.method == "GET":
            return self._welcome(request) if self._fits(given) else self._refused(request)
        if self._fits(_cookie(request)) or self._fits(_bearer(request)):
            return None
        return self._refused(request)

    def _refused(self, request: Request) -> Response:
        wait = self._wrong.take(request.client.host if request.client else "")
        if wait:
            return JSONResponse({"detail": "too many tries"}, 429, {"Retry-After": str(math.ceil(wait))})
        if request.url.path.startswith("/api/"):
            return JSONResponse({"detail": _LOST.strip()}, 401)
        return PlainTextResponse(_LOST, 401)

    def _fits(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())

    def _welcome(self, request: Request) -> Response:
        """The same address without the token, which goes into a cookie that no script can read."""
        rest = [(name, value) for name, value in parse_qsl(request.url.query) if name != TOKEN]
        path = "/" + request.url.path.lstrip("/")
        answer = RedirectResponse(f"{path}?{urlencode(rest)}" if rest else path, 303)
        answer.set_cookie(cookie_name(request), self._token, httponly=True, samesite="strict", path="/")
        return answer


def cookie_name(request: Request) -> str:
    """Cookies are shared by all ports of a host, so the name holds the port."""
    return f"polyclinic-{request.url.port or 80}"


def _cookie(request: Request) -> str:
    try:
        found = SimpleCookie(request.headers.get("cookie", "")).get(cookie_name(request))
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _bearer(request: Request) -> str:
    """For notebooks and scripts, which keep no cookies."""
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    return value.strip() if kind.lower() == "bearer" else ""
