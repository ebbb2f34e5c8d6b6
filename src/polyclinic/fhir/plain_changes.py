"""The core's lists of changes, made in one transaction.

A change is plain when it names its resource itself; nearly all are, and they are made without a search. A list with a
condition in it is handled like a transaction Bundle.
"""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.core.records import Change, Create, Delete, Resource, Update
from polyclinic.fhir.query import pairs
from polyclinic.fhir.slot_rules import Key
from polyclinic.fhir.transactions import Operation, perform
from polyclinic.fhir.unit_of_work import UnitOfWork


def make(work: UnitOfWork, changes: Sequence[Change]) -> list[Resource | None]:
    """Make every change or raise; the new versions in the order of the changes. What `perform` does, for plain changes.

    Our own changes refer to each other by their ids. `work` is new; what it has read already is not read again.
    """
    if not all(map(is_plain, changes)):
        outcomes = perform(work.transaction, _operations_of(changes), work.now, resolve=False)
        return [outcome.resource for outcome in outcomes]
    work.lock(*touched(changes))
    return carry_out(work, changes)


def carry_out(work: UnitOfWork, changes: Sequence[Change]) -> list[Resource | None]:
    """Make plain changes of resources that are locked."""
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


def is_plain(change: Change) -> bool:
    """Whether the change names its resource itself."""
    return not isinstance(change, Create) or (change.if_none_exist is None and bool(change.resource.get("id")))


def touched(changes: Sequence[Change]) -> tuple[list[Key], dict[Key, Resource]]:
    """What is changed, and the appointments as they will be."""
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


def _operations_of(changes: Sequence[Change]) -> list[Operation]:
    """The operations that a list of changes asks for."""
    operations = []
    for change in changes:
        match change:
            case Create(resource=resource, if_none_exist=condition):
                operations.append(
                    Operation(
                        "POST",
                        resource["resourceType"],
                        resource.get("id"),
                        resource,
                        if_none_exist=None if condition is None else pairs(condition),
                    )
                )
            case Update(resource=resource, if_version=version):
                operations.append(
                    Operation("PUT", resource["resourceType"], resource["id"], resource, if_version=version)
                )
            case Delete(type=type_, id=id_, if_version=version):
                operations.append(Operation("DELETE", type_, id_, if_version=version))
    return operations
