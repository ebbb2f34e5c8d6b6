"""Requests and replies between the OpenAI chat protocol and pydantic-ai's types.

This module imports pydantic-ai, which takes seconds. So it is imported itself only when a hosted model is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    SystemPromptPart,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model as HostModel
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from polyclinic.models.spec import Options
from polyclinic.models.wire import RequestBody

_FINISHES = {None: None, "tool_call": "tool_calls"}


def settings_of(body: RequestBody, options: Options, host: HostModel) -> ModelSettings:
    """The request's settings, without those that pydantic-ai cannot pass on to this host. It would warn about them."""
    effort, limit = body.get("reasoning_effort"), body.get("max_tokens") or body.get("max_completion_tokens")
    wanted = {
        "timeout": options.timeout_s,
        "max_retries": 0,
        "max_tokens": limit,
        "temperature": body.get("temperature"),
        "seed": body.get("seed"),
        "thinking": False if effort == "none" else effort,
    }
    taken = wanted.keys() - host.unsupported_settings
    return cast("ModelSettings", {name: wanted[name] for name in taken if wanted[name] is not None})


def parameters_of(body: RequestBody) -> ModelRequestParameters:
    """The request's tools and the form of its reply."""
    tools = [
        ToolDefinition(name=tool["name"], description=tool["description"], parameters_json_schema=tool["parameters"])
        for tool in (offered["function"] for offered in body.get("tools", ()))
    ]
    speaks = body.get("tool_choice") != "required"
    form = body.get("response_format")
    if form is None:
        return ModelRequestParameters(function_tools=tools, allow_text_output=speaks)
    if form["type"] == "json_object":
        return ModelRequestParameters(function_tools=tools, output_mode="prompted", prompted_output_template=False)
    wanted = form["json_schema"]
    native = OutputObjectDefinition(json_schema=wanted["schema"], name=wanted["name"], strict=wanted["strict"] or None)
    return ModelRequestParameters(function_tools=tools, output_mode="native", output_object=native)


def messages_of(body: RequestBody) -> list[ModelMessage]:
    """The messages of the OpenAI chat protocol as pydantic-ai's."""
    messages: list[RequestBody] = body["messages"]
    names = {call["id"]: call["function"]["name"] for message in messages for call in message.get("tool_calls", ())}
    return [
        ModelResponse(parts=_parts(message, names))
        if message["role"] == "assistant"
        else ModelRequest(parts=_parts(message, names))
        for message in messages
    ]


def _parts(message: RequestBody, names: Mapping[str, str]) -> list[Any]:
    role, content = message["role"], message["content"]
    if role == "system":
        return [SystemPromptPart(content=content)]
    if role == "user":
        return [UserPromptPart(content=content if isinstance(content, str) else [_shown(part) for part in content])]
    if role == "tool":
        called = message["tool_call_id"]
        return [ToolReturnPart(tool_name=names.get(called, "tool"), content=content, tool_call_id=called)]
    parts: list[Any] = [TextPart(content=content)] if content else []
    for call in message.get("tool_calls", ()):
        function = call["function"]
        parts.append(ToolCallPart(tool_name=function["name"], args=function["arguments"], tool_call_id=call["id"]))
    return parts


def _shown(part: RequestBody) -> Any:
    return part["text"] if part["type"] == "text" else BinaryContent.from_data_uri(part["image_url"]["url"])


def new_in(event: Any) -> Any:
    """What is new in an event of a stream: a part that begins, or a piece of one. The end of a part repeats it."""
    if isinstance(event, PartStartEvent):
        return event.part
    return event.delta if isinstance(event, PartDeltaEvent) else None


def said(parts: Iterable[Any]) -> RequestBody:
    """Text and reasoning in parts of a reply, or in pieces of parts, as one event of the OpenAI chat protocol."""
    text = thoughts = ""
    for part in parts:
        if isinstance(part, (TextPart, ThinkingPart)):
            piece = part.content
        elif isinstance(part, (TextPartDelta, ThinkingPartDelta)):
            piece = part.content_delta or ""
        else:
            continue
        if isinstance(part, (TextPart, TextPartDelta)):
            text += piece
        else:
            thoughts += piece
    return {"choices": [{"delta": {"content": text, "reasoning_content": thoughts}}]}


def ended(response: ModelResponse) -> RequestBody:
    """The tool calls, the end and the cost of a reply, as the last event of the OpenAI chat protocol."""
    calls = [
        {"id": part.tool_call_id, "function": {"name": part.tool_name, "arguments": part.args}}
        for part in response.parts
        if isinstance(part, ToolCallPart)
    ]
    reason, used = response.finish_reason, response.usage
    usage = {}
    if used.input_tokens or used.output_tokens:
        usage = {
            "prompt_tokens": used.input_tokens,
            "completion_tokens": used.output_tokens,
            "prompt_tokens_details": {"cached_tokens": used.cache_read_tokens},
        }
    choice = {"delta": {"tool_calls": calls}, "finish_reason": _FINISHES.get(reason, reason)}
    return {"choices": [choice], "usage": usage}
