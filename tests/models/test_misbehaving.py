"""Endpoints that misbehave: odd shapes, floods, bad compression, redirects, wrong bills. Each is a failed attempt."""

from __future__ import annotations

import asyncio
import json
import resource
import time
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from aiohttp import web

from polyclinic.errors import ModelError
from polyclinic.runner.api import run
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.results import load_results
from polyclinic.store.store import open_store
from polyclinic.testing.fault_server import FaultServer, SentBody
from polyclinic.testing.runs import MEMORY

from .conftest import Ask, Play

GOOD = {"choices": [{"index": 0, "message": {"content": "Good day."}, "finish_reason": "stop"}]}


pytestmark = pytest.mark.usefixtures("short_waits")


def once(server: FaultServer, answer: Callable[[], web.StreamResponse]) -> None:
    """Make the server give this answer first, and good answers after that."""

    async def respond(request: web.Request, body: SentBody) -> web.StreamResponse | None:
        return answer() if len(server.requests) == 1 else None

    server.respond = respond
    server.reply = lambda body: "Good day."


def choice(**message: Any) -> SentBody:
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


SHAPES: list[Any] = [
    "x",
    7,
    None,
    [],
    {"choices": ["x"]},
    {"choices": "x"},
    {"choices": {"0": {}}},
    {"choices": [None]},
    {"choices": [{"message": "x"}]},
    {"choices": [{"message": ["x"]}]},
    {"choices": [{"message": {"content": 7}}]},
    {"choices": [{"message": {"content": [{"type": "text", "text": 7}]}}]},
    {"choices": [{"message": {"content": "a"}, "finish_reason": 7}]},
    choice(tool_calls="x"),
    choice(tool_calls=["x"]),
    choice(tool_calls=[{"function": "x"}]),
    choice(tool_calls=[{"function": {"name": 7}}]),
    choice(tool_calls=[{"id": [], "function": {"name": "a", "arguments": "{}"}}]),
    choice(tool_calls=[{"id": "a", "function": {"name": "a", "arguments": 7}}]),
    choice(tool_calls=[{"id": "a", "function": {"name": "", "arguments": "{}"}}]),
    choice(tool_calls=[{"index": index, "function": {"name": "a"}} for index in range(200)]),
]


@pytest.mark.parametrize("shape", SHAPES, ids=json.dumps)
async def test_a_reply_of_an_odd_shape_is_a_failed_attempt_and_is_retried(
    server: FaultServer, ask: Ask, play: Play, shape: Any
) -> None:
    once(server, lambda: web.json_response(shape))
    assert (await play().answer(ask())).text == "Good day."
    assert len(server.requests) == 2


@pytest.mark.parametrize("shape", SHAPES, ids=json.dumps)
async def test_an_odd_event_in_a_stream_counts_as_a_failed_attempt(
    server: FaultServer, ask: Ask, play: Play, shape: Any
) -> None:
    line = f"data: {json.dumps(shape)}\n\n"
    once(server, lambda: web.Response(text=line, content_type="text/event-stream"))
    assert (await play().answer(ask())).text == "Good day."


async def test_a_number_as_the_id_of_a_tool_call_is_read_as_text(server: FaultServer, ask: Ask, play: Play) -> None:
    once(
        server, lambda: web.json_response(choice(tool_calls=[{"id": 7, "function": {"name": "a", "arguments": "{}"}}]))
    )
    assert (await play().answer(ask())).tool_calls[0].id == "7"


@pytest.mark.parametrize(
    "odd",
    [
        {"message": {"content": "Hi."}, "finish_reason": "f" * 5_000},
        {"message": {"refusal": "No. " * 50_000}, "finish_reason": "stop"},
        {"message": {"tool_calls": [{"id": "a" * 50_000, "function": {"name": "a"}}]}},
        {"message": {"tool_calls": [{"id": "a", "function": {"name": "a" * 100_000}}]}},
    ],
    ids=["finish reason", "refusal", "id", "name"],
)
async def test_no_part_of_a_reply_may_be_endless(server: FaultServer, ask: Ask, play: Play, odd: SentBody) -> None:
    once(server, lambda: web.json_response({"choices": [odd]}))
    assert (await play().answer(ask())).text == "Good day."


