"""The interactions on one resource: read, vread, create, update, patch, delete, with and without conditions."""

from __future__ import annotations

from functools import partial
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from polyclinic.core.records import RecordInvalid, Resource
from polyclinic.fhir import storage
from polyclinic.fhir.bundles import BadBundle, version_in
from polyclinic.fhir.codec import loads
from polyclinic.fhir.dates import instant
from polyclinic.fhir.query import parse_search
from polyclinic.fhir.server import outcomes
from polyclinic.fhir.server.access import OPEN, Access, access_of
from polyclinic.fhir.server.exchange import (
    Handlers,
    base_url,
    body_bytes,
    body_resource,
    if_match,
    in_r4,
    preference,
    require_json,
    resource_id,
    resource_type,
    respond,
    respond_stored,
    stamp,
)
from polyclinic.fhir.server.rendering import subset
from polyclinic.fhir.storage import Stored
from polyclinic.fhir.transactions import EntryOutcome, HttpMethod, TransactionEntry, perform
from polyclinic.fhir.validate import check

PATCH_TYPES = ("application/json-patch+json", "application/fhir+json", "application/json")


class Interactions(Handlers):
    """Reading and writing single resources."""

    async def read(self, request: Request) -> Response:
        """GET Type/id."""
        require_json(request)
        type_, id_ = resource_type(request), resource_id(request)
        stored = await self.store.database.read(lambda transaction: storage.read(transaction, type_, id_))
        see(request, stored)
        known = request.headers.get("if-none-match")
        if known is not None and version_in(known) == str(stored.version):
            return Response(status_code=304, headers=stamp(stored.version, stored.updated))
        wanted = [(k, v) for k, v in request.query_params.multi_items() if k in ("_summary", "_elements")]
        if not wanted:
            return respond_stored(stored)
        view = parse_search(type_, wanted, r4=in_r4(request))
        return respond(subset(stored, view.summary, view.elements), headers=stamp(stored.version, stored.updated))

    async def vread(self, request: Request) -> Response:
        """GET Type/id/_history/version."""
        require_json(request)
        type_, id_, version = resource_type(request), resource_id(request), str(request.path_params["version"])
        stored = await self.store.database.read(
            lambda transaction: storage.read_version(transaction, type_, id_, version)
        )
        see(request, stored)
        return respond_stored(stored)

    async def create(self, request: Request) -> Response:
        """POST Type. With If-None-Exist, nothing is created if a resource already matches."""
        require_json(request)
        type_ = resource_type(request)
        resource = await self._valid(request, type_)
        body = {k: v for k, v in resource.items() if k != "id"}
        operation = TransactionEntry("POST", type_, resource=body, in_r4=in_r4(request))
        condition = request.headers.get("if-none-exist")
        if condition is not None:
            operation.if_none_exist = parse_qsl(condition.partition("?")[2] or condition, keep_blank_values=True)
        return await self._perform(request, operation)

    async def update(self, request: Request) -> Response:
        """PUT Type/id, or PUT Type?condition."""
        require_json(request)
        operation = self._operation(request, "PUT")
        resource = await self._valid(request, operation.type)
        if operation.id is not None and resource.get("id") != operation.id:
            raise BadBundle("the resource's id must be the one in the address", expression=f"{operation.type}.id")
        operation.resource = resource
        none = request.headers.get("if-none-match")
        if none is not None and none.strip() != "*":
            raise BadBundle("If-None-Match on an update must be '*'")
        operation.absent = none is not None
        return await self._perform(request, operation)

    async def patch(self, request: Request) -> Response:
        """PATCH Type/id with a JSON Patch, or with a FHIRPath Patch in a Parameters resource."""
        require_json(request)
        operation = self._operation(request, "PATCH")
        operation.patch = loads(await body_bytes(request, *PATCH_TYPES))
        return await self._perform(request, operation)

    async def delete(self, request: Request) -> Response:
        """DELETE Type/id, or DELETE Type?condition if exactly one matches. Always answers with an OperationOutcome."""
        require_json(request)
        operation = self._operation(request, "DELETE")
        await self._run(operation, base_url(request), access_of(request))
        return respond(outcomes.outcome("information", "informational", "deleted, or there was nothing to delete"))

    def _operation(self, request: Request, method: HttpMethod) -> TransactionEntry:
        type_ = resource_type(request)
        version = if_match(request)
        if "id" in request.path_params:
            return TransactionEntry(method, type_, resource_id(request), if_version=version, in_r4=in_r4(request))
        condition = [(k, v) for k, v in request.query_params.multi_items() if k not in ("_format", "_pretty")]
        if not condition:
            raise BadBundle(f"{method} {type_} needs an id or a condition")
        return TransactionEntry(method, type_, condition=condition, if_version=version, in_r4=in_r4(request))

    async def _valid(self, request: Request, type_: str) -> Resource:
        resource = await body_resource(request)
        if resource.get("resourceType") != type_:
            raise RecordInvalid(f"the body must be a {type_}", expression="Resource.resourceType")
        check(resource)
        return resource

    async def _run(self, operation: TransactionEntry, base: str, access: Access) -> EntryOutcome:
        run = partial(perform, base=base, check=check_only, complete=access.completing(base), sight=access)
        now = self.store.now()
        return await self.store.database.write(lambda transaction: run(transaction, [operation], now)[0])

    async def _perform(self, request: Request, operation: TransactionEntry) -> Response:
        base = base_url(request)
        done = await self._run(operation, base, access_of(request))
        return representation(done.resource or {}, base, done.status, preference(request, "return"))


def see(request: Request, stored: Stored) -> None:
    """Raise unless the client may read this."""
    access = access_of(request)
    if access is not OPEN:
        access.check(stored.resource(), "r")


def check_only(resource: Resource) -> None:
    """Raise unless the resource is valid."""
    check(resource)


def representation(resource: Resource, base: str, status: int, wanted: str | None = None) -> Response:
    """The answer to a write: the resource, nothing, or an OperationOutcome, as the Prefer header says."""
    meta = resource["meta"]
    headers = stamp(meta["versionId"], instant(meta["lastUpdated"]))
    location = f"{base}/{resource['resourceType']}/{resource['id']}/_history/{meta['versionId']}"
    headers |= {"Location": location} if status == 201 else {"Content-Location": location}
    if wanted == "minimal":
        return Response(status_code=status, headers=headers)
    if wanted == "OperationOutcome":
        return respond(outcomes.outcome("information", "informational", "done"), status, headers)
    return respond(resource, status, headers)
