"""Batch and transaction Bundles.

A transaction is done completely or not at all; each entry of a batch is independent.
"""

from __future__ import annotations

import asyncio
from functools import partial
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from polyclinic.core.records import Problem, RecordInvalid, RecordsError, Resource
from polyclinic.fhir.bundles import BadBundle, entries_of, etag, operations_in
from polyclinic.fhir.query import parse_search
from polyclinic.fhir.r4.mapping import TYPES, NotInR4
from polyclinic.fhir.server.access import Access, access_of
from polyclinic.fhir.server.exchange import Handlers, base_url, body_resource, in_r4, preference, require_json, respond
from polyclinic.fhir.server.interactions import check_only
from polyclinic.fhir.server.rendering import search_set
from polyclinic.fhir.transactions import EntryOutcome, TransactionEntry, perform


class Batches(Handlers):
    """The handler of Bundles posted to the base."""

    async def post(self, request: Request) -> Response:
        """POST a Bundle of type batch or transaction."""
        require_json(request)
        bundle = await body_resource(request)
        kind = bundle.get("type")
        if bundle.get("resourceType") != "Bundle" or kind not in ("batch", "transaction"):
            raise BadBundle("the body must be a Bundle of type 'batch' or 'transaction'", expression="Bundle.type")
        base, bare = base_url(request), preference(request, "return") == "minimal"
        r4 = in_r4(request)
        if kind == "transaction":
            operations = await asyncio.to_thread(partial(_operations, bundle, r4=r4))
            entries = await self._transaction(operations, base, bare, access_of(request))
        else:
            entries = await self._batch(bundle, r4, base, bare, access_of(request))
        response = {"resourceType": "Bundle", "type": f"{kind}-response", "entry": entries}
        return await asyncio.to_thread(respond, response)

    async def _transaction(
        self, operations: list[TransactionEntry], base: str, bare: bool, access: Access
    ) -> list[Resource]:
        return [_entry(outcome, base, bare) for outcome in await self._perform(operations, base, access)]

    async def _perform(self, operations: list[TransactionEntry], base: str, access: Access) -> list[EntryOutcome]:
        run = partial(perform, base=base, check=check_only, complete=access.completing(base), sight=access)
        now = self.store.now()
        return await self.store.database.write(lambda transaction: run(transaction, operations, now))

    async def _batch(self, bundle: Resource, r4: bool, base: str, bare: bool, access: Access) -> list[Resource]:
        return [await self._alone(entry, r4, base, bare, access) for entry in entries_of(bundle)]

    async def _alone(self, entry: object, r4: bool, base: str, bare: bool, access: Access) -> Resource:
        try:
            operation = _operations({"entry": [entry]}, r4=r4, alone=True)[0]
            return _entry((await self._perform([operation], base, access))[0], base, bare)
        except RecordsError as error:
            return {"response": {"status": _status(error.status), "outcome": access.refusal(error)}}


def _operations(bundle: Resource, *, r4: bool, alone: bool = False) -> list[TransactionEntry]:
    """The operations of a Bundle, with each resource validated.

    This takes seconds for a large transaction, so it runs in a thread.
    """
    operations = operations_in(bundle)
    for position, operation in enumerate(operations):
        operation.in_r4 = r4
        if r4 and operation.type not in TYPES:
            raise NotInR4(f"Bundle.entry[{position}]: '{operation.type}' is not offered in R4")
        _validate(operation, operation.type if alone else f"Bundle.entry[{position}].resource")
    return operations


def _validate(operation: TransactionEntry, place: str) -> None:
    """Check an entry's resource; a problem is reported with its place in the Bundle."""
    if operation.resource is None:
        return
    try:
        check_only(operation.resource)
    except RecordInvalid as error:
        problems = [
            Problem(p.code, place + p.expression.removeprefix(operation.type), p.message, p.severity)
            for p in error.problems
        ]
        raise RecordInvalid(f"{place}: {error}", problems) from error


def _status(code: int) -> str:
    return f"{code} {HTTPStatus(code).phrase}"


def _entry(outcome: EntryOutcome, base: str, bare: bool) -> Resource:
    response: Resource = {"status": _status(outcome.status)}
    if outcome.page is not None and outcome.operation is not None:
        search = parse_search(outcome.operation.type, outcome.operation.query, base, r4=outcome.operation.in_r4)
        return {"resource": search_set(base, search, outcome.page), "response": response}
    resource = outcome.resource
    if resource is None:
        return {"response": response}
    version = resource["meta"]["versionId"]
    reference = f"{resource['resourceType']}/{resource['id']}"
    response |= {"etag": etag(version), "lastModified": resource["meta"]["lastUpdated"]}
    if outcome.status == 201 or (outcome.operation is not None and outcome.operation.method != "GET"):
        response["location"] = f"{base}/{reference}/_history/{version}"
    entry: Resource = {"fullUrl": f"{base}/{reference}", "response": response}
    return entry if bare else {"fullUrl": entry["fullUrl"], "resource": resource, "response": response}
