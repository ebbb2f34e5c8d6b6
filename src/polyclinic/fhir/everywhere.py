"""A search across types: the types are searched one after the other, page by page."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import NamedTuple

import orjson

from polyclinic.core.database import Transaction
from polyclinic.fhir import search as searching
from polyclinic.fhir.conditions import DEFAULT_COUNT, BadSearch, Search
from polyclinic.fhir.parameters import resource_types
from polyclinic.fhir.query import parse_search
from polyclinic.fhir.storage import Stored

_ONE_TYPE_ONLY = ("_sort", "_include", "_include:iterate", "_revinclude", "_revinclude:iterate", "_included")


class Everywhere(NamedTuple):
    """The types to search, the query, and where this page begins: a type and a cursor within it."""

    types: Sequence[str]
    query: Sequence[tuple[str, str]]
    size: int
    start: tuple[str, str | None]
    searches: dict[str, Search]


class EverywherePage(NamedTuple):
    """Matches of one or several types, and where the next page begins. `total` is set if it was asked for."""

    matches: list[Stored]
    following: str | None
    total: int | None


def parse_everywhere(
    query: Sequence[tuple[str, str]], base: str, allowed: Sequence[str], *, r4: bool = False
) -> Everywhere:
    """Read a search across types: the types that the query names, or all types that are allowed.

    Raises BadSearch for a parameter that works only in a search on one type.
    """
    named = [type_ for name, text in query if name == "_type" for type_ in text.split(",") if type_]
    unknown = [type_ for type_ in named if type_ not in resource_types()]
    if unknown:
        raise BadSearch(f"resource type '{unknown[0]}' is not supported")
    refused = [name for name, _ in query if name in _ONE_TYPE_ONLY]
    if refused:
        raise BadSearch(f"'{refused[0]}' works only in a search on one type")
    types = sorted(set(named)) or list(allowed)
    if not types:
        raise BadSearch("the token does not allow a search on any type")
    plain = [(name, text) for name, text in query if name not in ("_type", "_page")]
    searches = {type_: parse_search(type_, plain, base, r4=r4) for type_ in types}
    for type_, search in searches.items():
        if search.ignored:
            raise BadSearch(f"unknown search parameter of {type_}: {', '.join(search.ignored)}")
    first = next(iter(searches.values()))
    mark = next((text for name, text in query if name == "_page"), None)
    start = (types[0], None) if mark is None else _read_mark(mark)
    if start[0] not in searches:
        raise BadSearch("'_page' does not come from a link that this server gave for this search")
    return Everywhere(types, plain, max(first.count, 1) if plain else DEFAULT_COUNT, start, searches)


def run_everywhere(transaction: Transaction, asked: Everywhere) -> EverywherePage:
    """Find one page of matches."""
    matches: list[Stored] = []
    following: str | None = None
    for type_ in asked.types[asked.types.index(asked.start[0]) :]:
        if len(matches) == asked.size:
            following = _write_mark(type_, None)
            break
        search = asked.searches[type_]
        search.count, search.cursor = asked.size - len(matches), asked.start[1] if type_ == asked.start[0] else None
        search.total = "none"
        page = searching.run(transaction, search)
        matches += page.matches
        if page.following is not None:
            following = _write_mark(type_, page.following)
            break
    wanted = any(name == "_total" and text == "accurate" for name, text in asked.query)
    return EverywherePage(matches, following, _total(transaction, asked) if wanted else None)


def _total(transaction: Transaction, asked: Everywhere) -> int:
    total = 0
    for search in asked.searches.values():
        search.count, search.cursor = 0, None
        total += searching.run(transaction, search).total or 0
    return total


def _write_mark(type_: str, cursor: str | None) -> str:
    return base64.urlsafe_b64encode(orjson.dumps([type_, cursor])).decode().rstrip("=")


def _read_mark(text: str) -> tuple[str, str | None]:
    try:
        type_, cursor = orjson.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (binascii.Error, orjson.JSONDecodeError, ValueError, TypeError) as error:
        raise BadSearch("'_page' does not come from a link that this server gave") from error
    if not isinstance(type_, str) or not (cursor is None or isinstance(cursor, str)):
        raise BadSearch("'_page' does not come from a link that this server gave")
    return type_, cursor
