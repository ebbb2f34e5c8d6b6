"""The hospital's records as a clinic sees them: read, search, and one all-or-nothing transaction with preconditions.

Two implementations of this protocol exist: `polyclinic.fhir.store.FhirStore` (tables in the run's own database) and
`polyclinic.fhir.client.FhirClient` (any external FHIR R5 server). A clinic takes a `Records` and does not need to know
which one it is. A resource is plain JSON (`dict`) with FHIR's own names; the builders of `polyclinic.fhir.resources`
make valid resources. The functions of `polyclinic.fhir.scheduling` turn a booking, a move or a cancellation into a list
of `RecordChange`.

Reading and searching::

    slot = await records.read("Slot", slot_id)                       # RecordMissing when there is none
    found = await records.search("Slot", {"schedule": f"Schedule/{schedule_id}", "status": "free",
                                          "start": ["ge2025-03-25T09:00:00+09:00", "lt2025-03-26"],
                                          "_sort": "start"}, limit=20)
    for slot in found.matches: ...

A parameter given a sequence must hold for each of its values; a comma inside one value means "any of these", as on
the wire.

Writing: all changes of one call happen together or not at all. A precondition is the version that was read::

    await records.transact([Update(slot | {"status": "busy"}, if_version=version_of(slot)), Create(appointment)])

`PreconditionFailed` says that someone else changed the resource first. Nothing was written, so read again and decide
again.

Staging: an episode that must leave nothing behind when it fails works on `stage()`. Reads and searches see the current
records with the staged changes; nothing is written before the end::

    staged = records.stage()
    await staged.transact(book(...))         # checked against what is staged and stored
    ...
    staged.apply(transaction)                # records in the run's database: inside the episode's own transaction
    await staged.commit()                    # any records: one transaction of their own

The caller chooses ids, so that a seeded run has repeatable ids: `Create` with an `id` creates under that id and fails
when it is taken. Without an `id`, the records choose an opaque one. In one transaction a `Create` may be referred to by
other changes through its id before it exists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

from polyclinic.core.database import Transaction
from polyclinic.core.value import unchanging
from polyclinic.errors import PolyclinicError, StoreError

Resource: TypeAlias = dict[str, Any]
Query: TypeAlias = Mapping[str, str | Sequence[str]]


class RecordsError(PolyclinicError):
    """Base of what the records refuse. It has the matching HTTP status and FHIR issue code."""

    status: ClassVar[int] = 400
    code: ClassVar[str] = "processing"

    def __init_subclass__(cls, status: int = 0, code: str = "") -> None:
        """Take the status and the code of a class from its head; without them, those of its base stay."""
        super().__init_subclass__()
        cls.status, cls.code = status or cls.status, code or cls.code

    def __init__(self, message: str, *, expression: str | None = None) -> None:
        super().__init__(message)
        self.expression = expression


class RecordMissing(RecordsError, status=404, code="not-found"):
    """No such resource."""


class RecordGone(RecordMissing, status=410, code="deleted"):
    """The resource existed and was deleted."""


class RecordConflict(RecordsError, status=409, code="conflict"):
    """The resource exists, is referenced, or is in a state that does not allow this (a slot that is not free)."""


class PreconditionFailed(RecordsError, status=412, code="conflict"):
    """The version that was read is no longer the current one, or a condition matches several resources."""


class RecordInvalid(RecordsError, status=422, code="invariant"):
    """The resource breaks FHIR's rules; `problems` lists each one with its place."""

    def __init__(self, message: str, problems: Sequence[Problem] = (), *, expression: str | None = None) -> None:
        super().__init__(message, expression=expression)
        self.problems = tuple(problems)


class RecordsRefused(RecordsError, status=403, code="forbidden"):
    """The server lacks what we need, or the resource may not be changed by us."""


class RecordsUnreachable(RecordsError, StoreError, status=503, code="transient"):
    """The server does not answer, so it is not known whether the last change was made. The run stops; resuming it
    tries again.
    """


