"""A reply as it arrives, whole or piece by piece.

What an endpoint sends is not trusted. Anything that does not follow the protocol is a failed attempt, never an error of
ours. Nothing is joined, dropped or guessed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from polyclinic.core.again import BAD_CALL, CUT_CALL, LOOKED_AT, RUN_ON, runs_on
from polyclinic.core.message import ToolCall
from polyclinic.core.model import Completion, Request, Usage, estimate_tokens
from polyclinic.core.reply import Unreadable, read_object
from polyclinic.models.accounting import request_tokens
from polyclinic.models.failure import AttemptFailed
from polyclinic.models.said import begins_reasoning, is_unfinished, spoken, written_arguments

_LOOK_EVERY = 400
_CHARS_A_TOKEN = 16
_MOST_CHARS_A_TOKEN = 32
_CHARS_MORE = 16_384
_TOKENS_TOO_MANY = 64
_MOST_CALLS = 128
_LONGEST_REASON = 100
_FINISHES = {
    **dict.fromkeys(("length", "max_tokens", "model_length", "max_output_tokens"), "length"),
    **dict.fromkeys(("stop", "eos", "eos_token", "end_turn", "stop_sequence"), "stop"),
}


class OutOfRoom(AttemptFailed):
    """The reply reached its token limit before any text: the model's reasoning used all of it."""

    def __init__(self, usage: Usage | None = None) -> None:
        said = "the reply reached its token limit before any text; allow more with ?thinking_tokens=… or ?max_tokens=…"
        super().__init__(said, "refused", usage=usage)


