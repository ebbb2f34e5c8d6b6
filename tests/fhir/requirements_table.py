"""What R5, R4 and the guides require of a server like ours, each requirement with its number and a check.

The requirements come from the requirement lists of the specifications and guides that `SOURCES` names. They say in our
words what a conformance suite would try. `python -m tests.fhir.requirements_table` writes the page that lists them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from polyclinic.core.records import Resource
from polyclinic.fhir.codec import loads_object
from polyclinic.fhir.validate import structural_problems

PAGE = Path(__file__).parents[2] / "docs" / "fhir-requirements.md"
SOURCES = {
    "R5": "FHIR R5, RESTful API, search, bundles and patch (hl7.org/fhir/R5: http, search, bundle, fhirpatch)",
    "R4": "FHIR R4, the same subjects for the scheduling resources (hl7.org/fhir/R4)",
    "SCH": "Argonaut Scheduling 1.0.0 and IHE ITI Scheduling ([ITI-115] to [ITI-118])",
    "BLK": "Bulk Data Access 2.0 (export, status, files, delete)",
    "SUB": "R5 Subscriptions (topics, $status)",
}
FHIR = "application/fhir+json"
Check = Callable[[httpx.AsyncClient], Awaitable[None]]


class Requirement(NamedTuple):
    """One requirement."""

    number: str
    text: str
    check: Check

    @property
    def source(self) -> str:
        """The key of the requirement's source in `SOURCES`."""
        return self.number.partition("-")[0]


REQUIREMENTS: list[Requirement] = []


def requirement(number: str, text: str) -> Callable[[Check], Check]:
    """Put a check into the table."""

    def add(check: Check) -> Check:
        REQUIREMENTS.append(Requirement(number, text, check))
        return check

    return add


def outcome(answer: httpx.Response, status: int) -> None:
    """Check a refusal: the status, and an OperationOutcome that says why."""
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert body["resourceType"] == "OperationOutcome" and body["issue"][0]["details"]["text"]


async def created(api: httpx.AsyncClient, base: str = "") -> Resource:
    body = {"resourceType": "Patient", "active": True, "birthDate": "1970-01-01"}
    made = await api.post(f"{base}/Patient", json=body)
    assert made.status_code == 201
    found: Resource = made.json()
    return found


def transaction(*entries: Resource, kind: str = "transaction") -> Resource:
    return {"resourceType": "Bundle", "type": kind, "entry": list(entries)}


def entry(method: str, url: str, resource: Resource | None = None, **request: str) -> Resource:
    made: Resource = {"request": {"method": method, "url": url, **request}}
    return made if resource is None else {**made, "resource": resource}


def parameters(**named: Any) -> Resource:
    listed = [{"name": name.replace("_", "-"), **value} for name, value in named.items()]
    return {"resourceType": "Parameters", "parameter": listed}


@requirement("R5-01", "`GET metadata` answers with a valid CapabilityStatement of version 5.0.0")
async def statement(api: httpx.AsyncClient) -> None:
    answer = await api.get("/metadata")
    assert answer.headers["content-type"].startswith(FHIR)
    assert answer.json()["fhirVersion"] == "5.0.0" and structural_problems(answer.json()) == []


@requirement("R5-02", "A create gives 201, a Location with id and version, an ETag and Last-Modified")
async def create(api: httpx.AsyncClient) -> None:
    made = await api.post("/Patient", json={"resourceType": "Patient"})
    assert made.status_code == 201 and made.headers["location"].endswith("/_history/1")
    assert made.headers["etag"] == 'W/"1"' and "last-modified" in made.headers


@requirement("R5-03", "The id that a client puts into a created resource is ignored")
async def own_id(api: httpx.AsyncClient) -> None:
    made = await api.post("/Patient", json={"resourceType": "Patient", "id": "mine"})
    assert made.json()["id"] != "mine"


@requirement("R5-04", "A read returns the resource with its ETag; an unknown id gives 404")
async def read(api: httpx.AsyncClient) -> None:
    found = await api.get("/Patient/patient-0")
    assert found.headers["etag"] == 'W/"1"' and found.json()["name"][0]["family"] == "Lee"
    outcome(await api.get("/Patient/nobody"), 404)


@requirement("R5-05", "A read of a deleted resource gives 410; its earlier versions can still be read")
async def gone(api: httpx.AsyncClient) -> None:
    id_ = (await created(api))["id"]
    assert (await api.delete(f"/Patient/{id_}")).status_code == 200
    outcome(await api.get(f"/Patient/{id_}"), 410)
    assert (await api.get(f"/Patient/{id_}/_history/1")).status_code == 200


