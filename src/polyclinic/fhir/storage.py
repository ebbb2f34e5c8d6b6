"""Resources in tables: plain functions over an open transaction.

Nothing here validates resources or keeps slots consistent with appointments; `transactions` does. Version numbers begin
at 1 and continue after a deletion. Every write names the version it replaces in its WHERE clause, so a lost race is
noticed in both dialects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, islice
from typing import NamedTuple

from polyclinic.core.database import Transaction
from polyclinic.core.records import RecordConflict, RecordGone, RecordMissing, Resource
from polyclinic.fhir.codec import dumps_text, loads_stored
from polyclinic.fhir.dates import instant, instant_text
from polyclinic.fhir.deferred import DEFERRED, MARK, READ_BY_RULES, catch_up
from polyclinic.fhir.extract import IndexValues, split_reference
from polyclinic.fhir.index import index_values, some_values
from polyclinic.fhir.parameters import parameters, resource_types
from polyclinic.fhir.slot_kinds import add_kinds, kind_of

_CHUNK = 400
INSERT = (
    "INSERT INTO fhir_resource (type, id, version, updated, body, schedule, status, start_at, kind)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
INSERT_INDEX = "INSERT INTO fhir_index (type, id, parameter, value, system, low, high) VALUES (?, ?, ?, ?, ?, ?, ?)"


class Stored(NamedTuple):
    """One stored version of a resource. `body` is None for a deletion."""

    type: str
    id: str
    version: int
    updated: int
    body: str | None

    def resource(self) -> Resource:
        """The resource. Raises RecordGone for a deletion."""
        if self.body is None:
            raise RecordGone(f"{self.type}/{self.id} was deleted")
        return loads_stored(self.body)


class Prepared(NamedTuple):
    """A resource ready to be written: its text with id, version and time, and the values of its columns."""

    resource: Resource
    body: str
    schedule: str | None
    status: str | None
    start_at: int | None
    kind: str | None


NO_COLUMNS = (None, None, None, None)
"""The column values of a resource that is not a slot."""
_WAITING = (None, None, None, MARK)


def prepare(resource: Resource, version: int, now: int) -> Prepared:
    """Return a copy of the resource with id, version and time, ready to be written."""
    stamps = {"versionId": str(version), "lastUpdated": instant_text(now)}
    given = resource.get("meta")
    stamped = {"resourceType": "", "id": "", "meta": stamps, **resource}
    stamped["meta"] = {**stamps, **given, **stamps} if given else stamps
    type_ = stamped["resourceType"]
    columns = slot_columns(stamped) if type_ == "Slot" else _WAITING if type_ in DEFERRED else NO_COLUMNS
    return Prepared(stamped, dumps_text(stamped), *columns)


def values_now(prepared: Prepared) -> IndexValues:
    """The values that are indexed at once, when the resource is written."""
    if prepared.kind != MARK:
        return index_values(prepared.resource)
    codes = READ_BY_RULES.get(prepared.resource["resourceType"])
    return some_values(prepared.resource, codes) if codes else {}


def slot_columns(slot: Resource) -> tuple[str | None, str | None, int | None, str | None]:
    """Schedule, status, start and kind of a Slot, as values of its columns."""
    reference = slot.get("schedule", {}).get("reference")
    schedule = split_reference(reference)[1] if reference else None
    return schedule, slot.get("status"), instant(slot["start"]) if "start" in slot else None, kind_of(slot)


def find(transaction: Transaction, type_: str, id_: str, *, lock: bool = False) -> Stored | None:
    """The current row (also of a deleted resource), or None.

    `lock` keeps others from changing the row until the transaction ends.
    """
    suffix = " FOR UPDATE" if lock and transaction.dialect == "postgres" else ""
    found = transaction.execute(
        f"SELECT version, updated, body FROM fhir_resource WHERE type = ? AND id = ?{suffix}", (type_, id_)
    )
    return Stored(type_, id_, *found[0]) if found else None


def read(transaction: Transaction, type_: str, id_: str) -> Stored:
    """The current version. Raises RecordMissing or RecordGone."""
    stored = find(transaction, type_, id_)
    if stored is None:
        raise RecordMissing(f"there is no {type_}/{id_}")
    if stored.body is None:
        raise RecordGone(f"{type_}/{id_} was deleted")
    return stored


def lock_keys(transaction: Transaction, keys: Sequence[tuple[str, str]]) -> list[Stored]:
    """Lock and return the rows that exist for these keys, also of deleted resources, ordered by type and id.

    On SQLite a writing transaction has the database to itself, so the rows are read in one statement.
    """
    if transaction.dialect == "sqlite":
        return _rows(transaction, keys)
    found: list[Stored] = []
    for type_, same in groupby(sorted(keys), lambda key: key[0]):
        for chunk in _chunks([id_ for _, id_ in same]):
            selected = f"{_selecting((len(chunk),))} ORDER BY id FOR UPDATE"
            found.extend(Stored(*row) for row in transaction.execute(selected, (type_, *chunk)))
    return found


def read_many(transaction: Transaction, type_: str, ids: Iterable[str]) -> list[Stored]:
    """Read the current versions of the resources that exist, ordered by id."""
    found = read_keys(transaction, [(type_, id_) for id_ in sorted(set(ids))])
    return sorted(found, key=lambda stored: stored.id)


def read_keys(transaction: Transaction, keys: Sequence[tuple[str, str]]) -> list[Stored]:
    """Read the current versions of the resources that exist, with few statements and in no particular order."""
    return [stored for stored in _rows(transaction, keys) if stored.body is not None]


def _rows(transaction: Transaction, keys: Sequence[tuple[str, str]]) -> list[Stored]:
    found: list[Stored] = []
    for start in range(0, len(keys), _CHUNK):
        ids: dict[str, list[str]] = {}
        for type_, id_ in keys[start : start + _CHUNK]:
            ids.setdefault(type_, []).append(id_)
        values = [value for type_, mine in ids.items() for value in (type_, *mine)]
        selected = _selecting(tuple(len(mine) for mine in ids.values()))
        found.extend(Stored(*row) for row in transaction.execute(selected, values))
    return found


@lru_cache(256)
def _selecting(counts: tuple[int, ...]) -> str:
    """The statement that reads several resources; `counts` has the number of ids for each type."""
    return " UNION ALL ".join(
        "SELECT type, id, version, updated, body FROM fhir_resource WHERE type = ?"
        f" AND id IN ({', '.join('?' * count)})"
        for count in counts
    )


def _chunks(items: Iterable[str]) -> Iterator[tuple[str, ...]]:
    iterator = iter(items)
    while chunk := tuple(islice(iterator, _CHUNK)):
        yield chunk


def read_version(transaction: Transaction, type_: str, id_: str, version: str) -> Stored:
    """One version, current or superseded. Raises RecordMissing, or RecordGone when that version is a deletion."""
    current = find(transaction, type_, id_)
    if current is None or not version.isascii() or not version.isdigit() or len(version) > 9:
        raise RecordMissing(f"there is no {type_}/{id_} version {version}")
    if current.version == int(version):
        stored = current
    else:
        found = transaction.execute(
            "SELECT version, updated, body FROM fhir_history WHERE type = ? AND id = ? AND version = ?",
            (type_, id_, int(version)),
        )
        if not found:
            raise RecordMissing(f"there is no {type_}/{id_} version {version}")
        stored = Stored(type_, id_, *found[0])
    if stored.body is None:
        raise RecordGone(f"{type_}/{id_} version {version} is a deletion")
    return stored


def load(transaction: Transaction, resources: Iterable[Resource], now: int) -> int:
    """Add the resources that never existed; returns how many. Raises RecordConflict when an id is given twice."""
    total = 0
    iterator = iter(resources)
    while chunk := list(islice(iterator, 5000)):
        known = _known(transaction, chunk)
        prepared = [prepare(r, 1, now) for r in chunk if (r["resourceType"], r["id"]) not in known]
        insert_many(
            transaction, INSERT, [(p.resource["resourceType"], p.resource["id"], 1, now, *p[1:]) for p in prepared]
        )
        insert_many(transaction, INSERT_INDEX, [values for p in prepared for values in values_now(p)])
        add_kinds(transaction, {p.kind: p.resource for p in prepared if p.kind is not None and p.kind != MARK})
        total += len(prepared)
    return total


def insert_many(transaction: Transaction, insert: str, rows_: Sequence[tuple[object, ...]]) -> None:
    """Insert rows.

    For PostgreSQL, each statement holds a few hundred: every statement is a message to another process.
    """
    if transaction.dialect == "sqlite":
        transaction.executemany(insert, rows_)
        return
    head = insert.partition("VALUES")[0]
    for start in range(0, len(rows_), _CHUNK):
        chunk = rows_[start : start + _CHUNK]
        marks = ", ".join([f"({', '.join('?' * len(chunk[0]))})"] * len(chunk))
        transaction.execute(f"{head}VALUES {marks}", [value for row in chunk for value in row])


def _known(transaction: Transaction, resources: Sequence[Resource]) -> set[tuple[str, str]]:
    """The keys of those resources that have rows already, also deleted ones."""
    by_type: dict[str, set[str]] = {}
    for resource in resources:
        ids = by_type.setdefault(resource["resourceType"], set())
        if resource["id"] in ids:
            raise RecordConflict(f"{resource['resourceType']}/{resource['id']} is given twice")
        ids.add(resource["id"])
    known: set[tuple[str, str]] = set()
    for type_, ids in by_type.items():
        for chunk in _chunks(sorted(ids)):
            marks = ", ".join("?" * len(chunk))
            found = transaction.execute(
                f"SELECT id FROM fhir_resource WHERE type = ? AND id IN ({marks})", (type_, *chunk)
            )
            known.update((type_, row[0]) for row in found)
    return known


def referrers(transaction: Transaction, type_: str, id_: str) -> list[str]:
    """Some of the resources that refer to a resource, as `Type/id`."""
    catch_up(transaction)
    found: list[str] = []
    for source in resource_types():
        codes = [p.code for p in parameters(source).values() if p.kind == "reference" and type_ in p.targets]
        if source == "Slot" and type_ == "Schedule":
            by_column = "SELECT id FROM fhir_resource WHERE type = 'Slot' AND schedule = ? LIMIT 3"
            found.extend(f"Slot/{row[0]}" for row in transaction.execute(by_column, (id_,)))
        elif codes:
            listed = ", ".join(f"'{code}'" for code in codes)
            by_index = (
                f"SELECT DISTINCT id FROM fhir_index WHERE type = '{source}' AND parameter IN ({listed})"
                " AND value = ? AND system = ? LIMIT 3"
            )
            found.extend(f"{source}/{row[0]}" for row in transaction.execute(by_index, (id_, type_)))
    return [reference for reference in found if reference != f"{type_}/{id_}"]