@pytest.mark.parametrize("date", ["Fri, 31 Dec 99999 23:59:59 GMT", "soon", "-5", "1e99", "nan", ""])
async def test_an_odd_retry_after_header_is_ignored(server: FaultServer, ask: Ask, play: Play, date: str) -> None:
    once(server, lambda: web.json_response({"error": {}}, status=429, headers={"Retry-After": date}))
    assert (await play().answer(ask())).text == "Good day."


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_never_followed(server: FaultServer, ask: Ask, play: Play, status: int) -> None:
    async with FaultServer() as other:
        place = other.url.replace("//", "//name:secret@")
        once(server, lambda: web.Response(status=status, headers={"Location": f"{place}/chat/completions?k=v"}))
        with pytest.raises(ModelError, match="redirects are never followed") as caught:
            await play().answer(ask())
        assert len(other.requests) == 0
        assert "k=v" not in str(caught.value) and "secret" not in str(caught.value)
    assert len(server.requests) == 1


async def test_a_run_that_must_stay_local_sends_nothing_to_where_its_endpoint_redirects() -> None:
    async with FaultServer() as near, FaultServer() as far, open_store(MEMORY) as store:

        async def respond(request: web.Request, body: SentBody) -> web.StreamResponse | None:
            return web.Response(status=307, headers={"Location": f"{far.url}/chat/completions"})

        near.respond = respond
        cast = f"nurse={near.url}:any,all=understudy"
        values = {"clinic": "demo", "variants": ("plain",), "scenarios": "2", "cast": cast, "local_only": True}
        outcome = await run(store, make_config(values))
        episodes = (await load_results(store, outcome.run)).episodes
    owners = {failure.owner for episode in episodes for failure in episode.failures}
    assert (outcome.done, outcome.failed, owners) == (0, 2, {"model"})
    assert len(near.requests) > 0 and len(far.requests) == 0


