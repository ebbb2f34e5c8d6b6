"""schemathesis against the server's own OpenAPI description, and nasty input by hand: never a 5xx."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Callable
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.core.result import Ok

pytestmark = pytest.mark.filterwarnings("ignore")
DIARY = ("Slot", "Appointment", "Patient")


def fuzz(base: str, examples: int, types: tuple[str, ...] | None) -> Counter[int]:
    """Try some valid and invalid cases of every operation; return how often each status came."""
    schema = schemathesis.openapi.from_url(f"{base}/openapi.json")
    answers: Counter[int] = Counter()
    operations = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    chosen = [o for o in operations if types is None or o.path.split("/")[1] in (*types, "", "_history", "metadata")]
    assert len(chosen) > 20
    for operation in chosen:
        cases = st.one_of(
            operation.as_strategy(),
            operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE),
        )

        @settings(
            max_examples=examples,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=cases)
        def one(case: Any) -> None:
            response = case.call(base_url=base)
            answers[response.status_code] += 1
            assert response.status_code < 500, (case.as_curl_command(), response.text)
            if response.status_code >= 400 and case.method != "HEAD" and response.content:
                assert response.json()["resourceType"] == "OperationOutcome", case.as_curl_command()

        one()
    return answers


@pytest.mark.slow
@pytest.mark.parametrize(("examples", "types"), [(2, DIARY), (25, None)], ids=["diary", "all"])
def test_no_generated_request_breaks_the_server(
    serve: Callable[..., Any], examples: int, types: tuple[str, ...] | None
) -> None:
    answers = fuzz(serve().base, examples, types)
    assert sum(answers.values()) > 50
    assert answers[200] + answers[201] > 5
    assert answers[422] + answers[400] > 5


NASTY = [
    "", " ", "\x00", "%00", "\ud7ff", "￿", "💉", "'; DROP TABLE fhir_resource; --", "a" * 5000, "..", "../..",
    "-1", "1e400", "NaN", "ge", "ge2025-02-30", "|", "||", "a|b|c", "\\", ",", ",,,", "$", "null", "[]", "{}",
    "9999-12-31T23:59:59Z", "0000", "Patient/", "Patient/..", "Patient?x=1", "_has:",
    "2025-01-01T00:00:00+99:99",
]  # fmt: skip


NAMES = [
    "status", "start", "schedule", "identifier", "_id", "_lastUpdated", "_sort", "_count", "_include",
    "_revinclude", "_total", "_summary", "_elements", "_page", "_has:Appointment:slot:status",
    "schedule.actor.name", "schedule:missing", "_tag", "_profile", "service-type:not", "specialty:text",
    "_source:below", "_since", "_format",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
async def test_nasty_values_in_a_search_cause_no_server_error(api: httpx.AsyncClient, name: str) -> None:
    for value in NASTY:
        for path in ("/Slot", "/Slot/_history", "/_history", "/Slot/kim-diary-000"):
            answer = await api.get(
                path, params={name: value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")}
            )
            assert answer.status_code < 500, (path, name, value, answer.text)


CURSORS = ["[]", "[1]", '["a"]', '["a","b"]', '[18446744073709551615,"a"]', '[1e400,"a"]', '[null,"a"]', '[true,"a"]',
           '[1,"\\u0000"]', '{"a":1}', '[[1],"a"]', '["x","a","b"]']  # fmt: skip
PAGED = (
    "/Slot?_sort=start",
    "/Patient?_sort=birthdate",
    "/Patient?_sort=-family",
    "/_history",
    "/Patient/patient-0/_history",
)


@pytest.mark.parametrize("cursor", CURSORS)
async def test_a_forged_page_link_is_refused(api: httpx.AsyncClient, cursor: str) -> None:
    page = base64.urlsafe_b64encode(cursor.encode()).decode()
    for path in PAGED:
        answer = await api.get(f"{path}{'&' if '?' in path else '?'}_page={page}")
        assert answer.status_code in (200, 400), answer.text


SLOT = (
    b'{"resourceType": "Slot", "schedule": {"reference": "Schedule/%s"}, "status": "free", "start": "%s", "end": "%s"}'
)
BODIES = [
    b"",
    b"null",
    b"1",
    b'"x"',
    b"{",
    b"\xff\xfe",
    b'{"resourceType": null}',
    b'{"resourceType": []}',
    b'{"resourceType": "Slot"}',
    b'{"resourceType": "Slot", "schedule": "x", "status": 1, "start": [], "end": {}}',
    b'{"a": ' * 200 + b"1" + b"}" * 200,
    b'{"resourceType": "Slot", "id": "\\ud800"}',
    b'{"resourceType": "Slot", "x": 1e999}',
    b'{"resourceType":"Slot","x":1' + b"0" * 400 + b"}",
    SLOT % (b"x", b"9999-12-31T23:59:59Z", b"0000-01-01T00:00:00Z"),
    SLOT % (b"\\u0000", b"2025-01-01T00:00:00Z", b"2025-01-01T00:00:00Z"),
    b'{"resourceType": "Bundle", "type": "transaction", "entry": [null]}',
    b'{"resourceType": "Bundle", "type": "transaction", "entry": {"a": 1}}',
    b'{"resourceType": "Bundle", "type": "batch", "entry": [[], 1, {"request": {}}]}',
    b'{"resourceType": "Bundle", "type": "batch", "entry": [{"request": {"method": "GET", "url": "//"}}]}',
    b'{"resourceType": "Parameters", "parameter": [{"name": "slot"}]}',
    b'{"resourceType": "Parameters", "parameter": [[]]}',
    b'[{"op": "add"}]',
    b'[{"op": "copy", "from": "", "path": "/a"}]',
    b'[{"op": "move", "from": "/meta", "path": "/meta/tag"}]',
    b'[{"op": "add", "path": "/start", "value": "never"}]',
    b'[{"op": "remove", "path": ""}]',
    b'[{"op": "add", "path": "/identifier/5", "value": 1}]',
]


async def test_the_earliest_and_latest_possible_times_are_accepted(api: httpx.AsyncClient) -> None:
    for start, end in ((b"0001-01-01T00:00:00+14:00", b"0001-01-01T00:00:00Z"), (b"9999-12-31T23:59:59-14:00",) * 2):
        body = SLOT % (b"kim-diary", start, end)
        made = await api.post("/Slot", content=body, headers={"Content-Type": "application/fhir+json"})
        assert made.status_code == 201, made.text
        found = await api.get("/Slot", params={"schedule": "kim-diary", "start": start.decode()})
        assert found.json()["total"] == 1


@pytest.mark.parametrize("body", BODIES)
async def test_nasty_bodies_cause_no_server_error_and_change_nothing(api: httpx.AsyncClient, body: bytes) -> None:
    before = (await api.get("/_history?_count=1000")).json()["entry"]
    for method, path in (
        ("POST", "/"), ("POST", "/Slot"), ("PUT", "/Slot/kim-diary-000"), ("PATCH", "/Slot/kim-diary-000"),
        ("POST", "/Slot/$hold"), ("POST", "/Appointment/$book"), ("POST", "/Slot/$validate"), ("POST", "/Slot/_search"),
    ):  # fmt: skip
        for kind in (
            "application/fhir+json",
            "application/json-patch+json",
            "application/x-www-form-urlencoded",
            "x/y",
        ):
            answer = await api.request(method, path, content=body, headers={"Content-Type": kind})
            assert answer.status_code < 500, (method, path, answer.text)
            if answer.status_code >= 400:
                assert answer.json()["resourceType"] == "OperationOutcome"
    assert (await api.get("/_history?_count=1000")).json()["entry"] == before
