"""Faults of a server, to see which checks notice them.

A fault sits between the client and the server. It changes requests, as if the server overlooked something in them, or
responses, as if the server said something wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

import httpx

Edit = Callable[[Any], Any]
"""Changes decoded JSON; None means that there is nothing to change."""


@dataclass
class Fault:
    """One fault, and whether it has happened. `on` limits it to requests like `GET /Patient`."""

    name: str
    request: Callable[[httpx.Request], httpx.Request | None] | None = None
    response: Callable[[httpx.Response], httpx.Response | None] | None = None
    on: str = ""
    happened: bool = False


class FaultyTransport(httpx.AsyncBaseTransport):
    """Passes requests to the server and answers back, with one fault."""

    def __init__(self, inner: httpx.AsyncBaseTransport, fault: Fault) -> None:
        self._inner, self._fault = inner, fault

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request."""
        fault = self._fault
        here = re.search(fault.on, f"{request.method} {request.url.raw_path.decode()}") is not None
        if here and fault.request is not None and (changed := fault.request(request)) is not None:
            request, fault.happened = changed, True
        answer = await self._inner.handle_async_request(request)
        await answer.aread()
        if here and fault.response is not None and (said := fault.response(answer)) is not None:
            answer, fault.happened = said, True
        return answer


def changed_request(old: httpx.Request, **changes: Any) -> httpx.Request:
    """The same request with another method, url, headers or content."""
    method, url = changes.pop("method", old.method), changes.pop("url", old.url)
    headers = changes.pop("headers", old.headers.copy())
    content = changes.pop("content", old.content)
    for name in ("content-length", "host"):
        headers.pop(name, None)
    return httpx.Request(method, url, headers=headers, content=content)


def changed_response(old: httpx.Response, status: int | None = None, **changes: Any) -> httpx.Response:
    """The same response with another status, headers or content."""
    headers = changes.get("headers", old.headers.copy())
    headers.pop("content-length", None)
    return httpx.Response(status or old.status_code, headers=headers, content=changes.get("content", old.content))


def ignores_query(name: str, on: str = "") -> Fault:
    """The server overlooks a parameter of the query or of the form."""

    def edit(request: httpx.Request) -> httpx.Request | None:
        query = request.url.query.decode()
        form = request.content.decode() if "urlencoded" in request.headers.get("content-type", "") else ""
        kept = [urlencode([p for p in parse_qsl(text) if p[0] != name]) for text in (query, form)]
        if len(parse_qsl(kept[0])) + len(parse_qsl(kept[1])) == len(parse_qsl(query)) + len(parse_qsl(form)):
            return None
        content = kept[1].encode() if form else request.content
        return changed_request(request, url=request.url.copy_with(query=kept[0].encode()), content=content)

    return Fault(f"ignores ?{name}", edit, on=on)


def rewrites_path(old: str, new: str, name: str) -> Fault:
    """The server takes an address for another one."""

    def edit(request: httpx.Request) -> httpx.Request | None:
        path = request.url.raw_path.decode()
        if not re.search(old, path):
            return None
        return changed_request(request, url=request.url.copy_with(raw_path=re.sub(old, new, path).encode()))

    return Fault(name, edit)


def ignores_header(name: str, instead: str | None = None) -> Fault:
    """The server overlooks a header, or takes it for another one."""

    def edit(request: httpx.Request) -> httpx.Request | None:
        if name not in request.headers:
            return None
        headers = request.headers.copy()
        del headers[name]
        if instead is not None:
            headers[name] = instead
        return changed_request(request, headers=headers)

    return Fault(f"ignores {name}", edit)


def reads(name: str, edit: Edit, on: str = "") -> Fault:
    """The server reads a body as if it were another one."""

    def change(request: httpx.Request) -> httpx.Request | None:
        if "json" not in request.headers.get("content-type", ""):
            return None
        changed = edit(json.loads(request.content))
        return None if changed is None else changed_request(request, content=json.dumps(changed).encode())

    return Fault(name, change, on=on)


def says(status: int, instead: int, on: str = "") -> Fault:
    """The server answers with another status."""
    return Fault(
        f"{instead} instead of {status}",
        response=lambda answer: changed_response(answer, instead) if answer.status_code == status else None,
        on=on,
    )


def header(name: str, value: str | None, on: str = "") -> Fault:
    """The server leaves out a header, or writes another value."""

    def change(answer: httpx.Response) -> httpx.Response | None:
        if name not in answer.headers:
            return None
        headers = answer.headers.copy()
        del headers[name]
        if value is not None:
            headers[name] = value
        return changed_response(answer, headers=headers)

    return Fault(f"header {name}: {value}", response=change, on=on)


def shows(name: str, edit: Edit, on: str = "") -> Fault:
    """The server answers with another body."""

    def change(answer: httpx.Response) -> httpx.Response | None:
        if not answer.content or "json" not in answer.headers.get("content-type", "").replace("ndjson", ""):
            return None
        changed = edit(answer.json())
        return None if changed is None else changed_response(answer, content=json.dumps(changed).encode())

    return Fault(name, response=change, on=on)


def without(*path: str) -> Edit:
    """Remove an element."""

    def edit(body: Any) -> Any:
        place = body
        for step in path[:-1]:
            place = place.get(step) if isinstance(place, dict) else place[0] if isinstance(place, list) else None
        if not isinstance(place, dict) or path[-1] not in place:
            return None
        del place[path[-1]]
        return body

    return edit


def with_value(name: str, value: Any, *, like: Any = None) -> Edit:
    """Set an element of the body; with `like`, only if it has this value now."""

    def edit(body: Any) -> Any:
        if not isinstance(body, dict) or name not in body or (like is not None and body[name] != like):
            return None
        return None if body[name] == value else {**body, name: value}

    return edit


def entries(change: Callable[[list[Any]], list[Any]]) -> Edit:
    """Change the entries of a Bundle."""

    def edit(body: Any) -> Any:
        if not isinstance(body, dict) or not body.get("entry"):
            return None
        changed = change(json.loads(json.dumps(body["entry"])))
        return None if changed == body["entry"] else {**body, "entry": changed}

    return edit


def each(change: Callable[[Any], None]) -> Edit:
    """Change every entry of a Bundle in place."""

    def all_of(listed: list[Any]) -> list[Any]:
        for one in listed:
            change(one)
        return listed

    return entries(all_of)


def ignores_parameter(name: str, on: str = "") -> Fault:
    """The server overlooks a parameter of an operation."""

    def edit(body: Any) -> Any:
        listed = body.get("parameter", []) if isinstance(body, dict) else []
        kept = [one for one in listed if one["name"] != name]
        return None if len(kept) == len(listed) else {**body, "parameter": kept}

    return reads(f"ignores {name}", edit, on)
