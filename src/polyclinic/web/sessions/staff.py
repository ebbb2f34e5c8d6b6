"""Routes for staff: logging in and out, accounts, and the audit log."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse

from polyclinic.store.audit_log import AuditEntry
from polyclinic.store.staff import Account
from polyclinic.web.of_request import place_of
from polyclinic.web.sessions.access import ERRORS, Administrator, StaffToken, TheAccess, TheService, Watcher
from polyclinic.web.sessions.logins import AccountBody, Login, LoginBody, Logins, PasswordBody
from polyclinic.web.sessions.trail import audit_bundle


def _logins(access: TheAccess, service: TheService) -> Logins:
    return Logins(service.staff, service.trail, access, access.passwords)


TheLogins = Annotated[Logins, Depends(_logins)]


def staff_routes() -> APIRouter:
    """Logging in and out, and for administrators the accounts."""
    router = APIRouter(prefix="/v1/staff", tags=["staff"], responses=ERRORS)

    @router.post("/login", summary="Log in")
    async def login(body: LoginBody, request: Request, found: TheLogins) -> Login:
        """A wrong name and a wrong password get the same answer.

        Attempts are limited by name and address, and in total.
        """
        return await found.enter(body, place_of(request))

    @router.post("/logout", summary="Log out", status_code=204)
    async def logout(who: Watcher, token: StaffToken, found: TheLogins) -> None:
        """Ends the login: its token is no longer valid."""
        await found.leave(who, token)

    @router.post("/password", summary="Change your own password", status_code=204)
    async def password(body: PasswordBody, who: Watcher, request: Request, found: TheLogins) -> None:
        """Every login of this person ends, including this one."""
        await found.new_password(who, body, place_of(request))

    @router.get("/me", summary="Who is logged in")
    async def me(who: Watcher) -> Account:
        """The account behind the token."""
        return who

    @router.get("", summary="List the accounts")
    async def listed(who: Administrator, service: TheService) -> list[Account]:
        """All accounts, for administrators."""
        return await service.staff.all()

    @router.post("", summary="Add an account", status_code=201)
    async def add(body: AccountBody, who: Administrator, found: TheLogins) -> Account:
        """For administrators. The role take_over includes watch; the role administer includes both."""
        return await found.add(who, body)

    @router.post("/{name}/end", summary="End an account", status_code=204)
    async def end(name: str, who: Administrator, found: TheLogins) -> None:
        """For administrators. The account's logins end at once; its name stays in the audit log.

        An administrator passes its sessions on.
        """
        await found.end(who, name)

    return router


def audit_routes() -> APIRouter:
    """The audit log, for administrators."""
    router = APIRouter(prefix="/v1/audit", tags=["audit"], responses=ERRORS)

    @router.get("", summary="Read the audit log")
    async def entries(
        who: Administrator, service: TheService, after: Annotated[int, Query(ge=0, le=10**12)] = 0
    ) -> list[AuditEntry]:
        """Everything that the staff looked at or did, in order, 10,000 entries at a time."""
        return await service.trail.log.entries(after)

    @router.get("/fhir", summary="The audit log as FHIR")
    async def fhir(
        who: Administrator, service: TheService, after: Annotated[int, Query(ge=0, le=10**12)] = 0
    ) -> JSONResponse:
        """A Bundle of AuditEvent resources (R5)."""
        bundle: dict[str, Any] = audit_bundle(await service.trail.log.entries(after))
        return JSONResponse(bundle, media_type="application/fhir+json")

    return router
