"""The server as a whole: a search across types, other formats refused, browsers of named origins."""

from __future__ import annotations

from collections import Counter

import httpx
import pytest

from polyclinic.fhir.server import fhir_app
from polyclinic.fhir.store import FhirStore

PAGE = "https://board.example"


async def test_a_search_across_types_finds_each_resource_once_over_pages(api: httpx.AsyncClient) -> None:
    found: Counter[str] = Counter()
    link, pages = "/?_type=Slot,Patient,Practitioner&_count=4&_total=accurate", 0
    while link:
        bundle = (await api.get(link)).json()
        assert bundle["total"] == 24 + 3 + 2
        found.update(f"{e['resource']['resourceType']}/{e['resource']['id']}" for e in bundle["entry"])
        link = next((each["url"] for each in bundle["link"] if each["relation"] == "next"), "")
        pages += 1
    assert len(found) == 29 and set(found.values()) == {1}
    assert pages == 8


async def test_common_parameters_and_posted_searches_work_across_types(api: httpx.AsyncClient) -> None:
    by_id = (await api.get("/?_id=kim")).json()
    assert [e["resource"]["resourceType"] for e in by_id["entry"]] == ["Practitioner"]
    form = {"_type": "Patient,Practitioner", "gender": "male"}
    posted = await api.post("/_search", data=form)
    assert [e["resource"]["id"] for e in posted.json()["entry"]] == ["park"]
    assert "entry" not in (await api.get("/?_type=Patient&_id=none")).json()


@pytest.mark.parametrize(
    "query",
    ["_type=Shoe", "_type=Patient,Slot&gender=male", "_type=Patient&_sort=name", "_type=Patient&_page=zzz",
     "_type=Patient&_include=Patient:organization"],
)  # fmt: skip
async def test_unsupported_searches_across_types_are_refused(api: httpx.AsyncClient, query: str) -> None:
    assert (await api.get(f"/?{query}")).status_code == 400


async def test_the_base_address_returns_the_capability_statement(api: httpx.AsyncClient) -> None:
    assert (await api.get("/")).json()["resourceType"] == "CapabilityStatement"
    assert "text/html" in (await api.get("/", headers={"Accept": "text/html"})).headers["content-type"]


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/Patient", {"Accept": "application/fhir+xml"}, 406),
        ("/Patient?_format=xml", {}, 406),
        ("/Patient?_format=application/fhir%2Bxml", {}, 406),
        ("/Patient/patient-0", {"Accept": "text/xml"}, 406),
        ("/?_type=Patient", {"Accept": "application/xml"}, 406),
        ("/metadata", {"Accept": "application/fhir+xml"}, 406),
        ("/Patient", {"Accept": "application/fhir+xml, */*;q=0.1"}, 200),
        ("/Patient?_format=json", {"Accept": "application/fhir+xml"}, 200),
    ],
)
async def test_a_request_for_xml_is_refused_clearly(
    api: httpx.AsyncClient, path: str, headers: dict[str, str], status: int
) -> None:
    answer = await api.get(path, headers=headers)
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("application/fhir+json")
    if status == 406:
        issue = answer.json()["issue"][0]
        assert issue["code"] == "not-supported" and "JSON" in issue["details"]["text"]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
async def test_xml_input_is_refused_clearly(api: httpx.AsyncClient, method: str) -> None:
    path = "/Patient" if method == "POST" else "/Patient/patient-0"
    headers = {"Content-Type": "application/fhir+xml"}
    answer = await api.request(method, path, content="<Patient/>", headers=headers)
    assert answer.status_code == 415
    assert answer.json()["resourceType"] == "OperationOutcome"


async def test_pages_of_named_origins_may_use_the_server_and_others_may_not(hospital: FhirStore) -> None:
    transport = httpx.ASGITransport(app=fhir_app(hospital, ["fhir.test"], origins=[PAGE]))
    async with httpx.AsyncClient(transport=transport, base_url="http://fhir.test") as api:
        asked = {"Origin": PAGE, "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "If-Match"}
        allowed = await api.options("/Patient/patient-0", headers=asked)
        assert allowed.status_code == 200
        assert allowed.headers["access-control-allow-origin"] == PAGE
        made = await api.post("/Patient", json={"resourceType": "Patient"}, headers={"Origin": PAGE})
        assert made.status_code == 201
        assert "ETag" in made.headers["access-control-expose-headers"]
        other = {"Origin": "https://other.example", "Access-Control-Request-Method": "PUT"}
        assert (await api.options("/Patient/patient-0", headers=other)).status_code == 400
        refused = await api.post("/Patient", json={"resourceType": "Patient"}, headers={"Origin": other["Origin"]})
        assert refused.status_code == 403
        seen = await api.get("/Patient", headers={"Origin": other["Origin"]})
        assert "access-control-allow-origin" not in seen.headers
