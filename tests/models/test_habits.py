"""Model servers differ. For each difference, a test with a stub server checks what we send, read and remember."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from typing import Any

import pytest
from aiohttp import web

from polyclinic.core.agent import read_completion
from polyclinic.core.message import Image, Message, ToolCall, assistant, user
from polyclinic.core.reply import ASIDE, Unreadable, read_reply
from polyclinic.core.tool import ToolSpec
from polyclinic.errors import ConfigError, ModelError
from polyclinic.eval.prompts.judging import JudgesPair
from polyclinic.models.habits import CallTally
from polyclinic.models.said import spoken
from polyclinic.models.spec import parse_model
from polyclinic.models.wire import body_of
from polyclinic.testing.fault_server import FaultServer, SentBody

from .conftest import Ask, Judges, Play, Verdict, decision

PAIR = JudgesPair(judge="judge", question="Which is kinder?", context="", first="a", second="b")
GOOD = '{"reason": "clear", "score": 3, "sure": true}'
LOOKUP = ToolSpec(
    name="lookup",
    description="Look up a record.",
    parameters={"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
)


pytestmark = pytest.mark.usefixtures("short_waits")


def words_of(body: SentBody) -> str:
    return "\n".join(str(message["content"]) for message in body["messages"])


# The format of replies


async def test_a_schema_that_is_ignored_is_described_in_words_from_then_on(
    server: FaultServer, ask: Ask, play: Play
) -> None:
    server.reply = lambda body: GOOD if '"score"' in words_of(body) else "I would give it a 3."
    model = play()
    first = await model.answer(ask("Judge.", Judges(case="x")))
    second = await model.answer(ask("Judge again.", Judges(case="x")))
    assert [read_reply(completion.text, Verdict).score for completion in (first, second)] == [3, 3]
    assert first.adapted == ("form told in words",)
    assert ["response_format" in body for body in server.requests] == [True, False, False]
    assert first.usage.output_tokens > second.usage.output_tokens  # the unusable reply is billed too


async def test_a_schema_is_described_in_words_when_other_fields_show_that_it_is_ignored(
    server: FaultServer, ask: Ask, play: Play
) -> None:
    server.reply = lambda body: GOOD if "response_format" not in body else '{"answer": "three"}'
    completion = await play().answer(ask("Judge.", Judges(case="x")))
    assert read_reply(completion.text, Verdict).score == 3
    assert len(server.requests) == 2


async def test_a_cut_or_wrong_reply_in_the_right_form_changes_nothing_for_later_requests(
    server: FaultServer, ask: Ask, play: Play
) -> None:
    server.reply = lambda body: {"content": '{"reason": "cl', "finish_reason": "length"}
    model = play()
    assert (await model.answer(ask("Judge.", Judges(case="x")))).finish == "length"
    server.reply = lambda body: '{"reason": "", "score": "three", "sure": true}'
    await model.answer(ask("Judge.", Judges(case="x")))
    assert all("response_format" in body for body in server.requests)


async def test_a_schema_refused_with_a_500_is_a_server_error(server: FaultServer, ask: Ask, play: Play) -> None:
    server.refuse = lambda body: (500, "internal error in response_format") if len(server.requests) == 1 else None
    await play().answer(ask("Judge.", Judges(case="x")))
    assert len(server.requests) == 2
    assert server.requests[1]["response_format"]["json_schema"]["strict"] is True


@pytest.mark.parametrize("status", [400, 404, 415, 500, 501])
@pytest.mark.parametrize(
    "words",
    [
        "response_format is not supported",
        "Unknown parameter: response_format",
        "Unrecognized request argument supplied: response_format",
        "This model does not support structured output",
        "unsupported: json_schema",
    ],
)
async def test_a_schema_that_is_not_supported_is_described_in_words_whatever_the_status(
    server: FaultServer, ask: Ask, play: Play, words: str, status: int
) -> None:
    server.refuse = lambda body: (status, words) if "response_format" in body else None
    server.reply = lambda body: GOOD
    completion = await play("?tries=1").answer(ask("Judge.", Judges(case="x")))
    assert completion.adapted == ("form told in words",)


async def test_an_unknown_model_is_not_taken_for_a_schema_that_is_not_supported(
    server: FaultServer, ask: Ask, play: Play
) -> None:
    server.refuse = lambda body: (404, "The model 'any' is unknown or not supported")
    with pytest.raises(ModelError, match="404"):
        await play("?tries=1").answer(ask("Judge.", Judges(case="x")))
    assert len(server.requests) == 1


async def test_a_server_that_enforces_the_schema_gets_the_length_limit_of_a_reason(
    server: FaultServer, ask: Ask, play: Play
) -> None:
    server.reply = lambda body: '{"reason": "clear", "better": "first"}'
    await play().answer(ask("Compare.", PAIR))
    reason = server.requests[0]["response_format"]["json_schema"]["schema"]["properties"]["reason"]
    assert reason["maxLength"] == ASIDE["maxLength"]


async def test_a_server_that_refuses_lengths_gets_the_strict_schema_without_them(
    server: FaultServer, ask: Ask, play: Play
) -> None:
    server.refuse = lambda body: "maxLength is not permitted" if "maxLength" in json.dumps(body) else None
    server.reply = lambda body: '{"reason": "clear", "better": "first"}'
    model = play()
    for _ in range(2):
        await model.answer(ask("Compare.", PAIR))
    assert ["maxLength" in json.dumps(body) for body in server.requests] == [True, False, False]
    assert all(body["response_format"]["json_schema"]["strict"] is True for body in server.requests)


async def test_where_a_schema_is_described_in_words_the_length_is_described_too(
    server: FaultServer, ask: Ask, play: Play
) -> None:
    server.refuse = lambda body: "json_schema is not supported" if "response_format" in body else None
    server.reply = lambda body: '{"reason": "clear", "better": "first"}'
    await play().answer(ask("Compare.", PAIR))
    assert '"reason": "<text of at most 50 words>"' in words_of(server.requests[-1])


# Tools


def tool_words(body: SentBody) -> str:
    return str(body["messages"][0]["content"])


@pytest.mark.parametrize(
    "refusal",
    [
        "registry/any does not support tools",
        (500, "tools param requires --jinja flag"),
        (404, "No endpoints found that support tool use"),
    ],
)
async def test_without_tool_support_tools_are_described_in_words_and_called_by_a_closed_reply(
    server: FaultServer, ask: Ask, play: Play, refusal: str | tuple[int, str]
) -> None:
    server.refuse = lambda body: refusal if "tools" in body else None
    server.reply = lambda body: '{"tool": "lookup", "arguments": {"id": "7"}}'
    model = play()
    completion = await model.answer(ask("Who?", Judges(case="x"), tools=(LOOKUP,)))
    assert completion.tool_calls == (ToolCall(id="said-0", name="lookup", arguments={"id": "7"}),)
    assert completion.adapted == ("tools told in words",)
    assert "lookup: Look up a record." in tool_words(server.requests[-1])
    choices = server.requests[-1]["response_format"]["json_schema"]["schema"]["anyOf"]
    assert choices[0]["properties"]["tool"] == {"const": "lookup"}
    server.reply = lambda body: GOOD
    history = (
        Message(role="assistant", tool_calls=completion.tool_calls),
        Message(role="tool", content='{"name": "Kim"}', tool_call_id="said-0"),
    )
    done = await model.answer(ask("Who?", Judges(case="x"), tools=(LOOKUP,), history=history))
    assert read_reply(done.text, Verdict).score == 3
    sent = server.requests[-1]["messages"]
    assert sent[1] == {"role": "assistant", "content": '{"tool":"lookup","arguments":{"id":"7"}}'}
    assert sent[2] == {"role": "user", "content": 'The tool\'s result: {"name": "Kim"}'}


@pytest.mark.parametrize(
    "said",
    [
        '{"tool": "lookups", "arguments": {}}',
        '{"tool": "lookup", "arguments": {"id": "7"}} and then I will see',
        '{"tool": "lookup", "arguments": {"id": "7", "id": "8"}}',
        '{"tool": "lookup"}',
    ],
)
async def test_a_reply_that_is_not_only_a_tool_call_is_taken_as_words(
    server: FaultServer, ask: Ask, play: Play, said: str
) -> None:
    server.refuse = lambda body: "tools are not supported" if "tools" in body else None
    server.reply = lambda body: said
    completion = await play().answer(ask("Who?", tools=(LOOKUP,)))
    assert not completion.tool_calls
    assert completion.text == said


def call_of(arguments: Any, finish: str = "tool_calls") -> SentBody:
    called = {"index": 0, "id": "c1", "function": {"name": "lookup", "arguments": arguments}}
    return {"tool_calls": [called], "finish_reason": finish}


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        (call_of('{"id": "7", "id": "8"}'), "duplicate key 'id'"),
        (call_of("[]"), "its arguments are not one JSON object"),
        (call_of('{"id": "7"}', "length"), "cut off at its limit"),
        ({"content": ""}, "the reply is empty"),
        ({"content": "<think>he is scared"}, "the reply is empty"),
        ({"content": "[THINK]he is scared"}, "the reply is empty"),
        ({"content": "<reasoning>he is scared"}, "the reply is empty"),
        ({"content": "<|channel|>analysis<|message|>he is scared"}, "the reply is empty"),
    ],
    ids=["duplicate", "list", "cut", "empty", "only thoughts", "[THINK]", "<reasoning>", "analysis"],
)
async def test_an_unusable_reply_reaches_the_agent_after_one_request_and_is_billed(
    server: FaultServer, ask: Ask, play: Play, said: SentBody, fault: str
) -> None:
    server.reply = lambda body: dict(said)
    request = ask(tools=(LOOKUP,))
    completion = await play().answer(request)
    assert len(server.requests) == 1
    assert completion.usage.output_tokens > 0
    with pytest.raises(Unreadable, match=fault):
        read_completion(request.prompt, completion)


@pytest.mark.parametrize("options", ["", "?stream=false"])
@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        ('{"id":"1","id":"2"}', None),
        ('{"id":{"a":1,"a":2}}', None),
        ('{"id": "1"}', {"id": "1"}),
        ('{"arguments": {"arguments": {}}}', {"arguments": {"arguments": {}}}),
    ],
)
async def test_duplicate_keys_in_arguments_that_are_a_json_object_are_refused(
    server: FaultServer, ask: Ask, play: Play, arguments: str, read: SentBody | None, options: str
) -> None:
    async def respond(request: web.Request, body: SentBody) -> web.StreamResponse:
        streamed = bool(body.get("stream"))
        function = f'{{"name": "lookup", "arguments": {arguments}}}'
        part = "delta" if streamed else "message"
        said = f'"{part}": {{"tool_calls": [{{"id": "a", "function": {function}}}]}}'
        answer = f'{{"choices": [{{"index": 0, {said}, "finish_reason": "tool_calls"}}]}}'
        if not streamed:
            return web.Response(text=answer, content_type="application/json")
        return web.Response(text=f"data: {answer}\n\ndata: [DONE]\n\n", content_type="text/event-stream")

    server.respond = respond
    completion = await play(options).answer(ask(tools=(LOOKUP,)))
    assert [call.arguments for call in completion.tool_calls] == ([] if read is None else [read])
    assert (completion.finish == "bad tool call") is (read is None)


async def test_a_call_that_was_already_on_its_way_does_not_bring_back_tools_that_were_refused(
    server: FaultServer, ask: Ask, play: Play
) -> None:
    slow, refused = asyncio.Event(), asyncio.Event()

    async def respond(request: web.Request, body: SentBody) -> web.StreamResponse | None:
        if "tools" in body and len(server.requests) == 1:
            slow.set()
            await refused.wait()
        elif "tools" in body:
            return web.json_response({"error": {"message": "tools are not supported"}}, status=400)
        return None

    books = {"index": 0, "id": "c1", "function": {"name": "book", "arguments": '{"day": "Monday"}'}}
    server.respond = respond
    server.reply = lambda body: {"tool_calls": [books]} if "tools" in body else '{"action": "book", "day": "Monday"}'
    model = play()
    first = asyncio.create_task(model.answer(decision(ask)))
    await slow.wait()
    await model.answer(decision(ask))
    refused.set()
    assert (await first).tool_calls
    await model.answer(decision(ask))
    assert ["tools" in body for body in server.requests] == [True, True, False, False]


SAID_CALL = '<tool_call>\n{"name": "lookup", "arguments": {"id": "7"}}\n</tool_call>'


@pytest.mark.parametrize(
    ("said", "called"),
    [
        (SAID_CALL, 1),
        (f"I will look it up.\n{SAID_CALL}\n{SAID_CALL}", 2),
        (SAID_CALL.replace("lookup", "search"), 0),
        (SAID_CALL.replace('"7"', '"7", "id": "8"'), 0),
        ('<tool_call>{"name": "lookup", "argum', 0),
    ],
    ids=["one", "two", "unknown", "duplicate", "cut"],
)
async def test_a_tool_call_in_tags_is_read_as_a_call_or_refused_but_never_spoken(
    server: FaultServer, ask: Ask, play: Play, said: str, called: int
) -> None:
    server.reply = lambda body: said
    request = ask(tools=(LOOKUP,))
    completion = await play().answer(request)
    assert [call.arguments for call in completion.tool_calls] == [{"id": "7"}] * called
    assert len({call.id for call in completion.tool_calls}) == called
    if not called:
        with pytest.raises(Unreadable, match="tool call"):
            read_completion(request.prompt, completion)


async def test_a_tool_call_in_tags_is_not_spoken_where_no_tool_is_offered(
    server: FaultServer, ask: Ask, play: Play
) -> None:
    server.reply = lambda body: SAID_CALL
    request = ask()
    with pytest.raises(Unreadable, match="no such tool is offered"):
        read_completion(request.prompt, await play().answer(request))


# Pictures, roles


@pytest.mark.parametrize(
    "refusal",
    [
        (500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"),
        "This model does not support image_url content",
        (404, "No endpoints found that support image input"),
        (400, "any is not a multimodal model"),
        (400, "content must be a string"),
        (422, "messages.1.content: Input should be a valid string"),
        (400, "invalid type: sequence, expected a string at line 1"),
        (400, "unsupported content[].type"),
    ],
)
async def test_without_picture_support_caption_and_description_are_sent_as_words(
    server: FaultServer, ask: Ask, play: Play, refusal: str | tuple[int, str]
) -> None:
    def refuse(body: SentBody) -> str | tuple[int, str] | None:
        return refusal if any(isinstance(message["content"], list) for message in body["messages"]) else None

    server.refuse = refuse
    picture = Image.from_bytes(b"png", caption="Chest X-ray", described="A white lower left lobe.")
    model = play()
    completion = await model.answer(ask("What do you see?", images=(picture,)))
    await model.answer(ask("And here?", images=(picture,)))
    assert completion.adapted == ("pictures told in words",)
    assert len(server.requests) == 3
    told = server.requests[1]["messages"][-1]["content"]
    assert told.startswith("What do you see?")
    assert "Chest X-ray: A white lower left lobe." in told
    assert (await model.answer(ask("Hello"))).adapted == ()


async def test_without_a_system_role_its_text_begins_the_first_user_message(
    server: FaultServer, ask: Ask, play: Play
) -> None:
    def refuse(body: SentBody) -> tuple[int, str] | None:
        system = any(message["role"] == "system" for message in body["messages"])
        return (500, "Jinja Exception: System role not supported") if system else None

    server.refuse = refuse
    await play().answer(ask("Hello"))
    assert server.requests[-1]["messages"] == [{"role": "user", "content": "You are at a clinic.\n\nHello"}]


async def test_adjacent_messages_are_merged_for_a_template_that_needs_alternating_roles(
    server: FaultServer, ask: Ask, play: Play
) -> None:
    def refuse(body: SentBody) -> str | None:
        roles = [message["role"] for message in body["messages"]]
        alike = any(one == two for one, two in pairwise(roles))
        return "Conversation roles must alternate user/assistant/user/assistant/..." if alike else None

    server.refuse = refuse
    await play().answer(ask("Now?", history=(user("a"), user("b"), assistant("c"))))
    sent = server.requests[-1]["messages"]
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "user"]
    assert sent[1]["content"] == "a\n\nb"


ALTERNATE = "Conversation roles must alternate user/assistant/user/assistant/..."
BEGUN = (assistant("Good day."), user("It hurts."), assistant("Where?"))


def strictly_by_turns(body: SentBody, *, system: bool) -> str | None:
    """The complaint of a chat template in which user and assistant alternate, with or without a system message."""
    roles = [message["role"] for message in body["messages"]]
    roles = roles[1:] if system and roles[0] == "system" else roles
    wrong = any((role == "user") != (index % 2 == 0) for index, role in enumerate(roles))
    return ALTERNATE if wrong else None


@pytest.mark.parametrize("system", [True, False])
@pytest.mark.parametrize("history", [(), BEGUN], ids=["new", "begun"])
async def test_a_template_of_strict_turns_gets_them_even_if_the_assistant_spoke_first(
    server: FaultServer, ask: Ask, play: Play, history: tuple[Message, ...], system: bool
) -> None:
    server.refuse = lambda body: strictly_by_turns(body, system=system)
    model = play("?tries=1")
    await model.answer(ask("Here.", history=history))
    sent = server.requests[-1]["messages"]
    assert "You are at a clinic." in sent[0]["content"]
    assert [message["content"] for message in sent if message["role"] == "assistant"] == [
        message.content for message in history if message.role == "assistant"
    ]
    before = len(server.requests)
    await model.answer(ask("Here.", history=history))
    assert len(server.requests) == before + 1


@pytest.mark.parametrize("status", [400, 422, 500])
@pytest.mark.parametrize(
    "words",
    [
        "Only user and assistant roles are supported!",
        "role: Input should be 'user' or 'assistant'",
        "messages[0].role must be one of user, assistant",
        "Unexpected role: system",
        "Developer instruction is not enabled for models/gemma-3",
    ],
)
async def test_a_missing_system_role_is_understood_in_the_words_of_each_server(
    server: FaultServer, ask: Ask, play: Play, words: str, status: int
) -> None:
    server.refuse = lambda body: (status, words) if body["messages"][0]["role"] == "system" else None
    await play("?tries=1").answer(ask("Hello"))
    assert [message["role"] for message in server.requests[-1]["messages"]] == ["user"]


# Thoughts

ANALYSIS, FINAL = "<|channel|>analysis<|message|>", "<|channel|>final<|message|>"


@pytest.mark.parametrize("options", ["", "?stream=false"])
@pytest.mark.parametrize(
    "said",
    [
        "<think>\nhe is scared\n</think>\n\nPlease sit down.",
        "he is scared, so I will be calm\n</think>\nPlease sit down.",
        "<think></think>Please sit down.",
        "[THINK]he is scared[/THINK]Please sit down.",
        "he is scared[/THINK]\nPlease sit down.",
        "<reasoning>he is scared</reasoning>\nPlease sit down.",
        "he is scared</reasoning>\nPlease sit down.",
        f"{ANALYSIS}he is scared<|end|><|start|>assistant{FINAL}Please sit down.<|return|>",
        f"he is scared<|end|><|start|>assistant{FINAL}Please sit down.",
        f"{FINAL}Please sit down.<|end|>",
        {"content": "Please sit down.", "reasoning_content": "he is scared"},
        {"content": "Please sit down.", "reasoning": "he is scared"},
    ],
)
async def test_thinking_is_removed_from_a_reply(
    server: FaultServer, ask: Ask, play: Play, said: str | SentBody, options: str
) -> None:
    server.reply = lambda body: dict(said) if isinstance(said, dict) else said
    completion = await play(options).answer(ask())
    assert completion.text == "Please sit down."


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("<thinking>a</thinking>Sit.", "Sit."),
        ("<THINK>a</THINK>Sit.", "Sit."),
        ("Sit. <think>a</think>", "Sit."),
        ("Sit.\n<think>I should", "Sit."),
        ("<think>a</think>Sit.<thinking>and now", "Sit."),
        ("a</think>", ""),
        ("Sit.\n[THINK]I should", "Sit."),
        ("[THINK]I should", ""),
        ("a[/THINK]", ""),
        ("Sit. <reasoning>I should", "Sit."),
        (f"{ANALYSIS}I should", ""),
        (f"{ANALYSIS}I should<|end|>", ""),
        (f"{ANALYSIS}a<|end|>Sit.", "Sit."),
        ("Sit.<|end|>", "Sit."),
        ("I think [it is 5] that < 6.", "I think [it is 5] that < 6."),
        ("My pain is < 5.", "My pain is < 5."),
    ],
)
def test_thinking_is_cut_at_any_tag(said: str, words: str) -> None:
    assert spoken(said) == words


async def test_thinking_before_an_object_does_not_hide_it(server: FaultServer, ask: Ask, play: Play) -> None:
    server.reply = lambda body: f"Let me see {{score}}.</think>{GOOD}"
    assert read_reply((await play().answer(ask("Judge.", Judges(case="x")))).text, Verdict).score == 3
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "thought",
    [
        {"content": "<think>he is scared and", "finish_reason": "length"},
        {"content": "[THINK]he is scared and", "finish_reason": "length"},
        {"content": f"{ANALYSIS}he is scared and", "finish_reason": "length"},
        {"content": "", "reasoning_content": "he is scared and", "finish_reason": "length"},
    ],
)
async def test_thinking_that_uses_up_the_limit_gets_a_higher_limit_from_then_on(
    server: FaultServer, ask: Ask, play: Play, thought: SentBody
) -> None:
    server.reply = lambda body: dict(thought) if body["max_tokens"] < 2_000 else "Please sit down."
    model = play()
    completion = await model.answer(ask())
    assert completion.text == "Please sit down."
    await model.answer(ask("Again"))
    limits = [body["max_tokens"] for body in server.requests]
    assert limits[1] == limits[0] + 2_048 == limits[2]


async def test_room_for_thinking_has_a_maximum_and_the_casts_own_limit_is_kept(
    server: FaultServer, ask: Ask, play: Play
) -> None:
    server.reply = lambda body: {"content": "", "finish_reason": "length"}
    with pytest.raises(ModelError, match="thinking_tokens"):
        await play().answer(ask())
    assert len(server.requests) == 4
    with pytest.raises(ModelError, match="max_tokens"):
        await play("?max_tokens=50").answer(ask())
    assert len(server.requests) == 5


@pytest.mark.parametrize("details", [None, {"reasoning_tokens": 0}], ids=["spaces", "no reasoning"])
async def test_a_limit_that_was_not_used_by_reasoning_stays_as_it_is(
    server: FaultServer, ask: Ask, play: Play, details: SentBody | None
) -> None:
    async def respond(request: web.Request, body: SentBody) -> web.StreamResponse:
        message = {"content": "" if details else "\n" * 300}
        used = {"completion_tokens_details": details} if details else {}
        choice = {"index": 0, "message": message, "finish_reason": "length"}
        return web.json_response({"choices": [choice], "usage": used})

    server.respond = respond
    request = ask()
    with pytest.raises(Unreadable, match=r"cut off|repeated itself"):
        read_completion(request.prompt, await play().answer(request))
    assert len(server.requests) == 1


# Replies that repeat themselves

LONG = (
    "My pain began three days ago, after I had lifted boxes in the shed behind our house, and since then it comes and"
    " goes, worse at night, better when I sit up, and my wife told me that I should let somebody look at it before it"
    " gets worse than it already is, which I think is right, so here I am now. "
)


@pytest.mark.parametrize("options", ["", "?stream=false"])
@pytest.mark.parametrize(
    "said",
    [
        {"content": "I am ill. " * 35},
        {"content": LONG * 7},
        {"content": " " * 2_000},
        {"content": "", "reasoning_content": "wait, " * 1_000},
        {"content": "<think>" + "wait, " * 1_000},
    ],
    ids=["short", "long", "spaces", "reasoning", "tags"],
)
async def test_a_reply_that_repeats_itself_is_found_even_if_it_arrives_at_once(
    server: FaultServer, ask: Ask, play: Play, said: SentBody, options: str
) -> None:
    async def respond(request: web.Request, body: SentBody) -> web.StreamResponse:
        if not body.get("stream"):
            return web.json_response({"choices": [{"index": 0, "message": said, "finish_reason": "stop"}]})
        event = {"choices": [{"index": 0, "delta": said, "finish_reason": "stop"}]}
        lines = f"data: {json.dumps(event)}\n\ndata: [DONE]\n\n"
        return web.Response(text=lines, content_type="text/event-stream")

    server.respond = respond
    request = ask()
    completion = await play(options).answer(request)
    assert completion.finish == "run-on"
    with pytest.raises(Unreadable, match="repeated itself"):
        read_completion(request.prompt, completion)
    assert len(server.requests) == 1


def sent(cast: str, ask: Ask) -> SentBody:
    """The first request that a cast would send, without a server."""
    from polyclinic.models.assemble import Assembly

    spec = parse_model(cast)
    endpoint = Assembly()._endpoint(spec)
    return body_of(ask(), spec.model, spec.options, endpoint.known.habits(spec.model, False), 0)


@pytest.mark.parametrize(
    ("cast", "field", "value"),
    [
        ("openai:gpt-5.1?effort=none", "reasoning_effort", "none"),
        ("openai:gpt-5-mini?effort=low", "reasoning_effort", "low"),
        ("ollama:qwen3?effort=none", "reasoning_effort", "none"),
        ("openrouter:x/y?effort=none", "reasoning", {"enabled": False}),
        ("openrouter:x/y?effort=high", "reasoning", {"effort": "high"}),
        ("deepseek:v4?effort=none", "thinking", {"type": "disabled"}),
        ("vllm:qwen3?effort=none", "chat_template_kwargs", {"enable_thinking": False}),
        ("llamacpp:qwen3?effort=none", "chat_template_kwargs", {"enable_thinking": False}),
        ("http://127.0.0.1:1/v1:m?effort=none", "chat_template_kwargs", {"enable_thinking": False}),
        ("http://127.0.0.1:1/v1:m?effort=medium", "reasoning_effort", "medium"),
    ],
)
def test_one_switch_sets_how_much_a_model_thinks_on_every_path(ask: Ask, cast: str, field: str, value: Any) -> None:
    assert sent(cast, ask)[field] == value


def test_effort_raises_the_token_limit_and_an_unknown_effort_is_refused(ask: Ask) -> None:
    plain = sent("vllm:m", ask)["max_tokens"]
    assert sent("vllm:m?effort=none", ask)["max_tokens"] == plain
    assert sent("vllm:m?effort=low", ask)["max_tokens"] == plain + 2_048
    assert sent("vllm:m?effort=low&thinking_tokens=99", ask)["max_tokens"] == plain + 99
    with pytest.raises(ConfigError, match="effort"):
        parse_model("vllm:m?effort=maximal")


async def test_a_switch_that_a_server_refuses_is_left_out(server: FaultServer, ask: Ask, play: Play) -> None:
    server.refuse = lambda body: "extra field: chat_template_kwargs" if "chat_template_kwargs" in body else None
    await play("?effort=none").answer(ask())
    assert "chat_template_kwargs" not in server.requests[-1]


# What is never accepted


@pytest.mark.parametrize(
    "choices",
    [
        [{"index": 0, "message": {"content": "a"}}, {"index": 1, "message": {"content": "b"}}],
        [{"index": 1, "message": {"content": "b"}, "finish_reason": "stop"}],
    ],
)
async def test_two_choices_are_never_joined(server: FaultServer, ask: Ask, play: Play, choices: list[SentBody]) -> None:
    async def respond(request: web.Request, body: SentBody) -> web.StreamResponse | None:
        return web.json_response({"choices": choices}) if len(server.requests) == 1 else None

    server.respond = respond
    server.reply = lambda body: "Good day."
    assert (await play().answer(ask())).text == "Good day."
    assert len(server.requests) == 2


async def test_a_second_choice_in_a_stream_is_never_joined(server: FaultServer, ask: Ask, play: Play) -> None:
    async def respond(request: web.Request, body: SentBody) -> web.StreamResponse | None:
        if len(server.requests) > 1:
            return None
        events = [
            {"choices": [{"index": index, "delta": {"content": "x"}, "finish_reason": "stop"}]} for index in (0, 1)
        ]
        lines = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
        return web.Response(text=f"{lines}data: [DONE]\n\n", content_type="text/event-stream")

    server.respond = respond
    server.reply = lambda body: "Good day."
    assert (await play().answer(ask())).text == "Good day."


@pytest.mark.parametrize("reason", ["length", "max_tokens", "MAX_TOKENS", "model_length"])
async def test_every_servers_word_for_a_reached_limit_is_understood(
    server: FaultServer, ask: Ask, play: Play, reason: str
) -> None:
    server.reply = lambda body: {"content": "I would say that", "finish_reason": reason}
    assert (await play().answer(ask())).finish == "length"


@pytest.mark.parametrize("text", [f"{GOOD} {GOOD}", f"{GOOD}\nI hope this helps.", GOOD[:-1]])
def test_two_objects_words_after_an_object_and_half_an_object_are_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        read_reply(text, Verdict)


@pytest.mark.parametrize(
    ("replies", "offered"),
    [("-", False), ("+", True), ("+-", False), ("++++-", True), ("++++--", False), ("-++++", True)],
)
def test_tools_are_offered_while_most_replies_are_calls_that_can_be_used(replies: str, offered: bool) -> None:
    tally = CallTally()
    assert [tally.count(reply == "+") for reply in replies][-1] == offered
