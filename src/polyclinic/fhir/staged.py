"""Staged changes: a view over records that sees its own changes and writes nothing until the end.

Any number of staged changes become one change per resource, each conditional on the version that was first read. So
everything that an episode did is one transaction Bundle. It can be shown, kept, applied inside the episode's own
transaction, or sent to an external server. The records under the view (a store or a server) are called its home.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TypeAlias

from polyclinic.core.database import Transaction
from polyclinic.core.records import (
    Consequence,
    Create,
    Delete,
    PreconditionFailed,
    Query,
    RecordChange,
    RecordConflict,
    RecordGone,
    RecordMissing,
    Records,
    RecordsRefused,
    Resource,
    SearchResult,
    Update,
    version_of,
)
from polyclinic.fhir.bundles import transaction_bundle
from polyclinic.fhir.plain_changes import ChangeStep, apply_in_order, make
from polyclinic.fhir.slot_rules import Key, slot_changes, slots_of
from polyclinic.fhir.staged_search import StagedSearch
from polyclinic.fhir.unit_of_work import UnitOfWork, opaque_id

ReadMany: TypeAlias = Callable[[Sequence[Key]], Awaitable[dict[Key, Resource]]]
"""Reads many resources from a home at once; those that do not exist are left out."""

Begin: TypeAlias = Callable[[Transaction, datetime | None], UnitOfWork]
"""Starts a unit of work in an open transaction, at the given time."""


class Staged:
    """The staged view of any records; it implements `StagedRecords`."""

    def __init__(self, home: Records, begin: Begin | None = None, read_many: ReadMany | None = None) -> None:
        self._home, self._read_many, self._begin = home, read_many, begin
        self._steps: list[ChangeStep] = []
        self._base: dict[Key, Resource | None] = {}
        self._view: dict[Key, Resource | None] = {}
        self._count = 0
        self._net: list[RecordChange] | None = None

    @property
    def changes(self) -> list[RecordChange]:
        """One change for each resource that differs from the version first read, in the order of their first use."""
        if self._net is None:
            changed = ((key, self._base[key], resource) for key, resource in self._view.items())
            self._net = [net for each in changed if (net := _net_change(*each)) is not None]
        return list(self._net)

    @property
    def pending(self) -> bool:
        """Whether there are changes that are not made yet."""
        return bool(self._steps or self.changes)

    def later(self, keys: Sequence[Key], consequence: Consequence) -> None:
        """Register changes that are computed at the very end, from these resources as they are then."""
        self._steps.append((keys, consequence))

    def bundle(self) -> Resource:
        """The net changes as a transaction Bundle."""
        return transaction_bundle(self.changes)

    def apply(self, transaction: Transaction, now: datetime | None = None) -> list[Resource | None]:
        """Make the changes inside a transaction that is already open."""
        begin = self._begin
        if begin is None:
            raise RecordsRefused("an external server cannot take part in a local transaction: use commit()")
        changes = self.changes
        made = make(begin(transaction, now), changes) if changes else []
        return made + apply_in_order(lambda: begin(transaction, now), self._steps)

    async def commit(self) -> list[Resource | None]:
        """Make the changes in a transaction of their own. The view then starts from the new versions."""
        while self._steps:
            keys, consequence = self._steps[0]
            await self.transact(consequence(await self.fetch(keys)))
            del self._steps[0]
        changes = self.changes
        made = await self._home.transact(changes) if changes else []
        self._base.clear()
        self._view.clear()
        self._net = None
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
        """The staged or else the stored versions, in order; None for a resource that does not exist.

        What is fetched is remembered.
        """
        await self._touch(keys, self._base, self._view)
        return [self._view[key] for key in keys]

    async def search(self, type: str, query: Query, limit: int | None = None) -> SearchResult:
        """Search stored and staged resources; the matches are sorted together."""
        changed = {key: resource for key, resource in self._view.items() if resource is not self._base[key]}
        if not changed:
            return await self._home.search(type, query, limit)
        return await StagedSearch(self._home, changed).run(type, query, limit)

    async def transact(self, changes: Sequence[RecordChange]) -> list[Resource | None]:
        """Stage all changes or none, checked against this view."""
        base, view = dict(self._base), dict(self._view)
        after: dict[Key, Resource | None] = {}
        results: list[Key] = []
        await self._touch([key for change in changes if (key := _named(change)) is not None], base, view)
        for change in changes:
            key = await self._stage(change, base, view, after)
            results.append(key)
        moved: list[Key] = []
        for key in after:
            if key[0] == "Appointment":
                held, wanted = slots_of(view[key]), slots_of(after[key])
                moved.extend(("Slot", slot) for slot in (*held, *wanted) if slot not in held or slot not in wanted)
        await self._touch(moved, base, view)
        for slot, status in slot_changes(view.get, after).statuses.items():
            current = after.get(("Slot", slot), view[("Slot", slot)])
            if current is not None:
                after[("Slot", slot)] = self._stamped({**current, "status": status})
        view.update(after)
        self._base, self._view, self._net = base, view, None
        return [view[key] for key in results]

    async def _stage(
        self,
        change: RecordChange,
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
                    await self._touch([key], base, view)
                    return key
            resource = change.resource if change.resource.get("id") else {**change.resource, "id": opaque_id()}
            key = (resource["resourceType"], resource["id"])
        elif isinstance(change, Update):
            resource = change.resource
            key = (resource["resourceType"], resource["id"])
        else:
            key = (change.type, change.id)
        if key not in view:
            await self._touch([key], base, view)
        self._check(change, key, view, after)
        after[key] = None if isinstance(change, Delete) else self._stamped(resource)
        return key

    def _check(
        self, change: RecordChange, key: Key, view: dict[Key, Resource | None], after: dict[Key, Resource | None]
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

    async def _touch(
        self, keys: Sequence[Key], base: dict[Key, Resource | None], view: dict[Key, Resource | None]
    ) -> None:
        """Read resources from the home and remember them, if that was not done before."""
        unknown = [key for key in dict.fromkeys(keys) if key not in view]
        if not unknown:
            return
        if self._read_many is not None:
            stored = await self._read_many(unknown)
            for key in unknown:
                base[key] = view[key] = stored.get(key)
            return
        for key in unknown:
            try:
                base[key] = await self._home.read(*key)
            except RecordMissing:
                base[key] = None
            view[key] = base[key]

    def _stamped(self, resource: Resource) -> Resource:
        self._count += 1
        meta = {**resource.get("meta", {}), "versionId": f"staged-{self._count}"}
        meta.pop("lastUpdated", None)
        return {**resource, "meta": meta}


def _named(change: RecordChange) -> Key | None:
    """The key of the resource that a change names; None if the change does not name it."""
    if isinstance(change, Delete):
        return change.type, change.id
    if isinstance(change, Create) and (change.if_none_exist is not None or not change.resource.get("id")):
        return None
    return change.resource["resourceType"], change.resource["id"]


def _net_change(key: Key, base: Resource | None, resource: Resource | None) -> RecordChange | None:
    if resource is base:
        return None
    if base is None:
        return Create(_unstamped(resource)) if resource is not None else None
    if resource is None:
        return Delete(*key, if_version=version_of(base))
    plain = _unstamped(resource)
    return Update(plain, if_version=version_of(base)) if plain != _unstamped(base) else None


def _unstamped(resource: Resource) -> Resource:
    rest = dict(resource)
    meta = {k: v for k, v in rest.pop("meta", {}).items() if k not in ("versionId", "lastUpdated")}
    return {**rest, "meta": meta} if meta else rest
