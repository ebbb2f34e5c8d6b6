"""The versions of resources in the order in which they were made, page by page, each with the version before it.

`history` gives the versions of one resource, of a type, or of everything, newest first.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from polyclinic.core.database import Transaction
from polyclinic.core.records import RecordMissing, Resource
from polyclinic.fhir.codec import loads_stored
from polyclinic.fhir.storage import Stored, find

PAGE = 1000
VersionKey = tuple[str, str, int]
"""The type, the id and the version number."""
Mark = tuple[int, str, str, int]
"""A place in the order: time, type, id and version number."""


class VersionChange(NamedTuple):
    """One version of a resource, and the version before it."""

    type: str
    id: str
    version: int
    updated: int
    before: Resource | None
    after: Resource | None

    @property
    def key(self) -> VersionKey:
        """What identifies this version."""
        return self.type, self.id, self.version


class ChangePage(NamedTuple):
    """Some changes, and where the next page begins; None at the end."""

    changes: list[VersionChange]
    following: Mark | None


def changes_after(
    transaction: Transaction, types: Sequence[str], mark: Mark, known: Collection[VersionKey], limit: int = PAGE
) -> ChangePage:
    """The next versions of these types after a place, superseded ones too. Versions that are known are left out."""
    found = []
    for type_ in types:
        for table, condition in (("fhir_resource", "type || '' = ?"), ("fhir_history", "type = ?")):
            place, values = _beyond(type_, mark)
            rows = transaction.execute(
                f"SELECT updated, id, version, body FROM {table} WHERE {condition} AND {place}"
                f" ORDER BY updated, id, version LIMIT {limit:d}",
                (type_, *values),
            )
            found += [((row[0], type_, row[1], row[2]), row[3]) for row in rows]
    found.sort(key=lambda each: each[0])
    page = found[:limit]
    changes = [
        _changed(transaction, (type_, id_, version), updated, body)
        for (updated, type_, id_, version), body in page
        if (type_, id_, version) not in known
    ]
    return ChangePage(changes, page[-1][0] if len(page) == limit else None)


def _beyond(type_: str, mark: Mark) -> tuple[str, tuple[object, ...]]:
    """SQL for the versions of a type that come after a place in the order of all types."""
    updated, marked, id_, version = mark
    if type_ == marked:
        return "(updated, id, version) > (?, ?, ?)", (updated, id_, version)
    return f"updated {'>=' if type_ > marked else '>'} ?", (updated,)


def read_changes(transaction: Transaction, keys: Sequence[VersionKey]) -> list[VersionChange]:
    """Read certain versions again, in the given order."""
    made = []
    for type_, id_, version in keys:
        for table in ("fhir_resource", "fhir_history"):
            found = transaction.execute(
                f"SELECT updated, body FROM {table} WHERE type = ? AND id = ? AND version = ?", (type_, id_, version)
            )
            made += [_changed(transaction, (type_, id_, version), *row) for row in found]
    return made


def _changed(transaction: Transaction, key: VersionKey, updated: int, body: str | None) -> VersionChange:
    type_, id_, version = key
    earlier = transaction.execute(
        "SELECT body FROM fhir_history WHERE type = ? AND id = ? AND version = ?", (type_, id_, version - 1)
    )
    before = loads_stored(earlier[0][0]) if earlier and earlier[0][0] is not None else None
    return VersionChange(type_, id_, version, updated, before, loads_stored(body) if body is not None else None)


class HistoryPage(NamedTuple):
    """Some versions, and where the next page begins (None at the end)."""

    versions: list[Stored]
    following: tuple[int, str, str, int] | None


def history(
    transaction: Transaction,
    types: Sequence[str],
    id_: str | None,
    limit: int,
    since: int | None = None,
    before: tuple[int, str, str, int] | None = None,
) -> HistoryPage:
    """One page of versions, ordered by time, type, id and version, newest first.

    Each type is queried separately with its own limit, so that a page never sorts a whole table.
    """
    if id_ is not None and find(transaction, types[0], id_) is None:
        raise RecordMissing(f"there is no {types[0]}/{id_}")
    found: list[Stored] = []
    for type_ in types:
        for table in ("fhir_resource", "fhir_history"):
            by_time = table == "fhir_resource" and id_ is None
            conditions, values = ["type || '' = ?" if by_time else "type = ?"], [type_]
            more: list[object] = []
            if id_ is not None:
                conditions.append("id = ?")
                more.append(id_)
            if since is not None:
                conditions.append("updated >= ?")
                more.append(since)
            if before is not None:
                conditions.append("updated <= ?")
                more.append(before[0])
            found.extend(_older(transaction, table, conditions, [*values, *more], limit, before))
    found.sort(key=_key, reverse=True)
    page = found[:limit]
    return HistoryPage(page, _key(page[-1]) if len(found) > limit else None)


def _key(stored: Stored) -> tuple[int, str, str, int]:
    return stored.updated, stored.type, stored.id, stored.version


def _older(
    transaction: Transaction,
    table: str,
    conditions: list[str],
    values: list[object],
    limit: int,
    before: tuple[int, str, str, int] | None,
) -> list[Stored]:
    """Versions that come after the cursor `before`, newest first.

    A bulk load gives many versions the same time, so type, id and version are compared too.
    """
    where = " AND ".join(conditions)
    if before is not None:
        at, type_, id_, version = before
        where += " AND (updated < ? OR type < ? OR (type = ? AND (id < ? OR (id = ? AND version < ?))))"
        values = [*values, at, type_, type_, id_, id_, version]
    found = transaction.execute(
        f"SELECT type, id, version, updated, body FROM {table} WHERE {where}"
        f" ORDER BY updated DESC, id DESC, version DESC LIMIT {limit + 1:d}",
        values,
    )
    return [Stored(*row) for row in found]