@requirement("R5-06", "A read with If-None-Match gives 304 if the resource has not changed")
async def not_modified(api: httpx.AsyncClient) -> None:
    for known, status in (('W/"1"', 304), ('W/"9"', 200)):
        assert (await api.get("/Patient/patient-0", headers={"If-None-Match": known})).status_code == status


@requirement("R5-07", "An update increases the version number; If-Match with an old version gives 412")
async def update(api: httpx.AsyncClient) -> None:
    made = await created(api)
    path = f"/Patient/{made['id']}"
    assert (await api.put(path, json={**made, "active": False})).json()["meta"]["versionId"] == "2"
    outcome(await api.put(path, json=made, headers={"If-Match": 'W/"1"'}), 412)


@requirement("R5-08", "An update whose resource id differs from the id in the URL gives 400")
async def wrong_id(api: httpx.AsyncClient) -> None:
    outcome(await api.put("/Patient/a", json={"resourceType": "Patient", "id": "b"}), 400)


@requirement("R5-09", "An update to an id that does not exist creates the resource and gives 201")
async def update_create(api: httpx.AsyncClient) -> None:
    assert (await api.put("/Patient/new", json={"resourceType": "Patient", "id": "new"})).status_code == 201
    assert (await api.get("/Patient/new")).json()["id"] == "new"


@requirement("R5-10", "If-None-Exist creates the resource only if none matches; several matches give 412")
async def conditional_create(api: httpx.AsyncClient) -> None:
    body = {"resourceType": "Patient", "identifier": [{"system": "urn:x", "value": "9"}]}
    given = [(await api.post("/Patient", json=body, headers={"If-None-Exist": "identifier=urn:x|9"})) for _ in range(2)]
    assert [answer.status_code for answer in given] == [201, 200]
    outcome(await api.post("/Patient", json=body, headers={"If-None-Exist": "gender=female"}), 412)


@requirement("R5-11", "JSON Patch changes only the elements it names; if a test operation fails, nothing changes")
async def json_patch(api: httpx.AsyncClient) -> None:
    made = await created(api)
    path = f"/Patient/{made['id']}"
    done = (await api.patch(path, json=[{"op": "replace", "path": "/active", "value": False}])).json()
    assert {**done, "meta": None} == {**made, "active": False, "meta": None}
    refused = [{"op": "add", "path": "/gender", "value": "male"}, {"op": "test", "path": "/active", "value": True}]
    outcome(await api.patch(path, json=refused), 409)
    assert (await api.get(path)).json() == done


@requirement("R5-12", "FHIRPath Patch changes only the elements it names")
async def fhirpath_patch(api: httpx.AsyncClient) -> None:
    made = await created(api)
    path = f"/Patient/{made['id']}"
    part = [{"name": "type", "valueCode": "add"}, {"name": "path", "valueString": "Patient"},
            {"name": "name", "valueString": "gender"}, {"name": "value", "valueCode": "female"}]  # fmt: skip
    body = {"resourceType": "Parameters", "parameter": [{"name": "operation", "part": part}]}
    done = (await api.patch(path, json=body, headers={"Content-Type": FHIR})).json()
    assert {**done, "meta": None} == {**made, "gender": "female", "meta": None}


@requirement("R5-13", "`Prefer: return=` minimal, representation and OperationOutcome decide the body of the response")
async def prefer(api: httpx.AsyncClient) -> None:
    async def body(wanted: str) -> bytes:
        headers = {"Prefer": f"return={wanted}"}
        return (await api.post("/Patient", json={"resourceType": "Patient"}, headers=headers)).content

    assert await body("minimal") == b""
    assert b'"Patient"' in await body("representation") and b"OperationOutcome" in await body("OperationOutcome")


@requirement(
    "R5-14",
    "The history of a resource, of a type and of the system lists the newest version first, with method and status",
)
async def history(api: httpx.AsyncClient) -> None:
    made = await created(api)
    address = f"Patient/{made['id']}"
    await api.put(f"/{address}", json={**made, "active": False})
    await api.delete(f"/{address}")
    expected = [("DELETE", address, "200", None), ("PUT", address, "200", False), ("POST", "Patient", "201", True)]
    for path in (f"/{address}/_history", "/Patient/_history", "/_history"):
        bundle = (await api.get(path)).json()
        assert bundle["type"] == "history"
        assert [
            (*(e["request"][name] for name in ("method", "url")), e["response"]["status"],
             e.get("resource", {}).get("active"))
            for e in bundle["entry"] if e["fullUrl"].endswith(address)
        ] == expected  # fmt: skip
        times = [e["response"]["lastModified"] for e in bundle["entry"]]
        assert times == sorted(times, reverse=True)


