"""Some servers do not say why a reply ended, or say `stop` when it was cut off. Then the text and its length decide."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web

from polyclinic.core.agent import read_completion
from polyclinic.core.model import Completion, Request
from polyclinic.core.reply import Unreadable
from polyclinic.core.tool import ToolSpec
from polyclinic.models.said import is_unfinished, said_call, spoken
from polyclinic.testing.fault_server import FaultServer, SentBody

from .conftest import Ask, Judges, Play
from .test_real_replies import FILE, LATER, rows

pytestmark = pytest.mark.usefixtures("short_waits")

LIMIT = 40
WHOLE, HALF = "It began three days ago, after a long walk.", "It began three days ago, after a long"
GOOD, BROKEN = '{"reason": "clear", "score": 3, "sure": true}', '{"reason": "clear", "sco'
BOTH_WAYS = pytest.mark.parametrize("options", ["", "&stream=false"], ids=["streamed", "whole"])
REQUEST = Request("staff", Judges(case="x"), ())
LOOKUP = ToolSpec(name="lookup", description="Look up.", parameters={"type": "object", "properties": {}})


def ends(server: FaultServer, message: SentBody, reason: str | None, tokens: int) -> None:
    """Let the server answer with this message, reason and number of tokens."""

    async def respond(request: web.Request, body: SentBody) -> web.StreamResponse:
        choice: dict[str, Any] = {"index": 0, "finish_reason": reason}
        usage = {"prompt_tokens": 20, "completion_tokens": tokens}
        if not body.get("stream"):
            return web.json_response({"choices": [{**choice, "message": message}], "usage": usage})
        event = {"choices": [{**choice, "delta": message}], "usage": usage}
        lines = f"data: {json.dumps(event)}\n\ndata: [DONE]\n\n"
        return web.Response(text=lines, content_type="text/event-stream")

    server.respond = respond


@BOTH_WAYS
@pytest.mark.parametrize(
    ("text", "reason", "tokens", "cut"),
    [
        (HALF, None, 12, True),
        (WHOLE, None, 12, False),
        (WHOLE, None, LIMIT, True),
        ("Cardiology", None, 2, False),
        (HALF, "stop", LIMIT, True),
        (WHOLE, "stop", LIMIT, False),
        (HALF, "stop", 12, False),
        (HALF, "eos_token", LIMIT, True),
    ],
)
async def test_a_reply_without_a_sure_ending_is_cut_if_its_text_or_its_length_shows_it(
    server: FaultServer, ask: Ask, play: Play, text: str, reason: str | None, tokens: int, cut: bool, options: str
) -> None:
    ends(server, {"content": text}, reason, tokens)
    request = ask()
    completion = await play(f"?max_tokens={LIMIT}{options}").answer(request)
    assert len(server.requests) == 1, "the agent asks again, not the client"
    assert is_cut(request.prompt, completion) is cut


@BOTH_WAYS
@pytest.mark.parametrize(
    ("text", "reason", "tokens", "cut"),
    [(BROKEN, None, 12, True), (BROKEN, "stop", LIMIT, True), (GOOD, None, 12, False), (GOOD, "stop", LIMIT, False)],
)
async def test_half_a_form_is_cut_and_does_not_mean_that_the_schema_is_ignored(
    server: FaultServer, ask: Ask, play: Play, text: str, reason: str | None, tokens: int, cut: bool, options: str
) -> None:
    ends(server, {"content": text}, reason, tokens)
    model, request = play(f"?max_tokens={LIMIT}{options}"), ask("Judge.", Judges(case="x"))
    for _ in range(2):
        assert is_cut(request.prompt, await model.answer(request)) is cut
    assert ["response_format" in body for body in server.requests] == [True, True]


@BOTH_WAYS
@pytest.mark.parametrize(
    ("arguments", "reason", "tokens", "finish"),
    [
        ('{"id": "7', None, 12, "cut tool call"),
        ('{"id": "7', "stop", LIMIT, "cut tool call"),
        ('{"id": "7"}', None, LIMIT, "cut tool call"),
        ('{"id": "7"}', "stop", LIMIT, "stop"),
        ('{"id": "7"}', None, 12, "stop"),
    ],
)
async def test_half_a_tool_call_is_never_used(
    server: FaultServer,
    ask: Ask,
    play: Play,
    arguments: str,
    reason: str | None,
    tokens: int,
    finish: str,
    options: str,
) -> None:
    called = {"index": 0, "id": "c1", "function": {"name": "lookup", "arguments": arguments}}
    ends(server, {"tool_calls": [called]}, reason, tokens)
    completion = await play(f"?max_tokens={LIMIT}{options}").answer(ask(tools=(LOOKUP,)))
    assert completion.finish == finish
    assert bool(completion.tool_calls) is (finish == "stop")


def is_cut(prompt: Any, completion: Completion) -> bool:
    """Whether the agent would ask again because the reply was cut off."""
    try:
        read_completion(prompt, completion)
    except Unreadable as error:
        return error.kind == "cut"
    return False


@pytest.mark.parametrize(
    ("text", "unfinished"),
    [
        ("", False),
        ("Yes", False),
        ("Well,", True),
        ("- fever\n- cough\n- night sweats", False),
        ("The pain is worst at night (around", True),
        ('I would call it "the worst headache of my life"', False),
        ("**I have had a headache since Monday.**", False),
        ("I have had a headache since Monday 🙂", False),
        ("머리가 아파서 어제부터 계속 누워 있었어요", False),
        ("머리가 아파서 어제부터 계속 누워 있었는데 그", True),
        ('```json\n{"score": 3}\n```', False),
        ('{"words": "he said \\"no\\" {"}', False),
        ('{"list": ["a", "b"', True),
    ],
)
def test_only_a_text_that_clearly_breaks_off_is_unfinished(text: str, unfinished: bool) -> None:
    assert is_unfinished(text) is unfinished


BLANK = "".join(" \t\n\u3000"[number % 7 % 4] for number in range(30_000))


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        (f"<a {BLANK}b", spoken),
        (f"<tool_call>a{BLANK}b", lambda text: said_call(Completion(text=text, finish="stop"), REQUEST)),
        ("{" + '\\"a' * 10_000, is_unfinished),
    ],
    ids=["reasoning", "call", "form"],
)
def test_a_long_odd_reply_is_read_in_no_time(text: str, reads: Callable[[str], object]) -> None:
    """Patterns that tried the same characters again took ten to thirty seconds for it, and nothing else ran."""
    began = time.monotonic()
    reads(text)
    assert time.monotonic() - began < 1


def test_marks_and_quotes_at_the_end_of_a_reply_are_read_as_before() -> None:
    assert spoken("Good day. <|end|>\n<|return|> ") == "Good day."
    assert spoken("Good day. <end> ") == "Good day. <end> "
    assert is_unfinished('{"a": "b]", "c') and not is_unfinished('{"a": "b["}')


def test_real_replies_are_told_apart_by_their_text_alone() -> None:
    cut = [is_unfinished(row["reply"]) for file in (FILE, LATER) for row in rows("length", file)]
    ended = [is_unfinished(row["reply"]) for file in (FILE, LATER) for row in rows("stop", file)]
    assert sum(cut) >= 0.98 * len(cut) > 80
    assert sum(ended) <= 0.01 * len(ended)
