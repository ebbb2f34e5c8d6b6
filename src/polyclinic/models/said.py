"""What a model says in the text of its reply: words, reasoning in tags, a tool call, or a form.

A reply may be long and may be anything, so every pattern here reads it once: none tries the same characters again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from polyclinic.core.again import BAD_CALL
from polyclinic.core.message import ToolCall
from polyclinic.core.model import Completion, Request
from polyclinic.core.reply import Unreadable, read_object, read_reply

_ARGUMENTS = re.compile(r'"arguments"\s*:\s*(?=\{)')
_TAG = "<tool_call>"
_TAGGED = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+("?)')
_ENDING = re.compile(r"[다요죠까네]|[^\w\s,;:\-–—/(&+=]")
_SENTENCE_WORDS = 6
_TAGS = r"think(?:ing)?|reasoning"
_OPEN = re.compile(rf"<(?:{_TAGS})\s*>|\[think\]|<\|channel\|>analysis\s*<\|message\|>", re.IGNORECASE)
_CLOSE = re.compile(rf"</(?:{_TAGS})\s*>|\[/think\]|<\|channel\|>final\s*<\|message\|>|<\|end\|>", re.IGNORECASE)
_LAST = ("<|end|>", "<|return|>")
"""The marks after the last word of a reply in channels."""


def spoken(text: str) -> str:
    """The reply without the reasoning that some servers leave in it, whether its tags are complete or not.

    If words follow the last closing tag, they are the reply. Otherwise the reply is what stands before the first tag.
    """
    if "<" not in text and "[" not in text:
        return text
    text = _without_last_marks(text)
    after = _CLOSE.split(text)[-1]
    if after.strip() and len(after) < len(text):
        text = after.lstrip()
    opens = _OPEN.search(text)
    return text[: opens.start()].rstrip() if opens else "" if _CLOSE.search(text) else text


def _without_last_marks(text: str) -> str:
    bare = text.rstrip()
    while bare.endswith(_LAST):
        text = bare = bare[: bare.rindex("<|")].rstrip()
    return text


def begins_reasoning(text: str) -> bool:
    """Whether reasoning in tags begins in this text."""
    return bool(_OPEN.search(text))


def is_unfinished(text: str) -> bool:
    """Whether a text clearly breaks off: a bracket stays open, or its last line is as long as a sentence and does not
    end like one. A few words without a full stop may be a whole reply.
    """
    if "{" in text or "[" in text:
        bare = _STRING.sub(lambda quoted: "" if quoted[1] else quoted[0], text)
        if bare.count("{") > bare.count("}") or bare.count("[") > bare.count("]"):
            return True
    last = text.rstrip().rpartition("\n")[2]
    if not last or _ENDING.match(last[-1]):
        return False
    return len(last.split()) >= _SENTENCE_WORDS or not last[-1].isalnum()


def says_call(completion: Completion, request: Request, told: bool) -> bool:
    """Whether a whole reply may be a tool call as text: it has the tag of one, the tools were `told` in words, or only
    a call is an answer.
    """
    expected = request.closed is not None or (told and bool(request.tools))
    return completion.finish == "stop" and not completion.tool_calls and (_TAG in completion.text or expected)


def said_call(completion: Completion, request: Request) -> Completion:
    """Turn a tool call that was written as text into a real one, if the reply is exactly the requested object.

    Some models write their calls in tags. A call in tags that cannot be used is refused: it is never speech.
    """
    if _TAG in completion.text:
        return _tagged_calls(completion, request)
    try:
        wish = read_object(completion.text)
    except Unreadable:
        return completion
    name = "tool" if request.closed is None else "name"
    if set(wish) != {name, "arguments"} or not _is_offered(wish[name], wish["arguments"], request):
        return completion
    return _with_calls(completion, request, [(wish[name], wish["arguments"])])


def _tagged_calls(completion: Completion, request: Request) -> Completion:
    found: list[tuple[str, dict[str, Any]]] = []
    for written in map(str.strip, _TAGGED.findall(completion.text)):
        try:
            wish = read_object(written)
        except Unreadable:
            return replace(completion, text=written, finish=BAD_CALL)
        name, arguments = wish.get("name", ""), wish.get("arguments", {})
        if not _is_offered(name, arguments, request):
            return replace(completion, text=written, finish=BAD_CALL)
        found.append((name, arguments))
    return _with_calls(completion, request, found)


def _is_offered(name: Any, arguments: Any, request: Request) -> bool:
    return isinstance(arguments, dict) and any(tool.name == name for tool in request.tools)


def _with_calls(completion: Completion, request: Request, wishes: list[tuple[str, dict[str, Any]]]) -> Completion:
    before = sum(message.role == "tool" for message in request.messages)
    calls = tuple(
        ToolCall(id=f"said-{number}", name=name, arguments=arguments)
        for number, (name, arguments) in enumerate(wishes, before)
    )
    return Completion(tool_calls=calls, usage=completion.usage, finish="tool_calls", adapted=completion.adapted)


def written_arguments(raw: bytes | bytearray) -> list[str]:
    """The arguments of the tool calls in an answer that came as JSON objects and not as texts, as they were written."""
    found: list[str] = []
    if b'"arguments"' not in raw:
        return found
    text = raw.decode(errors="replace")
    reads, at = json.JSONDecoder(), 0
    while match := _ARGUMENTS.search(text, at):
        _, at = reads.raw_decode(text, match.end())
        found.append(text[match.end() : at])
    return found


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