@requirement("R5-15", "A searchset Bundle has a self link; each entry has a fullUrl and a search mode")
async def search_set(api: httpx.AsyncClient) -> None:
    bundle = (await api.get("/Patient?gender=female")).json()
    assert bundle["type"] == "searchset" and bundle["link"][0]["relation"] == "self"
    assert bundle["link"][0]["url"].endswith("/Patient?gender=female") and len(bundle["entry"]) == 3
    assert all(e["fullUrl"].endswith(e["resource"]["id"]) and e["search"]["mode"] == "match" for e in bundle["entry"])


@requirement("R5-16", "Following the next links returns every match exactly once")
async def pages(api: httpx.AsyncClient) -> None:
    found: list[str] = []
    link = "/Slot?_count=7"
    while link and len(found) <= 24:
        bundle = (await api.get(link)).json()
        found += [e["resource"]["id"] for e in bundle["entry"]]
        link = next((each["url"] for each in bundle["link"] if each["relation"] == "next"), "")
    assert len(found) == len(set(found)) == 24


@requirement("R5-17", "A search by POST to _search finds the same resources as by GET")
async def search_post(api: httpx.AsyncClient) -> None:
    posted = (await api.post("/Slot/_search", data={"schedule": "kim-diary"})).json()
    assert posted["total"] == 12 and posted["entry"] == (await api.get("/Slot?schedule=kim-diary")).json()["entry"]


@requirement("R5-18", "An unknown search parameter is an error with `Prefer: handling=strict`, otherwise a warning")
async def handling(api: httpx.AsyncClient) -> None:
    outcome(await api.get("/Patient?shoe=1", headers={"Prefer": "handling=strict"}), 400)
    entries = (await api.get("/Patient?shoe=1")).json()["entry"]
    assert entries[-1]["search"]["mode"] == "outcome"


@requirement("R5-19", "Date prefixes (eq, lt, ge, …) compare as FHIR defines")
async def prefixes(api: httpx.AsyncClient) -> None:
    async def count(value: str) -> int:
        return int((await api.get("/Slot", params={"schedule": "kim-diary", "start": value})).json()["total"])

    ten = "2025-03-24T10:00:00+09:00"
    assert [await count(v) for v in ("2025-03-24", "lt2025-03-24")] == [12, 0]
    expected = {"eq": 1, "ne": 11, "gt": 7, "lt": 4, "ge": 8, "le": 5, "sa": 7, "eb": 4}
    assert {prefix: await count(f"{prefix}{ten}") for prefix in expected} == expected


@requirement("R5-20", "_include and _revinclude add all the resources they name, each with search mode include")
async def includes(api: httpx.AsyncClient) -> None:
    bundle = (await api.get("/Schedule?_id=kim-diary&_include=Schedule:actor&_revinclude=Slot:schedule")).json()
    brought = [e["resource"]["resourceType"] for e in bundle["entry"] if e["search"]["mode"] == "include"]
    assert sorted(brought) == ["Practitioner"] + ["Slot"] * 12


@requirement("R5-21", "Chained parameters and _has search through references")
async def chains(api: httpx.AsyncClient) -> None:
    assert (await api.get("/Slot?schedule.actor:Practitioner.name=kim")).json()["total"] == 12
    has = (await api.get("/Schedule?_has:Slot:schedule:_id=park-diary-003")).json()["entry"]
    assert [e["resource"]["id"] for e in has] == ["park-diary"]


@requirement("R5-22", "_summary=count returns only the number of matches; _elements marks its resources as subsetted")
async def views(api: httpx.AsyncClient) -> None:
    counted = (await api.get("/Patient?_summary=count")).json()
    assert counted["total"] == 3 and "entry" not in counted
    part = (await api.get("/Patient/patient-0?_elements=name")).json()
    assert "gender" not in part and part["meta"]["tag"][-1]["code"] == "SUBSETTED"


