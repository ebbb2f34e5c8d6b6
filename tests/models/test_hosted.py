"""Hosts with their own protocol, through pydantic-ai's test models."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from polyclinic.core.message import Image, Message, ToolCall
from polyclinic.core.model import Completion, Request
from polyclinic.core.reply import read_reply
from polyclinic.core.tool import ToolSpec
from polyclinic.errors import ConfigError
from polyclinic.models.failure import AttemptFailed, Trouble
from polyclinic.models.guard import Deadline
from polyclinic.models.hosted import HostedCaller
from polyclinic.models.prices import Price
from polyclinic.models.spec import Options

from .conftest import Ask, Judges, Verdict

pytest.importorskip("pydantic_ai")

LOOKUP = ToolSpec(name="lookup", description="Look up.", parameters={"type": "object", "properties": {}})


async def attempt(caller: HostedCaller, request: Request) -> Completion:
    async with Deadline(10, 10) as deadline:
        return await caller.attempt(request, 0, deadline)


def hosted(function: Any, options: Options | None = None, price: Price | None = None, **profile: Any) -> HostedCaller:
    from pydantic_ai.models.function import FunctionModel

    wanted: Any = profile or None
    model = FunctionModel(function, profile=wanted)
    return HostedCaller("anthropic", "claude", options or Options(), "anthropic:claude", price or Price(), model)


async def test_messages_settings_and_price_are_passed_through(ask: Ask) -> None:
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.usage import RequestUsage

    seen: dict[str, Any] = {}

    async def function(messages: list[Any], info: Any) -> ModelResponse:
        seen.update(messages=messages, settings=info.model_settings)
        return ModelResponse(parts=[TextPart("Good morning.")], usage=RequestUsage(input_tokens=1000, output_tokens=10))

    caller = hosted(function, Options(temperature=0.2, max_tokens=77), Price(10**9, 10**8, 5 * 10**9))
    completion = await attempt(caller, ask("Hello", temperature=0.9))
    assert completion.text == "Good morning."
    assert completion.usage.cost_nano_usd == 1_000_000 + 50_000
    assert seen["settings"]["temperature"] == 0.2
    assert seen["settings"]["max_tokens"] == 77
    assert [part.content for message in seen["messages"] for part in message.parts] == ["You are at a clinic.", "Hello"]


@pytest.mark.parametrize(("effort", "thinking"), [("", None), ("none", False), ("low", "low")])
async def test_the_switch_for_thinking_reaches_the_host(ask: Ask, effort: str, thinking: str | bool | None) -> None:
    from pydantic_ai.messages import ModelResponse, TextPart

    seen: dict[str, Any] = {}

    async def function(messages: list[Any], info: Any) -> ModelResponse:
        seen.update(info.model_settings)
        return ModelResponse(parts=[TextPart("Good morning.")])

    await attempt(hosted(function, Options.model_validate({"effort": effort})), ask("Hello"))
    assert seen.get("thinking") == thinking


async def test_the_schema_is_sent_to_models_that_accept_one_and_described_to_the_others(ask: Ask) -> None:
    from pydantic_ai.messages import ModelResponse, TextPart

    seen: list[Any] = []

    async def function(messages: list[Any], info: Any) -> ModelResponse:
        seen.append((messages, info))
        return ModelResponse(parts=[TextPart('{"reason": "clear", "score": 3, "sure": true}')])

    for supported in (True, False):
        caller = hosted(function, supports_json_schema_output=supported)
        completion = await attempt(caller, ask("Judge.", Judges(case="x")))
        assert read_reply(completion.text, Verdict).score == 3
        assert completion.usage.input_tokens > 0
    assert "JSON schema" not in str(seen[0][0])
    assert seen[0][1].model_request_parameters.output_mode == "native"
    assert seen[0][1].model_request_parameters.output_object.name == "Verdict"
    assert '"score"' in seen[1][0][-1].parts[0].content
    assert completion.adapted == ("form told in words",)


@pytest.mark.parametrize("known", [True, False])
async def test_a_host_without_tool_support_gets_a_description_in_words(ask: Ask, known: bool) -> None:
    from pydantic_ai.exceptions import ModelHTTPError
    from pydantic_ai.messages import ModelResponse, TextPart

    seen: list[Any] = []

    async def function(messages: list[Any], info: Any) -> ModelResponse:
        seen.append((messages, info.function_tools))
        if info.function_tools:
            raise ModelHTTPError(400, "claude", {"error": "this model does not support tools"})
        return ModelResponse(parts=[TextPart('{"tool": "lookup", "arguments": {"id": "7"}}')])

    caller = hosted(function, supports_tools=not known)
    for _ in range(2):
        completion = await attempt(caller, ask("Who?", tools=(LOOKUP,)))
        assert completion.tool_calls == (ToolCall(id="said-0", name="lookup", arguments={"id": "7"}),)
        assert completion.adapted == ("tools told in words",)
    assert [bool(tools) for _, tools in seen] == ([False, False] if known else [True, False, False])
    assert "lookup: Look up." in str(seen[-1][0])
    history = (
        Message(role="assistant", tool_calls=completion.tool_calls),
        Message(role="tool", content='{"name": "Kim"}', tool_call_id="said-0"),
    )
    await attempt(caller, ask("Who?", tools=(LOOKUP,), history=history))
    assert seen[-1][0][-2].parts[0].content == 'The tool\'s result: {"name": "Kim"}'


async def test_a_hosts_reply_longer_than_any_limit_counts_as_a_failed_attempt(ask: Ask) -> None:
    from pydantic_ai.messages import ModelResponse, TextPart

    async def function(messages: list[Any], info: Any) -> ModelResponse:
        return ModelResponse(parts=[TextPart("ha " * 20_000)])

    with pytest.raises(AttemptFailed, match="longer than its limit") as caught:
        await attempt(hosted(function, Options(max_tokens=20)), ask("Hello"))
    assert caught.value.trouble == "truncated"


async def test_tools_pictures_and_tool_results_are_passed_through(ask: Ask) -> None:
    from pydantic_ai.messages import BinaryContent, ModelResponse, ToolCallPart

    seen: list[Any] = []

    async def function(messages: list[Any], info: Any) -> ModelResponse:
        seen.append((messages, [tool.name for tool in info.function_tools]))
        return ModelResponse(parts=[ToolCallPart("lookup", {"id": "7"}, tool_call_id="c1")])

    history = (
        Message(role="assistant", content="wait", tool_calls=(ToolCall(id="c0", name="lookup", arguments={}),)),
        Message(role="tool", content="{}", tool_call_id="c0"),
    )
    picture = Image.from_bytes(b"\x89PNG", caption="X-ray")
    request = ask("What now?", tools=(LOOKUP,), images=(picture,), history=history)
    completion = await attempt(hosted(function), request)
    assert completion.tool_calls == (ToolCall(id="c1", name="lookup", arguments={"id": "7"}),)
    assert completion.finish == "tool_calls"
    messages, tools = seen[0]
    assert tools == ["lookup"]
    assert [type(part).__name__ for message in messages for part in message.parts] == [
        "SystemPromptPart",
        "TextPart",
        "ToolCallPart",
        "ToolReturnPart",
        "UserPromptPart",
    ]
    words, caption, binary = messages[-1].parts[0].content
    assert (words, caption) == ("What now?", "X-ray")
    assert isinstance(binary, BinaryContent)
    assert binary.data == b"\x89PNG"


@pytest.mark.parametrize(
    ("status", "trouble"), [(429, "throttled"), (500, "server"), (503, "server"), (400, "refused"), (401, "refused")]
)
async def test_a_hosts_errors_are_distinguished(ask: Ask, status: int, trouble: Trouble) -> None:
    from pydantic_ai.exceptions import ModelHTTPError

    async def function(messages: list[Any], info: Any) -> Any:
        raise ModelHTTPError(status, "claude", {"error": "key sk-abcdefghijkl"}, headers={"retry-after": "2"})

    with pytest.raises(AttemptFailed, match=r"anthropic:claude: .*") as caught:
        await attempt(hosted(function), ask())
    assert caught.value.trouble == trouble
    assert "sk-abcdefghijkl" not in str(caught.value)


async def test_the_shipped_test_model_answers(ask: Ask) -> None:
    from pydantic_ai.models.test import TestModel

    caller = HostedCaller("anthropic", "claude", Options(), "anthropic:claude", host_model=TestModel())
    assert (await attempt(caller, ask())).text


async def test_a_missing_package_is_named_with_the_command_that_installs_it(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "pydantic_ai"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    with pytest.raises(ConfigError, match=r"pip install .*\[hosted\]"):
        await attempt(HostedCaller("anthropic", "claude", Options(), "anthropic:claude"), ask())
