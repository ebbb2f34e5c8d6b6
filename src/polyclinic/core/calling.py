"""Decisions that a model gives as a native tool call.

A prompt whose reply names one of a few actions (``class X(CallPrompt[Reply])``) can be answered in two ways: by a form
with a field `action`, or by a call of the tool with that name. A language model is offered the tools first, because
such models were trained to call them. The same question as a form goes with the request (`Request.closed`): it is sent
instead if the server takes no tools, and by the agent if a call could not be used. Everybody else gets only the form.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar, TypeVar, cast

import orjson
from pydantic import BaseModel

from polyclinic.core.again import TOOL_CALL, whole
from polyclinic.core.message import Message, ToolCall, compose, followed
from polyclinic.core.model import BY_CALL, Completion, Model, Request, was_trained
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import Unreadable
from polyclinic.core.tool import ToolSpec

R = TypeVar("R")
ACTION = "action"
_NAMED = re.compile(r'"(?:action|name|tool)"\s*:\s*"(\w+)"')


class CallPrompt(Prompt[R]):
    """A prompt whose reply can also be given as a tool call. Its reply has a field `action`, and one text field for
    each argument of a tool.

    `by_call` is true in the wording for a model that is offered the tools.
    """

    takes_call: ClassVar[bool] = True
    uses: ClassVar[dict[str, str]] = {}
    """What each action is for; a model reads it in the tool's description."""
    needs: ClassVar[dict[str, tuple[str, ...]]] = {}
    """The fields of the reply that are an action's arguments."""
    by_call: bool = False

    def tools(self) -> tuple[ToolSpec, ...]:
        """One tool for each action. The arguments have the types that they have in the form, so that the same choices
        are allowed.
        """
        form: Any = self.reply_form()
        return _tools(type(self), form)

    def form_of(self, call: ToolCall) -> str:
        """The reply as the form's text. Raises `Unreadable` if the call has no such action or argument."""
        given: Any = self.reply_type()
        wanted = self.needs.get(call.name, ())
        if call.name not in self.uses:
            raise Unreadable(f"there is no tool '{call.name}'; there are: {', '.join(self.uses)}", TOOL_CALL)
        arguments = {name: value for name, value in call.arguments.items() if name in wanted or value not in (None, "")}
        unknown = [name for name in arguments if name not in wanted]
        if unknown:
            raise Unreadable(f"{call.name} has no argument {', '.join(unknown)}", TOOL_CALL)
        values = dict.fromkeys(given.model_fields, "") | arguments | {ACTION: call.name}
        return orjson.dumps(values).decode()


@lru_cache(maxsize=256)
def _tools(prompt: type[CallPrompt[Any]], form: type[BaseModel]) -> tuple[ToolSpec, ...]:
    fields = form.model_json_schema()["properties"]
    return tuple(
        ToolSpec(
            name=name,
            description=use,
            parameters={
                "type": "object",
                "properties": {field: _without_empty(fields[field]) for field in prompt.needs.get(name, ())},
                "required": list(prompt.needs.get(name, ())),
                "additionalProperties": False,
            },
        )
        for name, use in prompt.uses.items()
    )


def _without_empty(field: dict[str, Any]) -> dict[str, Any]:
    """A field of the form as an argument. In the form it may be empty, because other actions do not need it."""
    plain = {key: value for key, value in field.items() if key not in ("title", "default")}
    if "enum" in plain:
        plain["enum"] = [choice for choice in plain["enum"] if choice]
    return plain


def calls_tools(model: Model) -> bool:
    """Whether a player may give a decision as a tool call. A model that was trained on rows knows their form only."""
    return getattr(model, "played", model.kind) == "llm" and not was_trained(model)


def natively(request: Request, history: Sequence[Message], after: Sequence[Message]) -> Request:
    """The same question with the tools. The form goes with it as `closed`."""
    asked = cast("CallPrompt[Any]", request.prompt)
    prompt = asked.model_copy(update={"by_call": True})
    messages = tuple(followed(compose(prompt.render(), history), after))
    return replace(request, prompt=prompt, messages=messages, tools=prompt.tools(), closed=request)


def call_as_form(prompt: Prompt[Any], completion: Completion) -> Completion:
    """The completion with its one tool call also as the form's text. Raises `Unreadable` if it cannot be used.

    Words beside a call are left out, but if they name another action, nobody knows which of the two is meant.
    """
    whole(completion)
    if len(completion.tool_calls) > 1:
        raise Unreadable(f"call one tool, not {len(completion.tool_calls)}", TOOL_CALL)
    asked, call = cast("CallPrompt[Any]", prompt), completion.tool_calls[0]
    others = (asked.uses.keys() & _NAMED.findall(completion.text)) - {call.name}
    if others:
        raise Unreadable(f"the call is {call.name}, but the text says {', '.join(sorted(others))}", TOOL_CALL)
    text = asked.form_of(call)
    return replace(completion, text=text, adapted=(*completion.adapted, BY_CALL))


def is_usable_call(prompt: Prompt[Any], completion: Completion) -> bool:
    """Whether a reply is one whole call of a tool that exists, with arguments that it has."""
    try:
        return bool(completion.tool_calls) and bool(call_as_form(prompt, completion))
    except Unreadable:
        return False
