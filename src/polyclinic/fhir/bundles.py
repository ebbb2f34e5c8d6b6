"""FHIR Bundles: write changes as a transaction Bundle, and read a transaction or batch Bundle as operations."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode

from polyclinic.core.records import Create, RecordChange, RecordsError, Resource, Update
from polyclinic.fhir.codec import loads
from polyclinic.fhir.parameters import resource_types
from polyclinic.fhir.query import pairs
from polyclinic.fhir.transactions import HttpMethod, TransactionEntry

MAX_ENTRIES = 10_000
_ID = re.compile(r"[A-Za-z0-9\-.]{1,64}", re.ASCII)
METHODS: tuple[HttpMethod, ...] = ("GET", "POST", "PUT", "PATCH", "DELETE")


class BadBundle(RecordsError, code="invalid"):
    """A Bundle that cannot be executed as it is written."""


def etag(version: str) -> str:
    """A version as a weak ETag."""
    return f'W/"{version}"'


def version_in(tag: str) -> str:
    """The version that an ETag names, with or without the W and the quotes."""
    return tag.strip().removeprefix("W/").strip('"')


def transaction_bundle(changes: Sequence[RecordChange]) -> Resource:
    """Write changes as a transaction Bundle.

    A creation under a given id becomes a PUT that fails if the resource exists.
    """
    return {"resourceType": "Bundle", "type": "transaction", "entry": [_entry(change) for change in changes]}


def _entry(change: RecordChange) -> Resource:
    if isinstance(change, Create):
        type_, id_ = change.resource["resourceType"], change.resource.get("id")
        if change.if_none_exist is not None:
            condition = urlencode(pairs(change.if_none_exist))
            return {"resource": change.resource, "request": {"method": "POST", "url": type_, "ifNoneExist": condition}}
        if id_ is None:
            return {"resource": change.resource, "request": {"method": "POST", "url": type_}}
        request = {"method": "PUT", "url": f"{type_}/{id_}", "ifNoneMatch": "*"}
        return {"resource": change.resource, "request": request}
    if isinstance(change, Update):
        type_, id_ = change.resource["resourceType"], change.resource["id"]
        request = {"method": "PUT", "url": f"{type_}/{id_}"}
        entry: Resource = {"resource": change.resource}
    else:
        request = {"method": "DELETE", "url": f"{change.type}/{change.id}"}
        entry = {}
    if change.if_version is not None:
        request["ifMatch"] = etag(change.if_version)
    return {**entry, "request": request}


def operations_in(bundle: Resource) -> list[TransactionEntry]:
    """Read the operations of a transaction or batch Bundle. Raises BadBundle, which names the faulty entry."""
    return [_operation(entry, f"Bundle.entry[{position}]") for position, entry in enumerate(entries_of(bundle))]


def entries_of(bundle: Resource) -> list[Any]:
    """The entries of a Bundle, not too many and no two with the same fullUrl (rule bdl-7 of FHIR)."""
    entries = bundle.get("entry", [])
    if not isinstance(entries, list) or len(entries) > MAX_ENTRIES:
        raise BadBundle(f"'entry' must be an array of at most {MAX_ENTRIES}", expression="Bundle.entry")
    seen: set[str] = set()
    for position, entry in enumerate(entries):
        url = entry.get("fullUrl") if isinstance(entry, dict) else None
        if not isinstance(url, str):
            continue
        name = url.lower() if url.lower().startswith("urn:") else url
        if name in seen:
            place = f"Bundle.entry[{position}].fullUrl"
            raise BadBundle(f"{place}: '{url}' appears twice", expression=place)
        seen.add(name)
    return entries


def _operation(entry: Any, place: str) -> TransactionEntry:
    if not isinstance(entry, dict) or not isinstance(entry.get("request"), dict):
        raise BadBundle(f"{place} has no request", expression=place)
    request = entry["request"]
    method, url = request.get("method"), request.get("url")
    if method not in METHODS or not isinstance(url, str):
        raise BadBundle(f"{place}.request needs a method ({', '.join(METHODS)}) and a url", expression=place)
    type_, id_, query = _split(url, place)
    operation = TransactionEntry(method, type_, id_, full_url=_text(entry, "fullUrl", place))
    _preconditions(operation, request, place)
    if method in ("POST", "PUT"):
        operation.resource = _resource(entry, type_, id_, place)
    elif method == "PATCH":
        operation.patch = _patch(entry, place)
    if method == "POST" and id_ is not None:
        raise BadBundle(f"{place}: the url of a POST must be a type without an id", expression=place)
    if method in ("PUT", "PATCH", "DELETE") and id_ is None:
        if not query:
            raise BadBundle(f"{place}: {method} needs an id or a condition", expression=place)
        operation.condition = query
    operation.query = query
    return operation


def _split(url: str, place: str) -> tuple[str, str | None, list[tuple[str, str]]]:
    path, _, query = url.partition("?")
    parts = path.strip("/").split("/")
    if not parts[0] or parts[0] not in resource_types() or len(parts) > 2:
        raise BadBundle(
            f"{place}: '{url}' must be Type or Type/id, with a supported type", expression=f"{place}.request.url"
        )
    id_ = parts[1] if len(parts) == 2 else None
    if id_ is not None and not _ID.fullmatch(id_):
        raise BadBundle(f"{place}: '{id_}' is not a valid id", expression=f"{place}.request.url")
    return parts[0], id_, parse_qsl(query, keep_blank_values=True)


def _preconditions(operation: TransactionEntry, request: Resource, place: str) -> None:
    if_match = _text(request, "ifMatch", place)
    if if_match is not None:
        operation.if_version = version_in(if_match)
    if_none_match = _text(request, "ifNoneMatch", place)
    if if_none_match is not None and operation.method == "PUT":
        if if_none_match != "*":
            raise BadBundle(f"{place}: ifNoneMatch on PUT must be '*'", expression=place)
        operation.absent = True
    condition = _text(request, "ifNoneExist", place)
    if condition is not None and operation.method == "POST":
        operation.if_none_exist = parse_qsl(condition.partition("?")[2] or condition, keep_blank_values=True)


def _text(container: Resource, name: str, place: str) -> str | None:
    value = container.get(name)
    if value is not None and not isinstance(value, str):
        raise BadBundle(f"{place}: '{name}' must be a string", expression=place)
    return value


def _resource(entry: Resource, type_: str, id_: str | None, place: str) -> Resource:
    resource = entry.get("resource")
    if not isinstance(resource, dict) or resource.get("resourceType") != type_:
        raise BadBundle(f"{place}.resource must be a {type_}", expression=f"{place}.resource")
    if id_ is not None and resource.get("id", id_) != id_:
        raise BadBundle(f"{place}: the resource's id is not the one in the url", expression=f"{place}.resource.id")
    return resource


def _patch(entry: Resource, place: str) -> object:
    """Read the patch of an entry: a Parameters resource, or a Binary that holds a JSON Patch, as FHIR defines it."""
    binary = entry.get("resource")
    if isinstance(binary, dict) and binary.get("resourceType") == "Parameters":
        return binary
    if (
        not isinstance(binary, dict)
        or binary.get("resourceType") != "Binary"
        or not isinstance(binary.get("data"), str)
    ):
        raise BadBundle(f"{place}: a PATCH needs a Binary with the JSON Patch", expression=f"{place}.resource")
    try:
        return loads(base64.b64decode(binary["data"], validate=True))
    except binascii.Error as error:
        raise BadBundle(f"{place}: the Binary's data is not base64", expression=f"{place}.resource.data") from error