@requirement("R5-23", "A search over several types is a GET on the base URL with _type")
async def everywhere(api: httpx.AsyncClient) -> None:
    found = (await api.get("/?_type=Patient,Practitioner")).json()["entry"]
    assert {e["resource"]["resourceType"] for e in found} == {"Patient", "Practitioner"}


@requirement("R5-24", "Either every entry of a transaction is applied or none")
async def whole(api: httpx.AsyncClient) -> None:
    bad = transaction(
        entry("POST", "Patient", {"resourceType": "Patient", "language": "xx-only"}), entry("PUT", "Patient/x", None)
    )
    outcome(await api.post("/", json=bad), 400)
    new = entry("POST", "Patient", {"resourceType": "Patient", "language": "xx-only"})
    late = entry("PUT", "Patient/patient-0", {"resourceType": "Patient", "id": "patient-0"}, ifMatch='W/"9"')
    outcome(await api.post("/", json=transaction(new, late)), 412)
    assert (await api.get("/Patient?_language=xx-only")).json()["total"] == 0


@requirement(
    "R5-25", "Inside a transaction, a reference to another entry's fullUrl becomes a reference to the created resource"
)
async def links(api: httpx.AsyncClient) -> None:
    person = {**entry("POST", "Patient", {"resourceType": "Patient"}), "fullUrl": "urn:uuid:1"}
    visit = {"resourceType": "Encounter", "status": "planned", "subject": {"reference": "urn:uuid:1"}}
    done = (await api.post("/", json=transaction(person, entry("POST", "Encounter", visit)))).json()["entry"]
    assert done[1]["resource"]["subject"]["reference"] == f"Patient/{done[0]['resource']['id']}"


@requirement("R5-26", "An entry of a batch that fails does not affect the other entries")
async def batch(api: httpx.AsyncClient) -> None:
    both = transaction(entry("GET", "Patient/patient-0"), entry("GET", "Patient/nobody"), kind="batch")
    done = (await api.post("/", json=both)).json()
    assert [e["response"]["status"][:3] for e in done["entry"]] == ["200", "404"]


@requirement("R5-27", "A resource that breaks an invariant is refused with 422, and the answer names the element")
async def invariants(api: httpx.AsyncClient) -> None:
    body = {"resourceType": "Appointment", "status": "booked", "participant": [{"status": "accepted"}]}
    answer = await api.post("/Appointment", json=body)
    outcome(answer, 422)
    broken = [issue for issue in answer.json()["issue"] if "app-3" in issue["details"]["text"]]
    assert broken and broken[0]["expression"] == ["Appointment"]


@requirement("R5-28", "$validate reports what is wrong with a resource and stores nothing")
async def validate(api: httpx.AsyncClient) -> None:
    before = (await api.get("/Patient?_summary=count")).json()["total"]
    answer = await api.post("/Patient/$validate", json={"resourceType": "Patient", "gender": "x"})
    assert answer.status_code == 200 and answer.json()["issue"][0]["severity"] == "error"
    assert (await api.get("/Patient?_summary=count")).json()["total"] == before


@requirement("R5-29", "XML is not supported: asking for it gives 406, sending it gives 415")
async def xml(api: httpx.AsyncClient) -> None:
    outcome(await api.get("/Patient", headers={"Accept": "application/fhir+xml"}), 406)
    headers = {"Content-Type": "application/fhir+xml"}
    outcome(await api.post("/Patient", content=b"<Patient/>", headers=headers), 415)


@requirement("R5-30", "An unknown resource type gives 404 and an unsupported method 405, both with an OperationOutcome")
async def unknown(api: httpx.AsyncClient) -> None:
    outcome(await api.get("/Medication"), 404)
    outcome(await api.put("/Patient/patient-0/_history", json={}), 405)


@requirement("R5-31", "A resource that other resources refer to cannot be deleted (409)")
async def referred(api: httpx.AsyncClient) -> None:
    outcome(await api.delete("/Schedule/kim-diary"), 409)


@requirement("R5-32", "A new reference to a resource that does not exist is refused (422)")
async def dangling(api: httpx.AsyncClient) -> None:
    visit = {"resourceType": "Encounter", "status": "planned", "subject": {"reference": "Patient/nobody"}}
    outcome(await api.post("/Encounter", json=visit), 422)


@requirement("R4-01", "`GET r4/metadata` answers with a CapabilityStatement of version 4.0.1")
async def r4_statement(api: httpx.AsyncClient) -> None:
    assert (await api.get("/r4/metadata")).json()["fhirVersion"] == "4.0.1"