@cache
def packed(size: int) -> bytes:
    pack = zlib.compressobj(wbits=31)
    piece = b" " * (1024 * 1024)
    return b"".join([pack.compress(piece) for _ in range(size // len(piece))]) + pack.flush()


def peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
async def test_a_compressed_flood_is_not_decompressed(server: FaultServer, ask: Ask, play: Play, kind: str) -> None:
    flood = packed(512 * 1024 * 1024)
    assert len(flood) < 1024 * 1024
    headers = {"Content-Encoding": "gzip", "Content-Type": kind}
    once(server, lambda: web.Response(body=flood, headers=headers))
    before = peak_mib()
    assert (await play().answer(ask())).text == "Good day."
    assert peak_mib() - before < 150


async def test_a_compressed_answer_within_bounds_is_read(server: FaultServer, ask: Ask, play: Play) -> None:
    pack = zlib.compressobj(wbits=31)
    body = pack.compress(json.dumps(GOOD).encode()) + pack.flush()
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
    once(server, lambda: web.Response(body=body, headers=headers))
    assert (await play().answer(ask())).text == "Good day."
    assert len(server.requests) == 1
    assert server.headers[0]["Accept-Encoding"] == "identity"


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip"])
async def test_an_answer_with_unknown_or_broken_compression_counts_as_a_failed_attempt(
    server: FaultServer, ask: Ask, play: Play, coding: str
) -> None:
    headers = {"Content-Encoding": coding, "Content-Type": "application/json"}
    once(server, lambda: web.Response(body=b"\x00\x01broken", headers=headers))
    assert (await play().answer(ask())).text == "Good day."


def endless(piece: Callable[[int], bytes], kind: str) -> Callable[[web.Request, SentBody], Any]:
    async def respond(request: web.Request, body: SentBody) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": kind})
        await response.prepare(request)
        for number in range(100_000):
            await response.write(piece(number))
        return response

    return respond


def _event(number: int) -> bytes:
    words = " ".join(f"word{number}-{index}" for index in range(400))
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": words}}]}).encode() + b"\n\n"


@pytest.mark.parametrize(
    ("piece", "kind", "said"),
    [
        (_event, "text/event-stream", "longer than its limit"),
        (lambda number: b"x" * 65_536, "text/event-stream", "a line that never ends"),
        (lambda number: b": keep-alive\n" * 5_000, "text/event-stream", "larger than 4 MiB"),
        (lambda number: b" " * 65_536, "application/json", "larger than 4 MiB"),
    ],
    ids=["words", "line", "comments", "whole"],
)
async def test_reading_an_endless_answer_stops_at_the_limit(
    server: FaultServer, ask: Ask, play: Play, piece: Callable[[int], bytes], kind: str, said: str
) -> None:
    server.respond = endless(piece, kind)
    before = peak_mib()
    with pytest.raises(ModelError, match=said):
        await asyncio.wait_for(play("?tries=2").answer(ask()), 20)
    assert peak_mib() - before < 200


@pytest.mark.parametrize(
    "dense",
    [
        lambda: b'{"choices": [{"message": {"tool_calls": [' + b"{}," * 7_900_000 + b"{}]}}]}",
        lambda: b"[" + b"[]," * 7_900_000 + b"[]]",
    ],
    ids=["calls", "lists"],
)
async def test_an_answer_of_millions_of_parts_is_not_parsed(
    server: FaultServer, ask: Ask, play: Play, dense: Callable[[], bytes]
) -> None:
    """Within 24 MB there is room for eight million parts: gigabytes, and minutes of waiting."""
    body = dense()
    once(server, lambda: web.Response(body=body, content_type="application/json"))
    before, began = peak_mib(), time.monotonic()
    assert (await play().answer(ask())).text == "Good day."
    assert time.monotonic() - began < 3
    assert peak_mib() - before < 200


async def test_a_reply_of_forty_megabytes_is_never_accepted(server: FaultServer, ask: Ask, play: Play) -> None:
    words = " ".join(f"w{number}" for number in range(5_000_000))
    once(server, lambda: web.json_response(choice(content=words)))
    completion = await play().answer(ask())
    assert completion.text == "Good day."


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": -5, "completion_tokens": 3},
        {"prompt_tokens": 900, "completion_tokens": -3},
        {"prompt_tokens": True, "completion_tokens": True},
        {"prompt_tokens": "900", "completion_tokens": "3"},
        {"prompt_tokens": 900, "completion_tokens": 0},
        {"prompt_tokens": 0, "completion_tokens": 40},
        {"prompt_tokens": 10**15, "completion_tokens": 40},
        {"prompt_tokens": 900.5, "completion_tokens": 40},
        {},
    ],
    ids=json.dumps,
)
async def test_a_token_count_that_the_text_makes_impossible_is_not_believed(
    server: FaultServer, ask: Ask, play: Play, usage: SentBody
) -> None:
    said = "I have had a dull ache in my lower back since Monday. " * 3
    once(server, lambda: web.json_response({**choice(content=said), "usage": usage}))
    counted = (await play("?stream=false").answer(ask("word " * 400))).usage
    assert counted.estimated
    assert 400 <= counted.input_tokens <= 900
    assert 20 <= counted.output_tokens <= 80


async def test_a_token_count_that_fits_the_text_is_believed_but_negative_cached_tokens_are_not(
    server: FaultServer, ask: Ask, play: Play
) -> None:
    usage = {"prompt_tokens": 900, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": -800}}
    once(server, lambda: web.json_response({**choice(content="Good day."), "usage": usage}))
    counted = (await play("?stream=false").answer(ask("word " * 400))).usage
    assert (counted.input_tokens, counted.output_tokens, counted.estimated) == (900, 3, False)


async def test_an_unusable_answer_is_still_billed(server: FaultServer, ask: Ask, play: Play) -> None:
    wrong = {**choice(content=7), "usage": {"prompt_tokens": 900, "completion_tokens": 50}}
    once(server, lambda: web.json_response(wrong))
    counted = (await play("?stream=false").answer(ask("word " * 400))).usage
    assert counted.input_tokens > 900
    assert counted.output_tokens > 50


async def test_a_stream_that_stalls_is_billed_for_what_was_received(server: FaultServer, ask: Ask, play: Play) -> None:
    async def respond(request: web.Request, body: SentBody) -> web.StreamResponse | None:
        if len(server.requests) > 1:
            return None
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(_event(1))
        await asyncio.sleep(5)
        return response

    server.respond = respond
    server.reply = lambda body: "Good day."
    counted = (await play("?idle_s=0.3").answer(ask())).usage
    assert counted.output_tokens > 400


@pytest.mark.parametrize("status", [400, 429, 500, 200])
async def test_the_words_of_an_endpoint_cannot_steer_the_terminal(
    server: FaultServer, ask: Ask, play: Play, status: int
) -> None:
    words = {"error": {"message": "\x1b]0;owned\x07\x1b[2Jno\r\nmore\x9b1A"}}

    async def respond(request: web.Request, body: SentBody) -> web.StreamResponse:
        return web.json_response(words, status=status)

    server.respond = respond
    with pytest.raises(ModelError, match="no more") as caught:
        await play("?tries=1").answer(ask())
    assert str(caught.value).isprintable()


async def test_only_the_beginning_of_a_very_large_error_is_read(server: FaultServer, ask: Ask, play: Play) -> None:
    flood = packed(128 * 1024 * 1024)
    headers = {"Content-Encoding": "gzip", "Content-Type": "text/plain"}
    once(server, lambda: web.Response(status=503, body=flood, headers=headers))
    before = peak_mib()
    assert (await play().answer(ask())).text == "Good day."
    assert peak_mib() - before < 100
