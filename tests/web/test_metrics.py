from __future__ import annotations

from .conftest import SERVICE, Serve, started


async def test_the_service_counts_for_prometheus_only_for_those_who_have_its_token(serve: Serve) -> None:
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
