"""What is sent to a model: messages of text and images, tool calls and their results."""

from __future__ import annotations

import base64
import hashlib
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Frozen(BaseModel):
    """Base of all values that never change once made; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Image(Frozen):
    """A picture in a message, as base64 text so that it travels through JSON unchanged."""

    media_type: str = "image/png"
    data: str = Field(repr=False, description="base64")
    caption: str = ""

    @classmethod
    def from_bytes(cls, content: bytes, media_type: str = "image/png", caption: str = "") -> Image:
        """A picture from its file's bytes."""
        return cls(media_type=media_type, data=base64.b64encode(content).decode(), caption=caption)

    @property
    def digest(self) -> str:
        """Names the picture in keys and logs without its bytes."""
        return hashlib.sha256(self.data.encode()).hexdigest()[:16]


class ToolCall(Frozen):
    """A model's wish to use a tool."""

    id: str
    name: str
    arguments: dict[str, Any]


class Message(Frozen):
    """One message of a conversation with a model."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    images: tuple[Image, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""

    def canonical(self) -> dict[str, Any]:
        """The message as plain data for keys: empty fields left out, pictures by digest."""
        plain: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.images:
            plain["images"] = [image.digest for image in self.images]
        if self.tool_calls:
            plain["tool_calls"] = [call.model_dump() for call in self.tool_calls]
        if self.tool_call_id:
            plain["tool_call_id"] = self.tool_call_id
        return plain


def system(content: str) -> Message:
    """A system message."""
    return Message(role="system", content=content)


def user(content: str, *images: Image) -> Message:
    """A user message, with pictures if any."""
    return Message(role="user", content=content, images=images)


def assistant(content: str) -> Message:
    """What the model itself said."""
    return Message(role="assistant", content=content)
