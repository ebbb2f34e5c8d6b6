"""A request in the form of the OpenAI chat protocol, without the parts that the model is known not to take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from polyclinic.core.calling import CallPrompt
from polyclinic.core.message import Image, Message
from polyclinic.core.model import TOOLS_IN_FORM, Completion, Request
from polyclinic.core.seed import derive
from polyclinic.core.tool import ToolSpec
from polyclinic.models.habits import Habits
from polyclinic.models.schema import action_or, bounded_schema, in_words, reply_schema
from polyclinic.models.spec import Options

RequestBody = dict[str, Any]
_USUAL_WARMTH = 0.7
_WARMEST = 1.2
_GREETINGS = {"en": "Hello.", "ko": "안녕하세요."}


def body_of(request: Request, model: str, options: Options, habits: Habits, number: int) -> RequestBody:
    """The request in the form of the protocol."""
    said_tools = request.tools if not habits.takes_tools else ()
    messages = [_message(message, habits, request) for message in request.messages]
    body: RequestBody = {"model": model, "messages": messages}
    if said_tools:
        _say(messages, tools_in_words(said_tools))
    if request.reply_type is not str and request.closed is None:
        _ask_for_form(body, request, habits, said_tools)
    if request.tools and not said_tools:
        body["tools"] = [{"type": "function", "function": tool.model_dump()} for tool in request.tools]
        if request.closed is not None and habits.takes_tool_choice:
            body["tool_choice"] = "required"
    temperature = temperature_of(request, options)
    if temperature is not None and habits.takes_temperature:
        body["temperature"] = temperature
    body[habits.limit_name] = limit_of(request, options, habits)
    if options.effort and habits.takes_effort:
        body |= _thinking(options.effort, habits)
    if habits.takes_seed:
        body["seed"] = provider_seed(request, number)
    if options.stream and habits.streams:
        body["stream"] = True
        if habits.counts_in_stream:
            body["stream_options"] = {"include_usage": True}
    if not habits.takes_system:
        body["messages"] = _without_system(messages)
    if not habits.takes_turns:
        body["messages"] = _by_turns(body["messages"], request.prompt.language)
    return body


def asked_as_form(completion: Completion, options: Options) -> Completion:
    """The reply to a form, with a mark that says so. A form is sent to a model that takes no tools. There is no mark if
    the cast asked for forms.
    """
    if not options.tools:
        return completion
    return replace(completion, adapted=(*completion.adapted, TOOLS_IN_FORM))


def limit_of(request: Request, options: Options, habits: Habits) -> int:
    """The token limit that is sent; it is also the worst case for the budget."""
    return options.max_tokens or options.limit(request) + max(0, habits.room - options.room)


def provider_seed(request: Request, number: int) -> int:
    """A seed for the provider. It differs for each sample, try, occurrence of the request, and attempt."""
    settings = request.settings
    parts = [settings.seed, settings.sample, request.occurrence, number]
    return derive("provider", *parts, *([settings.again] if settings.again else ())) & 0x7FFFFFFF


def temperature_of(request: Request, options: Options) -> float | None:
    """The temperature to send: the cast's, else the clinic's; higher if the model repeated itself."""
    settings = request.settings
    chosen = options.temperature if options.temperature is not None else settings.temperature
    if not settings.warmer:
        return chosen
    return min(_WARMEST, round((_USUAL_WARMTH if chosen is None else chosen) + settings.warmer, 3))


def _ask_for_form(body: RequestBody, request: Request, habits: Habits, said_tools: tuple[ToolSpec, ...]) -> None:
    name, schema, strict = reply_schema(request.reply_type)
    bounded = bounded_schema(request.reply_type) or schema
    if habits.form in ("object", "words"):
        _say_last(body["messages"], in_words(bounded))
        if habits.form == "object":
            body["response_format"] = {"type": "json_object"}
        return
    form: RequestBody = {"name": name, "schema": request.reply_schema, "strict": False}
    if said_tools:
        form["schema"] = action_or(request.reply_schema or {}, said_tools)
    elif habits.form in ("bounded", "strict") and strict:
        form = {"name": name, "schema": bounded if habits.form == "bounded" else schema, "strict": True}
    body["response_format"] = {"type": "json_schema", "json_schema": form}


def _thinking(effort: str, habits: Habits) -> RequestBody:
    """The wanted amount of reasoning, in the form that the server takes."""
    off = effort == "none"
    if habits.thinking == "reasoning":
        return {"reasoning": {"enabled": False} if off else {"effort": effort}}
    if habits.thinking == "switch":
        return {"thinking": {"type": "disabled" if off else "enabled"}}
    if habits.thinking == "template" and off:
        return {"chat_template_kwargs": {"enable_thinking": False}}
    return {"reasoning_effort": effort}


def tools_in_words(tools: tuple[ToolSpec, ...]) -> str:
    """The offered tools in words, for a model whose server takes no tools."""
    lines = [f"- {tool.name}: {tool.description} Arguments: {orjson.dumps(tool.parameters).decode()}" for tool in tools]
    return "\n".join(
        [
            "You can use these tools, one at a time:",
            *lines,
            'To use one, reply with nothing but this JSON object: {"tool": "its name", "arguments": {…}}. You are then'
            " told the result. When you need no tool any more, reply as you were asked to.",
        ]
    )


def calls_in_words(message: Message, request: Request) -> str:
    """A model's own earlier tool calls, in the form in which it is now asked to write them."""
    prompt = request.prompt
    if isinstance(prompt, CallPrompt):
        return "\n".join(prompt.form_of(call) for call in message.tool_calls if call.name in prompt.uses)
    said = [orjson.dumps({"tool": call.name, "arguments": call.arguments}).decode() for call in message.tool_calls]
    return "\n".join(said)


