"""Staff as persons: logging in and out, accounts, and the audit log as resources."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, StringConstraints

from polyclinic.core.live import Body
from polyclinic.store.audit_log import AuditEntry
from polyclinic.store.staff import LEAST_PASSWORD, MOST_PASSWORD, NAME, Account, AccountRole, StaffRole
from polyclinic.web.sessions.access import ERRORS, Administrator, StaffToken, TheAccess, TheService, Watcher
from polyclinic.web.sessions.audit_events import audit_bundle
from polyclinic.web.sessions.passwords import Passwords, hash_password

Name = Annotated[str, StringConstraints(pattern=NAME)]
Password = Annotated[str, StringConstraints(max_length=MOST_PASSWORD)]
NewPassword = Annotated[str, StringConstraints(min_length=LEAST_PASSWORD, max_length=MOST_PASSWORD)]


class LoginBody(Body):
    """A name and its password."""

    name: Annotated[str, StringConstraints(max_length=64)]
    password: Password


class Login(BaseModel):
    """Who is logged in, with the token to send as `Authorization: Bearer`; it ends by itself."""

    name: str
    role: AccountRole
    token: str
    ends_ms: int


class AccountBody(Body):
    """A new account."""

    name: Name
    role: StaffRole
    password: NewPassword


class PasswordBody(Body):
    """One's own password, and the new one."""

    old: Password
    new: NewPassword


def staff_routes() -> APIRouter:
    """Logging in and out, and for administrators the accounts."""
    router = APIRouter(prefix="/v1/staff", tags=["staff"], responses=ERRORS)
    passwords = Passwords()

    @router.post("/login", summary="Log in")
    async def login(body: LoginBody, request: Request, access: TheAccess, service: TheService) -> Login:
        """A wrong name and a wrong password look alike. Tries are limited by name and place, and all together."""
        access.login(body.name, request.client.host if request.client else "")
        found = await service.staff.find(body.name)
        if not await passwords.fit(body.password, found[1] if found else None) or found is None:
            await service.trail.note(found[0] if found else None, "log in", outcome="refused")
            raise HTTPException(401, "wrong name or password", {"WWW-Authenticate": "Bearer"})
        await service.trail.note(found[0], "log in")
        token, ends = await service.staff.log_in(found[0].name)
        return Login(name=found[0].name, role=found[0].role, token=token, ends_ms=ends)

    @router.post("/logout", summary="Log out", status_code=204)
    async def logout(who: Watcher, token: StaffToken, service: TheService) -> None:
        """The token is worth nothing from now on."""
        async with service.trail.act(who, "log out"):
            await service.staff.log_out(token)

    @router.post("/password", summary="Change one's own password", status_code=204)
    async def password(
        body: PasswordBody, who: Watcher, request: Request, access: TheAccess, service: TheService
    ) -> None:
        """Every login of this person ends, also this one."""
        access.login(who.name, request.client.host if request.client else "")
        async with service.trail.act(who, "change password", f"staff/{who.name}"):
            found = await service.staff.find(who.name)
            if not await passwords.fit(body.old, found[1] if found else None):
                raise HTTPException(403, "wrong password")
            await service.staff.set_password(who.name, await hash_password(body.new))

    @router.get("/me", summary="Who is logged in")
    async def me(who: Watcher) -> Account:
        """The account behind the token."""
        return who

    @router.get("", summary="List the accounts")
    async def listed(who: Administrator, service: TheService) -> list[Account]:
        """For administrators."""
        return await service.staff.all()

    @router.post("", summary="Add an account", status_code=201)
    async def add(body: AccountBody, who: Administrator, service: TheService) -> Account:
        """For administrators. Roles: watch, take_over (and watch), administer (and both)."""
        async with service.trail.act(who, "add account", f"staff/{body.name}"):
            await service.staff.add(body.name, body.role, await hash_password(body.password))
        return Account(name=body.name, role=body.role)

    @router.post("/{name}/end", summary="End an account", status_code=204)
    async def end(name: str, who: Administrator, service: TheService) -> None:
        """For administrators. Its logins end at once; its name stays in the log. What it holds, an administrator passes
        on.
        """
        async with service.trail.act(who, "end account", f"staff/{name}"):
            await service.staff.end(name)

    return router


def audit_routes() -> APIRouter:
    """The audit log, for administrators."""
    router = APIRouter(prefix="/v1/audit", tags=["audit"], responses=ERRORS)

    @router.get("", summary="Read the audit log")
    async def entries(
        who: Administrator, service: TheService, after: Annotated[int, Query(ge=0, le=10**12)] = 0
    ) -> list[AuditEntry]:
        """Every look and act of the staff, in order, 10,000 at a time."""
        return await service.trail.log.entries(after)

    @router.get("/fhir", summary="The audit log as FHIR")
    async def fhir(
        who: Administrator, service: TheService, after: Annotated[int, Query(ge=0, le=10**12)] = 0
    ) -> JSONResponse:
        """A Bundle of AuditEvent resources (R5)."""
        bundle: dict[str, Any] = audit_bundle(await service.trail.log.entries(after))
        return JSONResponse(bundle, media_type="application/fhir+json")

    return router
