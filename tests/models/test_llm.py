"""The chat client over real HTTP on loopback: what it sends, what it reads, and which errors it reports."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import ClientResponse, web

from polyclinic.core.message import Image, Message
from polyclinic.core.model import Completion, Request
from polyclinic.core.reply import read_reply
from polyclinic.core.tool import ToolSpec
from polyclinic.errors import ConfigError, ModelError
from polyclinic.models import intake
from polyclinic.models.cast import build_cast
from polyclinic.models.spec import parse_cast
from polyclinic.testing.fault_server import FaultServer, SentBody

from .conftest import Ask, Judges, Play, Verdict

LOOKUP = ToolSpec(
    name="lookup",
    description="Look up a record.",
    parameters={"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
)


async def answer(server: FaultServer, request: Request, options: str = "", **more: Any) -> Completion:
    cast = build_cast(parse_cast(f"all={server.url}:any{options}"), ["staff"], {}, **more)
    try:
        return await cast.model("staff").answer(request)
    finally:
        await cast.close()


@pytest.mark.parametrize("options", ["", "?stream=false"])
async def test_a_structured_reply_fits_its_type(server: FaultServer, ask: Ask, options: str) -> None:
    completion = await answer(server, ask("Judge this.", Judges(case="x")), options)
    assert isinstance(read_reply(completion.text, Verdict), Verdict)
    assert completion.finish == "stop"
    assert completion.usage.output_tokens > 0
    assert not completion.usage.estimated
    form = server.requests[0]["response_format"]["json_schema"]
    assert form["strict"] is True
    assert form["schema"]["required"] == ["reason", "score", "sure"]
    assert form["schema"]["additionalProperties"] is False


async def test_streamed_and_whole_answers_are_read_the_same(server: FaultServer, ask: Ask) -> None:
    server.reply = lambda body: " ".join(f"환자분, {number}번 자리가 아프세요?" for number in range(50))
    streamed = await answer(server, ask())
    whole = await answer(server, ask(), "?stream=false")
    assert streamed == whole
    assert "stream" not in server.requests[1]


async def test_tool_calls_are_read_and_their_results_are_sent_back(ask: Ask) -> None:
    async with FaultServer(tool_rate=1.0) as server:
        first = await answer(server, ask("Who is it?", tools=(LOOKUP,)))
        assert first.finish == "tool_calls"
        assert [call.name for call in first.tool_calls] == ["lookup"]
        call = first.tool_calls[0]
        history = (
            Message(role="assistant", tool_calls=first.tool_calls),
            Message(role="tool", content='{"name": "Kim"}', tool_call_id=call.id),
        )
        second = await answer(server, ask("Who is it?", tools=(LOOKUP,), history=history))
        assert second.text
        assert not second.tool_calls
        sent = server.requests[1]["messages"]
        function = sent[1]["tool_calls"][0]["function"]
        assert (function["name"], json.loads(function["arguments"])) == ("lookup", call.arguments)
        assert sent[2] == {"role": "tool", "tool_call_id": call.id, "content": '{"name": "Kim"}'}
        assert server.requests[0]["tools"][0]["function"]["parameters"] == LOOKUP.parameters


async def test_pictures_are_sent_as_data_urls_with_their_captions(server: FaultServer, ask: Ask) -> None:
    picture = Image.from_bytes(b"\x89PNG", caption="Chest X-ray")
    await answer(server, ask("What do you see?", images=(picture,)))
    assert server.requests[0]["messages"][-1]["content"] == [
        {"type": "text", "text": "What do you see?"},
        {"type": "text", "text": "Chest X-ray"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}},
    ]


async def test_seeds_reach_the_provider_and_differ_between_samples(server: FaultServer, ask: Ask) -> None:
    for settings in ({"seed": 1}, {"seed": 1}, {"seed": 1, "sample": 1}, {"seed": 2}):
        await answer(server, ask(**settings))
    await answer(server, replace(ask(seed=1), occurrence=1))
    first, again, *others = (body["seed"] for body in server.requests)
    assert first == again
    assert len({first, *others}) == 4
    assert all(0 <= seed < 2**31 for seed in (first, *others))


async def test_the_cast_overrides_the_clinic_on_temperature_and_length(server: FaultServer, ask: Ask) -> None:
    await answer(server, ask(temperature=0.7, max_output_tokens=50))
    await answer(server, ask(temperature=0.7, max_output_tokens=50), "?temperature=0&max_tokens=9&effort=low")
    assert [body.get("temperature") for body in server.requests] == [0.7, 0.0]
    assert [body.get("max_tokens") for body in server.requests] == [50, 9]
    assert server.requests[1]["reasoning_effort"] == "low"


@pytest.mark.parametrize(
    ("refused", "words"),
    [
        ("response_format", "response_format.type 'json_schema' is not supported"),
        ("stream_options", "unknown field: stream_options"),
        ("temperature", "Unsupported value: 'temperature' does not support 0.5 with this model"),
        ("seed", "extra fields not permitted: seed"),
        ("reasoning_effort", "Unrecognized request argument supplied: reasoning_effort"),
        ("max_tokens", "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."),
        ("stream", "streaming is not available on this server"),
    ],
)
async def test_options_that_an_endpoint_refuses_are_left_out_and_remembered(
    server: FaultServer, ask: Ask, refused: str, words: str
) -> None:
    server.refuse = lambda body: words if refused in body else None
    cast = build_cast(parse_cast(f"all={server.url}:any?effort=low"), ["staff"], {})
    request = ask("Judge.", Judges(case="x"), temperature=0.5, max_output_tokens=99)
    for _ in range(2):
        await cast.model("staff").answer(request)
    await cast.close()
    taken = [body for body in server.requests if refused not in body]
    assert len(taken) == 2
    assert refused not in server.requests[-2]
    assert "max_completion_tokens" in taken[0] or refused != "max_tokens"


async def test_without_a_schema_mode_the_schema_is_described_in_words(server: FaultServer, ask: Ask) -> None:
    server.refuse = lambda body: "json_schema is not supported" if "response_format" in body else None
    server.reply = lambda body: '{"reason": "clear", "score": 3, "sure": true}'
    completion = await answer(server, ask("Judge.", Judges(case="x")))
    assert read_reply(completion.text, Verdict).score == 3
    assert len(server.requests) == 4  # strict schema, loose schema, any object, words alone
    asked = server.requests[-1]["messages"][-1]["content"]
    assert asked.startswith("Judge.")
    assert '{"reason": "<text>", "score": <whole number>' in asked


async def test_a_schema_that_is_refused_as_strict_is_sent_without_strict(server: FaultServer, ask: Ask) -> None:
    server.refuse = lambda body: "Invalid schema" if body["response_format"]["json_schema"]["strict"] else None
    completion = await answer(server, ask("Judge.", Judges(case="x")))
    assert isinstance(read_reply(completion.text, Verdict), Verdict)
    assert server.requests[1]["response_format"]["json_schema"]["schema"] == Verdict.model_json_schema()


async def test_an_endpoint_that_accepts_no_schema_with_tools_gets_it_without_tools(
    server: FaultServer, ask: Ask
) -> None:
    def refuse(body: dict[str, Any]) -> str | None:
        return "response_format cannot be used with tools" if {"tools", "response_format"} <= set(body) else None

    server.refuse = refuse
    server.reply = lambda body: '{"reason": "clear", "score": 3}'
    cast = build_cast(parse_cast(f"all={server.url}:any"), ["staff"], {})
    await cast.model("staff").answer(ask("Judge.", Judges(case="x"), tools=(LOOKUP,)))
    await cast.model("staff").answer(ask("Judge.", Judges(case="x")))
    await cast.close()
    assert "response_format" not in server.requests[-2]
    assert server.requests[-1]["response_format"]["json_schema"]["strict"] is True


async def test_openai_gets_its_own_name_for_the_length_option(
    server: FaultServer, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    cast = build_cast(parse_cast("all=openai:gpt-5-mini"), ["staff"], {})
    await cast.model("staff").answer(ask(max_output_tokens=50))
    await cast.close()
    assert server.requests[0]["max_completion_tokens"] == 50


async def test_a_refusal_in_words_counts_as_the_models_reply(server: FaultServer, ask: Ask) -> None:
    server.reply = lambda body: {"content": None, "refusal": "I cannot help with that."}
    completion = await answer(server, ask())
    assert (completion.text, completion.finish) == ("I cannot help with that.", "refusal")


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"content": "half of", "finish_reason": "content_filter"}, "content filter"),
    ],
)
async def test_replies_that_were_stopped_are_failures_and_are_not_retried(
    server: FaultServer, ask: Ask, message: dict[str, Any], said: str
) -> None:
    server.reply = lambda body: dict(message)
    with pytest.raises(ModelError, match=said):
        await answer(server, ask())
    assert len(server.requests) == 1


async def test_a_leading_block_of_thinking_is_removed(server: FaultServer, ask: Ask) -> None:
    server.reply = lambda body: "<think>\nhe is scared\n</think>\n\nPlease sit down."
    assert (await answer(server, ask())).text == "Please sit down."


async def test_a_reply_that_only_repeats_itself_is_stopped_while_it_streams(server: FaultServer, ask: Ask) -> None:
    server.reply = lambda body: "I will check. " + "The patient is stable and has no pain. " * 5000
    completion = await answer(server, ask())
    assert completion.finish == "run-on"
    assert len(completion.text) < 100_000
    assert completion.usage.estimated


@pytest.mark.parametrize("ends", [True, False], ids=["ends", "stays open"])
async def test_a_connection_is_used_again_if_its_stream_ends_soon_after_the_last_event(
    server: FaultServer, ask: Ask, play: Play, ends: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "_END_S", 20.0 if ends else 0.01)
    connections: list[object] = []

    async def respond(request: web.Request, body: SentBody) -> web.StreamResponse:
        if request.transport not in connections:
            connections.append(request.transport)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        event = {"choices": [{"index": 0, "delta": {"content": "Sit down."}, "finish_reason": "stop"}]}
        await response.write(f"data: {json.dumps(event)}\n\ndata: [DONE]\n\n".encode())
        if ends:
            while not waited:  # the end comes in a piece of its own
                await asyncio.sleep(0)
            waited.clear()
        else:
            await asyncio.Event().wait()
        return response

    waited: list[object] = []
    wait_for_end = intake._wait_for_end

    async def wait(response: ClientResponse) -> None:
        waited.append(response)
        await wait_for_end(response)

    monkeypatch.setattr(intake, "_wait_for_end", wait)
    server.respond = respond
    model = play()
    for _ in range(3):
        assert (await model.answer(ask())).text == "Sit down."
    assert len(connections) == (1 if ends else 3)


async def test_no_call_leaves_work_to_the_event_loop(server: FaultServer, ask: Ask, play: Play) -> None:
    hooks, left = sys.get_asyncgen_hooks(), list[object]()
    model = play()
    sys.set_asyncgen_hooks(finalizer=left.append)
    try:
        await model.answer(ask())
    finally:
        sys.set_asyncgen_hooks(*hooks)
    assert not left, "a generator that is not closed costs a task and two system calls"


async def test_a_retry_has_another_seed_and_a_higher_temperature_if_the_reply_repeated_itself(
    server: FaultServer, ask: Ask
) -> None:
    for settings in ({}, {"again": 1}, {"again": 1, "warmer": 0.3}, {"again": 2, "warmer": 0.9, "temperature": 0.6}):
        await answer(server, ask(**settings))
    await answer(server, ask(again=1, warmer=0.3), "?temperature=0")
    assert [body.get("temperature") for body in server.requests] == [None, None, 1.0, 1.2, 0.3]
    seeds = [body["seed"] for body in server.requests]
    assert len(set(seeds[:2])) == 2
    assert seeds[2] != seeds[3]


async def test_a_missing_server_is_named_with_the_fix(ask: Ask) -> None:
    cast = build_cast(parse_cast("all=http://127.0.0.1:9/v1:any?tries=1"), ["staff"], {})
    with pytest.raises(ModelError, match=r"127\.0\.0\.1:9.*check that it is running"):
        await cast.model("staff").answer(ask())
    await cast.close()


async def test_a_web_page_instead_of_an_answer_is_reported_in_one_line_without_markup(
    server: FaultServer, ask: Ask
) -> None:
    page = (
        "<!DOCTYPE html>\n<html>\n<head><title>t</title><style>p {color: red}</style></head>\n<body><h1>Not\nhere</h1>"
    )

    async def respond(request: web.Request, body: dict[str, object]) -> web.Response:
        return web.Response(status=501, text=page, content_type="text/html")

    server.respond = respond
    with pytest.raises(ModelError) as told:
        await answer(server, ask(), "?tries=1")
    assert "the endpoint answered 501: Not here" in str(told.value)
    assert "<" not in str(told.value) and "\n" not in str(told.value) and "color" not in str(told.value)


async def test_a_prompt_that_is_too_long_is_refused_once(server: FaultServer, ask: Ask) -> None:
    server.refuse = lambda body: "request (9000 tokens) exceeds the available context size (8192 tokens)"
    with pytest.raises(ModelError, match="exceeds the available context"):
        await answer(server, ask("Judge.", Judges(case="x")))
    assert len(server.requests) == 1


async def test_a_refusal_that_no_retry_can_fix_ends_at_once(server: FaultServer, ask: Ask) -> None:
    server.refuse = lambda body: f"{'max_tokens' if 'max_tokens' in body else 'max_completion_tokens'} is too large"
    with pytest.raises(ModelError, match="too large"):
        await answer(server, ask(max_output_tokens=10**6))
    assert len(server.requests) == 2


async def test_an_upstream_error_does_not_turn_streaming_off(server: FaultServer, ask: Ask) -> None:
    server.refuse = lambda body: "upstream rejected the request"
    with pytest.raises(ModelError, match="upstream rejected"):
        await answer(server, ask())
    assert len(server.requests) == 1


async def test_content_in_parts_is_put_together(server: FaultServer, ask: Ask) -> None:
    server.reply = lambda body: {"content": [{"type": "text", "text": "Good "}, {"type": "text", "text": "day."}]}
    assert (await answer(server, ask(), "?stream=false")).text == "Good day."


@pytest.mark.parametrize(
    ("status", "said"), [(401, "check the key in MY_KEY"), (404, "usually ends in /v1"), (402, "no credit left")]
)
async def test_a_refused_key_or_model_is_reported_with_the_fix_and_never_with_the_key(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, status: int, said: str
) -> None:
    key = "very-secret-value"
    monkeypatch.setenv("MY_KEY", key)
    seen: list[str] = []

    async def refuse(request: web.Request) -> web.Response:
        seen.append(request.headers["Authorization"])
        return web.json_response({"error": {"message": f"bad key {key} or sk-abcdefghijkl"}}, status=status)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", refuse)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    cast = build_cast(parse_cast(f"all={url}:any?key_env=MY_KEY"), ["staff"], {})
    with pytest.raises(ModelError, match=said) as caught:
        await cast.model("staff").answer(ask())
    await cast.close()
    await runner.cleanup()
    assert seen == [f"Bearer {key}"]
    assert key not in str(caught.value)
    assert "sk-abcdefghijkl" not in str(caught.value)


async def test_a_missing_key_is_a_user_error_before_anything_is_sent(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    cast = build_cast(parse_cast("all=openai:gpt-5-mini"), ["staff"], {})
    with pytest.raises(ConfigError, match="needs a key: set OPENAI_API_KEY"):
        await cast.model("staff").answer(ask())
    await cast.close()


async def test_roles_on_one_endpoint_share_its_slots(ask: Ask) -> None:
    import asyncio

    async with FaultServer(latency_s=0.02) as server:
        text = f"staff={server.url}:a?concurrency=3,judge={server.url}:b?concurrency=3"
        cast = build_cast(parse_cast(text), ["staff", "judge"], {})
        calls = [cast.model(role).answer(ask(f"{role} {n}")) for n in range(10) for role in ("staff", "judge")]
        await asyncio.gather(*calls)
        await cast.close()
        assert server.most_busy == 3