def _message(message: Message, habits: Habits, request: Request) -> RequestBody:
    calls = habits.takes_tools and bool(request.tools)
    if message.role == "tool":
        if not calls or not message.tool_call_id:
            return {"role": "user", "content": f"The tool's result: {message.content}"}
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
    if message.tool_calls:
        return _with_calls(message) if calls else {"role": "assistant", "content": calls_in_words(message, request)}
    if not message.images:
        return {"role": message.role, "content": message.content}
    if not habits.takes_pictures:
        told = "\n\n".join(part for part in (message.content, *map(picture_in_words, message.images)) if part)
        return {"role": message.role, "content": told}
    parts: list[RequestBody] = [{"type": "text", "text": message.content}] if message.content else []
    for image in message.images:
        if image.caption:
            parts.append({"type": "text", "text": image.caption})
        url = f"data:{image.media_type};base64,{image.data}"
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return {"role": message.role, "content": parts}


def _with_calls(message: Message) -> RequestBody:
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": orjson.dumps(call.arguments).decode()},
        }
        for call in message.tool_calls
    ]
    return {"role": "assistant", "content": message.content or None, "tool_calls": calls}


def picture_in_words(image: Image) -> str:
    """The words that replace a picture for a model that takes none."""
    told = ": ".join(part for part in (image.caption, image.described) if part)
    return f"[A picture, which you are told about in words. {told or 'Nothing is known about it.'}]"


def _say(messages: list[RequestBody], words: str) -> None:
    """Add words to the system message, which stays the same from call to call."""
    if messages and messages[0]["role"] == "system":
        messages[0] = {**messages[0], "content": f"{messages[0]['content']}\n\n{words}"}
    else:
        messages.insert(0, {"role": "system", "content": words})


def _say_last(messages: list[RequestBody], words: str) -> None:
    """Add words at the end of the last user message: small models forget a form that was described long before."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index]["role"] == "user":
            messages[index] = {**messages[index], "content": _joined(messages[index]["content"], words)}
            return
    messages.append({"role": "user", "content": words})


def _without_system(messages: list[RequestBody]) -> list[RequestBody]:
    """Put the system part at the beginning of the first user message, for chat templates without a system role."""
    said = "\n\n".join(str(message["content"]) for message in messages if message["role"] == "system")
    rest = [message for message in messages if message["role"] != "system"]
    if not said:
        return rest
    if rest and rest[0]["role"] == "user":
        return [{**rest[0], "content": _joined(said, rest[0]["content"])}, *rest[1:]]
    return [{"role": "user", "content": said}, *rest]


def _by_turns(messages: list[RequestBody], language: str) -> list[RequestBody]:
    """Join neighbouring messages of one role, for chat templates in which user and assistant must alternate.

    In these templates the user must begin. So if the assistant spoke first, a greeting is put before its words.
    """
    made: list[RequestBody] = []
    first = sum(message["role"] == "system" for message in messages[:1])
    if len(messages) > first and messages[first]["role"] == "assistant":
        greeting = {"role": "user", "content": _GREETINGS["ko" if language == "ko" else "en"]}
        messages = [*messages[:first], greeting, *messages[first:]]
    for message in messages:
        last = made[-1] if made else None
        if last is not None and last["role"] == message["role"] != "tool" and not _calls(last) and not _calls(message):
            made[-1] = {**last, "content": _joined(last["content"], message["content"])}
        else:
            made.append(message)
    return made


def _calls(message: Mapping[str, Any]) -> bool:
    return bool(message.get("tool_calls"))


def _joined(first: Any, second: Any) -> Any:
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    parts = [[{"type": "text", "text": part}] if isinstance(part, str) else part for part in (first, second)]
    return [*parts[0], *parts[1]]
