"""Text that looks like markup, sent through every text field of the API: no answer is a page that contains it.

The fields come from the description of the API, so that a new one is covered.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from polyclinic.web.app import create_web
from polyclinic.web.entry import HEADERS
from tests.web.payloads import PAYLOADS

SAFE_TYPES = ("application/json", "text/event-stream", "text/csv", "application/octet-stream", "image/")


@dataclass(frozen=True)
class TextField:
    """A text field of a request: in the path, the query, a header or the body."""

    method: str
    path: str
    where: str
    name: str
    longest: int


def _strings(schema: dict[str, Any], whole: dict[str, Any], name: str = "") -> Iterator[tuple[str, int]]:
    """Every text inside a schema by its dotted name, with its maximum length."""
    while "$ref" in schema:
        schema = whole["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    for part in (*schema.get("anyOf", ()), *schema.get("allOf", ())):
        yield from _strings(part, whole, name)
    if schema.get("type") == "string" and "enum" not in schema and "const" not in schema:
        yield name, int(schema.get("maxLength", 2_000))
    if schema.get("type") == "array":
        yield from _strings(schema.get("items", {}), whole, f"{name}.0")
    if schema.get("type") == "object" and schema.get("additionalProperties"):
        yield f"{name}.text", 2_000
    for key, part in schema.get("properties", {}).items():
        yield from _strings(part, whole, f"{name}.{key}" if name else key)


def text_fields(whole: dict[str, Any]) -> list[TextField]:
    """Every text field of the API."""
    found = []
    for path, methods in whole["paths"].items():
        for method, operation in methods.items():
            for one in operation.get("parameters", ()):
                for _, longest in _strings(one["schema"], whole, one["name"]):
                    found.append(TextField(method, path, one["in"], one["name"], longest))
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            for name, longest in _strings(body, whole) if body else ():
                found.append(TextField(method, path, "body", name, longest))
    return list(dict.fromkeys(found))


def _pieces(payloads: tuple[str, ...], longest: int) -> Iterator[str]:
    """All payloads, with as many in one text as the field allows."""
    held = ""
    for payload in payloads:
        if held and len(held) + len(payload) > longest:
            yield held
            held = ""
        held += payload[:longest]
    yield held


def _body(name: str, text: str) -> Any:
    for key in reversed(name.split(".")):
        text = [text] if key == "0" else {key: text} if key else text  # type: ignore[assignment]
    return text


async def _send(client: httpx.AsyncClient, field: TextField, text: str) -> httpx.Response:
    quoted = httpx.QueryParams({"x": text.replace("/", "")})["x"] if field.where == "path" else ""
    encoded = "".join(f"%{byte:02X}" for byte in quoted.encode()) or "x"
    path = re.sub(r"\{(\w+)\}", lambda part: encoded if part[1] == field.name else "x", field.path)
    headers = {field.name: text.encode("ascii", "ignore").decode()} if field.where == "header" else {}
    return await client.request(
        field.method,
        path,
        params={field.name: text} if field.where == "query" else {},
        headers=headers,
        json=_body(field.name, text) if field.where == "body" else {},
    )


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    app = create_web(str(tmp_path / "s.db"), "start-up")
    headers = {"Authorization": "Bearer start-up"}
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8040", headers=headers
        ) as found,
    ):
        yield found


async def check(client: httpx.AsyncClient, payloads: tuple[str, ...]) -> int:
    fields = text_fields((await client.get("/api/openapi.json")).json())
    assert len(fields) > 40, "practise, runs, the desk, accounts"
    sent = 0
    for field in fields:
        if field.path.endswith("/events"):
            continue  # the same path without the parameter has the same fields
        for text in _pieces(payloads, field.longest):
            answer = await _send(client, field, text)
            kind = answer.headers.get("content-type", "application/json")
            assert kind.startswith(SAFE_TYPES), f"{field}: {kind}"
            assert {name: answer.headers[name] for name in HEADERS} == HEADERS, field
            assert answer.status_code < 500, f"{field}: {answer.text[:200]}"
            sent += 1
    return sent


async def test_payloads_through_every_text_field_never_come_back_as_a_page(client: httpx.AsyncClient) -> None:
    assert await check(client, PAYLOADS[:1_000:16]) > 300


@pytest.mark.slow
async def test_a_thousand_payloads_through_every_text_field_never_come_back_as_a_page(
    client: httpx.AsyncClient,
) -> None:
    assert await check(client, PAYLOADS[:1_000]) > 5_000
