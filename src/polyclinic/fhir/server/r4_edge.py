"""The server in FHIR R4, under `/r4`: bodies are mapped on their way in and out.

Searches, patches and exports are only marked as R4 here; they are mapped where they are executed.
"""

from __future__ import annotations

import re
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyclinic.core.records import RecordsError, Resource
from polyclinic.fhir.codec import BadJson, dumps, loads, loads_object
from polyclinic.fhir.r4.mapping import TYPES, NotInR4, to_r4, to_r5
from polyclinic.fhir.server import outcomes
from polyclinic.fhir.server.exchange import MAX_BODY_BYTES, R4, TooLarge, respond

PREFIX = "/r4"
VERSION = "4.0.1"
_JSON = re.compile(rb"application/(fhir\+)?json|text/json")
_OPEN = ("metadata", "_search", "_history", ".well-known", "auth", "")
_EXPORTS = ("$export", "$export-status", "$export-file")


class R4Edge:
    """ASGI middleware: requests whose path begins with `/r4` are in R4."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Convert an R4 request and its response; pass any other request on unchanged."""
        path = str(scope.get("path", ""))
        if scope["type"] != "http" or not (path == PREFIX or path.startswith(f"{PREFIX}/")):
            await self._app(scope, receive, send)
            return
        try:
            self._refuse_others(scope, path.removeprefix(PREFIX))
            inner = {**scope, R4: True, "root_path": f"{scope.get('root_path', '')}{PREFIX}"}
            if path == PREFIX:
                inner |= {"path": f"{PREFIX}/", "raw_path": f"{PREFIX}/".encode()}
            body = await _mapped_body(scope, receive)
        except RecordsError as error:
            await respond(outcomes.of_error(error), error.status)(scope, receive, send)
            return
        if body is not None:
            headers = [(k, v) for k, v in scope["headers"] if k != b"content-length"]
            inner["headers"] = [*headers, (b"content-length", str(len(body)).encode())]
        answer = _Answer(send)
        await self._app(inner, receive if body is None else _once(body), answer)

    def _refuse_others(self, scope: Scope, path: str) -> None:
        first = path.strip("/").partition("/")[0]
        if first not in _OPEN and first not in _EXPORTS and first not in TYPES:
            raise NotInR4(f"'{first}' is not offered in R4: only {', '.join(TYPES)}")


class _Answer:
    """Collects a JSON response and sends it in R4; anything else is sent as it is."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._parts: list[bytes] = []

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_json(message["headers"]):
            self._start = message
        elif message["type"] == "http.response.body" and self._start is not None:
            self._parts.append(message.get("body", b""))
            if not message.get("more_body", False):
                await self._finish()
        else:
            await self._send(message)

    async def _finish(self) -> None:
        start, raw = self._start or {}, b"".join(self._parts)
        if raw:
            raw = dumps(_as_r4(loads(raw)))
        kept = [(k, v) for k, v in start["headers"] if k.lower() not in (b"content-length", b"content-type")]
        media = b"application/fhir+json; fhirVersion=4.0; charset=utf-8"
        headers = [*kept, (b"content-type", media), (b"content-length", str(len(raw)).encode())]
        await self._send({**start, "headers": headers})
        await self._send({"type": "http.response.body", "body": raw})


def _is_json(headers: list[tuple[bytes, bytes]]) -> bool:
    return any(name.lower() == b"content-type" and b"fhir+json" in value for name, value in headers)


def _as_r4(resource: Any) -> Any:
    if not isinstance(resource, dict):
        return resource
    if resource.get("resourceType") == "CapabilityStatement":
        return r4_statement(resource)
    return to_r4(resource)


def r4_statement(statement: Resource) -> Resource:
    """The CapabilityStatement for R4."""
    rest = statement["rest"][0]
    # `conditionalPatch` is an element of R5's statements only.
    resources = [
        {name: value for name, value in resource.items() if name != "conditionalPatch"}
        for resource in rest["resource"]
        if resource["type"] in TYPES
    ]
    return {
        **statement,
        "title": "Polyclinic FHIR R4",
        "fhirVersion": VERSION,
        "rest": [{**rest, "resource": resources}],
    }


async def _mapped_body(scope: Scope, receive: Receive) -> bytes | None:
    """The body converted to R5; None if the body is not converted."""
    headers = dict(scope["headers"])
    if scope["method"] not in ("POST", "PUT") or not _JSON.match(headers.get(b"content-type", b"")):
        return None
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise BadJson("the client disconnected")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MAX_BODY_BYTES:
            raise TooLarge(f"at most {MAX_BODY_BYTES} bytes are accepted")
        if not message.get("more_body", False):
            break
    try:
        return dumps(to_r5(loads_object(b"".join(parts))))
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise BadJson(f"the resource is not R4: {type(error).__name__} {error}") from error


def _once(body: bytes) -> Receive:
    sent = False

    async def receive() -> Message:
        nonlocal sent
        if sent:
            return {"type": "http.disconnect"}
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive
