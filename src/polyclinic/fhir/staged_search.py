"""Search records with staged changes: stored and staged matches are sorted together.

A condition about other resources is first replaced by one about ids, which are found in the same view. Then the home is
searched without the changed resources, and the changed resources are matched in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polyclinic.core.records import Query, RecordGone, RecordMissing, Records, Resource, SearchResult, reference_to
from polyclinic.fhir.conditions import BadSearch, Chain, Filter, Has, Missing, Search
from polyclinic.fhir.match import matches, rows_of, sort
from polyclinic.fhir.query import pairs, parse_condition, parse_search
from polyclinic.fhir.search import references
from polyclinic.fhir.slot_rules import Key


class StagedSearch:
    """Searches a home in which some resources are changed. None means that a resource was deleted."""

    def __init__(self, home: Records, changed: Mapping[Key, Resource | None]) -> None:
        self._home, self._changed = home, changed

    async def run(self, type_: str, query: Query, limit: int | None = None) -> SearchResult:
        """All matches in order, or the first `limit` of them."""
        search = parse_search(type_, pairs(query))
        if search.ignored:
            raise BadSearch(f"unknown search parameter of {type_}: {', '.join(search.ignored)}")
        if limit is None and "_count" in query:
            limit = search.count
        plan = await self._plan(type_, query)
        if plan is None:
            return SearchResult([])
        wire, conditions = plan
        staged = {key[1]: resource for key, resource in self._changed.items() if key[0] == type_}
        stored = await self._home.search(type_, wire, None if limit is None else limit + len(staged))
        ordered = [resource for resource in stored.matches if resource["id"] not in staged]
        fresh = [r for r in staged.values() if r is not None and _meets_all(r, conditions)]
        if fresh:
            ordered = sort([*ordered, *fresh], search)
        ordered = ordered[:limit]
        return SearchResult(ordered, await self._included(search, ordered))

    async def _plan(self, type_: str, query: Query) -> tuple[dict[str, list[str]], list[Filter | Missing]] | None:
        """The search without chains: the query for the home, and the conditions for staged resources.

        None if nothing can match.
        """
        wire: dict[str, list[str]] = {}
        conditions: list[Filter | Missing] = []
        for name, text in pairs(query):
            condition = parse_condition(type_, name, text)
            if isinstance(condition, Chain | Has):
                name, text = await self._flat(type_, name, text, condition)
                if not text:
                    return None
                condition = parse_condition(type_, name, text)
            if isinstance(condition, Filter | Missing):
                conditions.append(condition)
                wire.setdefault(name, []).append(text)
            elif name == "_sort":
                wire[name] = [text]
        return wire, conditions

    async def _flat(self, type_: str, name: str, text: str, condition: Chain | Has) -> tuple[str, str]:
        """Replace a condition about other resources by one about their ids, found in this same view."""
        if isinstance(condition, Chain):
            rest = name.partition(".")[2]
            values = [
                reference_to(resource)
                for target, _ in condition.targets
                for resource in (await self.run(target, {rest: text})).matches
            ]
            return condition.parameter.code, ",".join(values)
        ids: dict[str, None] = {}
        for resource in (await self.run(condition.type, {name.split(":", 3)[3]: text})).matches:
            for row in rows_of(resource):
                if row.parameter == condition.parameter.code and row.system == type_:
                    ids[row.value] = None
        return "_id", ",".join(ids)

    async def _included(self, search: Search, matched: Sequence[Resource]) -> list[Resource]:
        """The resources that `_include` and `_revinclude` add, one step from the matches."""
        seen = {(search.type, resource["id"]) for resource in matched}
        included: list[Resource] = []
        for key in dict.fromkeys(key for resource in matched for key in references(resource, search.includes)):
            try:
                found = [await self._read(key)]
            except RecordMissing:
                continue
            included.extend(_unseen(found, seen))
        for include in search.reverse_includes:
            code = include.parameter or ""
            for resource in matched if code else ():
                found = (await self.run(include.type, {code: reference_to(resource)})).matches
                included.extend(_unseen(found, seen))
        return included

    async def _read(self, key: Key) -> Resource:
        if key not in self._changed:
            return await self._home.read(*key)
        resource = self._changed[key]
        if resource is None:
            raise RecordGone(f"{key[0]}/{key[1]} was deleted")
        return resource


def _meets_all(resource: Resource, conditions: Sequence[Filter | Missing]) -> bool:
    found = rows_of(resource)
    return all(matches(found, condition) for condition in conditions)


def _unseen(resources: Sequence[Resource], seen: set[Key]) -> list[Resource]:
    fresh = []
    for resource in resources:
        key = (resource["resourceType"], resource["id"])
        if key not in seen:
            seen.add(key)
            fresh.append(resource)
    return fresh