@requirement(
    "R4-02", "Create, read, update, history and search take and return R4 resources; their links are under /r4"
)
async def r4_crud(api: httpx.AsyncClient) -> None:
    visit = {"resourceType": "Encounter", "status": "arrived", "class": {"code": "AMB"},
             "period": {"start": "2025-01-02T09:00:00Z"}}  # fmt: skip
    made = (await api.post("/r4/Encounter", json=visit)).json()
    path = f"/r4/Encounter/{made['id']}"
    found = await api.get(path)
    assert found.headers["content-type"].startswith(f"{FHIR}; fhirVersion=4.0")
    assert {name: found.json()[name] for name in visit} == visit
    over = {**visit, "id": made["id"], "status": "finished"}
    changed = (await api.put(path, json=over)).json()
    assert {name: changed[name] for name in over} == over
    versions = (await api.get(f"{path}/_history")).json()["entry"]
    assert [e["resource"]["status"] for e in versions] == ["finished", "arrived"]
    matches = (await api.get("/r4/Encounter?status=finished,onleave&_count=1")).json()
    assert [e["resource"]["period"] for e in matches["entry"]] == [visit["period"]]
    assert (await api.get("/r4/Encounter?status=planned")).json()["total"] == 0
    for address in (matches["link"][0]["url"], matches["entry"][0]["fullUrl"]):
        assert address.startswith("http://fhir.test/r4/Encounter")


@requirement(
    "R4-03", "Slot.serviceType is a list of CodeableConcepts; Appointment has reasonCode and comment, as in R4"
)
async def r4_shape(api: httpx.AsyncClient) -> None:
    visit = {"resourceType": "Appointment", "status": "proposed", "comment": "x", "reasonCode": [{"text": "y"}],
             "serviceType": [{"text": "z"}],
             "participant": [{"status": "accepted", "actor": {"display": "q"}}]}  # fmt: skip
    slot = (await api.get("/r4/Slot/kim-diary-000")).json() | {"serviceType": [{"text": "z"}]}
    assert (await api.put("/r4/Slot/kim-diary-000", json=slot)).json()["serviceType"] == [{"text": "z"}]
    assert (await api.get("/Slot/kim-diary-000")).json()["serviceType"] == [{"concept": {"text": "z"}}]
    made = (await api.post("/r4/Appointment", json=visit)).json()
    assert {name: made[name] for name in ("comment", "reasonCode", "serviceType")} == {
        name: visit[name] for name in ("comment", "reasonCode", "serviceType")
    }


@requirement("R4-04", "A resource type that is not offered in R4 gives 404 with an OperationOutcome")
async def r4_others(api: httpx.AsyncClient) -> None:
    outcome(await api.get("/r4/Condition"), 404)


async def offers(api: httpx.AsyncClient, **query: str) -> list[Resource]:
    asked = {"start": "2025-03-24T00:00:00Z", "end": "2025-03-26T00:00:00Z", **query}
    answer = await api.get("/Appointment/$find", params=asked)
    assert answer.status_code == 200, answer.text
    return [e["resource"] for e in answer.json()["entry"] if e["search"]["mode"] == "match"]


@requirement("SCH-01", "[ITI-115] $find, by GET or POST, returns a searchset Bundle of proposed Appointments")
async def find(api: httpx.AsyncClient) -> None:
    found = await offers(api)
    assert found and {a["status"] for a in found} == {"proposed"}
    posted = await api.post("/Appointment/$find", json=parameters(start={"valueDateTime": "2025-03-24T00:00:00Z"}))
    assert posted.json()["type"] == "searchset" and posted.json()["entry"][0]["resource"]["slot"] == found[0]["slot"]


