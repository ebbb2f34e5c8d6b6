"""R4's words in every kind of search, and R4's resources in every kind of answer."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from polyclinic.core.records import Create, Resource
from polyclinic.fhir.r4.mapping import TYPES
from polyclinic.fhir.store import FhirStore
from tests.fhir.r4_models import r4_problems
from tests.fhir.scope_matrix import bundle, entry, shown

ARRIVED = {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/encounter-subject-status", "code": "arrived"}]}
# Encounters by their status in R5; with `subjectStatus` the last one is shown as `arrived` in R4.
ENCOUNTERS = {
    "done": "completed", "left": "discharged", "off": "discontinued", "no": "cancelled", "soon": "planned",
    "away": "on-hold", "here": "in-progress", "came": "in-progress",
}  # fmt: skip
SEARCHES = [
    ("status=finished", "done left"),
    ("status=finished,arrived", "came done left"),
    ("status=arrived", "came"),
    ("status=in-progress", "here"),
    ("status=onleave", "away"),
    ("status=cancelled", "no off"),
    ("status=http://hl7.org/fhir/encounter-status|finished", "done left"),
    ("status:not=finished", "away came here no off soon"),
    ("status:not=arrived,in-progress,cancelled", "away done left soon"),
    ("status=completed", ""),
    ("status=finished&patient=Patient/patient-0", "done left"),
]


@pytest.fixture
async def visited(hospital: FhirStore, api: httpx.AsyncClient) -> httpx.AsyncClient:
    """A client of a hospital with encounters in all states, and with a Condition, which is not offered in R4."""
    visits: list[Resource] = [
        {"resourceType": "Encounter", "id": id_, "status": status, "subject": {"reference": "Patient/patient-0"},
         "class": [{"coding": [{"code": "AMB"}]}], "actualPeriod": {"start": "2025-01-02T09:00:00Z"},
         **({"subjectStatus": ARRIVED} if id_ == "came" else {})}
        for id_, status in ENCOUNTERS.items()
    ]  # fmt: skip
    condition: Resource = {"resourceType": "Condition", "id": "cough", "subject": {"reference": "Patient/patient-0"},
                           "encounter": {"reference": "Encounter/done"},
                           "clinicalStatus": {"coding": [{"code": "active"}]}}  # fmt: skip
    await hospital.transact([Create(each) for each in (*visits, condition)])
    return api


def found(answer: Any) -> str:
    """The ids of all matches, in order."""
    return " ".join(sorted(e["resource"]["id"] for e in answer.get("entry", []) if e["search"]["mode"] == "match"))


@pytest.mark.parametrize(("query", "expected"), SEARCHES, ids=[query for query, _ in SEARCHES])
async def test_a_status_of_r4_is_understood_in_every_kind_of_search(
    visited: httpx.AsyncClient, query: str, expected: str
) -> None:
    got = (await visited.get(f"/r4/Encounter?{query}")).json()
    assert found(got) == expected and got["total"] == len(expected.split())
    assert (await visited.get(f"/r4/Encounter?{query}&_summary=count")).json()["total"] == len(expected.split())
    form = dict(part.split("=", 1) for part in query.split("&"))
    assert found((await visited.post("/r4/Encounter/_search", data=form)).json()) == expected
    assert found((await visited.get(f"/r4/?_type=Encounter&{query}")).json()) == expected
    for kind in ("batch", "transaction"):
        done = (await visited.post("/r4", json=bundle(entry("GET", f"Encounter?{query}"), kind=kind))).json()
        assert found(done["entry"][0]["resource"]) == expected
    name, _, value = query.partition("&")[0].partition("=")
    has = (await visited.get("/r4/Patient", params={f"_has:Encounter:patient:{name}": value})).json()
    assert found(has) == ("patient-0" if expected else "")


async def test_pages_and_conditions_use_the_words_of_r4_too(visited: httpx.AsyncClient) -> None:
    first = (await visited.get("/r4/Encounter?status=finished&_count=1")).json()
    links = {link["relation"]: link["url"] for link in first["link"]}
    assert "status=finished" in links["self"] and "status=finished" in links["next"]
    assert found((await visited.get(links["next"])).json()) == "left"
    body = {"resourceType": "Encounter", "status": "planned", "class": {"code": "AMB"}}
    made = await visited.post("/r4/Encounter", json=body, headers={"If-None-Exist": "status=arrived"})
    assert made.status_code == 200 and made.json()["id"] == "came"
    entries = bundle(entry("POST", "Encounter", body, ifNoneExist="status=onleave"))
    assert (await visited.post("/r4", json=entries)).json()["entry"][0]["resource"]["id"] == "away"
    assert (await visited.delete("/r4/Encounter?status=onleave")).status_code == 200
    assert (await visited.get("/Encounter/away")).status_code == 410
    part = {**body, "partOf": {"reference": "Encounter?status=arrived"}}
    assert (await visited.post("/r4/Encounter", json=part)).json()["partOf"] == {"reference": "Encounter/came"}
    chained = (await visited.get("/r4/Encounter?part-of.status=arrived")).json()
    assert chained["total"] == 1


@pytest.mark.parametrize(
    "path",
    [
        "/r4/?_type=Encounter,Slot", "/r4/?_lastUpdated=gt2020-01-01&_count=100", "/r4/_history?_count=100",
        "/r4/Encounter/_history", "/r4/Encounter/done/_history", "/r4/Encounter/done/_history/1", "/r4/Encounter/done",
        "/r4/Encounter?_include=*", "/r4/Encounter?_id=done&_revinclude=*", "/r4/Patient/patient-0/$everything",
        "/r4/Encounter/done?_elements=period", "/r4/Encounter?_elements=period",
    ],
)  # fmt: skip
async def test_every_answer_under_r4_has_only_resources_of_r4(visited: httpx.AsyncClient, path: str) -> None:
    answer = await visited.get(path)
    assert answer.status_code == 200 and "fhirVersion=4.0" in answer.headers["content-type"], answer.text
    inside = [each for each in shown(answer.json()) if each["resourceType"] != "Bundle"]
    assert inside and {each["resourceType"] for each in inside} <= set(TYPES)
    assert {r4_problems(each) for each in inside} == {""}
    if "_elements" in path:
        assert inside[0]["period"] == {"start": "2025-01-02T09:00:00Z"} and "subject" not in inside[0]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/r4/?_type=Condition", 400), ("/r4/Encounter?_revinclude=Condition:encounter", 400),
        ("/r4/Patient?_has:Condition:patient:code=x", 400), ("/r4/Condition/cough", 404),
    ],
)  # fmt: skip
async def test_types_that_are_not_offered_in_r4_are_refused(visited: httpx.AsyncClient, path: str, status: int) -> None:
    assert (await visited.get(path)).status_code == status


async def test_a_bundle_and_an_export_cannot_fetch_r5_through_r4(visited: httpx.AsyncClient) -> None:
    asked = [entry("GET", "Condition/cough"), entry("GET", "Condition"), entry("GET", "Encounter/done")]
    done = (await visited.post("/r4", json=bundle(*asked, kind="batch"))).json()["entry"]
    assert [each["response"]["status"][:3] for each in done] == ["404", "404", "200"]
    assert done[2]["resource"]["status"] == "finished"
    assert (await visited.post("/r4", json=bundle(*asked))).status_code == 404
    begun = await visited.get("/$export?_type=Encounter", headers={"Prefer": "respond-async"})
    job = begun.headers["content-location"].rpartition("/")[2]
    assert (await visited.get(f"/r4/$export-status/{job}")).status_code == 404
    assert (await visited.get(f"/$export-status/{job}")).status_code in (200, 202)


async def test_contained_resources_are_mapped_too(visited: httpx.AsyncClient) -> None:
    inside = {"resourceType": "Slot", "id": "s", "status": "free", "schedule": {"reference": "Schedule/kim-diary"},
              "start": "2025-01-02T09:00:00Z", "end": "2025-01-02T09:15:00Z",
              "appointmentType": {"text": "walk-in"}}  # fmt: skip
    visit = {"resourceType": "Appointment", "status": "proposed", "contained": [inside], "slot": [{"reference": "#s"}],
             "participant": [{"status": "accepted", "actor": {"display": "q"}}]}  # fmt: skip
    made = await visited.post("/r4/Appointment", json=visit)
    assert made.status_code == 201 and made.json()["contained"] == [inside], made.text
    stored = (await visited.get(f"/Appointment/{made.json()['id']}")).json()
    assert stored["contained"][0]["appointmentType"] == [{"text": "walk-in"}]
