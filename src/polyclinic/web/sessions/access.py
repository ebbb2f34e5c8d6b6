"""Access control: the service token starts sessions, a session's token opens that session, staff log in by name."""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from polyclinic.errors import UnknownName
from polyclinic.store.staff import Account, StaffRole
from polyclinic.web.of_request import kept
from polyclinic.web.sessions.limits import Buckets, Rates, ServiceLimits, refuse_until
from polyclinic.web.sessions.live import Live
from polyclinic.web.sessions.logins import Passwords
from polyclinic.web.sessions.schemas import BrokenShown, ProblemShown
from polyclinic.web.sessions.service import Service

ASK_AGAIN_S = 10.0
NO_SESSION = "refused: no such session"
bearer = HTTPBearer(auto_error=False, description="the service token, a session's own token, or that of a login")
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]
ERRORS: dict[int | str, dict[str, object]] = {
    code: {"model": BrokenShown if code == 503 else ProblemShown, "description": about}
    for code, about in (
        (400, "not readable"),
        (401, "no token, or a wrong one"),
        (403, "your role does not allow this"),
        (404, "no such session or case, or not yours"),
        (408, "the body came too slowly"),
        (409, "not possible in the present state"),
        (413, "the body is too large"),
        (429, "too many requests; see Retry-After"),
        (503, "the service failed; staff have been informed"),
    )
}


class AccessControl(Rates):
    """Checks tokens, and limits the rate of requests."""

    def __init__(self, token: str, limits: ServiceLimits) -> None:
        super().__init__(limits.requests_per_minute, limits.logins_per_minute)
        self.token, self.passwords = token, Passwords()
        self._messages = Buckets(limits.messages_per_minute)
        self._refused = Buckets(limits.refused_read_per_minute)
        self._starts = Buckets(limits.starts_per_minute)
        self._wrong = Buckets(limits.requests_per_minute)

    def is_service(self, given: str) -> bool:
        """Whether this is the service token."""
        return secrets.compare_digest(given.encode(), self.token.encode())

    def opens(self, live: Live, given: str) -> bool:
        """Whether this token opens a session as its visitor."""
        return self.is_service(given) or live.opens_with(given)

    def wrong(self) -> None:
        """Count one request with a wrong token; the number of all such requests together is limited."""
        refuse_until(self._wrong.take("all"))

    def message(self, session: str) -> None:
        """Count one message of a session."""
        refuse_until(self._messages.take(session))

    def one_more_read(self, session: str) -> bool:
        """Whether a message of a session that sends too many is still read for danger. It is counted."""
        return self._refused.take(session) == 0

    def start(self) -> None:
        """Count one new session."""
        refuse_until(self._starts.take("all"))

    def one_more_stream(self, open_now: int, most: int) -> None:
        """Refuse another stream if there are already as many as allowed."""
        refuse_until(10.0 if open_now >= most else 0.0)


TheService = Annotated[Service, Depends(kept("service"))]
TheAccess = Annotated[AccessControl, Depends(kept("access"))]


def given_token(credentials: Credentials) -> str:
    """The token that came with the request."""
    if credentials is None:
        raise HTTPException(401, "a token is needed", {"WWW-Authenticate": "Bearer"})
    return credentials.credentials


StaffToken = Annotated[str, Depends(given_token)]


def application(token: StaffToken, access: TheAccess) -> str:
    """Accept only the service token, which the visitors' application holds."""
    if not access.is_service(token):
        access.wrong()
        raise HTTPException(401, "this needs the service token", {"WWW-Authenticate": "Bearer"})
    access.request("service")
    return "service"


def _person(role: StaffRole) -> Callable[..., Awaitable[Account]]:
    """A dependency: an account that is logged in and has this role. Read access is written to the audit log here."""

    async def person(request: Request, token: StaffToken, access: TheAccess, service: TheService) -> Account:
        found = await service.staff.account_of(token)
        if found is None:
            access.wrong()
            raise HTTPException(401, "this needs a staff login", {"WWW-Authenticate": "Bearer"})
        access.request(f"staff {found.name}")
        look = "look" if request.method == "GET" else "act"
        if not found.may(role):
            await service.trail.note(found, look, request.url.path, "refused: role")
            raise HTTPException(403, f"this needs the role {role}")
        if request.method == "GET":
            await service.trail.note(found, look, request.url.path)
        return found

    return person


watcher, taker, administrator = _person("watch"), _person("take_over"), _person("administer")


async def session_for(
    request: Request, session: str, token: StaffToken, access: TheAccess, service: TheService
) -> Live:
    """A session, for its own token, the service token or a member of staff.

    For all others the answer is "not found".
    """
    try:
        live = await service.get(session)
    except UnknownName:
        found = await service.staff.account_of(token)
        if found is None:
            access.wrong()
        else:
            await service.trail.note(found, "look", request.url.path, NO_SESSION)
        raise
    if access.opens(live, token):
        request.state.live = live  # for the words of a refusal
    if access.is_service(token):
        access.request("service")
    elif live.opens_with(token):
        access.request(live.id)
    elif request.method == "GET" and await service.staff.account_of(token) is not None:
        await watcher(request, token, access, service)
    else:
        access.wrong()
        raise HTTPException(404, "not found")
    return live


Holds = Callable[[], Awaitable[bool]]


def who_holds(token: str, service: Service) -> Holds:
    """Checks again whether a token belongs to a member of staff. An open stream does not prolong the token."""

    async def holds() -> bool:
        return await service.staff.account_of(token, used=False) is not None

    return holds


class StillAllowed:
    """Repeats the check from time to time while a stream is open."""

    def __init__(self, holds: Holds, clock: Callable[[], float] = time.monotonic) -> None:
        self._holds, self._clock, self._next = holds, clock, clock() + ASK_AGAIN_S

    async def allowed(self) -> bool:
        """Whether the stream may go on."""
        if self._clock() < self._next:
            return True
        self._next = self._clock() + ASK_AGAIN_S
        return await self._holds()


Application = Annotated[str, Depends(application)]
Watcher = Annotated[Account, Depends(watcher)]
Taker = Annotated[Account, Depends(taker)]
Administrator = Annotated[Account, Depends(administrator)]
Mine = Annotated[Live, Depends(session_for)]


async def session_for_staff(request: Request, session: str, who: Taker, service: TheService) -> Live:
    """A session, for staff who act in it. An attempt in a session that does not exist is logged too."""
    try:
        return await service.get(session)
    except UnknownName:
        await service.trail.note(who, "act", request.url.path, NO_SESSION)
        raise


Theirs = Annotated[Live, Depends(session_for_staff)]