@requirement(
    "SCH-02", "[ITI-115] $find takes practitioner, organization, location, specialty, service type and a time range"
)
async def find_filters(api: httpx.AsyncClient) -> None:
    at = {"start": "2025-03-25T08:00:00Z", "end": "2025-03-25T08:15:00Z"}
    actors = [{"reference": "Practitioner/choi"}, {"reference": "Location/room-1"}]
    added: list[Resource] = [
        {"resourceType": "Practitioner", "id": "choi"},
        {"resourceType": "PractitionerRole", "id": "r", "practitioner": actors[0],
         "organization": {"reference": "Organization/hospital"}},
        {"resourceType": "Schedule", "id": "own", "active": True, "actor": actors,
         "specialty": [{"coding": [{"code": "skin"}]}], "serviceType": [{"concept": {"coding": [{"code": "laser"}]}}]},
        {"resourceType": "Slot", "id": "own-0", "status": "free", "schedule": {"reference": "Schedule/own"}, **at},
    ]  # fmt: skip
    done = await api.post("/", json=transaction(*(entry("PUT", f"{a['resourceType']}/{a['id']}", a) for a in added)))
    assert done.status_code == 200, done.text
    filters = {"practitioner": "Practitioner/choi", "organization": "Organization/hospital", "specialty": "skin",
               "location-reference": "Location/room-1", "location-string": "Room 1", "service-type": "laser",
               "start": "2025-03-25T00:00:00Z"}  # fmt: skip
    for name, value in filters.items():
        found = await offers(api, **{name: value})
        assert [a["slot"] for a in found] == [[{"reference": "Slot/own-0"}]], name
    earlier = await offers(api, end="2025-03-25T00:00:00Z", max="200")
    assert earlier and all(a["slot"][0]["reference"] != "Slot/own-0" for a in earlier)


@requirement(
    "SCH-03", "[ITI-115] An offer has its slots, start and end; a search whose end is before its start gives 400"
)
async def find_time(api: httpx.AsyncClient) -> None:
    assert all(a["slot"] and a["start"] < a["end"] for a in await offers(api))
    outcome(await api.get("/Appointment/$find?start=2025-03-26&end=2025-03-24"), 400)


@requirement("SCH-04", "[ITI-115] `max` limits the number of offers; if nothing is free, an OperationOutcome says so")
async def find_max(api: httpx.AsyncClient) -> None:
    assert len(await offers(api, max="2")) == 2
    nothing = (await api.get("/Appointment/$find?start=2030-01-01")).json()
    assert nothing["entry"][0]["resource"]["resourceType"] == "OperationOutcome"


@requirement(
    "SCH-05", "[ITI-116] $hold by appt-id or appt-resource makes an Appointment pending and its slots busy-tentative"
)
async def hold(api: httpx.AsyncClient) -> None:
    first, second = (await offers(api))[:2]
    for given in ({"appt_id": {"valueUri": first["id"]}}, {"appt_resource": {"resource": second}}):
        held = (await api.post("/Appointment/$hold", json=parameters(**given))).json()["entry"][0]["resource"]
        assert held["status"] == "pending"
        assert (await api.get(f"/{held['slot'][0]['reference']}")).json()["status"] == "busy-tentative"


@requirement("SCH-06", "[ITI-116] A held time cannot be held or booked by somebody else (409)")
async def hold_twice(api: httpx.AsyncClient) -> None:
    def wanted(patient: str) -> Resource:
        given = {"valueReference": {"reference": f"Patient/{patient}"}}
        return parameters(appt_resource={"resource": offer}, patient_reference=given)

    offer = {name: value for name, value in (await offers(api))[0].items() if name != "id"}
    held = (await api.post("/Appointment/$hold", json=wanted("patient-0"))).json()["entry"][0]["resource"]
    for operation in ("$hold", "$book"):
        outcome(await api.post(f"/Appointment/{operation}", json=wanted("patient-1")), 409)
    slot = {"valueReference": offer["slot"][0]}
    outcome(await api.post("/Slot/$hold", json=parameters(slot=slot)), 409)
    assert (await api.get("/Appointment?patient=patient-1&_summary=count")).json()["total"] == 0
    booked = await api.post(f"/Appointment/{held['id']}/$book", json=parameters())
    assert booked.json()["entry"][0]["resource"]["status"] == "booked"


@requirement(
    "SCH-07", "[ITI-117] $book turns an offer or a held appointment into a booked one and makes its slots busy"
)
async def book(api: httpx.AsyncClient) -> None:
    first, second = (await offers(api))[:2]
    who = {"valueReference": {"reference": "Patient/patient-0"}}
    chosen = parameters(appt_id={"valueUri": first["id"]}, patient_reference=who)
    held = await api.post("/Appointment/$hold", json=parameters(appt_id={"valueUri": second["id"]}))
    path = f"/Appointment/{held.json()['entry'][0]['resource']['id']}/$book"
    for answer in (await api.post("/Appointment/$book", json=chosen), await api.post(path, json=parameters())):
        booked = answer.json()["entry"][0]["resource"]
        assert answer.status_code == 200 and booked["status"] == "booked"
        assert (await api.get(f"/{booked['slot'][0]['reference']}")).json()["status"] == "busy"
    assert (await api.get("/Appointment?patient=patient-0&status=booked")).json()["total"] == 1


