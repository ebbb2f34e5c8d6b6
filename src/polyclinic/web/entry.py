"""Who may send requests, and what a browser may do with the answers.

On a private machine there are no accounts: the address that `polyclinic web` prints holds a token, which becomes a
cookie. Requests without it are refused. Where other machines can reach the server, people log in instead, and people
who are not logged in see only the login page. No page may load anything from another host, run a script that is not a
file of ours, or be put into a frame.
"""

from __future__ import annotations

import asyncio
import hmac
import math
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyclinic.core.turns import cancel_all
from polyclinic.web.access.allowed import NOBODY, OWNER, Requester, person_with
from polyclinic.web.of_request import place_of, store_of
from polyclinic.web.sessions.limits import Buckets

TOKEN = "token"
WRONG_PER_MINUTE, PER_MINUTE, UNKNOWN_PER_MINUTE = 120.0, 1_200.0, 600.0
"""Requests per minute: from one address with a wrong token, from one person, and from one address without a login."""
ASK_AGAIN_S = 10.0
"""How long a stream goes on after a login has ended, at most."""
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
    """ASGI middleware around everything: finds out who sends a request, and refuses those who may not come in."""

    def __init__(self, app: ASGIApp, token: str, *, accounts: bool = False) -> None:
        self._app, self._token, self._accounts = app, token, accounts
        self._wrong, self._known = Buckets(WRONG_PER_MINUTE), Buckets(PER_MINUTE)
        self._unknown = Buckets(UNKNOWN_PER_MINUTE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with a refusal."""
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
        if not self._accounts:
            answer = self._refusal(request)
            scope["person"] = OWNER
            await (self._app if answer is None else answer)(scope, receive, sent)
            return
        scope["person"] = person = await self._person(request)
        wait = self._wait(request, person)
        if wait:
            await _too_often(wait)(scope, receive, sent)
        elif request.url.path.endswith("/events"):
            await self._while_logged_in(request, receive, sent)
        else:
            await self._app(scope, receive, sent)

    async def _person(self, request: Request) -> Requester:
        """The person who is logged in, if any."""
        token = entry_token(request)
        account = await store_of(request).staff.account_of(token) if token else None
        return person_with(account) if account is not None else NOBODY

    def _wait(self, request: Request, person: Requester) -> float:
        """Seconds until the next request is accepted. Requests for built files are cheap and not counted."""
        if not request.url.path.startswith("/api/"):
            return 0.0
        return self._known.take(person.name) if person.account else self._unknown.take(place_of(request))

    async def _while_logged_in(self, request: Request, receive: Receive, send: Send) -> None:
        """Run a stream, and end it soon after its login has ended."""
        token, whole = entry_token(request), asyncio.ensure_future(self._app(request.scope, receive, send))
        try:
            while not (await asyncio.wait({whole}, timeout=ASK_AGAIN_S))[0]:
                if not token or await store_of(request).staff.account_of(token, used=False) is None:
                    return
            await whole
        finally:
            await cancel_all([whole])

    def _refusal(self, request: Request) -> Response | None:
        """The answer to a request that is refused, or that has the token in its address."""
        given = request.query_params.get(TOKEN)
        if given is not None and request.method == "GET":
            return self._welcome(request) if self._fits(given) else self._refused(request)
        return None if self._fits(entry_token(request)) else self._refused(request)

    def _refused(self, request: Request) -> Response:
        wait = self._wrong.take(place_of(request))
        if wait:
            return _too_often(wait)
        if request.url.path.startswith("/api/"):
            return JSONResponse({"detail": _LOST.strip()}, 401)
        return PlainTextResponse(_LOST, 401)

    def _fits(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())

    def _welcome(self, request: Request) -> Response:
        """Redirect to the same address without the token, which goes into a cookie that no script can read."""
        rest = [(name, value) for name, value in parse_qsl(request.url.query) if name != TOKEN]
        path = "/" + request.url.path.lstrip("/")
        answer = RedirectResponse(f"{path}?{urlencode(rest)}" if rest else path, 303)
        keep_token(request, answer, self._token)
        return answer


def _too_often(wait: float) -> Response:
    return JSONResponse({"detail": "too many tries"}, 429, {"Retry-After": str(math.ceil(wait))})


def cookie_name(request: Request) -> str:
    """The name of the cookie. All ports of a host share cookies, so the name holds the port."""
    return f"polyclinic-{request.url.port or 80}"


def keep_token(request: Request, response: Response, token: str) -> None:
    """Put a token into the cookie; an empty one removes the cookie."""
    response.set_cookie(
        cookie_name(request),
        token,
        max_age=None if token else 0,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
        path="/",
    )


def cookie_value(request: Request, name: str) -> str:
    """The value of a cookie; empty if there is none."""
    try:
        found = SimpleCookie(request.headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def entry_token(request: Request) -> str:
    """The token of a request: from its cookie, or a bearer token from notebooks and scripts, which have no cookies."""
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    bearer = value.strip() if kind.lower() == "bearer" else ""
    return bearer or cookie_value(request, cookie_name(request))
