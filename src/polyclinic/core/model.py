"""Everyone who speaks is a Model: a language model, an understudy, a person, a recording.

A `Request` is one question in full; its `key` names it in the journal and in caches, from our own canonical form only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from functools import lru_cache
from typing import Any, Literal, Protocol

import orjson

from polyclinic.core.message import Message, ToolCall
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import schema_of
from polyclinic.core.tool import ToolSpec
from polyclinic.core.value import Value, once, unchanging

ModelKind = Literal["llm", "understudy", "human", "replay", "reader"]
FORM_IN_WORDS, TOOLS_IN_WORDS = "form told in words", "tools told in words"
TOOLS_IN_FORM, BY_CALL = "tools offered as choices of a form", "reply given as a tool call"
NANO = 1_000_000_000
_PIECE = 2047
_BEGINS = b'{"messages":['
_CANONICAL = _BEGINS + b'%b],"prompt":%b,"role":%b,"settings":%b,"tools":%b}'


class Settings(Value):
    """How to answer. `sample` distinguishes repeated questions (a judge's K samples); `seed` reaches providers that
    take one.

    `again` counts the tries before this one; `warmer` is added to the temperature, because the model repeated itself.
    """

    temperature: float | None = None
    max_output_tokens: int | None = None
    seed: int = 0
    sample: int = 0
    again: int = 0
    warmer: float = 0.0

    def canonical(self) -> bytes:
        """The settings as JSON for the keys of requests. For a first try it contains neither `again` nor `warmer`."""
        plain = dict(self.__dict__)
        if not self.again:
            del plain["again"], plain["warmer"]
        return orjson.dumps(plain, option=orjson.OPT_SORT_KEYS)


class Usage(Value):
    """What an answer cost. Money is in integer billionths of a US dollar. `estimated` marks counts that nobody
    reported.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost_nano_usd: int = 0
    estimated: bool = False

    def __add__(self, other: Usage) -> Usage:
        return total((self, other))

    @property
    def cost_usd(self) -> float:
        """The cost in US dollars, only for showing to people."""
        return self.cost_nano_usd / NANO


def total(parts: Collection[Usage]) -> Usage:
    """The sum; estimated if any part is."""
    return Usage(
        input_tokens=sum([part.input_tokens for part in parts]),
        output_tokens=sum([part.output_tokens for part in parts]),
        cost_nano_usd=sum([part.cost_nano_usd for part in parts]),
        estimated=any(part.estimated for part in parts),
    )


class Completion(Value):
    """A model's raw answer: words or tool calls, and what they cost.

    `adapted` names what was sent to the model in another way, because its server does not support it: pictures, tools,
    the form of the reply. It also says if a form was answered by a tool call.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    finish: str = "stop"
    adapted: tuple[str, ...] = ()


@unchanging
class Request:
    """One question to one role: the typed prompt, its rendered messages, the offered tools and the settings.

    `occurrence` counts how often this episode has asked the same question before; it is not part of the question.
    `closed` is the same question as a form, for a server that takes no tools; then the reply is a tool call.
    """

    role: str
    prompt: Prompt[Any]
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    settings: Settings = Settings()
    episode: str = ""
    occurrence: int = 0
    closed: Request | None = None

    @once
    def reply_type(self) -> type[Any]:
        """The type that the reply must have."""
        return self.prompt.reply_form()

    @property
    def reply_schema(self) -> dict[str, Any] | None:
        """The reply's JSON schema; None for plain text."""
        return schema_of(self.reply_type)

    @once
    def token_limit(self) -> int:
        """The longest reply in tokens: what the agent asked for, else the prompt's limit, converted from words."""
        return self.settings.max_output_tokens or self.prompt.token_limit()

    @once
    def canonical(self) -> bytes:
        """The request as canonical bytes, which do not depend on any provider's library."""
        messages = b",".join([message.canonical() for message in self.messages])
        tools = _quoted(tuple([tool.name for tool in self.tools])) if self.tools else b"[]"
        settings = self.settings.canonical()
        return _CANONICAL % (messages, _quoted(self.prompt.prompt_name()), _quoted(self.role), settings, tools)

    @once
    def key(self) -> str:
        """Names this request in the journal: a digest of its canonical bytes."""
        if self.messages and self.messages[0].role == "system":
            first = self.messages[0].canonical()
            digest, done = _begun(first).copy(), len(_BEGINS) + len(first)
        else:
            digest, done = hashlib.sha256(), 0
        return _add(digest, self.canonical, done).hexdigest()[:32]


@lru_cache(maxsize=4096)
def _quoted(value: str | tuple[str, ...]) -> bytes:
    """Names as JSON. Cached, because all requests use the same few names."""
    return orjson.dumps(value)


@lru_cache(maxsize=512)
def _begun(first: bytes) -> hashlib._Hash:
    """The digest of a request up to the end of its system message.

    Many requests share it: copy it before you add to it.
    """
    return _add(hashlib.sha256(_BEGINS), first, 0)


def _add(digest: hashlib._Hash, data: bytes, done: int) -> hashlib._Hash:
    """Add the remaining bytes to the digest, in small pieces. For larger pieces Python releases its lock (GIL), which
    costs more than the digest itself.
    """
    for start in range(done, len(data), _PIECE):
        digest.update(data[start : start + _PIECE])
    return digest


def role_of(seat: str) -> str:
    """The role that a seat belongs to: ``student`` for ``student-2``, and ``judge`` for ``judge``."""
    return seat.partition("-")[0]


class Model(Protocol):
    """Anything that answers a request. Raises `ModelError` when it cannot."""

    @property
    def name(self) -> str:
        """The name as in the cast: ``understudy``, ``openai:gpt-5-mini``, ``http://…:qwen3``."""
        ...

    @property
    def kind(self) -> ModelKind:
        """What sort of player this is; understudies are labelled as such in every report."""
        ...

    async def answer(self, request: Request) -> Completion:
        """The answer."""
        ...


def plays_as(model: Model) -> ModelKind:
    """What sort of player answers. For a recording: the sort that played when it was recorded."""
    played: ModelKind = getattr(model, "played", model.kind)
    return played


def was_trained(model: Model) -> bool:
    """Whether a model is or was trained on a clinic's own rows. Such a model is asked in the form of those rows."""
    return bool(getattr(model, "trained", False))


def answers_again(model: Model) -> bool:
    """Whether a player's answer depends on the request alone and costs nothing. If it is lost, the player gives exactly
    the same answer again.
    """
    return model.kind == "understudy" or bool(getattr(model, "answers_again", False))


class Wrapper:
    """Base of a model that wraps another. Both have the same name and kind."""

    def __init__(self, model: Model) -> None:
        self._model, self.name, self.kind = model, model.name, model.kind
        self.played, self.trained = plays_as(model), was_trained(model)


def estimate_tokens(text: str) -> int:
    """A rough token count if the provider reports none: four characters per token for Latin script, 1.5 for Hangul."""
    if text.isascii():
        return (len(text) + 3) // 4
    return _estimate_wide(text)


@lru_cache(maxsize=256)
def _estimate_wide(text: str) -> int:
    wide = (len(text.encode()) - len(text)) // 2
    return (len(text) - wide + 3) // 4 + (wide * 2 + 2) // 3


def estimate_usage(request: Request, text: str) -> Usage:
    """Usage for players that report none, marked as estimated and free of charge."""
    said = [message.content for message in request.messages]
    # The sum of `estimate_tokens` over all messages, without a function call for each.
    read = sum([(len(words) + 3) // 4 if words.isascii() else _estimate_wide(words) for words in said])
    return Usage(input_tokens=read, output_tokens=estimate_tokens(text), estimated=True)
