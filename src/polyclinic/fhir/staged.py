"""Changes that wait: a view over records that sees its own changes and writes nothing until the end.

The net effect of any number of staged changes is one change per resource, each conditional on the version that was
first read. So what an episode did is one transaction Bundle: it can be shown, kept, applied inside the episode's own
transaction, or sent to an external server.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Protocol, TypeAlias

from polyclinic.core.database import Transaction
from polyclinic.core.records import (
    Change,
    Create,
    Delete,
    Found,
    PreconditionFailed,
    Query,
    RecordConflict,
    RecordGone,
    RecordMissing,
    Records,
    RecordsRefused,
    Resource,
    Update,
    reference_to,
    version_of,
)
from polyclinic.fhir.bundles import transaction_bundle
from polyclinic.fhir.diary import Key, consequences, slots_of
from polyclinic.fhir.match import matches, rows_of, sort
from polyclinic.fhir.query import BadSearch, Chain, Filter, Has, Missing, Search, pairs, parse_condition, parse_search
from polyclinic.fhir.search import references
from polyclinic.fhir.work import opaque_id


class Apply(Protocol):
    """How a home makes changes inside an open transaction."""

    def __call__(
        self, transaction: Transaction, changes: Sequence[Change], now: datetime | None
    ) -> list[Resource | None]:
        """Make the changes or raise."""
        ...


ReadMany: TypeAlias = Callable[[Sequence[Key]], Awaitable[dict[Key, Resource]]]
"""How a home answers for many resources at once; those that do not exist are left out."""


class Staged:
    """A `StagedRecords` over any home."""

    def __init__(
        self,
        home: Records,
        apply: Apply | None = None,
        new_id: Callable[[], str] = opaque_id,
        read_many: ReadMany | None = None,
    ) -> None:
        self._home = home
        self._read_many = read_many
        self._apply = apply
        self._new_id = new_id
        self._base: dict[Key, Resource | None] = {}
        self._view: dict[Key, Resource | None] = {}
        self._count = 0

    @property
    def changes(self) -> list[Change]:
        """One change per resource that differs from what was first read, in the order of first touch."""
        net: list[Change] = []
        for key, resource in self._view.items():
            base = self._base[key]
            if base is None and resource is not None:
                net.append(Create(_unstamped(resource)))
            elif base is not None and resource is None:
                net.append(Delete(*key, if_version=version_of(base)))
            elif base is not None and resource is not None and _unstamped(base) != _unstamped(resource):
                net.append(Update(_unstamped(resource), if_version=version_of(base)))
        return net

    def bundle(self) -> Resource:
        """The net changes as a transaction Bundle."""
        return transaction_bundle(self.changes)

    def apply(self, transaction: Transaction, now: datetime | None = None) -> list[Resource | None]:
        """Make the changes inside a transaction that is already open."""
        if self._apply is None:
            raise RecordsRefused("an external server does not join a local transaction: use commit()")
        return self._apply(transaction, self.changes, now)

    async def commit(self) -> list[Resource | None]:
        """Make the changes in one transaction of their own; the view then stands on the new versions."""
        made = await self._home.transact(self.changes) if self.changes else []
        self._base.clear()
        self._view.clear()
        return made

    async def read(self, type: str, id: str) -> Resource:
        """The staged version, else the stored one."""
        key = (type, id)
        if key not in self._view:
            return await self._home.read(type, id)
        resource = self._view[key]
        if resource is None:
            raise RecordGone(f"{type}/{id} was deleted")
        return resource

    async def fetch(self, keys: Sequence[Key]) -> list[Resource | None]:
        """The staged or stored versions in order, None for what does not exist; what is fetched is remembered."""
        unknown = [key for key in dict.fromkeys(keys) if key not in self._view]
        if self._read_many is None:
            for key in unknown:
                await self._touch(key, self._base, self._view)
        elif unknown:
            stored = await self._read_many(unknown)
            for key in unknown:
                self._base[key] = self._view[key] = stored.get(key)
        return [self._view[key] for key in keys]

    async def search(self, type: str, query: Query, limit: int | None = None) -> Found:
        """Stored and staged matches in one order."""
        changed = {key: resource for key, resource in self._view.items() if resource is not self._base[key]}
        if not changed:
            return await self._home.search(type, query, limit)
        search = parse_search(type, pairs(query))
        if search.ignored:
            raise BadSearch(f"unknown search parameter of {type}: {', '.join(search.ignored)}")
        if limit is None and "_count" in query:
            limit = search.count
        plan = await self._plan(type, query)
        if plan is None:
            return Found([])
        wire, conditions = plan
        staged = {key[1]: resource for key, resource in changed.items() if key[0] == type}
        stored = await self._home.search(type, wire, None if limit is None else limit + len(staged))
        ordered = [resource for resource in stored.matches if resource["id"] not in staged]
        fresh = [r for r in staged.values() if r is not None and _meets_all(r, conditions)]
        if fresh:
            ordered = sort([*ordered, *fresh], search)
        ordered = ordered[:limit]
        return Found(ordered, await self._included(search, ordered))

    async def _plan(self, type_: str, query: Query) -> tuple[dict[str, list[str]], list[Filter | Missing]] | None:
        """The search without chains: what to ask the home, what a staged resource must meet. None: no match."""
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
        """A condition about other resources as one about ids, found in this same view."""
        if isinstance(condition, Chain):
            rest = name.partition(".")[2]
            values = [
                reference_to(resource)
                for target, _ in condition.targets
                for resource in (await self.search(target, {rest: text})).matches
            ]
            return condition.parameter.code, ",".join(values)
        ids: dict[str, None] = {}
        for resource in (await self.search(condition.type, {name.split(":", 3)[3]: text})).matches:
            for row in rows_of(resource):
                if row.parameter == condition.parameter.code and row.system == type_:
                    ids[row.value] = None
        return "_id", ",".join(ids)

    async def _included(self, search: Search, matched: Sequence[Resource]) -> list[Resource]:
        """What `_include` and `_revinclude` name, one step from the matches."""
        seen = {(search.type, resource["id"]) for resource in matched}
        included: list[Resource] = []
        for key in dict.fromkeys(key for resource in matched for key in references(resource, search.includes)):
            try:
                found = [await self.read(*key)]
            except RecordMissing:
                continue
            included.extend(_unseen(found, seen))
        for include in search.reverse_includes:
            code = include.parameter or ""
            for resource in matched if code else ():
                found = (await self.search(include.type, {code: reference_to(resource)})).matches
                included.extend(_unseen(found, seen))
        return included

    async def transact(self, changes: Sequence[Change]) -> list[Resource | None]:
        """Stage all changes or none, checked against this view."""
        base, view = dict(self._base), dict(self._view)
        after: dict[Key, Resource | None] = {}
        results: list[Key] = []
        for change in changes:
            key = await self._stage(change, base, view, after)
            results.append(key)
        for key in [k for k in after if k[0] == "Appointment"]:
            for slot in (*slots_of(view.get(key)), *slots_of(after[key])):
                await self._touch(("Slot", slot), base, view)
        for slot, status in consequences(view.get, after).statuses.items():
            current = after.get(("Slot", slot), view[("Slot", slot)])
            if current is not None:
                after[("Slot", slot)] = self._stamped({**current, "status": status})
        view.update(after)
        self._base, self._view = base, view
        return [view[key] for key in results]

    async def _stage(
        self,
        change: Change,
        base: dict[Key, Resource | None],
        view: dict[Key, Resource | None],
        after: dict[Key, Resource | None],
    ) -> Key:
        if isinstance(change, Create):
            if change.if_none_exist is not None:
                found = (await self.search(change.resource["resourceType"], change.if_none_exist)).matches
                if len(found) > 1:
                    raise PreconditionFailed("the condition matches several resources")
                if found:
                    key = (found[0]["resourceType"], found[0]["id"])
                    await self._touch(key, base, view)
                    return key
            resource = change.resource if change.resource.get("id") else {**change.resource, "id": self._new_id()}
            key = (resource["resourceType"], resource["id"])
        elif isinstance(change, Update):
            resource = change.resource
            key = (resource["resourceType"], resource["id"])
        else:
            key = (change.type, change.id)
        await self._touch(key, base, view)
        self._check(change, key, view, after)
        after[key] = None if isinstance(change, Delete) else self._stamped(resource)
        return key

    def _check(
        self, change: Change, key: Key, view: dict[Key, Resource | None], after: dict[Key, Resource | None]
    ) -> None:
        name = f"{key[0]}/{key[1]}"
        if key in after:
            raise RecordConflict(f"{name} is changed twice in one transaction")
        current = view[key]
        if isinstance(change, Create):
            if current is not None:
                raise RecordConflict(f"{name} exists already")
        elif change.if_version is not None and (current is None or version_of(current) != change.if_version):
            raise PreconditionFailed(f"{name} is no longer at version {change.if_version}")

    async def _touch(self, key: Key, base: dict[Key, Resource | None], view: dict[Key, Resource | None]) -> None:
        """Remember a resource as it is stored, the first time it matters."""
        if key in view:
            return
        try:
            base[key] = await self._home.read(*key)
        except RecordMissing:
            base[key] = None
        view[key] = base[key]

    def _stamped(self, resource: Resource) -> Resource:
        self._count += 1
        meta = {k: v for k, v in resource.get("meta", {}).items() if k != "lastUpdated"}
        return {**resource, "meta": {**meta, "versionId": f"staged-{self._count}"}}


def _unstamped(resource: Resource) -> Resource:
    meta = {k: v for k, v in resource.get("meta", {}).items() if k not in ("versionId", "lastUpdated")}
    rest = {k: v for k, v in resource.items() if k != "meta"}
    return {**rest, "meta": meta} if meta else rest


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
