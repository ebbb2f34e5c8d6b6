"""Logging in and out, passwords and accounts: the same for the live service and for the browser.

Passwords are kept as argon2id. Only a few are checked at the same time, because each takes time and memory on purpose.
"""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Annotated

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from fastapi import HTTPException
from pydantic import BaseModel, StringConstraints

from polyclinic.core.live import Body
from polyclinic.store.staff import LEAST_PASSWORD, MOST_NAME, MOST_PASSWORD, NAME, Account, AccountRole, StaffAccounts
from polyclinic.web.sessions.limits import Rates
from polyclinic.web.sessions.trail import Trail

AT_ONCE = 2


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher()


@cache
def _nobody() -> str:
    """A dummy hash, so that checking an unknown name takes as long as checking a known one."""
    return _hasher().hash("nobody has this password, and it opens nothing")


async def hash_password(password: str) -> str:
    """The argon2id hash of a password."""
    return await asyncio.to_thread(_hasher().hash, password)


class Passwords:
    """Checks passwords, a few at a time."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def fit(self, password: str, hashed: str | None) -> bool:
        """Whether a password fits a hash. None as hash: no account has that name."""
        async with self._turn:
            try:
                fits = await asyncio.to_thread(_hasher().verify, hashed or _nobody(), password)
            except (VerificationError, InvalidHashError):
                return False
        return fits and hashed is not None


_Name = Annotated[str, StringConstraints(pattern=NAME, max_length=MOST_NAME)]
Password = Annotated[str, StringConstraints(max_length=MOST_PASSWORD)]
NewPassword = Annotated[str, StringConstraints(min_length=LEAST_PASSWORD, max_length=MOST_PASSWORD)]


class LoginBody(Body):
    """A name and its password."""

    name: Annotated[str, StringConstraints(max_length=64)]
    password: Password


class Login(BaseModel):
    """Who is logged in, with the token to send as `Authorization: Bearer`. The token expires."""

    name: str
    role: AccountRole
    token: str
    ends_ms: int


class AccountBody(Body):
    """A new account."""

    name: _Name
    role: AccountRole
    password: NewPassword


class PasswordBody(Body):
    """The current password and the new one."""

    old: Password
    new: NewPassword


class Logins:
    """Logins and accounts. Every action is written to the audit log."""

    def __init__(self, staff: StaffAccounts, trail: Trail, rates: Rates, passwords: Passwords) -> None:
        self._staff, self._trail, self._rates, self._passwords = staff, trail, rates, passwords

    async def enter(self, body: LoginBody, place: str) -> Login:
        """Log in. A wrong name and a wrong password get the same answer.

        Attempts are limited by name and address, and in total.
        """
        self._rates.login(body.name, place)
        found = await self._staff.find(body.name)
        if not await self._passwords.fit(body.password, found[1] if found else None) or found is None:
            await self._trail.note(found[0] if found else None, "log in", outcome="refused")
            raise HTTPException(401, "wrong name or password", {"WWW-Authenticate": "Bearer"})
        await self._trail.note(found[0], "log in")
        token, ends = await self._staff.log_in(found[0].name)
        return Login(name=found[0].name, role=found[0].role, token=token, ends_ms=ends)

    async def leave(self, who: Account, token: str) -> None:
        """End the login: its token is no longer valid."""
        async with self._trail.act(who, "log out"):
            await self._staff.log_out(token)

    async def new_password(self, who: Account, body: PasswordBody, place: str) -> None:
        """Change the password. Every login of this person ends, including this one."""
        self._rates.login(who.name, place)
        async with self._trail.act(who, "change password", f"staff/{who.name}"):
            found = await self._staff.find(who.name)
            if not await self._passwords.fit(body.old, found[1] if found else None):
                raise HTTPException(403, "wrong password")
            await self._staff.set_password(who.name, await hash_password(body.new))

    async def add(self, who: Account, body: AccountBody) -> Account:
        """Add a new account."""
        async with self._trail.act(who, "add account", f"staff/{body.name}"):
            await self._staff.add(body.name, body.role, await hash_password(body.password))
        return Account(name=body.name, role=body.role)

    async def end(self, who: Account, name: str) -> None:
        """End an account. Its logins end at once; its name stays in the audit log."""
        async with self._trail.act(who, "end account", f"staff/{name}"):
            await self._staff.end(name)
