"""Helpers for one HTTP request and its response: allowed input, output, and the headers of both."""

from __future__ import annotations

import re
from email.utils import formatdate
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from polyclinic.core.records import RecordsError, Resource
from polyclinic.fhir.bundles import etag, version_in
from polyclinic.fhir.codec import dumps, loads_object
from polyclinic.fhir.dates import date_range
from polyclinic.fhir.parameters import resource_types
from polyclinic.fhir.storage import Stored
from polyclinic.fhir.store import FhirStore

MEDIA_TYPE = "application/fhir+json"
MAX_BODY_BYTES = 64 * 1024 * 1024
_JSON = ("application/fhir+json", "application/json", "text/json", "json")
_ACCEPTED = (*_JSON, "application/json+fhir", "application/*", "text/*", "*/*")
_ID = re.compile(r"[A-Za-z0-9\-.]{1,64}", re.ASCII)


class NotAcceptable(RecordsError, status=406, code="not-supported"):
    """The client asks for something other than JSON."""


class UnsupportedMedia(RecordsError, status=415, code="not-supported"):
    """The client sent something other than JSON."""


class TooLarge(RecordsError, status=413, code="too-long"):
    """The body is larger than the server accepts."""


class UnknownPath(RecordsError, status=404, code="not-supported"):
    """There is nothing at this address."""


class Handlers:
    """Handlers of requests over one store."""

    def __init__(self, store: FhirStore) -> None:
        self.store = store


def moment(name: str, text: str | None, error: type[RecordsError]) -> int | None:
    """A time that a client wrote, in microseconds; None if it wrote none."""
    try:
        return None if text is None else date_range(text.replace(" ", "+"))[0]
    except ValueError as fault:
        raise error(f"'{name}': {fault}") from fault


def base_url(request: Request) -> str:
    """This server's own address, with the path under which it is mounted."""
    return f"{request.url.scheme}://{request.url.netloc}{request.scope.get('root_path', '')}"


R4 = "polyclinic.fhir.r4"
"""The key in a request's ASGI scope that marks requests under `/r4`."""


def in_r4(request: Request) -> bool:
    """Whether the client speaks R4."""
    return bool(request.scope.get(R4))


def resource_type(request: Request) -> str:
    """The resource type in the path. Raises UnknownPath if the type is not supported."""
    name = str(request.path_params["type"])
    if name not in resource_types():
        raise UnknownPath(f"resource type '{name}' is not supported")
    return name


def resource_id(request: Request) -> str:
    """The id in the path. Raises UnknownPath if it is not a valid id."""
    id_ = str(request.path_params["id"])
    if not _ID.fullmatch(id_):
        raise UnknownPath(f"'{id_}' is not a valid id")
    return id_


def require_json(request: Request) -> None:
    """Raise NotAcceptable when the client does not accept JSON. `_format` overrides the header."""
    wanted = request.query_params.get("_format")
    ranges = [wanted] if wanted else request.headers.get("accept", "*/*").split(",")
    types = [part.split(";")[0].strip().lower().replace(" ", "+") for part in ranges]
    if not any(name in _ACCEPTED for name in types) and any(types):
        raise NotAcceptable(f"this server answers only with JSON ({MEDIA_TYPE}), not with {', '.join(types)}")


async def body_bytes(request: Request, *media_types: str) -> bytes:
    """Read the body. Raises UnsupportedMedia for another media type or none, TooLarge if it is too long.

    A media type is required: without one, a page in a browser could write here without a CORS preflight request.
    """
    content_type = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if content_type not in media_types:
        what = f"'{content_type}' is not supported here" if content_type else "there is no Content-Type"
        raise UnsupportedMedia(f"{what}: send {media_types[0]}")
    parts, size = [], 0
    try:
        async for chunk in request.stream():
            size += len(chunk)
            if size > MAX_BODY_BYTES:
                raise TooLarge(f"at most {MAX_BODY_BYTES} bytes are accepted")
            parts.append(chunk)
    except ClientDisconnect as gone:
        raise RecordsError("the client disconnected") from gone
    return b"".join(parts)


async def body_resource(request: Request) -> Resource:
    """The resource in the body."""
    return loads_object(await body_bytes(request, *_JSON[:3]))


def preference(request: Request, name: str) -> str | None:
    """A value of the Prefer header (`return`, `handling`)."""
    for part in re.split(r"[,;]", request.headers.get("prefer", "")):
        key, _, value = part.strip().partition("=")
        if key.strip().lower() == name:
            return value.strip().strip('"')
    return None


def if_match(request: Request) -> str | None:
    """The version in the If-Match header: it must be the current one."""
    header = request.headers.get("if-match")
    return None if header is None else version_in(header)


def stamp(version: int | str, updated: int) -> dict[str, str]:
    """The headers that name a version and its time."""
    return {"ETag": etag(str(version)), "Last-Modified": formatdate(updated // 1_000_000, usegmt=True)}


def respond(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A JSON response. Text that is already JSON is sent as it is."""
    raw = content.encode() if isinstance(content, str) else dumps(content)
    return Response(raw, status, headers, f"{MEDIA_TYPE}; charset=utf-8")


def respond_stored(stored: Stored) -> Response:
    """A response with a stored version, byte for byte."""
    return respond(stored.body or "", 200, stamp(stored.version, stored.updated))
