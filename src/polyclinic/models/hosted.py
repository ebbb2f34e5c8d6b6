"""Hosts with their own protocol (Anthropic, Google, Bedrock …), through pydantic-ai's model classes.

Only `Model.request_stream` and `Model.request` are used, which take a list of messages and return one answer.
pydantic-ai's agent loop would cost eighty times as much and add a second set of rules. The package is imported at the
first call, because importing it takes seconds.

A request comes here in the form of the OpenAI chat protocol, and the answer is read in that form too. So everything
that is known about replies and servers (`adapting`, `arriving`, `habits`, `wire`) holds for these hosts as well.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from polyclinic.core.extras import install_hint
from polyclinic.core.model import Completion, Request
from polyclinic.errors import ConfigError
from polyclinic.models.adapting import AdaptingCaller, Complaint
from polyclinic.models.arriving import Reading, complaint_of
from polyclinic.models.failure import AttemptFailed, Trouble, redact, trouble_of
from polyclinic.models.guard import Deadline
from polyclinic.models.habits import Form, Habits, Known
from polyclinic.models.prices import FREE, Price
from polyclinic.models.spec import Options
from polyclinic.models.wire import RequestBody

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model as HostModel
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

INSTALL = install_hint("hosted")
_REFUSED, _FAILED = 400, 500
_FINISHES = {None: None, "tool_call": "tool_calls"}
_TROUBLES: dict[str, Trouble] = {
    "ModelQuotaExceededError": "refused",
    "ModelRateLimitError": "throttled",
    "ModelOverloadedError": "throttled",
    "ModelUnavailableError": "server",
    "ModelServerError": "server",
    "ModelTimeoutError": "deadline",
    "ModelRequestTimeout": "deadline",
    "ModelConnectionError": "connection",
    "ContentFilterError": "refused",
    "UnexpectedModelBehavior": "truncated",
}


class HostedCaller(AdaptingCaller):
    """One model at one host. `known` is shared by all models of that host."""

    def __init__(
        self,
        provider: str,
        model: str,
        options: Options,
        name: str,
        price: Price = FREE,
        known: Known | None = None,
        host_model: HostModel | None = None,
    ) -> None:
        super().__init__(known or Known(), model, options, name, price)
        self._id, self._given = f"{provider}:{model}", host_model
        self._host: HostModel | None = None

    def check(self) -> None:
        """Raise if the package is missing; this check does not import it."""
        if self._given is None and importlib.util.find_spec("pydantic_ai") is None:
            raise ConfigError(f"cast {self.name} needs a package: {INSTALL}")

    async def attempt(self, request: Request, number: int, deadline: Deadline) -> Completion:
        """One attempt. What pydantic-ai says about the model counts until the model shows otherwise."""
        if self._host is None:
            self._host = self._given or self._found()
            self._known.expect(self._model, _habits_of(self._host))
        return await super().attempt(request, number, deadline)

    def _found(self) -> HostModel:
        try:
            found: HostModel = importlib.import_module("pydantic_ai.models").infer_model(self._id)
        except ImportError as error:
            raise ConfigError(f"cast {self.name} needs a package: {INSTALL} ({error})") from None
        except Exception as error:
            raise ConfigError(f"cast {self.name}: {redact(str(error))}") from None
        return found

    async def _send(self, body: RequestBody, reading: Reading, deadline: Deadline) -> None:
        from pydantic_ai.exceptions import AgentRunError, UserError

        host: Any = self._host
        settings = _settings(body, self._options, host)
        try:
            if not body.get("stream"):
                response = await host.request(_messages(body), settings, _parameters(body))
                reading.take(_said(response.parts))
            else:
                async with host.request_stream(_messages(body), settings, _parameters(body)) as stream:
                    async for event in stream:
                        deadline.heard()
                        reading.began = True
                        reading.take(_said([_new_in(event)]))
                        if reading.enough():
                            return
                    response = stream.get()
        except AgentRunError as error:
            raise self._complaint(error) from None
        except (UserError, NotImplementedError) as error:
            words = redact(str(error))
            raise Complaint(_REFUSED, words, ConfigError(f"{self.name}: {words}")) from None
        except RuntimeError as error:
            words = redact(str(error))
            raise Complaint(_FAILED, words, AttemptFailed(f"{self.name}: {words}", "refused")) from None
        reading.began = True
        if response.state != "complete":
            raise AttemptFailed("the stream ended before the reply did", "truncated")
        reading.take(_ended(response))
        reading.enough(ended=True)

    def _complaint(self, error: Exception) -> Complaint:
        """pydantic-ai's error as ours, by the name of its class, so that a renamed class causes no crash."""
        status = int(getattr(error, "status_code", 0) or 0)
        told = getattr(error, "body", None)
        words = (
            complaint_of(told) if isinstance(told, dict) and {"error", "message"} & told.keys() else str(error)[:400]
        )
        wait_s = getattr(error, "retry_after", None)
        kinds = [_TROUBLES[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in _TROUBLES]
        trouble = kinds[0] if kinds else trouble_of(status, words, wait_s)
        said = f"the host answered {status}: {words}" if status else words
        return Complaint(status, words, AttemptFailed(redact(f"{self.name}: {said}"), trouble, wait_s, status))


def _habits_of(host: HostModel) -> Habits:
    """What pydantic-ai knows about a model. The large hosts refuse lengths of texts in a schema."""
    profile = host.profile
    form: Form = "strict" if profile.get("supports_json_schema_output") else "words"
    return Habits(
        form=form,
        thinking="effort",
        takes_pictures=profile.get("supports_image_input", True),
        takes_tools=profile.get("supports_tools", True),
    )


def _settings(body: RequestBody, options: Options, host: HostModel) -> ModelSettings:
    """The request's settings, without those that pydantic-ai cannot pass on to this host. It would warn about them."""
    effort, limit = body.get("reasoning_effort"), body.get("max_tokens") or body.get("max_completion_tokens")
    settings = {
        "timeout": options.timeout_s,
        "max_retries": 0,
        "max_tokens": limit,
        "temperature": body.get("temperature"),
        "seed": body.get("seed"),
        "thinking": False if effort == "none" else effort,
    }
    taken = settings.keys() - host.unsupported_settings
    return cast("ModelSettings", {name: settings[name] for name in taken if settings[name] is not None})


def _parameters(body: RequestBody) -> ModelRequestParameters:
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

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


def _messages(body: RequestBody) -> list[ModelMessage]:
    """The messages of the OpenAI chat protocol as pydantic-ai's."""
    from pydantic_ai.messages import ModelRequest, ModelResponse

    messages: list[RequestBody] = body["messages"]
    names = {call["id"]: call["function"]["name"] for message in messages for call in message.get("tool_calls", ())}
    return [
        ModelResponse(parts=_parts(message, names))
        if message["role"] == "assistant"
        else ModelRequest(parts=_parts(message, names))
        for message in messages
    ]


def _parts(message: RequestBody, names: Mapping[str, str]) -> list[Any]:
    from pydantic_ai.messages import SystemPromptPart, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart

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
    from pydantic_ai.messages import BinaryContent

    return part["text"] if part["type"] == "text" else BinaryContent.from_data_uri(part["image_url"]["url"])


def _new_in(event: Any) -> Any:
    """What is new in an event of a stream: a part that begins, or a piece of one. The end of a part repeats it."""
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent

    if isinstance(event, PartStartEvent):
        return event.part
    return event.delta if isinstance(event, PartDeltaEvent) else None


def _said(parts: Iterable[Any]) -> RequestBody:
    """Text and reasoning in parts of a reply, or in pieces of parts, as one event of the OpenAI chat protocol."""
    from pydantic_ai.messages import TextPart, TextPartDelta, ThinkingPart, ThinkingPartDelta

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


def _ended(response: ModelResponse) -> RequestBody:
    """The tool calls, the end and the cost of a reply, as the last event of the OpenAI chat protocol."""
    from pydantic_ai.messages import ToolCallPart

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
