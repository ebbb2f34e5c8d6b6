from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from polyclinic.web.app import create_web

from .conftest import SERVICE, Serve, started


async def test_the_service_gives_prometheus_metrics_only_with_its_token(serve: Serve) -> None:
    async with serve() as served:
        url, mine = await started(served.client)
        assert (await served.client.get(url, headers=mine)).status_code == 200
        assert (await served.client.get("/metrics")).status_code == 401
        assert (await served.client.get("/metrics", headers=mine)).status_code == 401
        answer = await served.client.get("/metrics", headers=SERVICE)
    assert answer.status_code == 200
    assert 'http_requests_total{service="counsel",method="POST",status="201"} 1' in answer.text
    assert 'http_requests_total{service="counsel",method="GET",status="200"} 1' in answer.text
    assert url.rpartition("/")[2] not in answer.text


@pytest.mark.parametrize("accounts", [False, True])
async def test_the_browsers_server_gives_prometheus_metrics_only_with_its_token(tmp_path: Path, accounts: bool) -> None:
    app = create_web(str(tmp_path / "s.db"), "start-up", accounts=accounts)
    token = {"Authorization": "Bearer start-up"}
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8040") as client,
    ):
        await client.get("/api/clinics")
        assert (await client.get("/metrics")).status_code == 401
        assert (await client.get("/metrics", headers={**token, "Host": "evil.example"})).status_code == 421
        answer = await client.get("/metrics", headers=token)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert 'http_requests_total{service="web",method="GET",status="401"} 1' in answer.text
