"""The CapabilityStatement is true: what it claims works, and what it leaves out is refused."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from polyclinic.fhir.parameters import resource_types
from polyclinic.fhir.validate import structural_problems

VALUES = {"date": "2025", "number": "1", "quantity": "1", "reference": "x", "string": "x", "token": "x", "uri": "urn:x"}
STRICT = {"Prefer": "handling=strict"}
SMALLEST: dict[str, dict[str, Any]] = {
    "Appointment": {"status": "proposed", "participant": [{"status": "accepted", "actor": {"display": "x"}}]},
    "AppointmentResponse": {"appointment": {"display": "x"}, "actor": {"display": "x"},
                            "participantStatus": "accepted"},
    "AuditEvent": {"code": {"text": "x"}, "recorded": "2025-01-01T00:00:00Z", "agent": [{"who": {"display": "x"}}],
                   "source": {"observer": {"display": "x"}}},
    "Communication": {"status": "completed"},
    "Condition": {"clinicalStatus": {"text": "active"}, "subject": {"display": "x"}},
    "Encounter": {"status": "planned"},
    "Observation": {"status": "final", "code": {"text": "x"}},
    "Organization": {"name": "x"},
    "Provenance": {"target": [{"display": "x"}], "agent": [{"who": {"display": "x"}}]},
    "QuestionnaireResponse": {"questionnaire": "http://example.org/q", "status": "completed"},
    "Schedule": {"actor": [{"display": "x"}]},
    "Slot": {"schedule": {"display": "x"}, "status": "free", "start": "2025-01-01T00:00:00Z",
             "end": "2025-01-01T00:00:00Z"},
    "Subscription": {"status": "off", "topic": "http://example.org/topic",
                     "channelType": {"code": "rest-hook"}},
    "SubscriptionTopic": {"url": "http://example.org/topic", "status": "active"},
}  # fmt: skip


@pytest.fixture
async def statement(api: httpx.AsyncClient) -> dict[str, Any]:
    found: dict[str, Any] = (await api.get("/metadata")).json()
    return found


def test_the_statement_is_a_valid_resource_itself() -> None:
    from polyclinic.fhir.server.capability import capability_statement

    assert structural_problems(capability_statement("http://fhir.test")) == []


async def test_every_claimed_parameter_and_include_works(api: httpx.AsyncClient, statement: dict[str, Any]) -> None:
    tried = 0
    for resource in statement["rest"][0]["resource"]:
        for parameter in resource["searchParam"]:
            query = {parameter["name"]: VALUES[parameter["type"]]}
            answer = await api.get(f"/{resource['type']}", params=query, headers=STRICT)
            assert answer.status_code == 200, (resource["type"], query, answer.text)
            tried += 1
        for name, claimed in (("_include", resource["searchInclude"]), ("_revinclude", resource["searchRevInclude"])):
            answer = await api.get(f"/{resource['type']}", params=[(name, c) for c in claimed], headers=STRICT)
            assert answer.status_code == 200, (resource["type"], name, answer.text)
    assert tried > 250


async def test_every_claimed_interaction_works_on_every_type(api: httpx.AsyncClient, statement: dict[str, Any]) -> None:
    assert [r["type"] for r in statement["rest"][0]["resource"]] == list(resource_types())
    for resource in statement["rest"][0]["resource"]:
        type_ = resource["type"]
        body = {"resourceType": type_, **SMALLEST.get(type_, {})}
        made = await api.post(f"/{type_}", json=body)
        assert made.status_code == 201, (type_, made.text)
        path = f"/{type_}/{made.json()['id']}"
        done = {
            "create": made,
            "read": await api.get(path),
            "vread": await api.get(f"{path}/_history/1"),
            "update": await api.put(path, json=made.json()),
            "patch": await api.patch(path, json=[{"op": "add", "path": "/language", "value": "en"}]),
            "history-instance": await api.get(f"{path}/_history"),
            "history-type": await api.get(f"/{type_}/_history"),
            "search-type": await api.get(f"/{type_}"),
            "delete": await api.delete(path),
        }
        assert {i["code"] for i in resource["interaction"]} == set(done)
        assert {name: answer.status_code for name, answer in done.items() if answer.status_code not in (200, 201)} == {}
        validated = await api.post(f"/{type_}/$validate", json=body)
        assert validated.json()["issue"][0]["severity"] in ("information", "warning")


async def test_what_the_statement_does_not_claim_does_not_exist(api: httpx.AsyncClient) -> None:
    for path in ("/Medication", "/Location?near=1|2", "/Observation?code-value-quantity=a$b", "/Patient?phonetic=x"):
        assert (await api.get(path, headers=STRICT)).status_code in (400, 404)


async def test_the_openapi_description_has_a_path_for_every_type(api: httpx.AsyncClient) -> None:
    described = (await api.get("/openapi.json")).json()
    assert described["openapi"].startswith("3.")
    assert {f"/{type_}/{{id}}" for type_ in resource_types()} <= set(described["paths"])
