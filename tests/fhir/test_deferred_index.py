"""Resources that are indexed late or share index rows are found like any other, in new and old stores."""

from __future__ import annotations

from typing import Any

import httpx

from polyclinic.core.database import Transaction
from polyclinic.core.records import Create, Delete, Resource, Update
from polyclinic.fhir import deferred
from polyclinic.fhir.schema import create_tables
from polyclinic.fhir.store import FhirStore
from polyclinic.store.opening import open_database


def concept(code: str) -> Resource:
    return {"coding": [{"system": "urn:s", "code": code}]}


async def ids(store: FhirStore, type_: str, query: dict[str, str]) -> list[str]:
    return [resource["id"] for resource in (await store.search(type_, query)).matches]


async def index_rows(store: FhirStore, where: str) -> int:
    def count(transaction: Transaction) -> int:
        return int(transaction.execute(f"SELECT count(*) FROM fhir_index WHERE {where}")[0][0])

    return await store.database.read(count)


async def test_a_patient_is_indexed_by_the_first_search_and_after_every_change(hospital: FhirStore) -> None:
    await ids(hospital, "Patient", {})
    patient = await hospital.read("Patient", "patient-0")
    await hospital.transact([Update({**patient, "gender": "male"}), Create({**patient, "id": "fresh"})])
    assert await index_rows(hospital, "type = 'Patient' AND id = 'fresh'") == 0
    assert await hospital.database.read(deferred.pending)
    assert await ids(hospital, "Patient", {"gender": "male"}) == ["patient-0"]
    assert await ids(hospital, "Patient", {"gender": "female"}) == ["fresh", "patient-1", "patient-2"]
    assert not await hospital.database.read(deferred.pending)
    await hospital.transact([Delete("Patient", "fresh")])
    assert await ids(hospital, "Patient", {"gender": "female"}) == ["patient-1", "patient-2"]


async def test_conditions_and_deletions_see_resources_that_are_not_indexed_yet(api: httpx.AsyncClient) -> None:
    body = {"resourceType": "Patient", "identifier": [{"system": "urn:n", "value": "7"}]}
    for status in (201, 200):
        made = await api.post("/Patient", json=body, headers={"If-None-Exist": "identifier=urn:n|7"})
        assert made.status_code == status
    reference = {"reference": f"Patient/{made.json()['id']}"}
    visit: dict[str, Any] = {"resourceType": "Encounter", "status": "planned", "subject": reference}
    assert (await api.post("/Encounter", json=visit)).status_code == 201
    assert (await api.delete(f"/{reference['reference']}")).status_code == 409
    assert (await api.get("/Patient", params={"_has:Encounter:patient:status": "planned"})).json()["total"] == 1


async def test_slots_of_one_kind_share_their_codes_in_the_index(hospital: FhirStore) -> None:
    slots = (await hospital.search("Slot", {"schedule": "Schedule/kim-diary"})).matches
    kind = {"specialty": [concept("heart")], "serviceType": [{"concept": concept("visit")}]}
    await hospital.transact([Update({**slot, **kind}) for slot in slots[:5]])
    assert await index_rows(hospital, "type = 'Slot' AND parameter = 'specialty'") == 1
    found = await ids(hospital, "Slot", {"specialty": "urn:s|heart", "service-type": "visit"})
    assert found == [slot["id"] for slot in slots[:5]]
    assert len(await ids(hospital, "Slot", {"specialty:missing": "true"})) == 24 - 5
    assert len(await ids(hospital, "Slot", {"specialty:not": "heart"})) == 24 - 5
    assert len(await ids(hospital, "Slot", {"specialty": "lung"})) == 0
    first = await hospital.read("Slot", slots[0]["id"])
    await hospital.transact([Update({**first, "specialty": [concept("lung")]})])
    assert await ids(hospital, "Slot", {"specialty": "lung"}) == [first["id"]]
    ordered = await ids(hospital, "Slot", {"specialty:missing": "false", "_sort": "-specialty"})
    assert ordered[0] == first["id"]
    staged = hospital.stage()
    await staged.transact([Update({**await staged.read("Slot", first["id"]), "specialty": [concept("skin")]})])
    assert [slot["id"] for slot in (await staged.search("Slot", {"specialty": "skin"})).matches] == [first["id"]]


async def test_an_older_store_opens_and_its_slots_are_found() -> None:
    database = open_database("sqlite://:memory:")

    def old(transaction: Transaction) -> None:
        create_tables(transaction)
        transaction.execute("DROP INDEX fhir_unindexed")
        transaction.execute("ALTER TABLE fhir_resource DROP COLUMN kind")
        body = '{"resourceType":"Slot","id":"s","status":"free","specialty":[{"coding":[{"code":"heart"}]}]}'
        transaction.execute(
            "INSERT INTO fhir_resource (type, id, version, updated, body, status)"
            " VALUES ('Slot', 's', 1, 1, ?, 'free')",
            (body,),
        )
        transaction.execute(
            "INSERT INTO fhir_index (type, id, parameter, value, system) VALUES ('Slot', 's', 'specialty', 'heart', '')"
        )

    await database.write(old)
    store = await FhirStore.open(database)
    assert await ids(store, "Slot", {"specialty": "heart"}) == ["s"]
    assert await ids(store, "Slot", {"specialty:not": "heart"}) == []
    await database.close()
