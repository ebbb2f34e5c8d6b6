"""Hosts with their own protocol (Anthropic, Google, Bedrock …), through pydantic-ai's model classes.

Only `Model.request` is used, which takes a list of messages and returns one answer. pydantic-ai's agent loop would cost
eighty times as much and add a second set of rules. The package is imported at the first call, because importing it
takes seconds.
"""

from __future__ import annotations

import base64
import importlib
import importlib.util
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from polyclinic.core.again import BAD_CALL, CUT_CALL
from polyclinic.core.calling import is_usable_call
from polyclinic.core.extras import install_hint
from polyclinic.core.message import Message, ToolCall, assistant, user
from polyclinic.core.model import FORM_IN_WORDS, TOOLS_IN_WORDS, Completion, Request, Usage, estimate_usage
from polyclinic.core.reply import Unreadable, read_object
from polyclinic.core.tool import ToolSpec
from polyclinic.errors import ConfigError
from polyclinic.models.arriving import most_chars
from polyclinic.models.failure import AttemptFailed, Trouble, redact
from polyclinic.models.guard import Deadline
from polyclinic.models.habits import CallTally, names_tools
from polyclinic.models.prices import FREE, Price
from polyclinic.models.said import said_call, says_call
from polyclinic.models.schema import in_words, reply_schema
from polyclinic.models.spec import Options
from polyclinic.models.wire import (
    asked_as_form,
    calls_in_words,
    provider_seed,
    temperature_of,
    tool_result_in_words,
    tools_in_words,
)

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model as HostModel
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

INSTALL = install_hint("hosted")
_TROUBLES: dict[str, Trouble] = {
    "ModelRateLimitError": "throttled",
    "ModelOverloadedError": "throttled",
    "ModelUnavailableError": "server",
    "ModelServerError": "server",
    "ModelConnectionError": "connection",
    "ModelRequestTimeout": "deadline",
}


class HostedCaller:
    """One model at one host, one attempt at a time."""

    def __init__(
        self,
        provider: str,
        model: str,
        options: Options,
        name: str,
        price: Price = FREE,
        host_model: HostModel | None = None,
    ) -> None:
        self._provider, self._model, self._options = provider, model, options
        self.name, self._price = name, price
        self._host_model = host_model
        self._takes_tools, self._calls = options.tools, CallTally()

    @property
    def hears(self) -> bool:
        """Answers arrive whole, so there is no idle deadline."""
        return False

    def limit(self, request: Request) -> int:
        """The token limit that is sent."""
        return self._options.limit(request)

    def check(self) -> None:
        """Raise if the package is missing; this check does not import it."""
        if self._host_model is None and importlib.util.find_spec("pydantic_ai") is None:
            raise ConfigError(f"cast {self.name} needs a package: {INSTALL}")

    async def attempt(self, request: Request, number: int, deadline: Deadline) -> Completion:
        """One attempt. If the host turns out to take no tools, it is repeated with the tools in words."""
        host = self._open()
        if host.profile.get("supports_tools") is False:
            self._takes_tools = False
        try:
            completion = await self._ask(host, request, number)
            if request.closed is None or not self._takes_tools:
                return completion
            usable = is_usable_call(request.prompt, completion)
            if self._calls.count(usable) or usable:
                return completion
        except AttemptFailed as failure:
            if not (request.tools and self._takes_tools and failure.trouble == "refused" and names_tools(str(failure))):
                raise
        self._takes_tools = False
        return await self._ask(host, request, number)

    async def _ask(self, host: HostModel, request: Request, number: int) -> Completion:
        from pydantic_ai.exceptions import AgentRunError, UserError

        if request.closed is not None and not self._takes_tools:
            return asked_as_form(await self._ask(host, request.closed, number), self._options)
        structured = request.reply_type is not str and request.closed is None
        native = structured and bool(host.profile.get("supports_json_schema_output"))
        told = request.tools if not self._takes_tools else ()
        messages = _messages(request, said=structured and not native, told=told)
        parameters = _parameters(request, native, () if told else request.tools)
        try:
            response = await host.request(messages, self._settings(request, number), parameters)
        except UserError as error:
            raise ConfigError(f"{self.name}: {redact(str(error))}") from None
        except AgentRunError as error:
            raise _failure(self.name, error) from None
        completion = self._completion(request, response)
        if says_call(completion, request, told=bool(told)):
            completion = said_call(completion, request)
        adapted = (*([TOOLS_IN_WORDS] if told else []), *([FORM_IN_WORDS] if structured and not native else []))
        return replace(completion, adapted=adapted)

    def _open(self) -> HostModel:
        if self._host_model is None:
            try:
                models = importlib.import_module("pydantic_ai.models")
                self._host_model = models.infer_model(f"{self._provider}:{self._model}")
            except ImportError as error:
                raise ConfigError(f"cast {self.name} needs a package: {INSTALL} ({error})") from None
            except Exception as error:
                raise ConfigError(f"cast {self.name}: {redact(str(error))}") from None
        assert self._host_model is not None
        return self._host_model

    def _settings(self, request: Request, number: int) -> ModelSettings:
        options = self._options
        settings: ModelSettings = {
            "timeout": options.timeout_s,
            "max_retries": 0,
            "seed": provider_seed(request, number),
            "max_tokens": options.limit(request),
        }
        temperature = temperature_of(request, options)
        if temperature is not None:
            settings["temperature"] = temperature
        if options.effort:
            settings["thinking"] = False if options.effort == "none" else options.effort
        return settings

    def _completion(self, request: Request, response: ModelResponse) -> Completion:
        from pydantic_ai.messages import TextPart, ToolCallPart

        if response.finish_reason == "content_filter":
            raise AttemptFailed(f"{self.name}: the host's content filter stopped the reply", "refused")
        text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
        usage = self._usage(request, response, text)
        calls = []
        for part in response.parts:
            if isinstance(part, ToolCallPart):
                written = part.args if isinstance(part.args, str) else orjson.dumps(part.args or {}).decode()
                if response.finish_reason == "length":
                    return Completion(text=written, usage=usage, finish=CUT_CALL)
                try:
                    arguments = read_object(written or "{}")
                except Unreadable:
                    return Completion(text=written, usage=usage, finish=BAD_CALL)
                calls.append(ToolCall(id=part.tool_call_id, name=part.tool_name, arguments=arguments))
        if len(text) > most_chars(self._options.limit(request)):
            said = f"{self.name}: the reply is longer than its limit allows"
            raise AttemptFailed(said, "truncated", usage=usage)
        finish = "tool_calls" if calls else (response.finish_reason or "stop")
        if finish == "length" and not text.strip():
            said = "the reply reached its token limit before any text; allow more with ?thinking_tokens=…"
            raise AttemptFailed(f"{self.name}: {said}", "refused", usage=usage)
        return Completion(text=text, tool_calls=tuple(calls), usage=usage, finish=finish)

    def _usage(self, request: Request, response: ModelResponse, text: str) -> Usage:
        said = response.usage
        if not said.input_tokens and not said.output_tokens:
            return estimate_usage(request, text)
        cost = self._price.cost_nano_usd(said.input_tokens, said.output_tokens, said.cache_read_tokens or 0)
        return Usage(input_tokens=said.input_tokens, output_tokens=said.output_tokens, cost_nano_usd=cost)


