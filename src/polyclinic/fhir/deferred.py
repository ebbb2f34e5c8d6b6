"""Index some resources late: those that every booking writes and that are rarely searched.

They are indexed when somebody first searches, and their rows are marked until then. Only what the booking rules
themselves read (`READ_BY_RULES`) is indexed at once. Code that reads the index calls `pending` first, or `catch_up` if
it may write.
"""

from __future__ import annotations

from polyclinic.core.database import Transaction
from polyclinic.fhir.codec import loads_stored
from polyclinic.fhir.extract import IndexValue
from polyclinic.fhir.index import index_values

DEFERRED = frozenset({"Appointment", "AuditEvent", "Encounter", "Patient", "Provenance"})
READ_BY_RULES = {"Appointment": ("slot", "status")}
MARK = "+"
_CHUNK = 2000
_DELETE = "DELETE FROM fhir_index WHERE id = ? AND type = ?"
_INSERT = "INSERT INTO fhir_index (type, id, parameter, value, system, low, high) VALUES (?, ?, ?, ?, ?, ?, ?)"
_UNMARK = "UPDATE fhir_resource SET kind = NULL WHERE type = ? AND id = ?"


def pending(transaction: Transaction) -> bool:
    """Whether any resource still has to be indexed."""
    return bool(transaction.execute(f"SELECT 1 FROM fhir_resource WHERE kind = '{MARK}' LIMIT 1"))


def catch_up(transaction: Transaction) -> None:
    """Index the resources that are marked, and remove the index rows of their earlier versions."""
    while found := transaction.execute(
        f"SELECT type, id, body FROM fhir_resource WHERE kind = '{MARK}' LIMIT {_CHUNK:d}"
    ):
        values: list[IndexValue] = []
        for _, _, body in found:
            values.extend(index_values(loads_stored(body)))
        transaction.executemany(_DELETE, [(id_, type_) for type_, id_, _ in found])
        transaction.executemany(_INSERT, values)
        transaction.executemany(_UNMARK, [(type_, id_) for type_, id_, _ in found])
