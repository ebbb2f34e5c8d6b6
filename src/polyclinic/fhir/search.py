"""Run a search in an open transaction: one page, the total if it is known or asked for, and the includes."""

from __future__ import annotations

from dataclasses import dataclass, field

from polyclinic.core.database import Transaction
from polyclinic.fhir import paging
from polyclinic.fhir.conditions import Search
from polyclinic.fhir.includes import included_keys, read_included
from polyclinic.fhir.storage import Stored

MAX_INCLUDED = 1000


@dataclass
class Page:
    """One page of a search. `more_included` says where the included resources of these matches continue."""

    matches: list[Stored] = field(default_factory=list)
    included: list[Stored] = field(default_factory=list)
    total: int | None = None
    following: str | None = None
    more_included: str | None = None


def run(transaction: Transaction, search: Search) -> Page:
    """Find the page that a search asks for."""
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
        _include(transaction, search, page)
    return page


def _include(transaction: Transaction, search: Search, page: Page) -> None:
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
