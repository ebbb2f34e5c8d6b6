"""Accounts of people who supervise live sessions or work in the browser: their roles, and logins that expire.
Also who owns which object: a session, a run, a class, a packet. An object may belong to several people.

Passwords arrive here hashed. For a login token, only the digest is stored.
"""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
from collections.abc import Callable
from typing import Literal, get_args

from polyclinic.core.database import Transaction
from polyclinic.core.message import Frozen
from polyclinic.errors import StoreError, UserError
from polyclinic.store.journal import now_ms
from polyclinic.store.tables import Tables

StaffRole = Literal["watch", "take_over", "administer"]
WebRole = Literal["learner", "educator", "rater", "supervisor", "administrator"]
AccountRole = StaffRole | WebRole
STAFF_ROLES: tuple[StaffRole, ...] = get_args(StaffRole)
WEB_ROLES: tuple[WebRole, ...] = get_args(WebRole)
_AT_THE_DESK: dict[AccountRole, StaffRole] = {
    **{role: role for role in STAFF_ROLES},
    "supervisor": "take_over",
    "administrator": "administer",
}
LOGIN_MS, IDLE_MS, NOTE_USE_MS = 12 * 3_600_000, 30 * 60_000, 60_000
NAME, MOST_NAME = r"^[A-Za-z0-9가-힣](?: ?[A-Za-z0-9가-힣._-])*$", 64
"""Single spaces, and none at the end: two names must not look the same."""
LEAST_PASSWORD, MOST_PASSWORD = 12, 256
_LOG = logging.getLogger(__name__)


class Account(Frozen):
    """One account. A staff role includes the staff roles below it; roles for the browser allow nothing here."""

    name: str
    role: AccountRole
    active: bool = True

    def may(self, role: StaffRole) -> bool:
        """Whether the account is active and has this staff role or a higher one."""
        mine = _AT_THE_DESK.get(self.role)
        return self.active and mine is not None and STAFF_ROLES.index(mine) >= STAFF_ROLES.index(role)


class StaffAccounts(Tables):
    """Accounts and logins in a store."""

    async def add(self, name: str, role: AccountRole, password_hash: str) -> None:
        """Create an account, or give a new password and role to one that was ended."""
        if len(name) > MOST_NAME or not re.fullmatch(NAME, name):
            raise UserError(
                f"{name!r} cannot be an account's name: use letters, digits, single spaces and . _ -, at most 64"
            )

        def work(tx: Transaction) -> bool:
            known = tx.execute("SELECT active FROM staff WHERE name = ?", (name,))
            if known and known[0][0]:
                return False
            tx.execute("DELETE FROM staff WHERE name = ?", (name,))
            tx.execute(
                "INSERT INTO staff (name, role, password, active, created_ms) VALUES (?, ?, ?, 1, ?)",
                (name, role, password_hash, now_ms()),
            )
            return True

        if not await self.database.write(work):
            raise UserError(f"there is an account {name} already: end it first, or choose another name")

    async def all(self) -> list[Account]:
        """Every account, by name."""
        rows = await self.select("SELECT name, role, active FROM staff ORDER BY name")
        return [Account(name=name, role=role, active=bool(active)) for name, role, active in rows]

    async def find(self, name: str) -> tuple[Account, str] | None:
        """An active account and its password's hash."""
        rows = await self.select("SELECT name, role, password FROM staff WHERE name = ? AND active = 1", (name,))
        return (Account(name=rows[0][0], role=rows[0][1]), str(rows[0][2])) if rows else None

    async def end(self, name: str) -> None:
        """End an account and all its logins. The last account that may administer cannot be ended."""

        def last(tx: Transaction) -> bool:
            rows = tx.execute("SELECT name, role FROM staff WHERE active = 1")
            return [row[0] for row in rows if _AT_THE_DESK.get(row[1]) == "administer"] == [name]

        await self._change_account(name, "active = 0", unless=last)

    async def set_password(self, name: str, password_hash: str) -> None:
        """Set a new password; all logins made with the old one end."""
        await self._change_account(name, "password = ?", password_hash)

    async def _change_account(
        self, name: str, change: str, *values: str, unless: Callable[[Transaction], bool] | None = None
    ) -> None:
        def work(tx: Transaction) -> bool:
            if unless is not None and unless(tx):
                raise UserError(f"{name} is the last administrator: add another one first")
            where = "WHERE name = ? AND active = 1 RETURNING name"
            found = tx.execute(f"UPDATE staff SET {change} {where}", (*values, name))
            tx.execute("DELETE FROM staff_logins WHERE name = ?", (name,))
            return bool(found)

        if not await self.database.write(work):
            raise UserError(f"there is no active account {name}")

    async def log_in(self, name: str) -> tuple[str, int]:
        """Store a login for an account whose password was correct; returns its token and its latest end."""
        token, now = secrets.token_urlsafe(32), now_ms()

        def work(tx: Transaction) -> None:
            tx.execute("DELETE FROM staff_logins WHERE ends_ms < ? OR used_ms < ?", (now, now - IDLE_MS))
            tx.execute(
                "INSERT INTO staff_logins (digest, name, ends_ms, used_ms) VALUES (?, ?, ?, ?)",
                (token_digest(token), name, now + LOGIN_MS, now),
            )

        await self.database.write(work)
        return token, now + LOGIN_MS

    async def account_of(self, token: str, *, used: bool = True) -> Account | None:
        """The account of a token; None if the login ended, was idle too long, or the account was ended.

        `used` means that somebody uses the login now, so that it is not idle.
        """
        now = now_ms()
        rows = await self.select(
            "SELECT s.name, s.role, l.used_ms FROM staff_logins l JOIN staff s ON s.name = l.name "
            "WHERE l.digest = ? AND s.active = 1 AND l.ends_ms > ? AND l.used_ms > ?",
            (token_digest(token), now, now - IDLE_MS),
        )
        if not rows:
            return None
        name, role, last_ms = rows[0]
        if used and now - int(last_ms) > NOTE_USE_MS:
            await self._note_use(token, now)
        return Account(name=name, role=role)

    async def _note_use(self, token: str, now: int) -> None:
        """Record when a login was last used.

        A failed write is only logged: it must not lock out staff who could help.
        """
        try:
            await self.change("UPDATE staff_logins SET used_ms = ? WHERE digest = ?", (now, token_digest(token)))
        except (StoreError, OSError):
            _LOG.exception("the last use of a login could not be saved")

    async def log_out(self, token: str) -> None:
        """End the login: its token is no longer valid."""
        await self.change("DELETE FROM staff_logins WHERE digest = ?", (token_digest(token),))


def token_digest(token: str) -> str:
    """The digest of a token; only this is stored. Nobody can log in with it."""
    return hashlib.sha256(token.encode()).hexdigest()


class Owners(Tables):
    """The owners of objects, by the object's kind and name.

    An object without an owner belongs to those who may see everything.
    """

    async def add(self, kind: str, name: str, owner: str) -> None:
        """Add an owner; adding the same one again changes nothing."""
        await self.change(
            "INSERT INTO owners (kind, name, owner) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (kind, name, owner)
        )

    async def of(self, kind: str, name: str) -> set[str]:
        """Who owns an object."""
        rows = await self.select("SELECT owner FROM owners WHERE kind = ? AND name = ?", (kind, name))
        return {str(row[0]) for row in rows}

    async def owned(self, kind: str, owner: str) -> set[str]:
        """The names of all objects of this kind that somebody owns."""
        rows = await self.select("SELECT name FROM owners WHERE owner = ? AND kind = ?", (owner, kind))
        return {str(row[0]) for row in rows}