def _parameters(request: Request, native: bool, offered: Sequence[ToolSpec]) -> ModelRequestParameters:
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    tools = [
        ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=tool.parameters)
        for tool in offered
    ]
    if not native:
        return ModelRequestParameters(function_tools=tools, allow_text_output=request.closed is None)
    name, schema, strict = reply_schema(request.reply_type)
    wanted = OutputObjectDefinition(json_schema=schema, name=name, strict=strict or None)
    return ModelRequestParameters(function_tools=tools, output_mode="native", output_object=wanted)


def _messages(request: Request, said: bool, told: Sequence[ToolSpec]) -> list[ModelMessage]:
    """Our messages as pydantic-ai's. `said` puts the form of the reply into words, for models without a schema mode;
    `told` are the tools that are described in words.
    """
    from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, UserPromptPart

    made: list[ModelMessage] = []
    if told:
        made.append(ModelRequest(parts=[SystemPromptPart(content=tools_in_words(tuple(told)))]))
    names = {call.id: call.name for message in request.messages for call in message.tool_calls}
    in_words_too = bool(told) or not request.tools
    messages = [_in_words(message, request) if in_words_too else message for message in request.messages]
    for message in messages:
        parts = _parts(message, names)
        made.append(ModelResponse(parts=parts) if message.role == "assistant" else ModelRequest(parts=parts))
    if said:
        _, schema, _ = reply_schema(request.reply_type)
        made.append(ModelRequest(parts=[UserPromptPart(content=in_words(schema))]))
    return made


def _in_words(message: Message, request: Request) -> Message:
    """The use of a tool and its result as words, for a host that takes no tools."""
    if message.role == "tool":
        return user(tool_result_in_words(message))
    return assistant(calls_in_words(message, request)) if message.tool_calls else message


def _parts(message: Message, names: dict[str, str]) -> list[Any]:
    from pydantic_ai.messages import SystemPromptPart, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart

    if message.role == "system":
        return [SystemPromptPart(content=message.content)]
    if message.role == "tool" and not message.tool_call_id:
        return [UserPromptPart(content=tool_result_in_words(message))]
    if message.role == "tool":
        name = names.get(message.tool_call_id, "tool")
        return [ToolReturnPart(tool_name=name, content=message.content, tool_call_id=message.tool_call_id)]
    if message.role == "user":
        return [UserPromptPart(content=_user_content(message))]
    parts: list[Any] = [TextPart(content=message.content)] if message.content else []
    calls = message.tool_calls
    return parts + [ToolCallPart(tool_name=call.name, args=call.arguments, tool_call_id=call.id) for call in calls]


def _user_content(message: Message) -> str | Sequence[Any]:
    from pydantic_ai.messages import BinaryContent

    if not message.images:
        return message.content
    content: list[Any] = [message.content] if message.content else []
    for image in message.images:
        if image.caption:
            content.append(image.caption)
        content.append(BinaryContent(data=base64.b64decode(image.data), media_type=image.media_type))
    return content


def _failure(name: str, error: Exception) -> AttemptFailed:
    """Turn pydantic-ai's error into ours by the name of its class, so that a renamed class causes no crash."""
    trouble: Trouble = "refused"
    for kind in type(error).__mro__:
        if kind.__name__ in _TROUBLES:
            trouble = _TROUBLES[kind.__name__]
            break
    status = int(getattr(error, "status_code", 0) or 0)
    if trouble == "refused" and (status >= 500 or status in (408, 429)):
        trouble = "throttled" if status == 429 else "server"
    said = redact(str(error))[:400]
    return AttemptFailed(f"{name}: {said}", trouble, getattr(error, "retry_after", None), status)
