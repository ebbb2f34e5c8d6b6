"""What is sent to a model: messages of text and images, tool calls and their results."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import field, replace
from functools import lru_cache
from typing import Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict

from polyclinic.core.value import Value


class Frozen(BaseModel):
    """Base of the values that users and clinics write: validated when made, immutable, without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Image(Value):
    """A picture in a message, as base64 text so that it travels through JSON unchanged.

    `described` says in words what it shows. Only a model that takes no pictures gets these words, and the report says
    so.
    """

    media_type: str = "image/png"
    data: str = field(repr=False)
    caption: str = ""
    described: str = ""

    @classmethod
    def from_bytes(cls, content: bytes, media_type: str = "image/png", caption: str = "", described: str = "") -> Image:
        """A picture from its file's bytes."""
        data = base64.b64encode(content).decode()
        return cls(media_type=media_type, data=data, caption=caption, described=described)

    @property
    def digest(self) -> str:
        """Names the picture in keys and logs without its bytes."""
        return hashlib.sha256(self.data.encode()).hexdigest()[:16]


class ToolCall(Value):
    """A model's request to use a tool."""

    id: str
    name: str
    arguments: dict[str, Any]


class Message(Value):
    """One message of a conversation with a model."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    images: tuple[Image, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""

    def canonical(self) -> bytes:
        """The message as JSON for the keys of requests. Empty fields are left out; a digest replaces each picture."""
        if not (self.images or self.tool_calls or self.tool_call_id):
            return _words_alone(self.role, self.content)
        plain: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.images:
            plain["images"] = [image.digest for image in self.images]
        if self.tool_calls:
            plain["tool_calls"] = [call.__dict__ for call in self.tool_calls]
        if self.tool_call_id:
            plain["tool_call_id"] = self.tool_call_id
        return orjson.dumps(plain, option=orjson.OPT_SORT_KEYS)


@lru_cache(maxsize=1024)
def _words_alone(role: str, content: str) -> bytes:
    """The canonical form of a message without pictures; cached, because every later request contains it too."""
    return orjson.dumps({"content": content, "role": role})


@lru_cache(maxsize=1024)
def spoken(role: Literal["system", "user", "assistant"], content: str) -> Message:
    """A message without pictures. The same text gives the same object, because a message is sent again in every later
    call.
    """
    return Message(role=role, content=content)


def system(content: str) -> Message:
    """A system message."""
    return spoken("system", content)


def user(content: str, *images: Image) -> Message:
    """A user message, with pictures if any."""
    return Message(role="user", content=content, images=images) if images else spoken("user", content)


def assistant(content: str) -> Message:
    """What the model itself said."""
    return spoken("assistant", content)


def compose(rendered: list[Message], history: Sequence[Message]) -> list[Message]:
    """Put the history after the leading system part of the messages and after the turns that the template itself holds.
    So the growing prefix stays cacheable.
    """
    lead = 0
    for number, message in enumerate(rendered, start=1):
        if message.role == "assistant" or (message.role == "system" and lead == number - 1):
            lead = number
    return [*rendered[:lead], *history, *rendered[lead:]]


def followed(messages: list[Message], after: Sequence[Message]) -> list[Message]:
    """Join two lists of messages. If two user messages meet, they become one message."""
    if not after or not messages or messages[-1].role != "user" or after[0].role != "user":
        return [*messages, *after]
    joined = replace(messages[-1], content=f"{messages[-1].content}\n\n{after[0].content}")
    return [*messages[:-1], joined, *after[1:]]
