"""Conditions and references that name a resource by a search. Exactly one resource must match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol
from urllib.parse import parse_qsl

from polyclinic.core.database import Transaction
from polyclinic.core.records import PreconditionFailed, Resource
from polyclinic.fhir import search as searching
from polyclinic.fhir.conditions import BadSearch, Search
from polyclinic.fhir.deferred import catch_up
from polyclinic.fhir.query import parse_search

Conditions = Sequence[tuple[str, str]]


class Sight(Protocol):
    """Limits what a client may see: raises for a hidden resource, and lets a search find only visible ones."""

    def check(self, resource: Resource, letter: Literal["r"]) -> None:
        """Raise unless this resource may be read."""
        ...

    def restrict(self, search: Search) -> None:
        """Raise unless this search is allowed; let it find only what the client may see."""
        ...


def find_one(transaction: Transaction, type_: str, condition: Conditions, base: str = "") -> str | None:
    """The id of the only match; None if nothing matches. Raises PreconditionFailed when several match."""
    search = parse_search(type_, condition, base)
    if search.ignored or not search.conditions:
        raise BadSearch(
            f"a condition must consist of search parameters of {type_};"
            f" {'not known: ' + ', '.join(search.ignored) if search.ignored else 'none was given'}"
        )
    catch_up(transaction)
    found = searching.run_all(transaction, search, 2)
    if len(found) > 1:
        raise PreconditionFailed(f"the condition matches several resources of type {type_}")
    return found[0].id if found else None


def has_conditional(value: Any) -> bool:
    """Whether the JSON contains a reference that is a search instead of an id."""
    if isinstance(value, dict):
        reference = value.get("reference")
        if isinstance(reference, str) and "?" in reference and not reference.startswith(("http:", "https:", "urn:")):
            return True
        return any(has_conditional(item) for item in value.values() if isinstance(item, dict | list))
    return isinstance(value, list) and any(has_conditional(item) for item in value)


def resolved(transaction: Transaction, value: Any, given: dict[str, str], base: str) -> Any:
    """Return the same JSON, but with references that are full URLs or searches replaced by the resources' ids."""
    if isinstance(value, list):
        return [resolved(transaction, item, given, base) for item in value]
    if not isinstance(value, dict):
        return value
    made = {key: resolved(transaction, item, given, base) for key, item in value.items()}
    reference = value.get("reference")
    if isinstance(reference, str):
        if reference in given:
            made["reference"] = given[reference]
        elif has_conditional({"reference": reference}):
            type_, _, query = reference.partition("?")
            found = find_one(transaction, type_, _query_pairs(query), base)
            if found is None:
                raise PreconditionFailed(f"the reference '{reference}' matches nothing")
            made["reference"] = f"{type_}/{found}"
    return made


def _query_pairs(query: str) -> list[tuple[str, str]]:
    return parse_qsl(query, keep_blank_values=True)
