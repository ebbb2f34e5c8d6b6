"""The OpenAI chat protocol's bytes: a request as a body, and a reply read from a whole answer or from a stream.

`Habits` is what is remembered of one model on one endpoint: which parts of the protocol it takes. Everything is assumed
until the endpoint refuses it by name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import orjson

from polyclinic.core.again import RUN_ON, runs_on
from polyclinic.core.message import Message, ToolCall
from polyclinic.core.model import Completion, Request, Usage, estimate_usage
from polyclinic.core.seed import derive
from polyclinic.models.failure import AttemptFailed
from polyclinic.models.schema import in_words, reply_schema
from polyclinic.models.spec import Options

Form = Literal["strict", "loose", "object", "words"]
_NEXT_FORM: dict[Form, Form] = {"strict": "loose", "loose": "object", "object": "words"}
_OTHER_LIMIT = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_NAME = re.compile(r"[a-z_]+")
_LOOK_EVERY = 400
_USUAL_WARMTH = 0.7
_WARMEST = 1.2


@dataclass(frozen=True)
class Habits:
    """What a model on an endpoint takes."""

    form: Form = "strict"
    limit_name: str = "max_tokens"
    takes_temperature: bool = True
    takes_seed: bool = True
    takes_effort: bool = True
    counts_in_stream: bool = True
    streams: bool = True

    def after(self, complaint: str, body: dict[str, Any]) -> Habits | None:
        """What to try after the endpoint refused a request with these words; None when nothing is left to change."""
        said = set(_NAME.findall(complaint.lower()))
        if "stream_options" in said and self.counts_in_stream:
            return replace(self, counts_in_stream=False)
        if self.limit_name in said and self.limit_name in body:
            return replace(self, limit_name=_OTHER_LIMIT[self.limit_name])
        if "temperature" in said and "temperature" in body:
            return replace(self, takes_temperature=False)
        if "reasoning_effort" in said and "reasoning_effort" in body:
            return replace(self, takes_effort=False)
        if "seed" in said and "seed" in body:
            return replace(self, takes_seed=False)
        if said & {"stream", "streaming"} and "response_format" not in said and body.get("stream"):
            return replace(self, streams=False)
        if "response_format" in body and self.form in _NEXT_FORM:
            return replace(self, form=_NEXT_FORM[self.form])
        return None


def body_of(request: Request, model: str, options: Options, habits: Habits, number: int) -> dict[str, Any]:
    """The request as the protocol has it."""
    messages = [_message(message) for message in request.messages]
    body: dict[str, Any] = {"model": model, "messages": messages}
    if request.reply_type is not str:
        name, schema, strict = reply_schema(request.reply_type)
        if habits.form == "strict" and strict:
            form = {"name": name, "schema": schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        elif habits.form in ("strict", "loose"):
            form = {"name": name, "schema": request.reply_schema, "strict": False}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        else:
            _say_schema(messages, schema)
            if habits.form == "object":
                body["response_format"] = {"type": "json_object"}
    if request.tools:
        body["tools"] = [{"type": "function", "function": tool.model_dump()} for tool in request.tools]
    temperature = temperature_of(request, options)
    if temperature is not None and habits.takes_temperature:
        body["temperature"] = temperature
    body[habits.limit_name] = options.limit(request)
    if options.effort and habits.takes_effort:
        body["reasoning_effort"] = options.effort
    if habits.takes_seed:
        body["seed"] = provider_seed(request, number)
    if options.stream and habits.streams:
        body["stream"] = True
        if habits.counts_in_stream:
            body["stream_options"] = {"include_usage": True}
    return body


def provider_seed(request: Request, number: int) -> int:
    """A seed for the provider: another for each sample, each try, each time the same is asked, and each attempt."""
    settings = request.settings
    parts = [settings.seed, settings.sample, request.occurrence, number]
    return derive("provider", *parts, *([settings.again] if settings.again else ())) & 0x7FFFFFFF


def temperature_of(request: Request, options: Options) -> float | None:
    """The temperature to send: the cast's, else the clinic's, and warmer where the model repeated itself."""
    settings = request.settings
    chosen = options.temperature if options.temperature is not None else settings.temperature
    if not settings.warmer:
        return chosen
    return min(_WARMEST, round((_USUAL_WARMTH if chosen is None else chosen) + settings.warmer, 3))


def _message(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
    if message.tool_calls:
        calls = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": orjson.dumps(call.arguments).decode()},
            }
            for call in message.tool_calls
        ]
        return {"role": "assistant", "content": message.content or None, "tool_calls": calls}
    if not message.images:
        return {"role": message.role, "content": message.content}
    parts: list[dict[str, Any]] = [{"type": "text", "text": message.content}] if message.content else []
    for image in message.images:
        if image.caption:
            parts.append({"type": "text", "text": image.caption})
        url = f"data:{image.media_type};base64,{image.data}"
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return {"role": message.role, "content": parts}


def _say_schema(messages: list[dict[str, Any]], schema: dict[str, Any]) -> None:
    """Put the form of the reply into words, in the system part: it stays the same from call to call."""
    words = in_words(schema)
    if messages and messages[0]["role"] == "system":
        messages[0] = {**messages[0], "content": f"{messages[0]['content']}\n\n{words}"}
    else:
        messages.insert(0, {"role": "system", "content": words})


@dataclass
class Reading:
    """A reply as it arrives, whole or piece by piece."""

    text: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    calls: dict[int, dict[str, str]] = field(default_factory=dict)
    finish: str = ""
    usage: dict[str, Any] = field(default_factory=dict)
    _length: int = 0
    _next_look: int = _LOOK_EVERY

    def take(self, payload: Any) -> None:
        """One event of a stream, or a whole answer."""
        if not isinstance(payload, dict):
            raise AttemptFailed("the answer is not a JSON object", "truncated")
        if payload.get("error"):
            raise AttemptFailed(f"the endpoint broke off: {complaint_of(payload)}", "server")
        if isinstance(payload.get("usage"), dict):
            self.usage = payload["usage"]
        for choice in payload.get("choices") or ():
            self._choice(choice)

    @property
    def repeats(self) -> bool:
        """Whether the words so far have come to an end that only repeats itself. Looked at now and then, as words
        come.
        """
        if self._length < self._next_look:
            return False
        self._next_look = self._length + _LOOK_EVERY
        if not runs_on("".join(self.text)):
            return False
        self.finish = RUN_ON
        return True

    def _choice(self, choice: Any) -> None:
        said = choice.get("delta") or choice.get("message") or {}
        content = said.get("content")
        if isinstance(content, str):
            self.text.append(content)
            self._length += len(content)
        elif isinstance(content, list):
            self.text += [part["text"] for part in content if isinstance(part, dict) and "text" in part]
        if isinstance(said.get("refusal"), str):
            self.refusal.append(said["refusal"])
        for position, call in enumerate(said.get("tool_calls") or ()):
            index = call.get("index")
            kept = self.calls.setdefault(
                index if isinstance(index, int) else position, {"id": "", "name": "", "arguments": ""}
            )
            function = call.get("function") or {}
            kept["id"] = call.get("id") or kept["id"]
            kept["name"] += function.get("name") or ""
            arguments = function.get("arguments") or ""
            kept["arguments"] += arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
        if choice.get("finish_reason"):
            self.finish = str(choice["finish_reason"])

    def completion(self, request: Request) -> Completion:
        """The reply, once it has ended. Raises when it was cut off, filtered, or used up by reasoning."""
        text = _spoken("".join(self.text))
        if self.finish == "content_filter":
            raise AttemptFailed("the endpoint's content filter stopped the reply", "refused")
        calls = tuple(_tool_call(index, call) for index, call in sorted(self.calls.items()))
        if not calls and not text.strip():
            if self.refusal:
                return Completion(text="".join(self.refusal), usage=self._usage(request, ""), finish="refusal")
            if self.finish == "length":
                raise AttemptFailed(
                    "the reply ended at its token limit before a word was said; give it more with ?max_tokens=…",
                    "refused",
                )
        return Completion(text=text, tool_calls=calls, usage=self._usage(request, text), finish=self.finish or "stop")

    def _usage(self, request: Request, text: str) -> Usage:
        read, written = self.usage.get("prompt_tokens"), self.usage.get("completion_tokens")
        if isinstance(read, int) and isinstance(written, int):
            return Usage(input_tokens=read, output_tokens=written)
        return estimate_usage(request, text)

    @property
    def cached_tokens(self) -> int:
        """Input tokens that the endpoint had in its cache."""
        details = self.usage.get("prompt_tokens_details")
        cached = details.get("cached_tokens") if isinstance(details, dict) else None
        return cached if isinstance(cached, int) else 0


def _spoken(text: str) -> str:
    """The reply without a leading block of thoughts, which some local servers leave in."""
    lead = text.lstrip()
    if lead.startswith("<think>") and "</think>" in lead:
        return lead.partition("</think>")[2].lstrip()
    return text


def _tool_call(index: int, call: dict[str, str]) -> ToolCall:
    try:
        arguments = orjson.loads(call["arguments"] or "{}")
    except orjson.JSONDecodeError:
        arguments = None
    if not isinstance(arguments, dict) or not call["name"]:
        raise AttemptFailed(f"the call of the tool '{call['name']}' has unreadable arguments", "truncated")
    return ToolCall(id=call["id"] or f"call-{index}", name=call["name"], arguments=arguments)


def complaint_of(payload: Any) -> str:
    """The endpoint's own words in an error answer."""
    error = payload.get("error", payload) if isinstance(payload, dict) else payload
    if isinstance(error, dict):
        words = error.get("message") or error.get("detail") or orjson.dumps(error).decode()
        code = error.get("code") or error.get("param") or ""
        return f"{words}{f' ({code})' if code else ''}"[:500]
    return str(error)[:500]
