"""Logging in and out, who is logged in, and the accounts, for administrators."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request, Response
from pydantic import BaseModel

from polyclinic.store.staff import Account
from polyclinic.web.access.allowed import TheRequester
from polyclinic.web.access.table import AccessRole, Thing
from polyclinic.web.entry import entry_token, keep_token
from polyclinic.web.of_request import kept, place_of, store_of
from polyclinic.web.sessions.logins import AccountBody, LoginBody, Logins, PasswordBody

router = APIRouter(prefix="/api", tags=["accounts"])
PLACES: dict[str, Thing] = {
    "practise": "practise",
    "class": "class",
    "runs": "run",
    "board": "board",
    "desk": "desk",
    "rate": "packet",
    "libraries": "library",
    "cases": "case",
    "accounts": "account",
}


class Me(BaseModel):
    """Who is logged in. `local`: on their own machine, without accounts.

    `places`: the pages that the person may see.
    """

    name: str
    role: AccessRole
    local: bool
    places: list[str]


def _acting(person: TheRequester) -> Account:
    return person.account or Account(name="owner", role="administrator")


_TheLogins = Annotated[Logins, Depends(kept("logins"))]
Acting = Annotated[Account, Depends(_acting)]


@router.get("/me", summary="Who is logged in")
async def me(person: TheRequester) -> Me:
    places = [place for place, thing in PLACES.items() if person.may(thing, "see")]
    return Me(name=person.name, role=person.role, local=person.local, places=places)


@router.post("/login", summary="Log in", status_code=204)
async def login(body: LoginBody, request: Request, response: Response, logins: _TheLogins) -> None:
    """The token goes into a cookie that no script can read."""
    entered = await logins.enter(body, place_of(request))
    keep_token(request, response, entered.token)


@router.post("/logout", summary="Log out", status_code=204)
async def logout(person: TheRequester, request: Request, response: Response, logins: _TheLogins) -> None:
    """Ends the login: its token is no longer valid."""
    if person.account is not None:
        await logins.leave(person.account, entry_token(request))
        keep_token(request, response, "")


@router.post("/password", summary="Change your own password", status_code=204)
async def password(body: PasswordBody, person: TheRequester, request: Request, logins: _TheLogins) -> None:
    """Every login of this person ends, including this one."""
    if person.account is None:
        raise HTTPException(409, "there are no accounts here: the start-up token opens the pages")
    await logins.new_password(person.account, body, place_of(request))


@router.get("/accounts", summary="The accounts")
async def accounts(request: Request) -> list[Account]:
    return await store_of(request).staff.all()


@router.post("/accounts", status_code=201, summary="Add an account")
async def add(body: AccountBody, who: Acting, logins: _TheLogins) -> Account:
    return await logins.add(who, body)


@router.post("/accounts/{name}/end", status_code=204, summary="End an account")
async def end(name: str, who: Acting, logins: _TheLogins) -> None:
    await logins.end(who, name)