@requirement("SCH-08", "[ITI-117] Booking the same offer twice, or an id that was never offered, is refused")
async def book_again(api: httpx.AsyncClient) -> None:
    chosen = parameters(appt_id={"valueUri": (await offers(api))[0]["id"]})
    assert (await api.post("/Appointment/$book", json=chosen)).status_code == 200
    outcome(await api.post("/Appointment/$book", json=chosen), 409)
    outcome(await api.post("/Appointment/$book", json=parameters(appt_id={"valueUri": "nobody"})), 404)


@requirement(
    "SCH-09", "[ITI-117] A reschedule names the appointment that it replaces, and that appointment's slots become free"
)
async def reschedule(api: httpx.AsyncClient) -> None:
    first, second = (await offers(api))[:2]
    one = parameters(appt_id={"valueUri": first["id"]})
    old = (await api.post("/Appointment/$book", json=one)).json()["entry"][0]["resource"]
    two = parameters(appt_id={"valueUri": second["id"]}, cancelled_appt_id={"valueUri": old["id"]})
    assert (await api.post("/Appointment/$book", json=two)).status_code == 200
    assert (await api.get(f"/{old['slot'][0]['reference']}")).json()["status"] == "free"
    assert (await api.get(f"/Appointment/{old['id']}")).json()["status"] == "cancelled"


@requirement("SCH-10", "[ITI-118] Appointments can be searched by patient, date, status and practitioner")
async def existing(api: httpx.AsyncClient) -> None:
    chosen = parameters(appt_id={"valueUri": (await offers(api, practitioner="Practitioner/kim"))[0]["id"]},
                        patient_reference={"valueReference": {"reference": "Patient/patient-1"}})  # fmt: skip
    await api.post("/Appointment/$book", json=chosen)
    query = {"patient": "Patient/patient-1", "date": "ge2025-03-24", "status": "booked",
             "practitioner": "Practitioner/kim"}  # fmt: skip
    assert (await api.get("/Appointment", params=query)).json()["total"] == 1
    others = {"patient": "Patient/patient-0", "date": "lt2025-03-24", "status": "cancelled",
              "practitioner": "Practitioner/park"}  # fmt: skip
    for name, other in others.items():
        assert (await api.get("/Appointment", params={**query, name: other})).json()["total"] == 0, name


@requirement("SCH-11", "A cancelled appointment is kept; its slots become free in the same transaction")
async def cancel(api: httpx.AsyncClient) -> None:
    chosen = parameters(appt_id={"valueUri": (await offers(api))[0]["id"]})
    booked = (await api.post("/Appointment/$book", json=chosen)).json()["entry"][0]["resource"]
    body = [{"op": "replace", "path": "/status", "value": "cancelled"}]
    assert (await api.patch(f"/Appointment/{booked['id']}", json=body)).json()["status"] == "cancelled"
    kept = await api.get(f"/Appointment/{booked['id']}")
    assert kept.status_code == 200 and kept.json()["status"] == "cancelled"
    assert (await api.get(f"/{booked['slot'][0]['reference']}")).json()["status"] == "free"


@requirement("SCH-12", "The CapabilityStatement lists these operations")
async def claimed(api: httpx.AsyncClient) -> None:
    listed = (await api.get("/metadata")).json()["rest"][0]["resource"]
    operations = next(r["operation"] for r in listed if r["type"] == "Appointment")
    assert {"find", "hold", "book"} <= {each["name"] for each in operations}


async def exported(api: httpx.AsyncClient, path: str) -> httpx.Response:
    accepted = await api.get(path, headers={"Prefer": "respond-async"})
    assert accepted.status_code == 202 and "content-location" in accepted.headers
    while (answer := await api.get(accepted.headers["content-location"])).status_code == 202:
        assert "x-progress" in answer.headers
        await asyncio.sleep(0)
    return answer


@requirement("BLK-01", "An export without Prefer: respond-async is refused")
async def export_sync(api: httpx.AsyncClient) -> None:
    outcome(await api.get("/$export"), 400)


@requirement(
    "BLK-02",
    "An export is accepted with 202; its manifest has transactionTime, request, requiresAccessToken, output and error",
)
async def export_manifest(api: httpx.AsyncClient) -> None:
    manifest = (await exported(api, "/$export")).json()
    assert {"transactionTime", "request", "requiresAccessToken", "output", "error"} <= manifest.keys()
    assert manifest["request"] == "http://fhir.test/$export" and len(manifest["output"]) == 7


