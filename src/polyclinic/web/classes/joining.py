"""People who join by a code: each is a browser with a token in a cookie.

Trainees and raters have no account, only a name.
"""

from __future__ import annotations

import hashlib
import math
import secrets
import unicodedata
from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, HTTPException, Request, Response
from pydantic import AfterValidator, BaseModel, Field
from typing_extensions import TypeVar

from polyclinic.core.live import Body
from polyclinic.errors import UnknownName, UserError
from polyclinic.store.staff import token_digest
from polyclinic.web.entry import cookie_name, cookie_value
from polyclinic.web.sessions.limits import Buckets

KEPT_S = 30 * 24 * 3600
WRONG_PER_MINUTE = 60.0
"""How many wrong codes one address may send in a minute before it has to wait."""
_wrong = Buckets(WRONG_PER_MINUTE)
T = TypeVar("T")


def _plain(name: str) -> str:
    """A name as one line of visible characters."""
    flat = " ".join("".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in name).split())
    if not flat:
        raise ValueError("a name needs at least one letter")
    return flat


class Joining(Body):
    """A code, and the name under which the others see the person who joins."""

    code: str = Field(min_length=1, max_length=20)
    name: Annotated[str, Field(max_length=60), AfterValidator(_plain)]


class Joined(BaseModel):
    """The id of the class or packet that was joined."""

    id: str


async def by_its_code(request: Request, code: str, find: Callable[[str], Awaitable[T]]) -> T:
    """The class or packet with this code. Somebody who guesses codes has to wait."""
    try:
        return await find(code)
    except UnknownName:
        wait = _wrong.take(request.client.host if request.client else "")
        if wait:
            raise HTTPException(429, "too many tries", {"Retry-After": str(math.ceil(wait))}) from None
        raise UserError("nothing has this code: check it with the person who gave it to you") from None


def trainee_cookie(request: Request) -> str:
    """The name of the cookie that holds a trainee's token."""
    return f"{cookie_name(request)}-trainee"


def trainee_digest(request: Request) -> str:
    """The digest of this browser's token, as in the store; empty if it never joined a class."""
    token = cookie_value(request, trainee_cookie(request))
    return token_digest(token) if token else ""


Trainee = Annotated[str, Depends(trainee_digest)]


def token_for(request: Request, key: str) -> str:
    """The browser's token; a new one is made from the request's key, so that a repeated request gets the same one."""
    known = cookie_value(request, trainee_cookie(request))
    return known or (hashlib.sha256(f"join:{key}".encode()).hexdigest() if key else secrets.token_urlsafe(32))


def remember(request: Request, response: Response, token: str) -> None:
    """Give the browser its token, which no script can read."""
    response.set_cookie(
        trainee_cookie(request),
        token,
        max_age=KEPT_S,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
        path="/",
    )
