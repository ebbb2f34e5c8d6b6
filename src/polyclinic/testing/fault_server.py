"""An OpenAI-compatible chat server for tests and benchmarks: deterministic replies, injectable faults, fixed latency.

In a test::

    async with FaultServer(faults=0.2, seed=7) as server:
        cast = f"all={server.url}:any"

As a process of its own (it prints its address)::

    python -m polyclinic.testing.fault_server --faults 0.2 --latency-s 0.05

Whether a request gets a fault, and which answer it gets, depends on the seed, the request's bytes and how often the
same bytes came before. It never depends on time or order. Structured requests are answered from their JSON schema, so
any clinic runs on it.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import random
import sys
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal, get_args

import orjson
from aiohttp import web

from polyclinic.core.seed import stream
from polyclinic.testing.plausible import Mood, example_of, reply_text

ServerFault = Literal["rate_limit", "server_error", "reset", "truncated", "wrong_schema", "empty", "drip", "stall"]
FAULTS: tuple[ServerFault, ...] = get_args(ServerFault)
MOODS: tuple[Mood, ...] = get_args(Mood)
SentBody = dict[str, Any]
_WHOLE = ("tool_calls", "refusal", "reasoning_content", "reasoning")


class FaultServer:
    """A server on a free loopback port, which runs inside an ``async with``.

    `script` gives the faults of the first requests, in the order in which they arrive (None: no fault). `reply` returns
    the answer instead: its text, or a whole message (with ``finish_reason`` if needed). `refuse` returns the text of a
    400 (or a status and a text) for requests that the server should refuse. `respond` may return any other
    response, or None. `moods` are used alternately. `requests` keeps the latest bodies, `counts` how often each fault
    occurred and how many answers were given.
    """

    def __init__(
        self,
        *,
        faults: float = 0.0,
        kinds: Sequence[ServerFault] = FAULTS,
        seed: int = 0,
        latency_s: float = 0.0,
        moods: Sequence[Mood] = ("plausible",),
        script: Sequence[ServerFault | None] = (),
        reply: Callable[[SentBody], str | SentBody] | None = None,
        refuse: Callable[[SentBody], str | tuple[int, str] | None] | None = None,
        respond: Callable[[web.Request, SentBody], Awaitable[web.StreamResponse | None]] | None = None,
        tool_rate: float = 0.0,
        retry_after_s: float = 0.05,
        stall_s: float = 60.0,
        drip_s: float = 0.05,
        port: int = 0,
    ) -> None:
        self.faults, self.kinds, self.seed = faults, tuple(kinds), seed
        self.latency_s, self.moods, self.tool_rate = latency_s, tuple(moods), tool_rate
        self.reply, self.refuse, self.respond, self._script = reply, refuse, respond, deque(script)
        self.retry_after_s, self.stall_s, self.drip_s = retry_after_s, stall_s, drip_s
        self.requests: deque[SentBody] = deque(maxlen=1000)
        self.headers: deque[dict[str, str]] = deque(maxlen=1000)
        self.counts: Counter[str] = Counter()
        self.busy = self.most_busy = 0
        self._seen: Counter[bytes] = Counter()
        self._port = port
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """The base URL, as it is written in a cast string."""
        return f"http://127.0.0.1:{self._port}/v1"

    async def __aenter__(self) -> FaultServer:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/chat/completions", self._serve)
        app.router.add_get("/v1/models", self._models)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port, backlog=4096).start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _models(self, _: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "any", "object": "model"}]})

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body: SentBody = orjson.loads(raw)
        self.requests.append(body)
        self.headers.append(dict(request.headers))
        digest = hashlib.sha256(raw).digest()
        times = self._seen[digest]
        self._seen[digest] += 1
        chance = stream("fault-server", self.seed, digest.hex(), times)
        fault = chance.choice(self.kinds) if self.kinds and chance.random() < self.faults else None
        if self._script:
            fault = self._script.popleft()
        self.counts[fault or "answered"] += 1
        self.busy += 1
        self.most_busy = max(self.most_busy, self.busy)
        try:
            if self.latency_s:
                await asyncio.sleep(self.latency_s)
            return await self._answer(request, body, fault, chance)
        except ConnectionError:
            return web.Response()
        finally:
            self.busy -= 1

    async def _answer(
        self, request: web.Request, body: SentBody, fault: ServerFault | None, chance: random.Random
    ) -> web.StreamResponse:
        refused = self.refuse(body) if self.refuse is not None else None
        if refused is not None:
            status, words = (400, refused) if isinstance(refused, str) else refused
            return web.json_response({"error": {"message": words}}, status=status)
        answered = await self.respond(request, body) if self.respond is not None else None
        if answered is not None:
            return answered
        if fault == "rate_limit":
            headers = {"Retry-After": f"{self.retry_after_s:g}"}
            return web.json_response({"error": {"message": "too many requests"}}, status=429, headers=headers)
        if fault == "server_error":
            return web.json_response({"error": {"message": "internal error"}}, status=500)
        if fault == "stall":
            await asyncio.sleep(self.stall_s)
        if fault == "reset" and request.transport is not None:
            request.transport.abort()
            return web.Response()
        message = self._message(body, fault, chance)
        if not body.get("stream"):
            return await self._whole(request, body, message, fault)
        return await self._streamed(request, body, message, fault)

    def _message(self, body: SentBody, fault: ServerFault | None, chance: random.Random) -> SentBody:
        if fault == "empty":
            return {"role": "assistant", "content": ""}
        if self.reply is not None and fault != "wrong_schema":
            said = self.reply(body)
            return {"role": "assistant", "content": said} if isinstance(said, str) else {"role": "assistant", **said}
        mood: Mood = "wrong" if fault == "wrong_schema" else chance.choice(self.moods)
        tools = body.get("tools") or []
        used = any(message["role"] == "tool" for message in body["messages"])
        if tools and not used and mood == "plausible" and chance.random() < self.tool_rate:
            function = chance.choice(tools)["function"]
            arguments = example_of(function["parameters"], function["parameters"], chance)
            wanted = {"name": function["name"], "arguments": orjson.dumps(arguments).decode()}
            call = {"index": 0, "id": f"call_{chance.getrandbits(32):08x}", "type": "function", "function": wanted}
            return {"role": "assistant", "content": None, "tool_calls": [call]}
        schema = body.get("response_format", {}).get("json_schema", {}).get("schema")
        return {"role": "assistant", "content": reply_text(schema, mood, chance)}

    async def _whole(
        self, request: web.Request, body: SentBody, message: SentBody, fault: ServerFault | None
    ) -> web.StreamResponse:
        finish = _finish(message)
        choice = {"index": 0, "message": message, "finish_reason": finish}
        payload = orjson.dumps({"choices": [choice], "usage": _usage(body, message), "model": body.get("model")})
        if fault == "truncated":
            return web.Response(body=payload[: len(payload) // 2], content_type="application/json")
        if fault != "drip":
            return web.Response(body=payload, content_type="application/json")
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        await self._drip(response, b" ")
        return response

    async def _streamed(
        self, request: web.Request, body: SentBody, message: SentBody, fault: ServerFault | None
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        text = message.get("content") or ""
        size = max(1, -(-len(text) // 4))
        deltas: list[SentBody] = [{"content": text[at : at + size]} for at in range(0, len(text), size)]
        deltas += [{key: message[key]} for key in _WHOLE if message.get(key)]
        if fault == "drip":
            await self._drip(response, _event({"delta": {"content": " "}}))
        if fault == "truncated":
            deltas = deltas[: len(deltas) // 2]
        events = b"".join(_event({"delta": delta}) for delta in deltas)
        if fault == "truncated":
            await response.write(events or b": cut\n\n")
            if request.transport is not None:
                request.transport.close()
            return response
        ending = _event({"delta": {}, "finish_reason": _finish(message)})
        if (body.get("stream_options") or {}).get("include_usage"):
            ending += b"data: " + orjson.dumps({"choices": [], "usage": _usage(body, message)}) + b"\n\n"
        await response.write(events + ending + b"data: [DONE]\n\n")
        return response

    async def _drip(self, response: web.StreamResponse, drop: bytes) -> None:
        """Send a little data forever; ends with a `ConnectionError` when the client closes the connection."""
        while True:
            await response.write(drop)
            await asyncio.sleep(self.drip_s)


@asynccontextmanager
async def talking_nonsense(seed: int = 0) -> AsyncIterator[str]:
    """A model for a cast string whose replies are sensible, nearly right or nonsense, and sometimes call a tool."""
    async with FaultServer(moods=("plausible", "plausible", "wrong", "nonsense"), tool_rate=0.5, seed=seed) as server:
        yield f"{server.url}:any?timeout_s=30"


def _event(choice: SentBody) -> bytes:
    return b"data: " + orjson.dumps({"choices": [{"index": 0, **choice}]}) + b"\n\n"


def _finish(message: SentBody) -> str:
    return str(message.pop("finish_reason", "tool_calls" if message.get("tool_calls") else "stop"))


def _usage(body: SentBody, message: SentBody) -> SentBody:
    read = sum(len(str(part.get("content") or "")) for part in body["messages"]) // 4
    written = len(str(message.get("content") or "")) // 4 + 1
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


async def _run(server: FaultServer) -> None:
    async with server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--faults", type=float, default=0.0)
    parser.add_argument("--kinds", nargs="*", choices=FAULTS, default=FAULTS)
    parser.add_argument("--moods", nargs="*", choices=MOODS, default=["plausible"])
    parser.add_argument("--tool-rate", type=float, default=0.0)
    parser.add_argument("--latency-s", type=float, default=0.0)
    parser.add_argument("--stall-s", type=float, default=60.0)
    parser.add_argument("--retry-after-s", type=float, default=0.05)
    asyncio.run(_run(FaultServer(**vars(parser.parse_args()))))


if __name__ == "__main__":
    main()
