"""Servers that break one requirement each: its check must notice. Every requirement has at least one such fault."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlencode

import httpx

from tests.fhir.faults import (
    Fault,
    changed_request,
    changed_response,
    each,
    entries,
    header,
    ignores_header,
    ignores_parameter,
    ignores_query,
    reads,
    rewrites_path,
    says,
    shows,
    with_value,
    without,
)


def _slot(status: str) -> Fault:
    """Slots seem to have this status."""
    return shows(f"slots are {status}", with_value("status", status), on=r"GET /Slot/")


def _offers_lack(name: str) -> Fault:
    return shows(f"offers have no {name}", each(lambda e: e["resource"].pop(name, None)), on=r"\$find")


def _pop(*path: str) -> Callable[[Any], None]:
    def change(one: Any) -> None:
        for step in path[:-1]:
            one = one.get(step, {})
        one.pop(path[-1], None)

    return change


def _set(value: Any, *path: str) -> Callable[[Any], None]:
    def change(one: Any) -> None:
        for step in path[:-1]:
            one = one.get(step, {})
        one[path[-1]] = value

    return change


def _file(name: str, change: Callable[[bytes], bytes]) -> Fault:
    return Fault(name, response=lambda a: changed_response(a, content=change(a.content)), on=r"export-file")


def _transaction_as_batch() -> Fault:
    fault = reads("keeps a part of a transaction", with_value("type", "batch", like="transaction"), on="POST /$")
    refusal = {"resourceType": "OperationOutcome", "issue": [{"details": {"text": "refused"}}]}

    def refuse(answer: httpx.Response) -> httpx.Response | None:
        if '"412 ' not in answer.text:
            return None
        return httpx.Response(412, json=refusal)

    fault.response = refuse
    return fault


def _as_r5() -> Fault:
    """Under /r4, the server gives R5 and labels it as R4."""
    fault = rewrites_path("/r4/", "/", "R5 labelled as R4")

    def label(answer: httpx.Response) -> httpx.Response:
        headers = answer.headers.copy()
        headers["content-type"] = "application/fhir+json; fhirVersion=4.0"
        return changed_response(
            answer, headers=headers, content=answer.content.replace(b"fhir.test/", b"fhir.test/r4/")
        )

    fault.response = label
    return fault


def _prefix_lost() -> Fault:
    def edit(request: httpx.Request) -> httpx.Request | None:
        found = [
            (k, v[2:] if k == "start" and v[:2].isalpha() else v) for k, v in parse_qsl(request.url.query.decode())
        ]
        changed = request.url.copy_with(query=urlencode(found).encode())
        return None if changed == request.url else changed_request(request, url=changed)

    return Fault("ignores prefixes", edit)


def _kept_id() -> Fault:
    def edit(request: httpx.Request) -> httpx.Request | None:
        body = json.loads(request.content)
        if request.method != "POST" or "id" not in body:
            return None
        return changed_request(request, method="PUT", url=request.url.join(f"/Patient/{body['id']}"))

    return Fault("keeps the client's id", edit)


def _stores_too(path: str) -> Fault:
    """The server stores what it should only validate: its second count is one higher."""
    counts: list[int] = []

    def more(body: Any) -> Any:
        if "total" not in body:
            return None
        counts.append(body["total"])
        return {**body, "total": body["total"] + len(counts) - 1}

    return shows("stores it", more, on=f"GET {path}")


def _pretends(status: int, on: str) -> Fault:
    """The server says that it has stored something, but it has not."""
    return Fault(
        "stores nothing",
        lambda r: changed_request(r, url=r.url.join(str(r.url.path).rstrip("/") + "-elsewhere"),
                           content=re.sub(rb'"id":\s?"([^"]+)"', rb'"id":"\1-elsewhere"', r.content)),
        on=on,
    )  # fmt: skip


FAULTS: dict[str, list[Fault]] = {
    "R5-01": [header("content-type", "application/json"), shows("R4", with_value("fhirVersion", "4.0.1")),
              shows("invalid", lambda b: {**b, "colour": "red"})],
    "R5-02": [says(201, 200), header("location", "http://fhir.test/Patient/x"), header("etag", None),
              header("last-modified", None)],
    "R5-03": [_kept_id()],
    "R5-04": [header("etag", None), says(404, 200), shows("nothing", without("name"))],
    "R5-05": [says(410, 404), says(200, 410, on="_history")],
    "R5-06": [ignores_header("if-none-match"), ignores_header("if-none-match", 'W/"1"')],
    "R5-07": [shows("the old version", lambda b: {**b, "meta": {**b["meta"], "versionId": "1"}}, on="PUT"),
              ignores_header("if-match")],
    "R5-08": [says(400, 200)],
    "R5-09": [says(201, 200), _pretends(201, "PUT")],
    "R5-10": [ignores_header("if-none-exist"), says(412, 200)],
    "R5-11": [shows("loses elements", without("birthDate"), on="PATCH"),
              reads("skips tests", lambda b: [o for o in b if o["op"] != "test"] if len(b) > 1 else None, on="PATCH")],
    "R5-12": [shows("loses elements", without("birthDate"), on="PATCH")],
    "R5-13": [ignores_header("prefer")],
    "R5-14": [shows("oldest first", entries(lambda listed: listed[::-1])),
              shows("no method", each(_pop("request", "method"))), shows("no status", each(_pop("response", "status"))),
              shows("only the newest", entries(lambda listed: listed[:1])),
              shows("all are updates", each(_set("PUT", "request", "method")))],
    "R5-15": [shows("no link", without("link")), shows("no mode", each(_pop("search"))),
              shows("another fullUrl", each(_set("http://x/Patient/1", "fullUrl"))),
              shows("no entry", without("entry"))],
    "R5-16": [shows("no next", lambda b: {**b, "link": b["link"][:1]}), ignores_query("_page")],
    "R5-17": [ignores_query("schedule", on="POST")],
    "R5-18": [ignores_header("prefer"), shows("no warning", entries(lambda listed: listed[:-1]))],
    "R5-19": [ignores_query("start"), _prefix_lost()],
    "R5-20": [ignores_query("_include"), ignores_query("_revinclude"),
              shows("all match", each(_set("match", "search", "mode")))],
    "R5-21": [ignores_query("schedule.actor:Practitioner.name"), ignores_query("_has:Slot:schedule:_id")],
    "R5-22": [ignores_query("_summary"), ignores_query("_elements"), shows("no tag", without("meta", "tag"))],
    "R5-23": [rewrites_path("Patient,Practitioner", "Patient", "searches one type only")],
    "R5-24": [_transaction_as_batch(), says(412, 200)],
    "R5-25": [shows("the placeholder", each(lambda e: e["resource"].update(subject={"reference": "urn:uuid:1"})))],
    "R5-26": [reads("all or nothing", with_value("type", "transaction", like="batch"))],
    "R5-27": [says(422, 400),
              shows("no place", lambda b: {**b, "issue": [{**i, "expression": []} for i in b["issue"]]})],
    "R5-28": [shows("only a warning", lambda b: {**b, "issue": [{**i, "severity": "warning"} for i in b["issue"]]}
                    if "issue" in b else None),
              _stores_too("/Patient")],
    "R5-29": [ignores_header("accept", "application/json"), says(415, 400)],
    "R5-30": [says(404, 200), says(405, 404)],
    "R5-31": [says(409, 200)],
    "R5-32": [says(422, 201)],
    "R4-01": [rewrites_path("/r4/", "/", "R5"), shows("R4B", with_value("fhirVersion", "4.3.0"))],
    "R4-02": [_as_r5(), header("content-type", "application/fhir+json", on="GET"), ignores_query("status"),
              shows("other links", lambda b: json.loads(json.dumps(b).replace("/r4/", "/")))],
    "R4-03": [_as_r5(), shows("no comment", without("comment")), shows("no service", without("serviceType"))],
    "R4-04": [says(404, 200)],
    "SCH-01": [shows("booked", each(_set("booked", "resource", "status")), on="GET"),
               shows("a collection", with_value("type", "collection"), on="POST"),
               shows("nothing", entries(lambda listed: listed[1:]), on="POST")],
    "SCH-02": [ignores_query(name, on=r"\$find") for name in (
               "practitioner", "organization", "specialty", "location-reference", "location-string", "service-type",
               "start", "end")],
    "SCH-03": [says(400, 200), _offers_lack("slot"), _offers_lack("end")],
    "SCH-04": [ignores_query("max"), shows("silent", lambda b: {**b, "entry": []} if not b["total"] else None)],
    "SCH-05": [shows("booked", each(_set("booked", "resource", "status")), on=r"\$hold"), _slot("free"),
               ignores_parameter("appt-id"), ignores_parameter("appt-resource")],
    "SCH-06": [says(409, 200), rewrites_path(r"Appointment/\$hold", "Appointment/$find", "holds nothing"),
               shows("not booked", each(_set("pending", "resource", "status")), on=r"\$book")],
    "SCH-07": [shows("pending", each(_set("pending", "resource", "status")), on=r"\$book"), _slot("free"),
               ignores_parameter("patient-reference"), says(200, 404, on=r"/Appointment/[^$]+/\$book")],
    "SCH-08": [says(409, 200), says(404, 200)],
    "SCH-09": [ignores_parameter("cancelled-appt-id"), _slot("busy"),
               shows("still booked", with_value("status", "booked"), on="GET /Appointment/[^$]")],
    "SCH-10": [ignores_query(name, on="GET /Appointment") for name in ("patient", "date", "status")]
    + [Fault("ignores the practitioner of a search",
             ignores_query("practitioner").request, on=r"GET /Appointment\?")],
    "SCH-11": [_slot("busy"), says(200, 410, on="GET /Appointment/[^$]")],
    "SCH-12": [shows("no hold", lambda b: json.loads(json.dumps(b).replace('"hold"', '"h"')))],
    "BLK-01": [says(400, 202)],
    "BLK-02": [says(202, 200), *(shows(f"no {name}", without(name), on="status") for name in (
               "transactionTime", "request", "requiresAccessToken", "output", "error"))],
    "BLK-03": [header("content-type", "application/json", on="export-file"),
               _file("one line is missing", lambda raw: raw.split(b"\n", 1)[1]),
               _file("a line twice", lambda raw: raw.split(b"\n", 1)[0] + b"\n" + raw.split(b"\n", 1)[0] + b"\n"
                     + b"".join(raw.splitlines(keepends=True)[2:])),
               _file("other types", lambda raw: raw.replace(b'"resourceType":"Slot"', b'"resourceType":"Group"')),
               shows("no files", with_value("output", []), on="status")],
    "BLK-04": [ignores_query("_type"), ignores_query("_since"),
               shows("no files", with_value("output", []), on="status")],
    "BLK-05": [rewrites_path(r"/Patient/\$export", "/$export", "exports everything"),
               rewrites_path(r"/Patient/\$export$", "/Patient/$export?_type=Patient", "exports patients only")],
    "BLK-06": [says(202, 200, on="DELETE"), says(404, 200, on="status"), says(404, 200, on="file")],
    "SUB-01": [shows("another resource", each(_set("Basic", "resource", "resourceType")), on=r"\$status"),
               shows("no topic", without("topic"), on="GET /Subscription/"),
               says(200, 404, on="GET /SubscriptionTopic"),
               shows("events", each(lambda e: e["resource"].update(eventsSinceSubscriptionStart="5")), on=r"\$status")],
}  # fmt: skip
