"""All-or-nothing changes, as in FHIR's transaction Bundle.

An `TransactionEntry` is one entry. `perform` makes all of them inside an open transaction in FHIR's order (deletions,
creations, updates and patches, then reads). It resolves references between them, and returns the outcomes in the order
given. `fhir.plain_changes` makes the core's `Change` lists by the same steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from polyclinic.core.database import Transaction
from polyclinic.core.records import PreconditionFailed, RecordMissing, RecordsError, Resource
from polyclinic.core.seed import derive
from polyclinic.fhir import search as searching
from polyclinic.fhir import storage
from polyclinic.fhir.conditional import Conditions, Finder, Visibility, has_conditional, resolved
from polyclinic.fhir.deferred import catch_up
from polyclinic.fhir.fhirpath_patch import apply_fhirpath_patch
from polyclinic.fhir.patch import apply_patch
from polyclinic.fhir.query import parse_search
from polyclinic.fhir.r4.mapping import patched_in_r4
from polyclinic.fhir.slot_rules import Key
from polyclinic.fhir.unit_of_work import UnitOfWork, opaque_id

if TYPE_CHECKING:
    from polyclinic.fhir.smart.scopes import Letter

HttpMethod = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
_ORDER: dict[HttpMethod, int] = {"DELETE": 0, "POST": 1, "PUT": 2, "PATCH": 2, "GET": 3}
_LETTERS: dict[HttpMethod, tuple[Letter, ...]] = {"POST": ("c",), "PUT": ("u",), "PATCH": ("u", "r"), "DELETE": ("d",)}


@dataclass
class TransactionEntry:
    """One operation of a transaction.

    `condition` finds the target by a search if there is no `id`. With `in_r4`, a patch names R4's elements, and
    searches use R4's words.
    """

    method: HttpMethod
    type: str
    id: str | None = None
    resource: Resource | None = None
    patch: object = None
    in_r4: bool = False
    if_version: str | None = None
    absent: bool = False
    if_none_exist: Conditions | None = None
    condition: Conditions | None = None
    full_url: str | None = None
    query: Conditions = ()


@dataclass
class EntryOutcome:
    """The result of an operation. `page` is set for a search."""

    status: int
    resource: Resource | None = None
    page: searching.SearchPage | None = None
    operation: TransactionEntry | None = field(default=None, repr=False)


def perform(
    transaction: Transaction,
    operations: Sequence[TransactionEntry],
    now: int,
    *,
    hold: str | None = None,
    base: str = "",
    check: Callable[[Resource], None] | None = None,
    resolve: bool = True,
    complete: Callable[[UnitOfWork], None] | None = None,
    sight: Visibility | None = None,
) -> list[EntryOutcome]:
    """Make every change or raise.

    `check` is called with each patched resource before it is written, `complete` with all changes. `sight` limits what
    reads and conditions may see.

    With `resolve`, references that are searches or full URLs of other entries are replaced by ids. Our own
    changes have no such references.

    The given operations are not changed, because the database may run this again after another transaction failed.
    """
    operations = [replace(operation) for operation in operations]
    work = UnitOfWork(transaction, now, hold=hold)
    if sight is not None:
        for operation in operations:
            sight.require(operation.type, *_letters(operation))
    ordered = sorted(range(len(operations)), key=lambda position: _ORDER[operations[position].method])
    given = _assign_ids(work, operations, base, sight)
    work.lock(*_keys(operations))
    if sight is not None:
        _check_targets(work, operations, sight)
    outcomes: list[EntryOutcome | None] = [None] * len(operations)
    reads = []
    for position in ordered:
        operation = operations[position]
        if operation.method == "GET":
            reads.append(position)
            continue
        if resolve and operation.resource is not None and (given or has_conditional(operation.resource)):
            work.flush()
            operation.resource = resolved(operation.resource, given, _finder(work, operation, base, sight))
        outcomes[position] = _change(work, operation, base, check)
    if complete is not None:
        complete(work)
    work.finish()
    for position in reads:
        outcomes[position] = _read(transaction, operations[position], base, sight)
    return [_latest(work, outcome) for outcome in outcomes if outcome is not None]


def _letters(operation: TransactionEntry) -> tuple[Letter, ...]:
    """The scope letters that an operation needs. A patch reads the resource that it changes."""
    if operation.method == "GET":
        return ("s",) if operation.id is None else ("r",)
    return _LETTERS[operation.method]


def _check_targets(work: UnitOfWork, operations: Sequence[TransactionEntry], sight: Visibility) -> None:
    """Check each resource that will change before anything else, so that no other refusal tells what it holds."""
    for operation in operations:
        if operation.method != "GET" and operation.id is not None:
            before = work.resource_before((operation.type, operation.id))
            if before is not None:
                sight.check(before, *_letters(operation))


def _finder(work: UnitOfWork, operation: TransactionEntry, base: str, sight: Visibility | None) -> Finder:
    return Finder(work.transaction, base, sight, operation.in_r4)


def _latest(work: UnitOfWork, outcome: EntryOutcome) -> EntryOutcome:
    if outcome.resource is not None and outcome.operation is not None and outcome.operation.method != "GET":
        outcome.resource = work.latest(outcome.resource)
    return outcome


def _keys(operations: Sequence[TransactionEntry]) -> tuple[list[Key], dict[Key, Resource]]:
    """The keys of all changed resources, and the changed appointments in their new state."""
    keys: list[Key] = []
    becoming: dict[Key, Resource] = {}
    for operation in operations:
        key = (operation.type, operation.id or "")
        if operation.method != "GET" and operation.id is not None:
            keys.append(key)
        if operation.type == "Appointment" and operation.resource is not None:
            becoming[key] = operation.resource
    return keys, becoming


def _assign_ids(
    work: UnitOfWork, operations: Sequence[TransactionEntry], base: str, sight: Visibility | None
) -> dict[str, str]:
    """Find the target of each conditional operation, give ids to creations, and map their full URLs to references."""
    given: dict[str, str] = {}
    for operation in operations:
        if operation.condition is not None or operation.if_none_exist is not None:
            _one_at_a_time(work.transaction, operation.type)
            finder = _finder(work, operation, base, sight)
        if operation.condition is not None:
            operation.id = finder.one(operation.type, operation.condition)
        if operation.if_none_exist is not None:
            found = finder.one(operation.type, operation.if_none_exist)
            if found is not None:
                operation.method, operation.id, operation.resource = "GET", found, None
        if operation.method in ("POST", "PUT") and operation.resource is not None and operation.id is None:
            operation.id = opaque_id()
        if operation.resource is not None and operation.id is not None:
            operation.resource = {**operation.resource, "id": operation.id}
        if operation.full_url and operation.id is not None:
            given[operation.full_url] = f"{operation.type}/{operation.id}"
    return given


def _one_at_a_time(transaction: Transaction, type_: str) -> None:
    """Lock, so that conditions on a type are decided one after the other. SQLite has only one writer anyway."""
    if transaction.dialect == "postgres":
        transaction.execute("SELECT pg_advisory_xact_lock(?)", (derive("fhir condition", type_),))


def _change(
    work: UnitOfWork, operation: TransactionEntry, base: str, check: Callable[[Resource], None] | None
) -> EntryOutcome:
    match operation.method:
        case "POST":
            return EntryOutcome(201, work.create(_required(operation)), operation=operation)
        case "PUT":
            resource = _required(operation)
            if operation.absent:
                key = (operation.type, str(operation.id))
                stored = work.before(key)
                if stored is not None and stored.body is not None:
                    raise PreconditionFailed(f"{key[0]}/{key[1]} exists already")
            updated, created = work.update(resource, operation.if_version)
            return EntryOutcome(201 if created else 200, updated, operation=operation)
        case "PATCH":
            key = (operation.type, _target(operation))
            work.require(key, operation.if_version)
            patched = _patched(work.current(key), operation)
            if check is not None:
                check(patched)
            return EntryOutcome(200, work.update(patched)[0], operation=operation)
        case "DELETE":
            if operation.id is None:
                return EntryOutcome(200, operation=operation)
            work.delete((operation.type, operation.id), operation.if_version)
            return EntryOutcome(200, operation=operation)
        case "GET":
            return _read(work.transaction, operation, base, None)


def _patched(resource: Resource, operation: TransactionEntry) -> Resource:
    """Apply the patch: by FHIRPath if it is a Parameters resource, else by JSON Patch."""
    patch = operation.patch

    def apply(to: Resource) -> Resource:
        if isinstance(patch, dict) and patch.get("resourceType") == "Parameters":
            return apply_fhirpath_patch(to, patch)
        return apply_patch(to, patch)

    return patched_in_r4(resource, apply) if operation.in_r4 else apply(resource)


def _required(operation: TransactionEntry) -> Resource:
    if operation.resource is None:
        raise RecordsError(f"{operation.method} {operation.type} needs a resource")
    return operation.resource


def _target(operation: TransactionEntry) -> str:
    if operation.id is None:
        raise RecordMissing(f"the condition matches no {operation.type}")
    return operation.id


def _read(transaction: Transaction, operation: TransactionEntry, base: str, sight: Visibility | None) -> EntryOutcome:
    if operation.id is not None:
        resource = storage.read(transaction, operation.type, operation.id).resource()
        if sight is not None:
            sight.check(resource, "r")
        return EntryOutcome(200, resource, operation=operation)
    catch_up(transaction)
    search = parse_search(operation.type, operation.query, base, r4=operation.in_r4)
    if sight is not None:
        sight.restrict(search)
    page = searching.run(transaction, search)
    return EntryOutcome(200, page=page, operation=operation)
