"""What staff look at and do is written down, also when it is refused, and even when the store cannot be written to."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from polyclinic.errors import StoreError
from polyclinic.store.audit_log import AuditLog
from polyclinic.store.staff import Account
from polyclinic.web.sessions.emergency import append_line, emergency_files, now_ms

_LOG = logging.getLogger(__name__)
DONE = "done"


class Trail:
    """The audit log, with a file beside the store for when the log cannot be written."""

    def __init__(self, log: AuditLog, store: str) -> None:
        self.log, self._files = log, emergency_files(store, "audit")

    async def note(self, who: Account | None, action: str, target: str = "", outcome: str = DONE) -> None:
        """Write one entry before anything is shown. If it cannot be written anywhere, nothing is shown."""
        name, role = (who.name, str(who.role)) if who is not None else ("unknown", "")
        try:
            await self.log.append(name, role, action, target, outcome)
        except Exception as fault:
            _LOG.critical("not in the audit log: %s %s %s %s", name, action, target, outcome, exc_info=True)
            entry = {"at_ms": now_ms(), "who": name, "role": role, "action": action, "target": target}
            if not append_line(self._files, {**entry, "outcome": outcome}):
                raise StoreError("refused, because it could not be written to the audit log") from fault

    @asynccontextmanager
    async def act(self, who: Account, action: str, target: str = "") -> AsyncIterator[None]:
        """Run an action of the staff and log it with its outcome."""
        outcome = DONE
        try:
            yield
        except BaseException as fault:
            outcome = f"refused: {fault}"[:300]
            raise
        finally:
            await self.note(who, action, target, outcome)
