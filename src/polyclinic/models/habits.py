"""What is known about one model on one endpoint: which parts of the protocol it takes.

Each part is assumed to work until the endpoint refuses it, or until replies show that the endpoint ignores it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any, Literal

import orjson

from polyclinic.core.model import FORM_IN_WORDS, TOOLS_IN_WORDS, Request

AnswerForm = Literal["bounded", "strict", "loose", "object", "words"]
"""How a form is requested: as a strict schema with maximum lengths for its texts, as a strict schema without lengths
(some hosts refuse them), as a schema that is not strict, as any JSON object, or in words.
"""
ThinkingSwitch = Literal["template", "effort", "reasoning", "switch"]
"""How a server is asked for less reasoning: by a variable of its chat template, `reasoning_effort`, `reasoning`,
`thinking`.
"""

PICTURES = "pictures told in words"
ROOMS = (2_048, 8_192, 24_576)
_USED_PER_MISSED = 4
_NEXT_FORM: dict[AnswerForm, AnswerForm] = {
    "bounded": "strict",
    "strict": "loose",
    "loose": "object",
    "object": "words",
}
_OTHER_LIMIT = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_THINKING_FIELDS = ("reasoning_effort", "chat_template_kwargs", "enable_thinking", "reasoning", "thinking")
_NAME = re.compile(r"[a-z_]+")
_PICTURES = re.compile(
    r"\b(?:images?|image_url|pictures?|vision|multi-?modal|mmproj)\b|(?:be|expected) (?:a|of type) (?:valid )?string"
    r"|content\[\]\.type"
)
_TOOLS = re.compile(r"\b(?:tools?|tool_choice|functions?|--jinja)\b")
_TOOL_CHOICE = re.compile(r"tool[_ ]choice")
_FORMS = re.compile(r"response_format|json_schema|json mode|grammar|structured output|nativeoutput")
_SYSTEM = re.compile(
    r"system (?:role|message|prompt)|role[^.]{0,20}\bsystem\b|'system'|\"system\"|developer instruction"
    r"|only user and assistant|role[^.]{0,30}['`\"]?user['`\"]?(?:,| or| and) ['`\"]?assistant"
)
_UNSUPPORTED = re.compile(
    r"n[o']t (?:\w+ )?(?:support|permit|allow|implement|accept)|unsupported|unknown|unrecogni[sz]ed|parse grammar"
)
_TURNS = re.compile(r"alternat|consecutive|same role")


class CallTally:
    """How often a model gave a tool call that could be used, and how often not, when only a call was an answer."""

    def __init__(self) -> None:
        self._used = self._missed = 0

    def count(self, usable: bool) -> bool:
        """Count one reply; returns whether tools should still be offered."""
        self._used += usable
        self._missed += not usable
        return self.offers_tools

    @property
    def offers_tools(self) -> bool:
        """Whether tools are offered. A model that fails in more than one of five replies answers better with a form."""
        return self._used >= _USED_PER_MISSED * self._missed


@dataclass(frozen=True)
class Habits:
    """Which parts of the protocol a model on an endpoint takes.

    `room` is how many tokens its reasoning needs besides the reply.
    """

    form: AnswerForm = "bounded"
    limit_name: str = "max_tokens"
    thinking: ThinkingSwitch = "template"
    takes_temperature: bool = True
    takes_seed: bool = True
    takes_effort: bool = True
    takes_pictures: bool = True
    takes_tools: bool = True
    takes_tool_choice: bool = True
    takes_system: bool = True
    takes_turns: bool = True
    counts_in_stream: bool = True
    streams: bool = True
    room: int = 0

    def after(self, complaint: str, body: dict[str, Any], status: int) -> Habits | None:
        """The habits to try after the endpoint refused a request with this error; None if nothing is left to change.

        Some servers answer 500 to what they do not support. Then only what the error message names is changed.
        """
        words = complaint.lower()
        changed = self._without_messages(words, body)
        if changed is None and "response_format" in body and _FORMS.search(words) and _UNSUPPORTED.search(words):
            changed = self._next_form(body)
        if changed is not None or status not in (400, 422):
            return changed
        return self._without_settings(set(_NAME.findall(words)), body)

    def _without_messages(self, words: str, body: dict[str, Any]) -> Habits | None:
        if _FORMS.search(words):
            return None
        if self.takes_pictures and _PICTURES.search(words) and _has_pictures(body):
            return replace(self, takes_pictures=False)
        if "tool_choice" in body and _TOOL_CHOICE.search(words):
            return replace(self, takes_tool_choice=False)
        if self.takes_tools and "tools" in body and _TOOLS.search(words):
            return replace(self, takes_tools=False)
        if self.takes_system and _SYSTEM.search(words) and any(m["role"] == "system" for m in body["messages"]):
            return replace(self, takes_system=False)
        if _TURNS.search(words) and len(body["messages"]) > 1:
            if self.takes_turns:
                return replace(self, takes_turns=False)
            if self.takes_system and body["messages"][0]["role"] == "system":
                return replace(self, takes_system=False)
        return None

    def _without_settings(self, said: set[str], body: dict[str, Any]) -> Habits | None:
        if "stream_options" in said and self.counts_in_stream:
            return replace(self, counts_in_stream=False)
        if self.limit_name in said and self.limit_name in body:
            return replace(self, limit_name=_OTHER_LIMIT[self.limit_name])
        if "temperature" in said and "temperature" in body:
            return replace(self, takes_temperature=False)
        if said.intersection(_THINKING_FIELDS) and self.takes_effort and set(body).intersection(_THINKING_FIELDS):
            return replace(self, takes_effort=False)
        if "seed" in said and "seed" in body:
            return replace(self, takes_seed=False)
        if said & {"stream", "streaming", "streamed"} and "response_format" not in said and body.get("stream"):
            return replace(self, streams=False)
        return self._next_form(body)

    def _next_form(self, body: dict[str, Any]) -> Habits | None:
        if "response_format" not in body or self.form not in _NEXT_FORM:
            return None
        form: AnswerForm = "strict" if self.form == "bounded" and not _has_lengths(body) else self.form
        return replace(self, form=_NEXT_FORM[form])

    def more_room(self) -> Habits | None:
        """The same habits with more tokens for reasoning, after it used up the limit; None at the largest number."""
        larger = [room for room in ROOMS if room > self.room]
        return replace(self, room=larger[0]) if larger else None

    def adapted(self, request: Request) -> tuple[str, ...]:
        """Which parts of this request are sent in words, because the endpoint does not take them."""
        found: list[str] = []
        if not self.takes_pictures and any(message.images for message in request.messages):
            found.append(PICTURES)
        if not self.takes_tools and request.tools:
            found.append(TOOLS_IN_WORDS)
        if self.form in ("object", "words") and request.reply_type is not str:
            found.append(FORM_IN_WORDS)
        return tuple(found)


class Known:
    """What is known about the models of one endpoint. `first` is assumed about a model before its first reply."""

    def __init__(self, first: Habits | None = None) -> None:
        self._first: defaultdict[str, Habits] = defaultdict(lambda: first or Habits())
        self._habits: dict[tuple[str, bool], Habits] = {}
        self.calls: defaultdict[str, CallTally] = defaultdict(CallTally)

    def expect(self, model: str, first: Habits) -> None:
        """Assume these habits of a model until its replies show others."""
        self._first[model] = first

    def habits(self, model: str, tools: bool) -> Habits:
        """Which parts of the protocol a model is known to take, with or without tools. Some models take no schema
        together with tools.
        """
        return self._habits.get((model, tools), self._first[model])

    def learn(self, model: str, tools: bool, before: Habits, after: Habits) -> None:
        """Remember what one call found out about a model, and keep what other calls found out at the same time."""
        if after is before:
            return
        found = {name: value for name, value in vars(after).items() if value != getattr(before, name)}
        if found:
            self._habits[model, tools] = replace(self.habits(model, tools), **found)


def _has_lengths(body: dict[str, Any]) -> bool:
    return b'"maxLength"' in orjson.dumps(body["response_format"])


def _has_pictures(body: dict[str, Any]) -> bool:
    return any(isinstance(message.get("content"), list) for message in body["messages"])
