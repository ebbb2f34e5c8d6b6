"""The audit log as FHIR R5: one AuditEvent for each entry, in a Bundle."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from polyclinic.store.audit_log import AuditEntry

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
