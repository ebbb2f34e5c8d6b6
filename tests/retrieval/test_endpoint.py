"""The embeddings endpoint, over real HTTP on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import numpy as np
import pytest
import pytest_asyncio
from aiohttp import web

from polyclinic.errors import ModelError
from polyclinic.retrieval.embedders import HashingEmbedder
from polyclinic.retrieval.endpoint import EndpointEmbedder


class Server:
    """A server that returns hashing vectors in reverse order and records its requests."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.status = 200
        self.port = 0

    async def embeddings(self, request: web.Request) -> web.Response:
        if self.status == 307:
            return web.Response(status=307, headers={"Location": "/v1/elsewhere"})
        if self.status != 200:
            return web.json_response({"error": {"message": "no such model"}}, status=self.status)
        texts = (await request.json())["input"]
        self.asked.append(texts)
        rows = HashingEmbedder(8).compute(texts) * 3.0
        data = [{"index": index, "embedding": row.tolist()} for index, row in enumerate(rows)]
        return web.json_response({"data": data[::-1]})

    async def elsewhere(self, request: web.Request) -> web.Response:
        self.asked.append((await request.json())["input"])
        return web.json_response({"data": []})


@pytest_asyncio.fixture
async def server() -> AsyncIterator[Server]:
    fake = Server()
    app = web.Application()
    app.router.add_post("/v1/embeddings", fake.embeddings)
    app.router.add_post("/v1/elsewhere", fake.elsewhere)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    fake.port = runner.addresses[0][1]
    yield fake
    await runner.cleanup()


async def test_texts_are_fetched_in_batches_and_only_once(server: Server) -> None:
    remote = EndpointEmbedder(f"http://127.0.0.1:{server.port}/v1", "tiny")
    texts = [f"question {number}" for number in range(300)]
    remote.__dict__["dimensions"] = 8
    await asyncio.to_thread(remote.embed, [*texts, texts[0], "dimensions"])
    assert [len(batch) for batch in server.asked] == [128, 128, 45]
    np.testing.assert_allclose(remote.embed(texts), HashingEmbedder(8).embed(texts), atol=1e-6)
    assert len(server.asked) == 3


async def test_texts_that_were_not_fetched_before_are_fetched_when_needed(server: Server) -> None:
    remote = EndpointEmbedder(f"http://127.0.0.1:{server.port}/v1", "tiny")
    found = await asyncio.to_thread(remote.embed, ["one", "two", "one"])
    np.testing.assert_allclose(found, HashingEmbedder(8).embed(["one", "two", "one"]), atol=1e-6)
    assert server.asked[0] == ["one", "two"]
    assert remote.name == f"http://127.0.0.1:{server.port}/v1:tiny"


async def test_a_refusal_names_the_endpoint_and_what_it_said(server: Server) -> None:
    server.status = 404
    remote = EndpointEmbedder(f"http://127.0.0.1:{server.port}/v1", "tiny", key="sk-secret")
    with pytest.raises(ModelError, match=r"answered 404.*no such model") as caught:
        await asyncio.to_thread(remote.embed, ["a"])
    assert "sk-secret" not in str(caught.value)


async def test_a_redirect_sends_no_text_to_another_host(server: Server) -> None:
    server.status = 307
    remote = EndpointEmbedder(f"http://127.0.0.1:{server.port}/v1", "tiny")
    with pytest.raises(ModelError, match="answered 307"):
        await asyncio.to_thread(remote.embed, ["a private sentence"])
    assert server.asked == []
