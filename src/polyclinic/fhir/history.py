"""The versions of one resource, of a type, or of everything, newest first, page by page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from polyclinic.core.database import Transaction
from polyclinic.core.records import RecordMissing
from polyclinic.fhir.storage import Stored, find


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
