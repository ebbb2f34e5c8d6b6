"""The API's description as one HTML page, made from OpenAPI. It loads nothing from other hosts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #ccc } h3 { margin-bottom: 0 }
code { font: 14px/1.4 ui-monospace, monospace } .verb { display: inline-block; min-width: 3.5rem; font-weight: bold }
td, th { text-align: left; padding: .15rem .8rem .15rem 0; vertical-align: top }
"""


def docs_page(api: Mapping[str, Any]) -> str:
    """The whole page."""
    tags: dict[str, list[str]] = {}
    for path, operations in api["paths"].items():
        for verb, operation in operations.items():
            tags.setdefault((operation.get("tags") or ["service"])[0], []).append(
                "".join(_operation(path, verb, operation, api))
            )
    about = "".join(f"<p>{escape(part)}</p>" for part in api["info"].get("description", "").split("\n\n"))
    parts = "".join(f"<h2>{escape(tag)}</h2>{''.join(blocks)}" for tag, blocks in tags.items())
    title = escape(api["info"]["title"])
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
        f'<h1>{title}</h1>{about}<p>The same for machines: <a href="/openapi.json">/openapi.json</a>.</p>{parts}</html>'
    )


def _operation(path: str, verb: str, operation: Mapping[str, Any], api: Mapping[str, Any]) -> Iterator[str]:
    yield f"<h3>{escape(operation.get('summary', ''))}</h3>"
    yield f'<p><span class="verb">{verb.upper()}</span> <code>{escape(path)}</code></p>'
    yield f"<p>{escape(operation.get('description', ''))}</p>"
    fields = [
        (given["name"], given["in"], _kind(given.get("schema", {})), given.get("required", False), "")
        for given in operation.get("parameters", ())
    ]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    schema = _resolved(body, api) if body else {}
    needed = schema.get("required", ())
    fields += [
        (name, "body", _kind(_resolved(field, api)), name in needed, field.get("description", ""))
        for name, field in schema.get("properties", {}).items()
    ]
    fields += _answered(operation.get("responses", {}), api)
    if fields:
        rows = "".join(
            f"<tr><td><code>{escape(name)}</code></td><td>{where}</td><td>{escape(kind)}</td>"
            f"<td>{'needed' if must else ''}</td><td>{escape(about)}</td></tr>"
            for name, where, kind, must, about in fields
        )
        yield f"<table><tr><th>name</th><th>in</th><th>kind</th><th></th><th></th></tr>{rows}</table>"
    answers = [f"{code} {answer.get('description', '')}" for code, answer in operation.get("responses", {}).items()]
    yield f"<p>Answers: {escape('; '.join(answers))}</p>"


Field = tuple[str, str, str, bool, str]
_SHOWN = ("200", "201", "503")
"""The answers whose fields are shown. All others have only a `detail`."""


def _answered(answers: Mapping[str, Any], api: Mapping[str, Any]) -> Iterator[Field]:
    for code in _SHOWN:
        schema = answers.get(code, {}).get("content", {}).get("application/json", {}).get("schema")
        if schema:
            yield from _parts(schema, f"answer {code}", api)


def _parts(schema: Mapping[str, Any], where: str, api: Mapping[str, Any], before: str = "") -> Iterator[Field]:
    """The fields of an object, or of each object in a list. Those of a field's own objects follow it: `said[].text`."""
    whole = _resolved(schema, api)
    if "items" in whole:
        yield from _parts(whole["items"], where, api, f"{before}[]")
    for name, part in whole.get("properties", {}).items():
        at, field = f"{before}.{name}".lstrip("."), _resolved(part, api)
        yield at, where, _kind(field), False, part.get("description", "")
        yield from _parts(field, where, api, at)


def _resolved(schema: Mapping[str, Any], api: Mapping[str, Any]) -> Mapping[str, Any]:
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    found: Mapping[str, Any] = api["components"]["schemas"][name] if name else schema
    return found


def _kind(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    if "anyOf" in schema:
        return " | ".join(_kind(option) for option in schema["anyOf"])
    most = f", at most {schema['maxLength']} characters" if "maxLength" in schema else ""
    return f"{schema.get('type', schema.get('const', ''))}{most}"
