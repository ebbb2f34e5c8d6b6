"""The embeddings endpoint, over real HTTP on loopback."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable

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
        self.says: Callable[[], web.Response] | None = None

    async def embeddings(self, request: web.Request) -> web.Response:
        if self.status == 307:
            return web.Response(status=307, headers={"Location": "/v1/elsewhere"})
        if self.status != 200:
            return web.json_response({"error": {"message": "no such model"}}, status=self.status)
        texts = (await request.json())["input"]
        self.asked.append(texts)
        if self.says is not None:
            return self.says()
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


def vectors(*rows: object) -> web.Response:
    return web.json_response({"data": [{"index": index, "embedding": row} for index, row in enumerate(rows)]})


def flood() -> web.Response:
    pack = zlib.compressobj(wbits=31)
    body = b"".join(pack.compress(b" " * 1024 * 1024) for _ in range(256)) + pack.flush()
    return web.Response(body=body, headers={"Content-Encoding": "gzip", "Content-Type": "application/json"})


@pytest.mark.parametrize(
    "says",
    [
        lambda: vectors([1.0, 2.0], [1.0]),
        lambda: vectors([1.0, float("nan")], [1.0, 2.0]),
        lambda: vectors([1e300, 1.0], [1.0, 2.0]),
        lambda: vectors(["x"], ["y"]),
        lambda: vectors(["nan"], ["1"]),
        lambda: web.json_response(["x"]),
        lambda: web.Response(text="[" * 5_000 + "]" * 5_000),
        flood,
    ],
    ids=["ragged", "nan", "infinite", "words", "nan in words", "list", "deep", "flood"],
)
async def test_an_odd_answer_is_a_models_failure_and_never_one_of_ours(
    server: Server, says: Callable[[], web.Response]
) -> None:
    server.says = says
    remote = EndpointEmbedder(f"http://127.0.0.1:{server.port}/v1", "tiny")
    with pytest.raises(ModelError):
        await asyncio.to_thread(remote.compute, ["one", "two"])