@dataclass
class Reading:
    """A reply as it arrives. `limit` is the token limit that was sent; `began` is set once the endpoint answers.

    `sent` is set while it is not known what the endpoint does with the request: it may be at work on a reply.
    """

    limit: int
    began: bool = False
    sent: bool = False
    text: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    calls: list[dict[str, str]] = field(default_factory=list)
    finish: str = ""
    usage: dict[str, Any] = field(default_factory=dict)
    thoughts: list[str] = field(default_factory=list)
    length: int = 0
    _next_look: int = _LOOK_EVERY
    _places: dict[int, int] = field(default_factory=dict)
    _written: list[str] = field(default_factory=list)

    @property
    def most_chars(self) -> int:
        """The most characters that a reply within its token limit can have. Reading stops when a reply is longer."""
        return _MOST_CHARS_A_TOKEN * self.limit + _CHARS_MORE

    def take(self, payload: Any, raw: bytes | bytearray = b"") -> None:
        """Read one event of a stream, or a whole answer. `raw` is what it was read from."""
        if not isinstance(payload, dict):
            raise _odd("the answer is not a JSON object")
        if payload.get("error"):
            raise AttemptFailed(f"the endpoint stopped with an error: {complaint_of(payload)}", "server")
        if isinstance(payload.get("usage"), dict):
            self.usage = payload["usage"]
        choices = payload.get("choices") or ()
        if not isinstance(choices, (list, tuple)):
            raise _odd("the choices are not a list")
        if len(choices) > 1 or any(not isinstance(choice, dict) for choice in choices):
            raise _odd("there is more than one choice" if len(choices) > 1 else "the choice is not an object")
        self._written = written_arguments(raw)
        for choice in choices:
            self._choice(choice)

    def _choice(self, choice: dict[str, Any]) -> None:
        if choice.get("index") not in (0, None):
            raise _odd("there is more than one choice")
        said = choice.get("delta") or choice.get("message") or {}
        if not isinstance(said, dict):
            raise _odd("the message is not an object")
        for words in _texts(said.get("content")):
            self.text.append(words)
            self.length += len(words)
        for name in ("reasoning_content", "reasoning"):
            if isinstance(said.get(name), str):
                self.thoughts.append(said[name])
                self.length += len(said[name])
        if isinstance(said.get("refusal"), str):
            self.refusal.append(said["refusal"])
            self.length += len(said["refusal"])
        calls = said.get("tool_calls") or ()
        if not isinstance(calls, (list, tuple)):
            raise _odd("the tool calls are not a list")
        for position, call in enumerate(calls):
            self._tool_call(position, call)
        reason = choice.get("finish_reason")
        if reason is not None and (not isinstance(reason, str) or len(reason) > _LONGEST_REASON):
            raise _odd("the finish reason is not a word")
        if reason:
            self.finish = _FINISHES.get(reason.lower(), reason)

    def _tool_call(self, position: int, call: Any) -> None:
        function = call.get("function") or {} if isinstance(call, dict) else None
        if not isinstance(function, dict):
            raise _odd("a tool call is not an object")
        index, named = call.get("index"), call.get("id")
        if named is not None and (isinstance(named, bool) or not isinstance(named, (str, int))):
            raise _odd("a tool call's id is not text")
        if len(str(named)) > _CHARS_MORE:
            raise _odd("a tool call's id is too long")
        place = self._places.get(index if isinstance(index, int) else position)
        if place is None or (named and self.calls[place]["id"] not in ("", str(named))):
            if len(self.calls) == _MOST_CALLS:
                raise _odd(f"there are more than {_MOST_CALLS} tool calls")
            place = self._places[index if isinstance(index, int) else position] = len(self.calls)
            self.calls.append({"id": "", "name": "", "arguments": ""})
        kept = self.calls[place]
        kept["id"] = str(named) if named not in (None, "") else kept["id"]
        name, arguments = function.get("name") or "", function.get("arguments") or ""
        if not isinstance(name, str) or not isinstance(arguments, (str, dict)):
            raise _odd("a tool call's name or arguments cannot be read")
        kept["name"] += name
        self.length += len(name)
        written = arguments if isinstance(arguments, str) else self._as_written(arguments)
        kept["arguments"] += written
        self.length += len(written)

    def _as_written(self, arguments: dict[str, Any]) -> str:
        """The arguments as the endpoint wrote them: a duplicate key is seen only there."""
        written = self._written.pop(0) if self._written else ""
        plain = orjson.dumps(arguments).decode()
        return written if written and orjson.loads(written) == arguments else plain

    def enough(self, *, ended: bool = False) -> bool:
        """Whether reading can stop because the text or the reasoning only repeats itself. Checked as text arrives, and
        when the reply has `ended`. Raises if there is more text than the limit allows.
        """
        if self.length < self._next_look and not ended:
            return False
        self._next_look = self.length + _LOOK_EVERY
        text = "".join(self.text)
        if runs_on(text) or (not text and runs_on("".join(self.thoughts[-LOOKED_AT:]))):
            self.text, self.finish = [text[: self.most_chars]], RUN_ON
            return True
        if self.length > self.most_chars:
            raise AttemptFailed("the reply is longer than its limit allows; the rest was not read", "truncated")
        return False

    def completion(self, request: Request) -> Completion:
        """The reply, once it has ended. Raises if it was filtered or used up by reasoning.

        A tool call that was cut off or cannot be read is a reply that cannot be used: the agent asks again.
        """
        text = spoken("".join(self.text))
        if self.finish == "content_filter":
            raise AttemptFailed("the endpoint's content filter stopped the reply", "refused")
        if self.finish == "error":
            raise AttemptFailed("the endpoint stopped with an error", "server")
        usage, finish = self.billed(request), self._ending(text)
        if self.calls and finish == "length":
            return Completion(text=self.calls[-1]["arguments"], usage=usage, finish=CUT_CALL)
        calls: tuple[ToolCall, ...] = ()
        for index, call in enumerate(self.calls):
            try:
                calls += (_tool_call(index, call),)
            except Unreadable:
                return Completion(text=call["arguments"], usage=usage, finish=BAD_CALL)
        if not calls and not text.strip():
            if self.refusal:
                return Completion(text="".join(self.refusal), usage=usage, finish="refusal")
            if finish == "length" and self._only_reasoned():
                raise OutOfRoom
        return Completion(text=text, tool_calls=calls, usage=usage, finish=finish)

    def _ending(self, text: str) -> str:
        """How the reply ended. If the endpoint gives no reason, or `stop` at the token limit, the text shows it."""
        if self.finish not in ("", "stop"):
            return self.finish
        count = self.usage.get("completion_tokens")
        full = isinstance(count, int) and count >= self.limit
        breaks_off = is_unfinished(self.calls[-1]["arguments"] if self.calls else text)
        cut = breaks_off and full if self.finish else breaks_off or full
        return "length" if cut else "stop"

    def _only_reasoned(self) -> bool:
        """Whether a reply without text used its limit for reasoning. White space is text: it was written until the
        limit, and a higher limit would not help.
        """
        text = "".join(self.text)
        if text:
            return bool(self.thoughts) or begins_reasoning(text)
        details = self.usage.get("completion_tokens_details")
        counted = details.get("reasoning_tokens") if isinstance(details, dict) else None
        return bool(self.thoughts) or counted != 0

    def billed(self, request: Request) -> Usage:
        """What this answer cost, whether or not it could be used: as reported if that is plausible, else estimated."""
        said = "".join(self.text) + "".join(call["arguments"] for call in self.calls)
        seen = Usage(input_tokens=request_tokens(request), output_tokens=estimate_tokens(said))
        thought = sum([len(words) for words in self.thoughts]) // 4
        asked = sum(len(message.content) for message in request.messages)
        read = _believed(self.usage.get("prompt_tokens"), seen.input_tokens, asked)
        wrote = _believed(self.usage.get("completion_tokens"), seen.output_tokens + thought, self.length)
        estimated = Usage(input_tokens=seen.input_tokens, output_tokens=seen.output_tokens + thought, estimated=True)
        if read is None or wrote is None:
            return estimated
        return Usage(input_tokens=read, output_tokens=wrote)

    def billed_at_most(self, request: Request) -> Usage:
        """What an attempt without an answer may have cost. If nothing can be read of the answer, the endpoint may have
        written as much as it was allowed to.
        """
        if not self.began and not self.sent:
            return Usage()
        least = self.billed(request)
        return least if self.usage or self.length else replace(least, output_tokens=self.limit, estimated=True)

    @property
    def cached_tokens(self) -> int:
        """The number of input tokens that came from the endpoint's cache."""
        details = self.usage.get("prompt_tokens_details")
        cached = details.get("cached_tokens") if isinstance(details, dict) else None
        return max(0, cached) if isinstance(cached, int) else 0


