"""Access control: the service token opens everything, a session's token only that session."""

from __future__ import annotations

import math
import secrets
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from polyclinic.web.sessions.limits import Buckets, ServiceLimits
from polyclinic.web.sessions.live import Live
from polyclinic.web.sessions.schemas import Problem
from polyclinic.web.sessions.service import Service, token_fits

bearer = HTTPBearer(auto_error=False, description="the service token, or a session's own token")
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]
ERRORS: dict[int | str, dict[str, object]] = {
    code: {"model": Problem, "description": about}
    for code, about in (
        (400, "not readable"),
        (401, "no token, or a wrong one"),
        (404, "no such session or case, or not yours"),
        (409, "not in this state"),
        (413, "the body is too large"),
        (429, "too many requests; see Retry-After"),
    )
}


class AccessControl:
    """Tokens and rates."""

    def __init__(self, token: str, limits: ServiceLimits) -> None:
        self.token = token
        self._requests = Buckets(limits.requests_per_minute)
        self._messages = Buckets(limits.messages_per_minute)
        self._starts = Buckets(limits.starts_per_minute)

    def is_staff(self, given: str) -> bool:
        """Whether this is the service token."""
        return secrets.compare_digest(given.encode(), self.token.encode())

    def request(self, name: str) -> None:
        """Count one request of a token."""
        _wait(self._requests.take(name))

    def message(self, session: str) -> None:
        """Count one message of a session."""
        _wait(self._messages.take(session))

    def start(self) -> None:
        """Count one new session."""
        _wait(self._starts.take("all"))


def _wait(seconds: float) -> None:
    if seconds > 0:
        raise HTTPException(429, "too many requests: wait a little", {"Retry-After": str(math.ceil(seconds))})


def service_of(request: Request) -> Service:
    """The running service."""
    found: Service = request.app.state.service
    return found


def access_of(request: Request) -> AccessControl:
    """The access control of this application."""
    found: AccessControl = request.app.state.access
    return found


TheService = Annotated[Service, Depends(service_of)]
TheAccess = Annotated[AccessControl, Depends(access_of)]


def _given(credentials: HTTPAuthorizationCredentials | None) -> str:
    if credentials is None:
        raise HTTPException(401, "a token is needed", {"WWW-Authenticate": "Bearer"})
    return credentials.credentials


def staff(credentials: Credentials, access: TheAccess) -> str:
    """Only the service token."""
    token = _given(credentials)
    if not access.is_staff(token):
        raise HTTPException(401, "this needs the service token", {"WWW-Authenticate": "Bearer"})
    access.request("staff")
    return "staff"


async def session_for(session: str, credentials: Credentials, access: TheAccess, service: TheService) -> Live:
    """A session, for the service token or its own; to all others it does not exist."""
    token = _given(credentials)
    live = await service.get(session)
    if access.is_staff(token):
        access.request("staff")
    elif token_fits(live, token):
        access.request(live.id)
    else:
        raise HTTPException(404, "not found")
    return live


async def session_for_staff(session: str, who: Annotated[str, Depends(staff)], service: TheService) -> Live:
    """A session, for the service token only."""
    return await service.get(session)


Staff = Annotated[str, Depends(staff)]
Mine = Annotated[Live, Depends(session_for)]
Theirs = Annotated[Live, Depends(session_for_staff)]
