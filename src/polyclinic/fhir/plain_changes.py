"""The core's lists of changes, made in one transaction.

A change is plain when it names its resource by type and id. Nearly all changes are plain, and they are made without a
search. A list with a condition in it is handled like a transaction Bundle.

A step depends on the current state: it reads some resources and returns the changes to make. Each step sees the changes
of the steps before it. Steps that touch different resources are read under one lock and written together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from polyclinic.core.records import Consequence, Create, Delete, RecordChange, Resource, Update
from polyclinic.fhir.query import pairs
from polyclinic.fhir.slot_rules import Key
from polyclinic.fhir.transactions import TransactionEntry, perform
from polyclinic.fhir.unit_of_work import UnitOfWork


def make(work: UnitOfWork, changes: Sequence[RecordChange]) -> list[Resource | None]:
    """Make every change or raise; returns the new versions in the order of the changes.

    This is `perform` for plain changes. They refer to each other by their ids, so no references are resolved. `work`
    must not hold any changes yet; resources that it has already read are not read again.
    """
    if not all(map(is_plain, changes)):
        outcomes = perform(work.transaction, _operations_of(changes), work.now, resolve=False)
        return [outcome.resource for outcome in outcomes]
    work.lock(*touched(changes))
    return carry_out(work, changes)


def carry_out(work: UnitOfWork, changes: Sequence[RecordChange]) -> list[Resource | None]:
    """Make plain changes; the resources must be locked already."""
    made: dict[int, Resource] = {}
    for change in changes:
        if isinstance(change, Delete):
            work.delete((change.type, change.id), change.if_version)
    for position, change in enumerate(changes):
        if isinstance(change, Create):
            made[position] = work.create(change.resource)
    for position, change in enumerate(changes):
        if isinstance(change, Update):
            made[position] = work.update(change.resource, change.if_version)[0]
    work.finish()
    return [work.latest(made[position]) if position in made else None for position in range(len(changes))]


def is_plain(change: RecordChange) -> bool:
    """Whether the change names its resource by type and id."""
    return not isinstance(change, Create) or (change.if_none_exist is None and bool(change.resource.get("id")))


def touched(changes: Sequence[RecordChange]) -> tuple[list[Key], dict[Key, Resource]]:
    """The keys of all changed resources, and the changed appointments in their new state."""
    keys: list[Key] = []
    becoming: dict[Key, Resource] = {}
    for change in changes:
        if isinstance(change, Delete):
            keys.append((change.type, change.id))
            continue
        resource = change.resource
        key = (resource["resourceType"], resource["id"])
        keys.append(key)
        if key[0] == "Appointment":
            becoming[key] = resource
    return keys, becoming


def _operations_of(changes: Sequence[RecordChange]) -> list[TransactionEntry]:
    """Turn a list of changes into operations."""
    operations = []
    for change in changes:
        match change:
            case Create(resource=resource, if_none_exist=condition):
                operations.append(
                    TransactionEntry(
                        "POST",
                        resource["resourceType"],
                        resource.get("id"),
                        resource,
                        if_none_exist=None if condition is None else pairs(condition),
                    )
                )
            case Update(resource=resource, if_version=version):
                operations.append(
                    TransactionEntry("PUT", resource["resourceType"], resource["id"], resource, if_version=version)
                )
            case Delete(type=type_, id=id_, if_version=version):
                operations.append(TransactionEntry("DELETE", type_, id_, if_version=version))
    return operations


ChangeStep: TypeAlias = tuple[Sequence[Key], Consequence]


def apply_in_order(begin: Callable[[], UnitOfWork], steps: Sequence[ChangeStep]) -> list[Resource | None]:
    """Apply every step or raise; returns the new versions in the order of the changes."""
    made: list[Resource | None] = []
    while steps:
        results, count = _apply_together(begin(), steps)
        made += results
        steps = steps[count:]
    return made


def _apply_together(work: UnitOfWork, steps: Sequence[ChangeStep]) -> tuple[list[Resource | None], int]:
    """Apply as many of the first steps as can be applied together.

    Returns the results and how many steps were applied.
    """
    found = work.read(key for keys, _ in steps for key in keys)
    together: list[RecordChange] = []
    locked: set[Key] = set()
    for count, (keys, consequence) in enumerate(steps):
        if not locked.isdisjoint(keys):
            return carry_out(work, together), count
        changes = consequence([found[key] for key in keys])
        if not all(map(_known, changes)):
            return (carry_out(work, together), count) if count else (make(work, changes), 1)
        touching = work.lock(*touched(changes))
        if not locked.isdisjoint(touching):
            return carry_out(work, together), count
        together += changes
        locked |= touching
    return carry_out(work, together), len(steps)


def _known(change: RecordChange) -> bool:
    """Whether everything that a change touches is known before the change is made. This is false for a deletion."""
    return is_plain(change) and not isinstance(change, Delete)
