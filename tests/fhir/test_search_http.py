"""Search over HTTP: every kind of parameter, chains, includes, pages, views."""

from __future__ import annotations

from urllib.parse import urlsplit

import httpx
import pytest

from polyclinic.fhir import resources as build
from polyclinic.fhir import search as searching
from polyclinic.fhir.store import FhirStore

NINE = "2025-03-24T09:00:00%2B09:00"


async def ids(api: httpx.AsyncClient, url: str) -> list[str]:
    answer = await api.get(url)
    assert answer.status_code == 200, answer.text
    return [e["resource"]["id"] for e in answer.json().get("entry", []) if e["search"]["mode"] == "match"]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/Patient?name=lee", ["patient-0"]),
        ("/Patient?name=MULL", ["patient-2"]),
        ("/Patient?name:exact=Müller", ["patient-2"]),
        ("/Patient?name:exact=muller", []),
        ("/Patient?name:contains=ll", ["patient-2"]),
        ("/Patient?given=ana,bora", ["patient-0", "patient-1"]),
        ("/Patient?given=ana&family=choi", []),
        ("/Patient?identifier=MRN-1", ["patient-1"]),
        ("/Patient?identifier=https://polyclinic.example/mrn|MRN-1", ["patient-1"]),
        ("/Patient?identifier=https://elsewhere|MRN-1", []),
        ("/Patient?identifier=|MRN-1", []),
        ("/Patient?identifier=https://polyclinic.example/mrn|", ["patient-0", "patient-1", "patient-2"]),
        ("/Patient?gender:not=female", []),
        ("/Patient?gender=http://hl7.org/fhir/administrative-gender|female&birthdate=1981-05-17", ["patient-1"]),
        ("/Patient?birthdate=1981", ["patient-1"]),
        ("/Patient?birthdate=ge1981-05-17", ["patient-1", "patient-2"]),
        ("/Patient?birthdate=gt1981-05-17", ["patient-2"]),
        ("/Patient?birthdate=lt1981", ["patient-0"]),
        ("/Patient?birthdate=ne1981", ["patient-0", "patient-2"]),
        ("/Patient?birthdate=gt1980-05&birthdate=lt1982", ["patient-1"]),
        ("/Patient?deceased=false&_count=1&_sort=-family", ["patient-2"]),
        ("/Patient?organization=hospital&_sort=-birthdate", ["patient-2", "patient-1", "patient-0"]),
        ("/Patient?organization=Organization/hospital&_sort=family", ["patient-1", "patient-0", "patient-2"]),
        ("/Patient?organization:Organization=hospital&_id=patient-1", ["patient-1"]),
        ("/Patient?organization=http://fhir.test/Organization/hospital&_id=patient-1", ["patient-1"]),
        ("/Patient?organization=Practitioner/hospital", []),
        ("/Patient?organization:missing=true", []),
        ("/Patient?phone:missing=true", ["patient-0", "patient-1", "patient-2"]),
        ("/Patient?organization.name=harb", ["patient-0", "patient-1", "patient-2"]),
        ("/PractitionerRole?organization.partof.name=harbour&practitioner.name=kim", ["kim-role"]),
        ("/Organization?_has:Organization:partof:name=cardio", ["hospital"]),
        ("/Practitioner?_has:Schedule:actor:_has:Slot:schedule:_id=park-diary-003", ["park"]),
        ("/Slot?schedule=Schedule/kim-diary&status=free&start=lt2025-03-24T00:15:00Z", ["kim-diary-000"]),
        (f"/Slot?schedule=kim-diary&start={NINE}", ["kim-diary-000"]),
        (f"/Slot?schedule.actor=Practitioner/park&start=le{NINE}", ["park-diary-000"]),
        ("/Slot?schedule=kim-diary&_sort=-start&_count=2", ["kim-diary-011", "kim-diary-010"]),
        ("/Slot?start=2025-03-24T00:00:00Z&status=free,busy", ["kim-diary-000", "park-diary-000"]),
        ("/Slot?status:not=free", []),
        ("/Slot?schedule=Patient/kim-diary", []),
        ("/Schedule?date=2025-03-25&actor=kim", []),
        ("/Schedule?date=ge2025-03-25&date=le2025-03-25&actor=kim", ["kim-diary"]),
        ("/Schedule?date=sa2025-04-01", []),
        ("/Location?_lastUpdated=ge2025-03-20", ["room-1"]),
        ("/Location?_lastUpdated=gt2025-03-21", []),
    ],
)  # fmt: skip
async def test_each_parameter_finds_the_right_resources(api: httpx.AsyncClient, url: str, expected: list[str]) -> None:
    assert await ids(api, url) == expected


async def test_search_by_post_is_the_same_search(api: httpx.AsyncClient) -> None:
    answer = await api.post("/Patient/_search", data={"name": "lee"})
    assert [e["resource"]["id"] for e in answer.json()["entry"]] == ["patient-0"]
    assert answer.json()["link"][0]["url"] == "http://fhir.test/Patient?name=lee"


async def test_pages_return_everything_once_while_rows_are_deleted(api: httpx.AsyncClient) -> None:
    seen: list[str] = []
    url = "/Slot?schedule=kim-diary&status=free&_count=5&_total=accurate"
    totals = []
    while url:
        page = (await api.get(url)).json()
        found = [e["resource"] for e in page["entry"]]
        seen += [slot["id"] for slot in found]
        totals.append(page["total"])
        await api.put(f"/Slot/{found[0]['id']}", json={**found[0], "status": "busy-unavailable"})
        url = next((link["url"] for link in page["link"] if link["relation"] == "next"), "")
    assert seen == [f"kim-diary-{i:03d}" for i in range(12)]
    assert totals == [12, 11, 10]


