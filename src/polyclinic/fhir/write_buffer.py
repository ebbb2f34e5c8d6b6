"""The writes of one transaction, collected so that they go to the database in few statements.

Rows (resources, superseded versions, index values) wait until `flush`. Flush before you query the tables. Every write
names the version that it replaces in its WHERE clause, so a lost race is noticed on SQLite and on PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from polyclinic.core.database import Transaction
from polyclinic.core.records import PreconditionFailed, RecordConflict, Resource
from polyclinic.fhir.deferred import MARK, READ_BY_RULES
from polyclinic.fhir.extract import IndexValue, IndexValues
from polyclinic.fhir.index import differing_values, index_values, some_values
from polyclinic.fhir.slot_kinds import add_kinds, same_kind
from polyclinic.fhir.storage import INSERT, INSERT_INDEX, NO_COLUMNS, Stored, insert_many, prepare, values_now

_INSERT_HISTORY = "INSERT INTO fhir_history (type, id, version, updated, body) VALUES (?, ?, ?, ?, ?)"
_UPDATE = (
    "UPDATE fhir_resource SET version = ?, updated = ?, body = ?, schedule = ?, status = ?, start_at = ?, kind = ?"
    " WHERE type = ? AND id = ? AND version = ?"
)
_INSERT_NEW = f"{INSERT} ON CONFLICT (type, id) DO NOTHING"
_DELETE_INDEX = "DELETE FROM fhir_index WHERE id = ? AND type = ?"
_UPDATE_INDEX = (
    "UPDATE fhir_index SET value = ?, system = ?, low = ?, high = ? WHERE id = ? AND type = ? AND parameter = ?"
)


class WriteBuffer:
    """Changes of single resources at one moment, in an open transaction."""

    def __init__(self, transaction: Transaction, now: int) -> None:
        self._transaction, self._now = transaction, now
        self._new: list[tuple[object, ...]] = []
        self._replacing: list[tuple[object, ...]] = []
        self._superseded: list[Stored] = []
        self._changed_values: list[tuple[object, ...]] = []
        self._values: list[IndexValue] = []
        self._kinds: dict[str, Resource] = {}

    def insert(self, resource: Resource) -> Resource:
        """Add a resource whose id was never in use."""
        prepared = prepare(resource, 1, self._now)
        stamped = prepared.resource
        self._new.append((stamped["resourceType"], stamped["id"], 1, self._now, *prepared[1:]))
        self._values.extend(values_now(prepared))
        if prepared.kind != MARK:
            self._note_kind(None, stamped, prepared.kind)
        return stamped

    def update(self, current: Stored, resource: Resource, before: Resource | None = None) -> Resource:
        """Replace `current`, the current version, by a new one. `current` may be a deletion.

        `before` is the resource in `current`, if it is already known.
        """
        prepared = prepare(resource, current.version + 1, self._now)
        self._replace(current, prepared.body, prepared[2:])
        codes = READ_BY_RULES.get(current.type)
        if prepared.kind == MARK and codes is None:
            return prepared.resource
        if before is None and current.body is not None:
            before = current.resource()
        if codes is not None:
            was = some_values(before, codes) if before is not None else {}
            self._replace_values(was, some_values(prepared.resource, codes), prepared.resource)
            return prepared.resource
        if before is None:
            self._values.extend(index_values(prepared.resource))
        else:  # change only the index rows in which the two versions differ: mostly the status
            self._replace_values(*differing_values(before, prepared.resource), prepared.resource)
        self._note_kind(before, prepared.resource, prepared.kind)
        return prepared.resource

    def remove(self, current: Stored) -> None:
        """Delete, keeping the history."""
        self._replace(current, None, NO_COLUMNS)
        self._transaction.execute(_DELETE_INDEX, (current.id, current.type))

    def flush(self) -> None:
        """Write the buffered rows. Raises if another transaction has already added or replaced one of them."""
        transaction = self._transaction
        if self._new:
            if transaction.executemany(_INSERT_NEW, self._new) != len(self._new):
                raise RecordConflict(f"{_names(self._new)} exists already")
            self._new = []
        if self._superseded:
            if transaction.executemany(_UPDATE, self._replacing) != len(self._replacing):
                raise PreconditionFailed(f"{_names(self._superseded)} is no longer the current version")
            insert_many(transaction, _INSERT_HISTORY, self._superseded)
            self._replacing, self._superseded = [], []
        if self._changed_values:
            transaction.executemany(_UPDATE_INDEX, self._changed_values)
            self._changed_values = []
        if self._values:
            insert_many(transaction, INSERT_INDEX, self._values)
            self._values = []
        if self._kinds:
            add_kinds(transaction, self._kinds)
            self._kinds = {}

    def _replace(self, current: Stored, body: str | None, columns: Sequence[object]) -> None:
        type_, id_, version = current[:3]
        self._replacing.append((version + 1, self._now, body, *columns, type_, id_, version))
        self._superseded.append(current)

    def _note_kind(self, before: Resource | None, after: Resource, kind: str | None) -> None:
        """Remember a kind that may not be in the index yet. A kind that the slot had before is already there."""
        if kind is not None and (before is None or not same_kind(before, after)):
            self._kinds[kind] = after

    def _replace_values(self, old: IndexValues, new: IndexValues, after: Resource) -> None:
        if old == new:
            return
        for parameter in sorted({value[2] for value in old.keys() ^ new.keys()}):
            was = [value for value in old if value[2] == parameter]
            becomes = [value for value in new if value[2] == parameter]
            owner = (after["id"], after["resourceType"])
            if len(was) == len(becomes) == 1:
                self._changed_values.append((*becomes[0][3:], *owner, parameter))
                continue
            if was:
                self._transaction.execute(f"{_DELETE_INDEX} AND parameter = ?", (*owner, parameter))
            self._values.extend(becomes)


def _names(rows: Iterable[Sequence[object]]) -> str:
    """The rows as text for a message. At least one was not written, but the database reports only a count."""
    return " or ".join(f"{type_}/{id_} version {version}" for type_, id_, version, *_ in rows)
