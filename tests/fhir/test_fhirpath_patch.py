"""FHIRPath Patch: each operation works on a copy; names and cardinalities are HL7's, and the rest is refused."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from polyclinic.core.records import Resource
from polyclinic.fhir.fhirpath_patch import apply_fhirpath_patch
from polyclinic.fhir.patch import BadPatch

PATIENT: Resource = {
    "resourceType": "Patient",
    "id": "p",
    "name": [{"use": "official", "family": "Lee", "given": ["Ana", "Bo"]}, {"use": "usual", "text": "A. Lee"}],
    "telecom": [{"system": "phone", "value": "1"}, {"system": "email", "value": "a@x.example"}],
    "birthDate": "1980-05-17",
}


def operation(kind: str, path: str, **parts: Any) -> Resource:
    listed = [{"name": "type", "valueCode": kind}, {"name": "path", "valueString": path}]
    listed += [{"name": name, **value} for name, value in parts.items()]
    return {"name": "operation", "part": listed}


def patched(*operations: Resource) -> Resource:
    return apply_fhirpath_patch(PATIENT, {"resourceType": "Parameters", "parameter": list(operations)})


def text(value: str) -> Resource:
    return {"valueString": value}


def number(value: int) -> Resource:
    return {"valueInteger": value}


def test_add_sets_an_element_extends_a_list_and_picks_the_type() -> None:
    name = text("gender")
    assert patched(operation("add", "Patient", name=name, value={"valueCode": "female"}))["gender"] == "female"
    phone = {"valueContactPoint": {"system": "sms", "value": "2"}}
    assert len(patched(operation("add", "Patient", name=text("telecom"), value=phone))["telecom"]) == 3
    dead = patched(operation("add", "Patient", name=text("deceased"), value={"valueBoolean": True}))
    assert dead["deceasedBoolean"] is True
    kin = {
        "part": [
            {"name": "gender", "valueCode": "male"},
            {"name": "name", "part": [{"name": "text", "valueString": "Max"}]},
        ]
    }
    contact = patched(operation("add", "Patient", name=text("contact"), value=kin))["contact"]
    assert contact == [{"gender": "male", "name": {"text": "Max"}}]


def test_replace_insert_delete_and_move_work() -> None:
    born = patched(operation("replace", "Patient.birthDate", value={"valueDate": "1981-01-01"}))
    assert born["birthDate"] == "1981-01-01"
    family = operation("replace", "Patient.name.where(use = 'official').family", value=text("Kim"))
    assert patched(family)["name"][0]["family"] == "Kim"
    given = patched(operation("insert", "Patient.name[0].given", index=number(1), value=text("Mi")))
    assert given["name"][0]["given"] == ["Ana", "Mi", "Bo"]
    moved = patched(operation("move", "Patient.name.first().given", source=number(1), destination=number(0)))
    assert moved["name"][0]["given"] == ["Bo", "Ana"]
    left = patched(operation("delete", "Patient.telecom.where(system = 'phone')"))
    assert [each["system"] for each in left["telecom"]] == ["email"]
    assert patched(operation("delete", "Patient.gender")) == PATIENT
    assert "birthDate" not in patched(operation("delete", "Patient.birthDate"))


def test_the_given_resource_is_not_changed() -> None:
    patched(operation("delete", "Patient.name.last()"))
    assert len(PATIENT["name"]) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        operation("add", "Patient", name=text("shoe"), value=text("x")),
        operation("add", "Patient", name=text("birthDate"), value={"valueDate": "1990-01-01"}),
        operation("add", "Patient", name=text("gender")),
        operation("delete", "Patient.name"),
        operation("delete", "Patient"),
        operation("replace", "Patient.gender", value={"valueCode": "male"}),
        operation("replace", "Patient.id", value={"valueId": "other"}),
        operation("insert", "Patient.name", index=number(7), value=text("x")),
        operation("move", "Patient.birthDate", source=number(0), destination=number(0)),
        operation("replace", "Practitioner.name[0]", value=text("x")),
        operation("replace", "Patient.name.select(family)", value=text("x")),
        operation("replace", "Patient.name.where(family ~ 'x')", value=text("x")),
        operation("turn", "Patient.name", value=text("x")),
        {"name": "other"},
    ],
)
def test_wrong_or_unsupported_operations_are_refused(wrong: Resource) -> None:
    with pytest.raises(BadPatch):
        patched(wrong)


async def test_a_fhirpath_patch_is_validated_over_http_and_works_in_a_bundle(api: httpx.AsyncClient) -> None:
    change = operation("replace", "Patient.gender", value={"valueCode": "male"})
    body = {"resourceType": "Parameters", "parameter": [change]}
    headers = {"Content-Type": "application/fhir+json"}
    answer = await api.patch("/Patient/patient-0", json=body, headers=headers)
    assert answer.json()["gender"] == "male"
    bad = {
        "resourceType": "Parameters",
        "parameter": [operation("replace", "Patient.gender", value={"valueCode": "x"})],
    }
    assert (await api.patch("/Patient/patient-0", json=bad, headers=headers)).status_code == 422
    entry = {"resource": body, "request": {"method": "PATCH", "url": "Patient/patient-1"}}
    done = await api.post("/", json={"resourceType": "Bundle", "type": "transaction", "entry": [entry]})
    assert done.json()["entry"][0]["resource"]["gender"] == "male"