@unchanging
class Problem:
    """One breach of FHIR's rules: the rule's key or kind, where, and what is wrong in words."""

    code: str
    expression: str
    message: str
    severity: Literal["error", "warning"] = "error"


@unchanging
class Create:
    """Add a resource. With `if_none_exist` (a search on its type) an existing match is returned instead."""

    resource: Resource
    if_none_exist: Query | None = None


@unchanging
class Update:
    """Replace a resource by its id. With `if_version` only if that version is still the current one."""

    resource: Resource
    if_version: str | None = None


@unchanging
class Delete:
    """Remove a resource; its history stays. Administrative: a cancelled appointment is an `Update`, not a `Delete`."""

    type: str
    id: str
    if_version: str | None = None


RecordChange: TypeAlias = Create | Update | Delete


@unchanging
class SearchResult:
    """The result of a search: the matches in order, and the resources that `_include` and `_revinclude` added."""

    matches: list[Resource]
    included: list[Resource] = field(default_factory=list)


class Records(Protocol):
    """Read, search, transact."""

    async def read(self, type: str, id: str) -> Resource:
        """The current version. Raises `RecordMissing` (`RecordGone` after a deletion)."""
        ...

    async def search(self, type: str, query: Query, limit: int | None = None) -> SearchResult:
        """All matches in order, or the first `limit` of them. An unknown parameter raises `RecordsError`."""
        ...

    async def transact(self, changes: Sequence[RecordChange]) -> list[Resource | None]:
        """Make all changes or none. Returns the new versions in the order of the changes, None for a deletion."""
        ...


Key: TypeAlias = tuple[str, str]
"""Type and id of a resource."""

Consequence: TypeAlias = Callable[[list[Resource | None]], Sequence[RecordChange]]
"""Works out changes from the current resources. It may be called more than once, and has no side effects."""


class StagedRecords(Records, Protocol):
    """Records whose changes wait for the end of an episode."""

    @property
    def changes(self) -> list[RecordChange]:
        """The net changes so far, one per resource, each with the version it was based on."""
        ...

    @property
    def pending(self) -> bool:
        """Whether any change waits to be made."""
        ...

    def later(self, keys: Sequence[Key], consequence: Consequence) -> None:
        """Work out changes from these resources at the very end of the episode (None for those that do not exist).

        Nothing is read before that, and this view does not show the changes. Several such changes are made in order,
        after the staged changes.
        """
        ...

    async def fetch(self, keys: Sequence[Key]) -> list[Resource | None]:
        """The resources with these types and ids, in order; None for those that do not exist. One request if possible.

        What was fetched is cached: staging a change of it needs no further request.
        """
        ...

    def bundle(self) -> Resource:
        """The net changes as a FHIR transaction Bundle with `ifMatch` and `ifNoneMatch` preconditions."""
        ...

    def apply(self, transaction: Transaction, now: datetime | None = None) -> list[Resource | None]:
        """Make the changes inside a transaction that is already open. Raises when a precondition no longer holds."""
        ...

    async def commit(self) -> list[Resource | None]:
        """Make the changes in one separate transaction."""
        ...


class StageableRecords(Records, Protocol):
    """Records that can give an episode a staged view of them."""

    async def load(self, resources: Iterable[Resource]) -> int:
        """Add many resources that have ids. Existing resources stay as they are. Returns how many were added.

        The embedded store does it in one transaction, an external server in several. If it was interrupted, calling it
        again completes it.
        """
        ...

    def stage(self) -> StagedRecords:
        """A fresh view with nothing staged."""
        ...


def version_of(resource: Resource) -> str:
    """The version to give as `if_version`. Empty when the resource was never stored."""
    return str(resource.get("meta", {}).get("versionId", ""))


def reference_to(resource: Resource) -> str:
    """`Type/id`, as other resources refer to it."""
    return f"{resource['resourceType']}/{resource['id']}"