async def test_included_resources_come_once_and_are_marked(api: httpx.AsyncClient) -> None:
    page = (
        await api.get("/Slot?schedule=kim-diary&_count=3&_include=Slot:schedule&_include:iterate=Schedule:actor")
    ).json()
    assert [(e["resource"]["id"], e["search"]["mode"]) for e in page["entry"][3:]] == [
        ("kim", "include"),
        ("kim-diary", "include"),
    ]
    back = (
        await api.get("/Practitioner?_id=kim&_revinclude=PractitionerRole:practitioner&_revinclude=Schedule:actor")
    ).json()
    assert sorted(e["resource"]["id"] for e in back["entry"][1:]) == ["kim-diary", "kim-role"]


async def test_unknown_parameters_warn_or_fail_as_asked(api: httpx.AsyncClient) -> None:
    lenient = (await api.get("/Patient?colour=red&_totalMethod=count&name=lee")).json()
    assert [e["search"]["mode"] for e in lenient["entry"]] == ["match", "outcome"]
    assert "colour" in lenient["entry"][1]["resource"]["issue"][0]["details"]["text"]
    assert urlsplit(lenient["link"][0]["url"]).query == "name=lee"
    strict = await api.get("/Patient?colour=red", headers={"Prefer": "handling=strict"})
    assert strict.status_code == 400


async def test_summaries_leave_elements_out_and_say_so(api: httpx.AsyncClient) -> None:
    count = (await api.get("/Slot?_summary=count")).json()
    assert (count["total"], "entry" in count) == (24, False)
    assert (await api.get("/Slot?_count=0")).json()["total"] == 24
    small = (await api.get("/Patient?_id=patient-0&_elements=gender")).json()["entry"][0]["resource"]
    assert set(small) == {"resourceType", "id", "meta", "gender"}
    assert small["meta"]["tag"][0]["code"] == "SUBSETTED"
    summary = (await api.get("/Patient/patient-0?_summary=true")).json()
    assert "name" in summary and "SUBSETTED" in str(summary["meta"])
    data = (await api.get("/Patient/patient-0?_summary=data")).json()
    assert "text" not in data and "name" in data


async def test_quantities_are_compared_at_their_precision(api: httpx.AsyncClient) -> None:
    for id_, value in (("a", 70.4), ("b", 71)):
        body = {
            "resourceType": "Observation",
            "id": id_,
            "status": "final",
            "code": {"coding": [{"system": "http://loinc.org", "code": "29463-7"}]},
            "valueQuantity": {"value": value, "unit": "kilogram", "system": "http://unitsofmeasure.org", "code": "kg"},
        }
        assert (await api.put(f"/Observation/{id_}", json=body)).status_code == 201
    assert await ids(api, "/Observation?value-quantity=70") == ["a"]
    assert await ids(api, "/Observation?value-quantity=gt70.4|http://unitsofmeasure.org|kg") == ["b"]
    assert await ids(api, "/Observation?value-quantity=70.4||kilogram") == ["a"]
    assert await ids(api, "/Observation?code=http://loinc.org|29463-7&_sort=-value-quantity") == ["b", "a"]


async def test_included_resources_continue_over_pages_and_none_is_missing(
    api: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "MAX_INCLUDED", 5)
    matched: list[str] = []
    brought: list[str] = []
    link = "/Schedule?_revinclude=Slot:schedule&_include=Schedule:actor&_count=1"
    pages = 0
    while link:
        bundle = (await api.get(link)).json()
        pages += 1
        for entry in bundle.get("entry", []):
            kept = matched if entry["search"]["mode"] == "match" else brought
            kept.append(entry["resource"]["resourceType"] + "/" + entry["resource"]["id"])
        assert len(bundle.get("entry", [])) <= 6
        link = next((each["url"] for each in bundle["link"] if each["relation"] == "next"), "")
    assert matched == ["Schedule/kim-diary", "Schedule/park-diary"]
    assert len(brought) == len(set(brought)) == 2 * 12 + 2
    assert pages == 6


async def test_a_page_position_of_another_server_is_refused(api: httpx.AsyncClient) -> None:
    answer = await api.get("/Schedule?_revinclude=Slot:schedule&_included=AAAA")
    assert answer.status_code == 400
    assert "_included" in answer.json()["issue"][0]["details"]["text"]


@pytest.mark.parametrize("last", [None, "org-00"], ids=["a line", "a cycle"])
async def test_iterated_includes_go_to_the_end_and_through_cycles(
    api: httpx.AsyncClient, hospital: FhirStore, last: str | None
) -> None:
    above = [*(f"org-{level:02d}" for level in range(1, 12)), last]
    await hospital.load(
        build.organization(f"org-{level:02d}", "Level", part_of=parent) for level, parent in enumerate(above)
    )
    for query in (
        "_id=org-00&_include:iterate=Organization:partof",
        "_id=org-11&_revinclude:iterate=Organization:partof",
    ):
        bundle = (await api.get(f"/Organization?{query}")).json()
        assert len({e["resource"]["id"] for e in bundle["entry"]}) == len(bundle["entry"]) == 12
