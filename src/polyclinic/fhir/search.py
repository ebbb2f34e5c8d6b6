"""Running a search over an open transaction: one page, its total when known or asked for, and what it includes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from polyclinic.core.database import Transaction
from polyclinic.core.records import Resource
from polyclinic.fhir import paging
from polyclinic.fhir.conditions import Include, Search
from polyclinic.fhir.extract import split_reference
from polyclinic.fhir.index import rows
from polyclinic.fhir.parameters import COLUMNS, parameters, resource_types
from polyclinic.fhir.storage import Stored, read_many

MAX_INCLUDED = 1000
MAX_ROUNDS = 5


@dataclass
class Page:
    """One page of a search."""

    matches: list[Stored] = field(default_factory=list)
    included: list[Stored] = field(default_factory=list)
    total: int | None = None
    following: str | None = None


def run(transaction: Transaction, search: Search) -> Page:
    """The page that a search asks for."""
    page = Page()
    if search.summary == "count" or search.count == 0:
        page.total = _total(transaction, search)
        return page
    statement = paging.page(search, search.count + 1)
    found = transaction.execute(statement.text, statement.values)
    page.matches = [Stored(search.type, *row[:4]) for row in found[: search.count]]
    if len(found) > search.count:
        last = found[search.count - 1]
        page.following = paging.write_cursor([*last[4:], last[0]])
    if search.total != "none":
        page.total = _total(transaction, search)
    elif page.following is None and search.cursor is None:
        page.total = len(page.matches)
    if search.includes or search.reverse_includes:
        page.included = included(transaction, search, page.matches)
    return page


def run_all(transaction: Transaction, search: Search, limit: int | None) -> list[Stored]:
    """All matches in order, or the first `limit` of them."""
    statement = paging.page(search, limit if limit is not None else 2**31 - 1)
    return [Stored(search.type, *row[:4]) for row in transaction.execute(statement.text, statement.values)]


def _total(transaction: Transaction, search: Search) -> int:
    statement = paging.count(search)
    return int(transaction.execute(statement.text, statement.values)[0][0])


def included(transaction: Transaction, search: Search, matches: Sequence[Stored]) -> list[Stored]:
    """What `_include` and `_revinclude` name, each resource once and none that already matched."""
    seen = {(stored.type, stored.id) for stored in matches}
    brought: list[Stored] = []
    fresh = list(matches)
    for turn in range(MAX_ROUNDS):
        forward = [i for i in search.includes if turn == 0 or i.iterate]
        backward = [i for i in search.reverse_includes if turn == 0 or i.iterate]
        found = [*_forward(transaction, forward, fresh), *_backward(transaction, backward, fresh)]
        fresh = []
        for stored in found:
            if (stored.type, stored.id) not in seen and len(brought) < MAX_INCLUDED:
                seen.add((stored.type, stored.id))
                brought.append(stored)
                fresh.append(stored)
        if not fresh:
            break
    return brought


def _forward(transaction: Transaction, includes: Sequence[Include], sources: Sequence[Stored]) -> list[Stored]:
    wanted: dict[str, dict[str, None]] = {}
    for stored in sources if includes else ():
        for target, id_ in references(stored.resource(), includes):
            wanted.setdefault(target, {})[id_] = None
    return [found for type_, ids in sorted(wanted.items()) for found in read_many(transaction, type_, ids)]


def references(resource: Resource, includes: Iterable[Include]) -> list[tuple[str, str]]:
    """(type, id) of everything that a resource refers to by the parameters the includes name."""
    type_ = resource["resourceType"]
    applying = [i for i in includes if i.type in (type_, "*")]
    if not applying:
        return []
    values = [(row.parameter, row.system, row.value) for row in rows(resource)]
    if "schedule" in COLUMNS.get(type_, {}) and "schedule" in resource:
        values.append(("schedule", *split_reference(resource["schedule"].get("reference", ""))))
    kinds = parameters(type_)
    return [
        (target, id_)
        for code, target, id_ in values
        if target in resource_types()
        and code in kinds
        and kinds[code].kind == "reference"
        and any(i.parameter in (None, code) and i.target in (None, target) for i in applying)
    ]


def _backward(transaction: Transaction, includes: Sequence[Include], targets: Sequence[Stored]) -> list[Stored]:
    wanted: dict[str, dict[str, None]] = {}
    by_type: dict[str, list[str]] = {}
    for stored in targets:
        by_type.setdefault(stored.type, []).append(stored.id)
    for include in includes:
        for source in resource_types() if include.type == "*" else (include.type,):
            codes = [include.parameter] if include.parameter else _reference_codes(source)
            for target, ids in sorted(by_type.items()):
                for code in codes:
                    for id_ in _referring(transaction, source, code, target, ids):
                        wanted.setdefault(source, {})[id_] = None
    return [found for type_, ids in sorted(wanted.items()) for found in read_many(transaction, type_, ids)]


def _reference_codes(type_: str) -> list[str]:
    return [p.code for p in parameters(type_).values() if p.kind == "reference"]


def _referring(transaction: Transaction, source: str, code: str, target: str, ids: Sequence[str]) -> list[str]:
    """Ids of resources of type `source` whose parameter refers to any of the targets, as many as may be included."""
    if target not in parameters(source)[code].targets:
        return []
    marks = ", ".join("?" * len(ids))
    column = COLUMNS.get(source, {}).get(code)
    if column:
        text = f"SELECT id FROM fhir_resource WHERE type = '{source}' AND {column} IN ({marks})"
        values: list[object] = [*ids]
    else:
        text = (
            f"SELECT id FROM fhir_index WHERE type = '{source}' AND parameter = '{code}'"
            f" AND value IN ({marks}) AND system = ?"
        )
        values = [*ids, target]
    found = transaction.execute(f"{text} ORDER BY id LIMIT {MAX_INCLUDED:d}", values)
    return [row[0] for row in found]
