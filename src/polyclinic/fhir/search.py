"""Run a search in an open transaction: one page, the total if it is known or asked for, and the includes.

For `_include` and `_revinclude`, all resources are first found in a fixed order; then one page of them is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from polyclinic.core.database import Transaction
from polyclinic.core.records import Resource
from polyclinic.fhir import paging
from polyclinic.fhir.conditions import Include, Search
from polyclinic.fhir.extract import split_reference
from polyclinic.fhir.index import rows
from polyclinic.fhir.parameters import COLUMNS, parameters, resource_types
from polyclinic.fhir.slot_rules import Key
from polyclinic.fhir.storage import Stored, read_keys

_CHUNK = 400


def included_keys(transaction: Transaction, search: Search, matches: Sequence[Stored]) -> list[Key]:
    """Keys of the resources that the matches include: each once, without the matches, ordered by type and id.

    `:iterate` goes on until nothing new is found; since no resource is visited twice, cycles end too. Included
    resources are read here only for `:iterate`. So without it, even many thousands need only an index scan.
    """
    matched = {(stored.type, stored.id) for stored in matches}
    brought: set[Key] = set()
    fresh: set[Key] = matched
    sources: Sequence[Stored] = matches
    forward, backward = search.includes, search.reverse_includes
    while fresh and (forward or backward):
        found = {key for stored in sources for key in references(stored.resource(), forward)} if forward else set()
        found.update(_backward(transaction, backward, fresh))
        fresh = _allowed(transaction, search, found - brought - matched)
        brought |= fresh
        forward, backward = ([i for i in listed if i.iterate] for listed in (forward, backward))
        sources = read_keys(transaction, sorted(fresh)) if forward else ()
    return sorted(brought)


def _allowed(transaction: Transaction, search: Search, keys: set[Key]) -> set[Key]:
    """Only those keys that this search may include. What is hidden is not followed either."""
    if search.includable is not None:
        keys = {key for key in keys if key[0] in search.includable}
    return keys if search.visible is None else search.visible(transaction, keys)


def read_included(transaction: Transaction, keys: Sequence[Key]) -> list[Stored]:
    """Read the resources that exist, in order."""
    return sorted(read_keys(transaction, keys))


def references(resource: Resource, includes: Iterable[Include]) -> list[Key]:
    """(type, id) of everything that a resource refers to by the parameters that the includes name."""
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


def _backward(transaction: Transaction, includes: Sequence[Include], targets: Iterable[Key]) -> Iterator[Key]:
    by_type: dict[str, list[str]] = {}
    for type_, id_ in sorted(targets):
        by_type.setdefault(type_, []).append(id_)
    for include in includes:
        for source in resource_types() if include.type == "*" else (include.type,):
            every = [parameter.code for parameter in parameters(source).values() if parameter.kind == "reference"]
            codes = [include.parameter] if include.parameter else every
            for target, ids in by_type.items():
                for code in codes:
                    for id_ in _referring(transaction, source, code, target, ids):
                        yield source, id_


def _referring(transaction: Transaction, source: str, code: str, target: str, ids: Sequence[str]) -> Iterator[str]:
    """Ids of all resources of type `source` whose parameter refers to any of the targets."""
    if target not in parameters(source)[code].targets:
        return
    column = COLUMNS.get(source, {}).get(code)
    for start in range(0, len(ids), _CHUNK):
        chunk: list[object] = list(ids[start : start + _CHUNK])
        marks = ", ".join("?" * len(chunk))
        if column:
            text = f"SELECT id FROM fhir_resource WHERE type = '{source}' AND {column} IN ({marks})"
        else:
            text = (
                f"SELECT id FROM fhir_index WHERE type = '{source}' AND parameter = '{code}'"
                f" AND value IN ({marks}) AND system = ?"
            )
            chunk.append(target)
        for row in transaction.execute(text, chunk):
            yield row[0]


MAX_INCLUDED = 1000


@dataclass
class SearchPage:
    """One page of a search. `more_included` says where the included resources of these matches continue."""

    matches: list[Stored] = field(default_factory=list)
    included: list[Stored] = field(default_factory=list)
    total: int | None = None
    following: str | None = None
    more_included: str | None = None


def run(transaction: Transaction, search: Search) -> SearchPage:
    """Find the page that a search asks for."""
    page = SearchPage()
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
        _include(transaction, search, page)
    return page


def _include(transaction: Transaction, search: Search, page: SearchPage) -> None:
    """Add the resources that the matches include, a limited number at a time.

    Those that do not fit come on separate pages, before the next matches. These pages do not repeat the matches.
    """
    keys = included_keys(transaction, search, page.matches)
    if search.included_after is not None:
        after = paging.read_key(search.included_after)
        keys = [key for key in keys if key > after]
        page.matches = []
    if len(keys) > MAX_INCLUDED:
        keys = keys[:MAX_INCLUDED]
        page.more_included = paging.write_cursor(keys[-1])
    page.included = read_included(transaction, keys)


def run_all(transaction: Transaction, search: Search, limit: int | None) -> list[Stored]:
    """All matches in order, or the first `limit` of them."""
    statement = paging.page(search, limit if limit is not None else 2**31 - 1)
    return [Stored(search.type, *row[:4]) for row in transaction.execute(statement.text, statement.values)]


def _total(transaction: Transaction, search: Search) -> int:
    statement = paging.count(search)
    return int(transaction.execute(statement.text, statement.values)[0][0])
