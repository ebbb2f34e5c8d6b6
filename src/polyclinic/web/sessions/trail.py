"""What staff look at and do is written down, also when it is refused, and even when the store cannot be written to.

As FHIR R5 the audit log is a Bundle, with one AuditEvent for each entry.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from polyclinic.errors import StoreError
from polyclinic.store.audit_log import AuditEntry, AuditLog
from polyclinic.store.journal import now_ms
from polyclinic.store.staff import Account
from polyclinic.web.sessions.emergency import append_line, emergency_files

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


_DCM = "http://dicom.nema.org/resources/ontology/DCM"
_OUTCOMES = "http://hl7.org/fhir/issue-severity"
_KINDS = {
    "log in": ("110122", "Login", "E"),
    "log out": ("110123", "Logout", "E"),
    "add account": ("110137", "User Security Attributes Changed", "C"),
    "end account": ("110137", "User Security Attributes Changed", "D"),
    "change password": ("110137", "User Security Attributes Changed", "U"),
    "look": ("110110", "Patient Record", "R"),
}
_ACT = ("110110", "Patient Record", "U")


def audit_event(entry: AuditEntry) -> dict[str, Any]:
    """One entry. The object is named by its path in this service. No words of a conversation are included."""
    code, display, action = _KINDS.get(entry.action, _ACT)
    at = datetime.fromtimestamp(entry.at_ms / 1000, UTC).isoformat(timespec="milliseconds")
    refused = entry.outcome != "done"
    event: dict[str, Any] = {
        "resourceType": "AuditEvent",
        "id": f"audit-{entry.number}",
        "code": {"coding": [{"system": _DCM, "code": code, "display": display}], "text": entry.action},
        "action": action,
        "severity": "warning" if refused else "informational",
        "recorded": at,
        "outcome": {
            "code": {"system": _OUTCOMES, "code": "error" if refused else "success"},
            "detail": [{"text": entry.outcome}],
        },
        "agent": [
            {
                "who": {"display": entry.who or "unknown"},
                "requestor": True,
                **({"role": [{"text": entry.role}]} if entry.role else {}),
            }
        ],
        "source": {"observer": {"display": "Polyclinic live sessions"}},
    }
    if entry.target:
        event["entity"] = [{"what": {"display": entry.target}}]
    return event


def audit_bundle(entries: Sequence[AuditEntry]) -> dict[str, Any]:
    """All entries."""
    return {
        "resourceType": "Bundle",
        "type": "collection",
        "entry": [
            {"fullUrl": f"urn:polyclinic:audit:{entry.number}", "resource": audit_event(entry)} for entry in entries
        ],
    }