@requirement("BLK-03", "Each file is NDJSON: one resource per line, all of one type")
async def export_files(api: httpx.AsyncClient) -> None:
    counts = {}
    for file in (await exported(api, "/$export")).json()["output"]:
        answer = await api.get(file["url"])
        assert answer.headers["content-type"].startswith("application/fhir+ndjson")
        resources = [loads_object(line) for line in answer.content.splitlines()]
        assert {each["resourceType"] for each in resources} == {file["type"]}
        assert len({each["id"] for each in resources}) == len(resources) == file["count"]
        counts[file["type"]] = file["count"]
    assert counts["Slot"] == 24 and counts["Patient"] == 3


@requirement("BLK-04", "_type and _since limit what is exported")
async def export_narrow(api: httpx.AsyncClient) -> None:
    assert [f["type"] for f in (await exported(api, "/$export?_type=Patient")).json()["output"]] == ["Patient"]
    assert (await exported(api, "/$export?_since=2030-01-01T00:00:00Z")).json()["output"] == []
    assert (await exported(api, "/$export?_since=2020-01-01T00:00:00Z")).json()["output"] != []


@requirement("BLK-05", "Patient/$export returns the patients and the resources that belong to them")
async def export_patients(api: httpx.AsyncClient) -> None:
    visit = {"resourceType": "Encounter", "status": "planned"}
    for subject in ({"reference": "Patient/patient-0"}, {"display": "nobody"}):
        assert (await api.post("/Encounter", json={**visit, "subject": subject})).status_code == 201
    files = (await exported(api, "/Patient/$export")).json()["output"]
    assert [(f["type"], f["count"]) for f in files] == [("Encounter", 1), ("Patient", 3)]


@requirement("BLK-06", "DELETE on the status URL deletes the files (202; a later request gives 404)")
async def export_delete(api: httpx.AsyncClient) -> None:
    accepted = await api.get("/$export?_type=Patient", headers={"Prefer": "respond-async"})
    where = accepted.headers["content-location"]
    while (status := await api.get(where)).status_code == 202:
        await asyncio.sleep(0)
    assert (await api.delete(where)).status_code == 202
    outcome(await api.get(where), 404)
    outcome(await api.get(status.json()["output"][0]["url"]), 404)


@requirement(
    "SUB-01",
    "Subscriptions and topics can be created and read like other resources; $status returns a SubscriptionStatus",
)
async def subscription(api: httpx.AsyncClient) -> None:
    body = {"resourceType": "Subscription", "status": "off", "topic": "urn:x", "channelType": {"code": "rest-hook"}}
    made = (await api.post("/Subscription", json=body)).json()
    assert (await api.get(f"/Subscription/{made['id']}")).json() == made and made["topic"] == "urn:x"
    topic = {"resourceType": "SubscriptionTopic", "url": "urn:x", "status": "active"}
    made_topic = await api.post("/SubscriptionTopic", json=topic)
    found = await api.get("/SubscriptionTopic?url=urn:x")
    assert found.status_code == 200 and found.json()["entry"][0]["resource"] == made_topic.json()
    status = (await api.get(f"/Subscription/{made['id']}/$status")).json()["entry"][0]["resource"]
    assert status["resourceType"] == "SubscriptionStatus" and status["eventsSinceSubscriptionStart"] == "0"
    assert status["subscription"]["reference"].endswith(f"/Subscription/{made['id']}")


def page() -> str:
    """The page of all requirements."""
    lines = [
        "# FHIR requirements, each with its number",
        "",
        "This page says in our words what R5, R4 and the guides require of a server like ours. A test with the same",
        "number checks each requirement: `pytest tests/fhir/test_requirements.py -k R5-20`. SMART's scopes have",
        "their own tests: `pytest tests/fhir/test_smart_scopes.py tests/fhir/test_smart_tokens.py`. Notifications",
        "have their own, too: `tests/fhir/test_subscriptions.py`. `python -m tests.fhir.requirements_table` writes",
        "this page.",
        "",
    ]
    for key, source in SOURCES.items():
        lines += [f"## {key}", "", f"{source}.", "", "| number | requirement |", "| --- | --- |"]
        lines += [
            f"| {each.number} | {each.text.replace('|', chr(92) + '|')} |"
            for each in REQUIREMENTS
            if each.source == key
        ]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
