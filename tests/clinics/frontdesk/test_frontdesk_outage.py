"""A FHIR server that stops answering stops the run; resuming it later gives the same result as without the outage."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from polyclinic.core.records import RecordsUnreachable
from polyclinic.fhir.client import FhirClient
from polyclinic.fhir.server.app import fhir_app
from polyclinic.fhir.store import FhirStore
from polyclinic.runner.api import outcome_of, resume_run, start_run
from polyclinic.runner.plan.config import make_config
from polyclinic.store.opening import open_database
from polyclinic.store.store import Store, open_store

VALUES = {"clinic": "frontdesk", "scenarios": "primary:1:30", "variants": ["tool"]}


class Flaky(httpx.AsyncBaseTransport):
    """A server that answers a number of requests and then none."""

    def __init__(self, inner: httpx.AsyncBaseTransport, answers: int) -> None:
        self.inner, self.answers = inner, answers

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.answers -= 1
        if self.answers < 0:
            raise httpx.ConnectError("All connection attempts failed")
        return await self.inner.handle_async_request(request)


async def _ends(store: Store, run: str) -> list[tuple[str, str, str]]:
    rows = await store.runs.episodes(run)
    return [(row.spec.id, row.status, row.outcome) for row in rows]


async def test_an_outage_stops_the_run_and_resuming_gives_the_same_result_as_no_outage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'server.db'}")
    app = fhir_app(await FhirStore.open(database), ["test"])
    flaky = Flaky(httpx.ASGITransport(app=app), 60)

    @asynccontextmanager
    async def client(url: str, **_: object) -> AsyncIterator[FhirClient]:
        async with httpx.AsyncClient(transport=flaky) as http:
            yield FhirClient(http, url)

    monkeypatch.setattr("polyclinic.fhir.client.open_client", client)
    async with open_store(f"sqlite:///{tmp_path / 'a.db'}") as store:
        run = await start_run(store, make_config({**VALUES, "fhir": "http://test"}))
        with pytest.raises(RecordsUnreachable, match="does not answer"):
            await resume_run(store, run)
        outcome = await outcome_of(store, run)
        assert (outcome.failed, outcome.done > 1, outcome.left > 0) == (0, True, True)
        flaky.answers = 100_000
        assert (await resume_run(store, run)).exit_code == 0
        found = await _ends(store, run)
    await database.close()
    async with open_store("sqlite://:memory:") as store:
        run = await start_run(store, make_config(VALUES))
        await resume_run(store, run)
        assert found == await _ends(store, run)
