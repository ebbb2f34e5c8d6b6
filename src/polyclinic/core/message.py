"""What is sent to a model: messages of text and images, tool calls and their results."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, Literal, Self, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_json, to_jsonable_python

_set = object.__setattr__
_AS_PYDANTIC = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS


class Frozen(BaseModel):
    """Base of all values that never change once made; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


F = TypeVar("F", bound=Frozen)


def trusted(kind: type[F], fields: dict[str, Any]) -> F:
    """A value from all of its fields, which the engine itself has just made: they are not looked at again.

    For the few values that every call makes, where looking costs more than making.
    """
    made = kind.__new__(kind)
    _set(made, "__dict__", fields)
    _set(made, "__pydantic_fields_set__", _names(kind))
    _set(made, "__pydantic_extra__", None)
    _set(made, "__pydantic_private__", None)
    return made


@cache
def _names(kind: type[Frozen]) -> set[str]:
    return set(kind.model_fields)


def json_bytes(value: object) -> bytes:
    """Values as JSON, byte for byte what pydantic writes, in a fraction of the time."""
    try:
        return orjson.dumps(value, default=_fields, option=_AS_PYDANTIC)
    except TypeError:
        return to_json(value, inf_nan_mode="null")


def _fields(value: Any) -> Any:
    return value.__dict__ if _is_its_fields(value.__class__) else to_jsonable_python(value)


@cache
def _is_its_fields(kind: type[Any]) -> bool:
    """Whether a value of this type holds its fields and nothing else."""
    return issubclass(kind, Frozen) and not issubclass(kind, Keyed)


class Keyed(Frozen):
    """A value that is part of many requests: its canonical form, from which keys are made, is worked out once."""

    def canonical_value(self) -> Mapping[str, Any]:
        """What counts for keys, as plain data."""
        return self.model_dump()

    def canonical(self) -> bytes:
        """The canonical form as JSON, ready to stand inside a larger one."""
        known: bytes | None = self.__dict__.get("_canonical")
        if known is None:
            known = orjson.dumps(self.canonical_value(), option=orjson.OPT_SORT_KEYS)
            self.__dict__["_canonical"] = known
        return known

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy works its own canonical form out."""
        copy = super().model_copy(update=update, deep=deep)
        copy.__dict__.pop("_canonical", None)
        return copy


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


class Message(Keyed):
    """One message of a conversation with a model."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    images: tuple[Image, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""

    def canonical_value(self) -> Mapping[str, Any]:
        """Empty fields left out, pictures by digest."""
        plain: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.images:
            plain["images"] = [image.digest for image in self.images]
        if self.tool_calls:
            plain["tool_calls"] = [call.model_dump() for call in self.tool_calls]
        if self.tool_call_id:
            plain["tool_call_id"] = self.tool_call_id
        return plain


@lru_cache(maxsize=4096)
def spoken(role: Literal["system", "user", "assistant"], content: str) -> Message:
    """A message of words alone. What is said once is sent again in every later call, so the same words are one message."""
    fields = {"role": role, "content": content, "images": (), "tool_calls": (), "tool_call_id": ""}
    return trusted(Message, fields)


def system(content: str) -> Message:
    """A system message."""
    return spoken("system", content)


def user(content: str, *images: Image) -> Message:
    """A user message, with pictures if any."""
    return Message(role="user", content=content, images=images) if images else spoken("user", content)


def assistant(content: str) -> Message:
    """What the model itself said."""
    return spoken("assistant", content)
