"""What this server can do: as a CapabilityStatement, as an OpenAPI description and as a page for people."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib import metadata

from polyclinic.core.records import Resource
from polyclinic.fhir.parameters import parameters, resource_types

FHIR_VERSION = "5.0.0"
PUBLISHED = "2025-01-01"
_INTERACTIONS = (
    "read", "vread", "update", "patch", "delete", "history-instance", "history-type", "create", "search-type",
)  # fmt: skip
_OPERATIONS = {
    "Patient": [("everything", "http://hl7.org/fhir/OperationDefinition/Patient-everything")],
    "Slot": [("hold", "https://polyclinic.example/fhir/OperationDefinition/Slot-hold")],
    "Appointment": [
        ("find", "https://profiles.ihe.net/ITI/Scheduling/OperationDefinition/appointment-find"),
        ("hold", "https://profiles.ihe.net/ITI/Scheduling/OperationDefinition/appointment-hold"),
        ("book", "https://profiles.ihe.net/ITI/Scheduling/OperationDefinition/appointment-book"),
    ],
}


def capability_statement(base: str) -> Resource:
    """The CapabilityStatement of a server at `base`."""
    return {
        "resourceType": "CapabilityStatement",
        "url": f"{base}/metadata",
        "version": metadata.version("polyclinic"),
        "name": "PolyclinicFhir",
        "title": "Polyclinic FHIR R5",
        "status": "active",
        "date": PUBLISHED,
        "kind": "instance",
        "software": {"name": "Polyclinic", "version": metadata.version("polyclinic")},
        "implementation": {"description": "The records of a simulated hospital. Not for clinical use.", "url": base},
        "fhirVersion": FHIR_VERSION,
        "format": ["json", "application/fhir+json"],
        "patchFormat": ["application/json-patch+json", "application/fhir+json"],
        "rest": [
            {
                "mode": "server",
                "resource": [_resource(type_) for type_ in resource_types()],
                "interaction": [{"code": code} for code in ("transaction", "batch", "history-system")],
            }
        ],
    }


def _resource(type_: str) -> Resource:
    known = parameters(type_).values()
    references = [p.code for p in known if p.kind == "reference" and p.targets]
    operations = [
        *_OPERATIONS.get(type_, []),
        ("validate", "http://hl7.org/fhir/OperationDefinition/Resource-validate"),
    ]
    return {
        "type": type_,
        "profile": f"http://hl7.org/fhir/StructureDefinition/{type_}",
        "interaction": [{"code": code} for code in _INTERACTIONS],
        "versioning": "versioned",
        "readHistory": True,
        "updateCreate": True,
        "conditionalCreate": True,
        "conditionalRead": "not-match",
        "conditionalUpdate": True,
        "conditionalPatch": True,
        "conditionalDelete": "single",
        "referencePolicy": ["literal", "logical", "local", "enforced"],
        "searchInclude": ["*", *(f"{type_}:{code}" for code in references)],
        "searchRevInclude": [
            f"{source}:{p.code}"
            for source in resource_types()
            for p in parameters(source).values()
            if p.kind == "reference" and type_ in p.targets
        ],
        "searchParam": [{"name": p.code, "definition": p.definition, "type": p.kind} for p in known],
        "operation": [{"name": name, "definition": url} for name, url in operations],
    }


def index_page(base: str, counts: Sequence[tuple[str, int]]) -> str:
    """A page for people who open the base in a browser."""
    rows = "\n".join(
        f'<tr><td><a href="{escape(base)}/{name}">{name}</a></td><td>{count}</td>'
        f'<td><a href="{escape(base)}/{name}/_history">history</a></td></tr>'
        for name, count in counts
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Polyclinic FHIR R5</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}}
table{{border-collapse:collapse}}td,th{{text-align:left;padding:.2rem 1.5rem .2rem 0}}
td:nth-child(2){{text-align:right}}</style>
</head><body><main><h1>Polyclinic FHIR R5</h1>
<p>A FHIR {FHIR_VERSION} server over the records of a simulated hospital. Not for clinical use.</p>
<p>Base address: <code>{escape(base)}</code>. See the <a href="{escape(base)}/metadata">CapabilityStatement</a>
and the <a href="{escape(base)}/openapi.json">OpenAPI description</a>.</p>
<table><caption>Resources</caption><thead><tr><th>type</th><th>count</th><th></th></tr></thead><tbody>
{rows}
</tbody></table></main></body></html>"""
