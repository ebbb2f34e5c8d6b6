"""Hosts with their own protocol, through pydantic-ai's models for tests.

How replies are read and habits are learned is the same code as for other endpoints (`test_habits`). Here each habit is
shown once, to see that it passes through pydantic-ai.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.exceptions import ModelHTTPError, UnexpectedModelBehavior, UserError
from pydantic_ai.messages import BinaryContent, ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models import CompletedStreamedResponse, Model
from pydantic_ai.models.function import DeltaThinkingPart, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RequestUsage

from polyclinic.core.agent import read_completion
from polyclinic.core.message import Image, Message, ToolCall
from polyclinic.core.model import Completion, Request
from polyclinic.core.reply import Unreadable, read_reply
from polyclinic.core.tool import ToolSpec
from polyclinic.errors import ConfigError
from polyclinic.models.failure import AttemptFailed, Trouble
from polyclinic.models.guard import GuardedModel
from polyclinic.models.hosted import BESIDES, EXTRA_HAS, HostedCaller, _install
from polyclinic.models.limiter import Limiter
from polyclinic.models.prices import Price
from polyclinic.models.spec import HOSTED, Options
from polyclinic.runner.api import run
from polyclinic.runner.plan.config import make_config
from polyclinic.store.store import open_store
from polyclinic.testing.runs import MEMORY

from .conftest import Ask, Judges, Verdict, decision

pytestmark = pytest.mark.usefixtures("short_waits")

Reply = str | list[Any] | ModelResponse
GOOD = '{"reason": "clear", "score": 3, "sure": true}'
NAME = "anthropic:claude"
LOOKUP = ToolSpec(name="lookup", description="Look up.", parameters={"type": "object", "properties": {}})
ONCE, STREAMED = Options(stream=False), Options()
BOTH_WAYS = pytest.mark.parametrize("options", [STREAMED, ONCE], ids=["streamed", "whole"])


class Host(FunctionModel):
    """A host that answers with the same words in one piece or as a stream, and keeps what it was asked."""

    def __init__(self, reply: Callable[[Any, Any], Reply], **profile: Any) -> None:
        self.seen: list[Any] = []

        async def answer(messages: list[Any], info: Any) -> ModelResponse:
            self.seen.append((messages, info))
            said = reply(messages, info)
            if isinstance(said, ModelResponse):
                return said
            return ModelResponse(parts=[TextPart(said)] if isinstance(said, str) else said, finish_reason="stop")

        known: Any = {"supports_json_schema_output": True, **profile}
        super().__init__(answer, profile=known)

    @asynccontextmanager
    async def request_stream(
        self, messages: Any, model_settings: Any, model_request_parameters: Any, *_: Any, **__: Any
    ) -> Any:
        response = await self.request(messages, model_settings, model_request_parameters)
        yield Replayed(response, model_request_parameters=model_request_parameters, replay_events=True)

    def words(self, request: int = -1) -> str:
        """All text of a request."""
        return "\n".join(str(part.content) for message in self.seen[request][0] for part in message.parts)


class Replayed(CompletedStreamedResponse):
    """A stream of a response that is already there."""

    def get(self) -> ModelResponse:
        return self.response


def model(host: Model, options: Options = STREAMED, price: Price | None = None) -> GuardedModel:
    caller = HostedCaller("anthropic", "claude", options, NAME, price or Price(), host_model=host)
    return GuardedModel(caller, Limiter(4), options)


def ended(text: str, reason: Any, tokens: int = 10) -> ModelResponse:
    usage = RequestUsage(input_tokens=20, output_tokens=tokens)
    return ModelResponse(parts=[TextPart(text)], finish_reason=reason, usage=usage)


def refused(words: str, status: int = 400) -> ModelHTTPError:
    return ModelHTTPError(status, "claude", {"type": "error", "error": {"type": "invalid", "message": words}})


# What is sent


@BOTH_WAYS
async def test_messages_settings_and_price_are_passed_through(ask: Ask, options: Options) -> None:
    usage = RequestUsage(input_tokens=1000, output_tokens=10)
    host = Host(lambda messages, info: ModelResponse([TextPart("Good morning.")], usage=usage, finish_reason="stop"))
    wanted = options.model_copy(update={"temperature": 0.2, "max_tokens": 77})
    completion = await model(host, wanted, Price(10**9, 10**8, 5 * 10**9)).answer(ask("Hello", temperature=0.9))
    assert completion.text == "Good morning."
    assert completion.usage.cost_nano_usd == 1_000_000 + 50_000
    settings = host.seen[0][1].model_settings
    assert (settings["temperature"], settings["max_tokens"], settings["max_retries"]) == (0.2, 77, 0)
    assert host.words() == "You are at a clinic.\nHello"


@pytest.mark.parametrize(("effort", "thinking"), [("", None), ("none", False), ("low", "low"), ("high", "high")])
async def test_the_switch_for_thinking_reaches_the_host(ask: Ask, effort: str, thinking: str | bool | None) -> None:
    host = Host(lambda messages, info: "Good morning.", supports_thinking=True)
    await model(host, Options.model_validate({"effort": effort})).answer(ask("Hello"))
    assert host.seen[0][1].model_request_parameters.thinking == thinking


@pytest.mark.parametrize("effort", ["minimal", "low", "medium", "high"])
async def test_the_token_limit_is_higher_than_what_pydantic_ai_lets_a_model_think(ask: Ask, effort: str) -> None:
    from pydantic_ai.profiles.anthropic import ANTHROPIC_THINKING_BUDGET_MAP

    host = Host(lambda messages, info: "Good morning.", supports_thinking=True)
    await model(host, Options.model_validate({"effort": effort})).answer(ask("Hello"))
    budgets: dict[Any, int] = ANTHROPIC_THINKING_BUDGET_MAP
    assert host.seen[0][1].model_settings["max_tokens"] > budgets[effort]


async def test_a_setting_that_the_host_refuses_is_left_out_from_then_on(ask: Ask) -> None:
    def reply(messages: Any, info: Any) -> Reply:
        if "temperature" in info.model_settings:
            raise refused("`temperature` may only be set to 1 when thinking is enabled")
        return "Good morning."

    host = Host(reply)
    player = model(host)
    for _ in range(2):
        await player.answer(ask("Hello", temperature=0.5))
    assert ["temperature" in info.model_settings for _, info in host.seen] == [True, False, False]


async def test_a_host_that_does_not_stream_is_asked_for_whole_replies(ask: Ask) -> None:
    class Whole(Host):
        request_stream = Model.request_stream

    host = Whole(lambda messages, info: "Good morning.")
    player = model(host)
    assert (await player.answer(ask())).text == "Good morning."
    assert player._caller.hears is False


async def test_tools_pictures_and_tool_results_are_passed_through(ask: Ask) -> None:
    host = Host(lambda messages, info: [ToolCallPart("lookup", {"id": "7"}, tool_call_id="c1")])
    history = (
        Message(role="assistant", content="wait", tool_calls=(ToolCall(id="c0", name="lookup", arguments={}),)),
        Message(role="tool", content="{}", tool_call_id="c0"),
    )
    picture = Image.from_bytes(b"\x89PNG", caption="X-ray")
    completion = await model(host).answer(ask("What now?", tools=(LOOKUP,), images=(picture,), history=history))
    assert completion.tool_calls == (ToolCall(id="c1", name="lookup", arguments={"id": "7"}),)
    messages, info = host.seen[0]
    assert [tool.name for tool in info.function_tools] == ["lookup"]
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
    assert (binary.data, binary.media_type) == (b"\x89PNG", "image/png")


# What a host lacks


PICTURE = Image.from_bytes(b"png", caption="Chest X-ray", described="A white lower left lobe.")


@pytest.mark.parametrize("known", [True, False])
async def test_a_model_that_cannot_see_gets_caption_and_description_in_words(ask: Ask, known: bool) -> None:
    def reply(messages: Any, info: Any) -> Reply:
        if not isinstance(messages[-1].parts[0].content, str):
            raise refused("image input is not supported by this model")
        return "I see."

    host = Host(reply, supports_image_input=not known)
    player = model(host)
    for _ in range(2):
        completion = await player.answer(ask("What do you see?", images=(PICTURE,)))
        assert completion.adapted == ("pictures told in words",)
    assert len(host.seen) == (2 if known else 3)
    assert "Chest X-ray: A white lower left lobe." in host.words()


async def test_what_pydantic_ai_itself_refuses_is_adapted_too(ask: Ask) -> None:
    def reply(messages: Any, info: Any) -> Reply:
        if not isinstance(messages[-1].parts[0].content, str):
            raise RuntimeError("Cohere does not yet support multi-modal inputs.")
        return "I see."

    completion = await model(Host(reply)).answer(ask("What do you see?", images=(PICTURE,)))
    assert completion.adapted == ("pictures told in words",)


@BOTH_WAYS
async def test_a_schema_is_sent_to_models_that_accept_one_and_described_to_the_others(
    ask: Ask, options: Options
) -> None:
    hosts = [Host(lambda messages, info: GOOD, supports_json_schema_output=takes) for takes in (True, False)]
    told = [await model(host, options).answer(ask("Judge.", Judges(case="x"))) for host in hosts]
    assert [read_reply(completion.text, Verdict).score for completion in told] == [3, 3]
    assert [completion.adapted for completion in told] == [(), ("form told in words",)]
    assert '"score"' not in hosts[0].words()
    sent = hosts[0].seen[0][1].model_request_parameters
    assert (sent.output_mode, sent.output_object.name, sent.output_object.strict) == ("native", "Verdict", True)
    assert '"score"' in hosts[1].words()


@pytest.mark.parametrize("refuses", [True, False])
async def test_a_schema_that_is_refused_or_ignored_is_described_in_words_from_then_on(ask: Ask, refuses: bool) -> None:
    def reply(messages: Any, info: Any) -> Reply:
        if info.model_request_parameters.output_mode == "native":
            if refuses:
                raise refused("structured output is not supported by this model")
            return "I would give it a 3."
        return GOOD

    host = Host(reply)
    player = model(host)
    for _ in range(2):
        completion = await player.answer(ask("Judge.", Judges(case="x")))
        assert completion.adapted == ("form told in words",)
    modes = [info.model_request_parameters.output_mode for _, info in host.seen]
    assert "native" in modes[:-2]
    assert "native" not in modes[-2:]
    assert '"score"' in host.words()


async def test_a_host_that_takes_no_schema_with_tools_keeps_its_tools(ask: Ask) -> None:
    def reply(messages: Any, info: Any) -> Reply:
        if info.model_request_parameters.output_mode == "native":
            raise UserError("This model does not support `NativeOutput` and function tools at the same time.")
        return GOOD

    host = Host(reply)
    completion = await model(host).answer(ask("Judge.", Judges(case="x"), tools=(LOOKUP,)))
    assert completion.adapted == ("form told in words",)
    assert host.seen[-1][1].function_tools


@pytest.mark.parametrize("known", [True, False])
async def test_a_host_without_tool_support_gets_a_description_in_words(ask: Ask, known: bool) -> None:
    def reply(messages: Any, info: Any) -> Reply:
        if info.function_tools:
            raise refused("this model does not support tools")
        return '{"tool": "lookup", "arguments": {"id": "7"}}'

    host = Host(reply, supports_tools=not known)
    player = model(host)
    for _ in range(2):
        completion = await player.answer(ask("Who?", tools=(LOOKUP,)))
        assert completion.tool_calls == (ToolCall(id="said-0", name="lookup", arguments={"id": "7"}),)
        assert completion.adapted == ("tools told in words",)
    assert [bool(info.function_tools) for _, info in host.seen] == ([False, False] if known else [True, False, False])
    assert "lookup: Look up." in host.words()
    history = (
        Message(role="assistant", tool_calls=completion.tool_calls),
        Message(role="tool", content='{"name": "Kim"}', tool_call_id="said-0"),
    )
    await player.answer(ask("Who?", tools=(LOOKUP,), history=history))
    assert host.seen[-1][0][-2].parts[0].content == 'The tool\'s result: {"name": "Kim"}'


BOOKS = ToolCallPart("book", '{"day": "Monday"}', tool_call_id="c1")
FORM = '{"action": "book", "day": "Monday"}'


async def test_a_decision_is_a_native_call_where_the_model_can(ask: Ask) -> None:
    host = Host(lambda messages, info: [TextPart("I book it."), BOOKS])
    completion = await model(host).answer(decision(ask))
    assert [call.arguments for call in completion.tool_calls] == [{"day": "Monday"}]
    assert host.seen[0][1].allow_text_output is False


@pytest.mark.parametrize(
    "unusable",
    [
        "I book Monday.",
        [BOOKS, ToolCallPart("stop", {}, tool_call_id="c2")],
        [ToolCallPart("cancel", {}, tool_call_id="c1")],
        [ToolCallPart("book", '{"day": "Monday", "day": "Friday"}', tool_call_id="c1")],
        [ToolCallPart("book", '{"day": "Mon', tool_call_id="c1")],
    ],
    ids=["words", "two calls", "no such tool", "duplicate key", "half a call"],
)
@BOTH_WAYS
async def test_a_decision_is_a_form_where_the_model_gives_no_usable_call(
    ask: Ask, unusable: Reply, options: Options
) -> None:
    host = Host(lambda messages, info: unusable if info.function_tools else FORM)
    player = model(host, options)
    for _ in range(2):
        completion = await player.answer(decision(ask))
        assert completion.text == FORM
        assert completion.adapted == ("tools offered as choices of a form",)
    assert [bool(info.function_tools) for _, info in host.seen] == [True, False, False]
    assert "Decide by call." not in host.words()


async def test_a_host_that_refuses_tools_after_some_success_gets_the_form_from_then_on(ask: Ask) -> None:
    def reply(messages: Any, info: Any) -> Reply:
        if info.function_tools and len(host.seen) > 2:
            raise refused("tool use is disabled for this model")
        return [BOOKS] if info.function_tools else FORM

    host = Host(reply)
    player = model(host)
    replies = [await player.answer(decision(ask)) for _ in range(4)]
    assert [bool(completion.tool_calls) for completion in replies] == [True, True, False, False]
    assert [bool(info.function_tools) for _, info in host.seen] == [True, True, True, False, False]


# How replies are read


@BOTH_WAYS
@pytest.mark.parametrize(
    "said",
    [
        "<think>he is scared</think>\nPlease sit down.",
        "he is scared\n</think>\nPlease sit down.",
        "Please sit down.\n<think>I should",
        "[THINK]he is scared[/THINK]\nPlease sit down.",
        "<reasoning>he is scared</reasoning>\nPlease sit down.",
        "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Please sit down.",
        [ThinkingPart("he is scared"), TextPart("Please sit down.")],
    ],
)
async def test_thinking_is_removed_from_a_reply(ask: Ask, said: Reply, options: Options) -> None:
    assert (await model(Host(lambda messages, info: said), options).answer(ask())).text == "Please sit down."


@BOTH_WAYS
async def test_thinking_that_uses_up_the_limit_gets_a_higher_limit_from_then_on(ask: Ask, options: Options) -> None:
    def reply(messages: Any, info: Any) -> Reply:
        if info.model_settings["max_tokens"] > 2_000:
            return "Please sit down."
        return ModelResponse([ThinkingPart("he is scared and")], finish_reason="length")

    host = Host(reply)
    player = model(host, options)
    assert [(await player.answer(ask())).text for _ in range(2)] == ["Please sit down."] * 2
    limits = [info.model_settings["max_tokens"] for _, info in host.seen]
    assert limits[1] == limits[0] + 2_048 == limits[2]


@BOTH_WAYS
@pytest.mark.parametrize("said", ["I am ill. " * 40, [ThinkingPart("wait, " * 500)]], ids=["words", "thoughts"])
async def test_a_reply_that_repeats_itself_is_found(ask: Ask, said: Reply, options: Options) -> None:
    request = ask()
    completion = await model(Host(lambda messages, info: said), options).answer(request)
    with pytest.raises(Unreadable, match="repeated itself"):
        read_completion(request.prompt, completion)


@pytest.mark.parametrize("thoughts", [False, True])
async def test_a_reply_that_repeats_itself_is_stopped_while_it_streams(ask: Ask, thoughts: bool) -> None:
    sent = 0

    async def stream(messages: Any, info: Any) -> AsyncIterator[Any]:
        nonlocal sent
        for _ in range(1_000):
            sent += 1
            yield {0: DeltaThinkingPart(content="I am ill. ")} if thoughts else "I am ill. "

    host = FunctionModel(stream_function=stream)
    completion = await model(host).answer(ask())
    assert completion.finish == "run-on"
    assert sent < 200
    assert completion.usage.output_tokens > 0


@BOTH_WAYS
@pytest.mark.parametrize(
    ("response", "cut"),
    [
        (ended("It began three days ago, after a long", "length"), True),
        (ended("It began three days ago, after a long", None), True),
        (ended("It began three days ago, after a long", "stop", 500), True),
        (ended("It began three days ago.", None), False),
        (ended("It began three days ago, after a long", "stop"), False),
    ],
    ids=["length", "no reason", "stop at the limit", "whole without a reason", "stop"],
)
async def test_a_cut_reply_is_never_taken_as_whole(
    ask: Ask, response: ModelResponse, cut: bool, options: Options
) -> None:
    completion = await model(Host(lambda messages, info: response), options).answer(ask())
    assert (completion.finish == "length") is cut


@BOTH_WAYS
async def test_a_cut_tool_call_is_never_used(ask: Ask, options: Options) -> None:
    response = ModelResponse([ToolCallPart("lookup", '{"id": "7"}', tool_call_id="c")], finish_reason="length")
    completion = await model(Host(lambda messages, info: response), options).answer(ask(tools=(LOOKUP,)))
    assert completion.finish == "cut tool call"
    assert not completion.tool_calls


@pytest.mark.parametrize("found", [True, False], ids=["by us", "by pydantic-ai"])
async def test_a_stream_that_ended_too_early_is_asked_for_again(ask: Ask, found: bool) -> None:
    def reply(messages: Any, info: Any) -> Reply:
        if len(host.seen) > 1:
            return "Good day."
        if found:
            return ModelResponse([TextPart("Good")], state="incomplete")
        raise UnexpectedModelBehavior("Streamed response ended without content or tool calls")

    host = Host(reply)
    assert (await model(host).answer(ask())).text == "Good day."
    assert len(host.seen) == 2


async def test_an_error_in_the_middle_of_a_stream_is_tried_again_and_billed(ask: Ask) -> None:
    tries = 0

    async def stream(messages: Any, info: Any) -> AsyncIterator[str]:
        nonlocal tries
        tries += 1
        yield GOOD
        if tries == 1:
            raise refused("structured output is overloaded, unsupported load", 500)

    player = model(FunctionModel(stream_function=stream))
    completion = await player.answer(ask("J", Judges(case="x")))
    assert (tries, completion.adapted) == (2, ())
    once = await player.answer(ask("J", Judges(case="x")))
    assert completion.usage.output_tokens > once.usage.output_tokens, "both tries are billed"


async def test_a_hosts_reply_longer_than_any_limit_counts_as_a_failed_attempt(ask: Ask) -> None:
    long = " ".join(str(number) for number in range(20_000))
    with pytest.raises(AttemptFailed, match="longer than its limit") as caught:
        await attempt(Host(lambda messages, info: long), ask("Hello"), Options(max_tokens=20))
    assert caught.value.trouble == "truncated"


async def attempt(host: Model, request: Request, options: Options = STREAMED) -> Completion:
    """One attempt, whose failure says what kind it is."""
    return await model(host, options)._attempt(request, 0, 10, [])


@pytest.mark.parametrize(
    ("status", "trouble"),
    [(429, "throttled"), (500, "server"), (503, "throttled"), (400, "refused"), (401, "refused")],
)
async def test_a_hosts_errors_are_distinguished(ask: Ask, status: int, trouble: Trouble) -> None:
    def reply(messages: Any, info: Any) -> Reply:
        raise ModelHTTPError(status, "claude", {"error": "key sk-abcdefghijkl"}, headers={"retry-after": "2"})

    with pytest.raises(AttemptFailed, match=r"anthropic:claude: the host answered \d+: key \*\*\*") as caught:
        await attempt(Host(reply), ask())
    assert caught.value.trouble == trouble
    assert caught.value.retry_after_s == 2


async def test_a_content_filter_is_a_refusal(ask: Ask) -> None:
    with pytest.raises(AttemptFailed, match="content filter") as caught:
        await attempt(Host(lambda messages, info: ended("", "content_filter")), ask())
    assert caught.value.trouble == "refused"


async def test_a_mistake_in_the_settings_is_the_users(ask: Ask) -> None:
    def reply(messages: Any, info: Any) -> Reply:
        raise UserError("no such region")

    with pytest.raises(ConfigError, match="no such region"):
        await attempt(Host(reply), ask())


async def test_the_shipped_test_model_answers(ask: Ask) -> None:
    assert (await model(TestModel()).answer(ask())).text


async def test_a_missing_package_is_named_with_the_command_that_installs_it(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "pydantic_ai"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    caller = HostedCaller("anthropic", "claude", Options(), NAME)
    with pytest.raises(ConfigError, match=r"pip install .*\[hosted\]"):
        await GuardedModel(caller, Limiter(1), Options()).answer(ask())
    with pytest.raises(ConfigError, match=r"pip install .*\[hosted\]"):
        HostedCaller("anthropic", "claude", Options(), NAME).check()


def test_a_host_that_the_extra_does_not_bring_is_installed_by_its_own_name() -> None:
    extra = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]["hosted"][0]
    assert [name for name in EXTRA_HAS if name not in extra] == []
    for host, package in (("bedrock", "boto3"), ("anthropic", "anthropic")):
        told = ImportError(f'Please install the `{package}` package: `pip install "pydantic-ai-slim[{host}]"`')
        assert _install(f"{host}:m", told).endswith("'pydantic-ai-slim[bedrock]'" if host == "bedrock" else "[hosted]'")


def test_one_command_brings_the_extra_and_the_package_of_a_host_that_it_has_not() -> None:
    absent = ModuleNotFoundError("No module named 'pydantic_ai'")
    assert _install("anthropic:m", absent).endswith("[hosted]'")
    assert _install("bedrock:m", absent).endswith("[hosted]' 'pydantic-ai-slim[bedrock]'")
    slim = set(metadata("pydantic-ai-slim").get_all("Provides-Extra") or ())
    assert set(BESIDES.values()) <= slim and set(BESIDES) < set(HOSTED)


async def test_a_run_is_not_saved_if_a_hosts_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError("Please install the `boto3` package")

    monkeypatch.setattr("pydantic_ai.models.infer_model", missing)
    async with open_store(MEMORY) as store:
        with pytest.raises(ConfigError, match="needs a package"):
            await run(store, make_config({"clinic": "demo", "scenarios": "1", "cast": "nurse=bedrock:claude"}))
        assert await store.runs.all() == []
