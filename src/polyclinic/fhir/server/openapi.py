"""An OpenAPI 3.1 description of the server, made from the same tables as the server itself."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import metadata
from typing import Any

from polyclinic.fhir.parameters import data, parameters, resource_types
from polyclinic.fhir.server.exchange import MEDIA_TYPE

Json = dict[str, Any]
_JSON_TYPES = {
    "boolean": "boolean",
    "integer": "integer",
    "positiveInt": "integer",
    "unsignedInt": "integer",
    "decimal": "number",
}
_ERRORS = ("400", "404", "405", "406", "409", "410", "412", "413", "415", "422")
_REF = "#/components/schemas/"


def openapi(base: str) -> Json:
    """The description of a server at `base`."""
    paths: dict[str, Json] = {
        "/metadata": {"get": _operation("capabilities", "CapabilityStatement")},
        "/_history": {"get": _operation("history-system", "Bundle", query=_HISTORY)},
        "/": {"post": _operation("transaction", "Bundle", body="Bundle")},
        "/Slot/$hold": {"post": _operation("hold", "Parameters", body="Parameters")},
        "/Appointment/$find": {"post": _operation("find", "Bundle", body="Parameters")},
        "/Appointment/$hold": {"post": _operation("hold-appointment", "Bundle", body="Parameters")},
        "/Appointment/$book": {"post": _operation("book", "Appointment", body="Appointment", status="201")},
        "/Patient/{id}/$everything": {"parameters": [_ID], "get": _operation("everything", "Bundle")},
    }
    for type_ in resource_types():
        paths.update(_paths(type_))
    return {
        "openapi": "3.1.0",
        "info": {"title": "Polyclinic FHIR R5", "version": metadata.version("polyclinic")},
        "servers": [{"url": base}],
        "paths": paths,
        "components": {"schemas": _schemas()},
    }


def _query(name: str, **schema: object) -> Json:
    return {"name": name, "in": "query", "required": False, "schema": {"type": "string", **schema}}


_ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string", "pattern": r"^[A-Za-z0-9\-.]{1,64}$"}}
_VERSION = {
    "name": "version",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "pattern": "^[1-9][0-9]{0,3}$"},
}
_IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "pattern": '^W/"[0-9]+"$'},
}
_HISTORY = [_query("_count", pattern="^[0-9]{1,3}$"), _query("_since", format="date-time")]
_CONTROLS = [
    _query("_count", pattern="^[0-9]{1,3}$"),
    _query("_summary", enum=["true", "text", "data", "count", "false"]),
    _query("_total", enum=["none", "estimate", "accurate"]),
]


def _paths(type_: str) -> dict[str, Json]:
    search = [_query(code) for code in parameters(type_)]
    return {
        f"/{type_}": {
            "get": _operation(f"search-{type_}", "Bundle", query=[*search, *_CONTROLS]),
            "post": _operation(f"create-{type_}", type_, body=type_, status="201"),
        },
        f"/{type_}/_history": {"get": _operation(f"history-{type_}", "Bundle", query=_HISTORY)},
        f"/{type_}/$validate": {"post": _operation(f"validate-{type_}", "OperationOutcome", body=type_)},
        f"/{type_}/{{id}}": {
            "parameters": [_ID],
            "get": _operation(f"read-{type_}", type_),
            "put": _operation(f"update-{type_}", type_, body=type_, query=[_IF_MATCH], also="201"),
            "patch": _operation(f"patch-{type_}", type_, body="JsonPatch", query=[_IF_MATCH]),
            "delete": _operation(f"delete-{type_}", "OperationOutcome", query=[_IF_MATCH]),
        },
        f"/{type_}/{{id}}/_history": {
            "parameters": [_ID],
            "get": _operation(f"history-instance-{type_}", "Bundle", query=_HISTORY),
        },
        f"/{type_}/{{id}}/_history/{{version}}": {
            "parameters": [_ID, _VERSION],
            "get": _operation(f"vread-{type_}", type_),
        },
    }


def _operation(
    name: str,
    result: str,
    *,
    body: str | None = None,
    status: str = "200",
    also: str | None = None,
    query: Sequence[Json] = (),
) -> Json:
    good = {"description": "done", "content": {MEDIA_TYPE: {"schema": {"$ref": f"{_REF}{_known(result)}"}}}}
    bad = {"description": "refused", "content": {MEDIA_TYPE: {"schema": {"$ref": f"{_REF}OperationOutcome"}}}}
    responses: Json = dict.fromkeys([code for code in (status, also, "200") if code], good)
    responses |= dict.fromkeys(_ERRORS, bad)
    operation: Json = {"operationId": name, "parameters": list(query), "responses": responses}
    if body is not None:
        media = "application/json-patch+json" if body == "JsonPatch" else MEDIA_TYPE
        content = {media: {"schema": {"$ref": f"{_REF}{_known(body)}"}}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _known(name: str) -> str:
    return (
        name if name in (*resource_types(), "OperationOutcome", "Bundle", "JsonPatch", "Parameters") else "AnyResource"
    )


def _schemas() -> dict[str, Json]:
    """Schemas that make most generated bodies plausible; the server's own validation is stricter."""
    schemas = {type_: _schema(type_) for type_ in resource_types()}
    any_resource = {"type": "object", "properties": {"resourceType": {"type": "string"}}, "required": ["resourceType"]}
    methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    request = {
        "type": "object",
        "properties": {
            "method": {"enum": methods},
            "url": {"type": "string"},
            "ifMatch": {"type": "string"},
            "ifNoneExist": {"type": "string"},
        },
        "required": ["method", "url"],
    }
    one_of = [{"$ref": f"{_REF}{type_}"} for type_ in ("Slot", "Appointment", "Patient", "Schedule")]
    entry = {
        "type": "object",
        "properties": {"resource": {"anyOf": one_of}, "request": request},
        "required": ["request"],
    }
    operation = {
        "type": "object",
        "properties": {
            "op": {"enum": ["add", "remove", "replace", "move", "copy", "test"]},
            "path": {"type": "string"},
            "from": {"type": "string"},
            "value": {},
        },
        "required": ["op", "path"],
    }
    parameter = {
        "type": "object",
        "properties": {
            "name": {"enum": ["slot", "minutes", "hold"]},
            "valueReference": {"type": "object", "properties": {"reference": {"type": "string"}}},
            "valuePositiveInt": {"type": "integer"},
            "valueString": {"type": "string"},
        },
        "required": ["name"],
    }
    return schemas | {
        "AnyResource": any_resource,
        "OperationOutcome": _titled("OperationOutcome", {"issue": {"type": "array", "minItems": 1}}, ["issue"]),
        "Parameters": _titled("Parameters", {"parameter": {"type": "array", "items": parameter}}, []),
        "Bundle": _titled("Bundle", {"type": {"type": "string"}, "entry": {"type": "array", "items": entry}}, ["type"]),
        "JsonPatch": {"type": "array", "items": operation},
    }


def _titled(name: str, properties: Json, required: list[str]) -> Json:
    return {
        "type": "object",
        "properties": {"resourceType": {"const": name}, **properties},
        "required": ["resourceType", *required],
    }


def _schema(type_: str) -> Json:
    table = data("structure.json")
    properties: Json = {}
    required = []
    for key, entry in table["types"][type_].items():
        if key in ("contained", "text", "extension", "modifierExtension", "meta", "implicitRules"):
            continue
        schema: Json = {"type": _JSON_TYPES.get(entry["type"], "string" if entry["type"][0].islower() else "object")}
        if "codes" in entry:
            schema = {"enum": table["codes"][entry["codes"]]}
        properties[key] = {"type": "array", "items": schema} if entry["many"] else schema
        if entry["min"] and "choice" not in entry:
            required.append(key)
    return _titled(type_, properties, required)