def _believed(reported: Any, estimate: int, characters: int) -> int | None:
    """A reported token count if it is plausible for the text; None if it is negative, missing or implausible."""
    if not isinstance(reported, int) or isinstance(reported, bool):
        return None
    least, most = characters // _CHARS_A_TOKEN, (estimate + 1_000) * _TOKENS_TOO_MANY
    return reported if least <= reported <= most else None


def _texts(content: Any) -> list[str]:
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [content]
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") != "thinking"]
        if all(part is None or isinstance(part, str) for part in parts):
            return [part for part in parts if part]
    raise _odd("the content is not text")


def _tool_call(index: int, call: dict[str, str]) -> ToolCall:
    if not call["name"]:
        raise _odd("a tool call has no name")
    arguments = read_object(call["arguments"] or "{}")
    return ToolCall(id=call["id"] or f"call-{index}", name=call["name"], arguments=arguments)


def _odd(what: str) -> AttemptFailed:
    return AttemptFailed(what, "truncated")


def complaint_of(payload: Any) -> str:
    """The endpoint's own words in an error answer."""
    error = payload.get("error", payload) if isinstance(payload, dict) else payload
    if isinstance(error, dict):
        words = error.get("message") or error.get("detail") or orjson.dumps(error).decode()
        code = error.get("code") or error.get("param") or ""
        return f"{words}{f' ({code})' if code else ''}"[:500]
    return str(error)[:500]
