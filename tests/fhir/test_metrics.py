from __future__ import annotations

import re

import httpx

SAMPLE = re.compile(r'[a-z_]+\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\} -?[0-9.e+-]+')


async def test_the_server_counts_its_requests_for_prometheus_without_personal_data(api: httpx.AsyncClient) -> None:
    for path in ("/Patient/patient-0", "/Patient/patient-0", "/Patient/nobody"):
        await api.get(path)
    answer = await api.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = answer.text.splitlines()
    assert 'http_requests_total{service="fhir",method="GET",status="200"} 2' in lines
    assert 'http_requests_total{service="fhir",method="GET",status="404"} 1' in lines
    assert 'http_request_duration_seconds_bucket{service="fhir",le="+Inf"} 3' in lines
    assert all(line.startswith("# ") or SAMPLE.fullmatch(line) for line in lines)
    assert "patient" not in answer.text
    assert (await api.get("/metrics", headers={"Host": "evil.example"})).status_code == 421
