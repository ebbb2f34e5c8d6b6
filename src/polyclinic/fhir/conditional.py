"""Conditions and references that name a resource by a search. Exactly one resource must match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import parse_qsl

from polyclinic.core.database import Transaction
from polyclinic.core.records import PreconditionFailed, Resource
from polyclinic.fhir import search as searching
from polyclinic.fhir.conditions import BadSearch, Search
from polyclinic.fhir.deferred import catch_up
from polyclinic.fhir.query import parse_search

if TYPE_CHECKING:
    from polyclinic.fhir.smart.scopes import Letter

Conditions = Sequence[tuple[str, str]]


class Visibility(Protocol):
    """Limits what a client may see: raises for a hidden resource, and lets a search find only visible ones."""

    def require(self, type_: str, *letters: Letter) -> None:
        """Raise unless these interactions are allowed on a type."""
        ...

    def check(self, resource: Resource, *letters: Letter) -> None:
        """Raise unless these interactions are allowed on this resource."""
        ...

    def restrict(self, search: Search) -> None:
        """Raise unless this search is allowed; let it find only what the client may see."""
        ...


@dataclass(frozen=True)
class Finder:
    """Finds resources by conditions for one client: `sight` limits what it finds, `r4` says how it writes searches."""

    transaction: Transaction
    base: str = ""
    sight: Visibility | None = None
    r4: bool = False

    def one(self, type_: str, condition: Conditions) -> str | None:
        """The id of the only match; None if nothing matches. Raises PreconditionFailed when several match."""
        search = parse_search(type_, condition, self.base, r4=self.r4)
        if search.ignored or not search.conditions:
            raise BadSearch(
                f"a condition must consist of search parameters of {type_};"
                f" {'not known: ' + ', '.join(search.ignored) if search.ignored else 'none was given'}"
            )
        if self.sight is not None:
            self.sight.restrict(search)
        catch_up(self.transaction)
        found = searching.run_all(self.transaction, search, 2)
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


def resolved(value: Any, given: dict[str, str], finder: Finder) -> Any:
    """Return the same JSON, but with references that are full URLs or searches replaced by the resources' ids."""
    if isinstance(value, list):
        return [resolved(item, given, finder) for item in value]
    if not isinstance(value, dict):
        return value
    made = {key: resolved(item, given, finder) for key, item in value.items()}
    reference = value.get("reference")
    if isinstance(reference, str):
        if reference in given:
            made["reference"] = given[reference]
        elif has_conditional({"reference": reference}):
            type_, _, query = reference.partition("?")
            found = finder.one(type_, parse_qsl(query, keep_blank_values=True))
            if found is None:
                raise PreconditionFailed(f"the reference '{reference}' matches nothing")
            made["reference"] = f"{type_}/{found}"
    return made
