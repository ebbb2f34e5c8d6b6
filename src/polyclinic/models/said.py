"""What a model says in the text of its reply: words, reasoning in tags, a tool call, or a form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

from polyclinic.core.message import ToolCall
from polyclinic.core.model import Completion, Request
from polyclinic.core.reply import Unreadable, read_object, read_reply

_OPEN, _CLOSE = re.compile(r"(?i)<think(?:ing)?\s*>"), re.compile(r"(?i)</think(?:ing)?\s*>")


def spoken(text: str) -> str:
    """The reply without the reasoning that some servers leave in it, whether its tags are complete or not.

    If words follow the last closing tag, they are the reply. Otherwise the reply is what stands before the first tag.
    """
    if "<" not in text:
        return text
    after = _CLOSE.split(text)[-1]
    if after.strip() and len(after) < len(text):
        text = after.lstrip()
    opens = _OPEN.search(text)
    return text[: opens.start()].rstrip() if opens else "" if _CLOSE.search(text) else text


def begins_reasoning(text: str) -> bool:
    """Whether reasoning in tags begins in this text."""
    return bool(_OPEN.search(text))


def said_call(completion: Completion, request: Request) -> Completion:
    """Turn a tool call that was written as text into a real one, if the reply is exactly the requested object."""
    try:
        wish = read_object(completion.text)
    except Unreadable:
        return completion
    names = {tool.name for tool in request.tools}
    if set(wish) != {"tool", "arguments"} or wish["tool"] not in names or not isinstance(wish["arguments"], dict):
        return completion
    number = sum(message.role == "tool" for message in request.messages)
    call = ToolCall(id=f"said-{number}", name=wish["tool"], arguments=wish["arguments"])
    return Completion(tool_calls=(call,), usage=completion.usage, finish="tool_calls", adapted=completion.adapted)


def keeps_form(text: str, schema: Mapping[str, Any], reply_type: type[Any]) -> bool:
    """Whether the schema may have been enforced: the reply is an object with the schema's fields, or can be read."""
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        found = None
    known, needed = set(schema.get("properties", ())), set(schema.get("required", ()))
    if isinstance(found, dict) and (not known or needed <= set(found) <= known):
        return True
    try:
        read_reply(text, reply_type)
    except Unreadable:
        return False
    return True
